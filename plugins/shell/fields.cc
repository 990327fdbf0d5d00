// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/fields.h"

#include <fmt/format.h>

#include <utility>

#include "protocols/layout/flags.h"

namespace fabricscope::plugin {
namespace {

using engine::GeneratedType;
using layout::Base;
using layout::FieldInfo;
using layout::Kind;

enum ftenum number_type(std::size_t octets) {
    switch (octets) {
        case 1: return FT_UINT8;
        case 2: return FT_UINT16;
        case 3: return FT_UINT24;
        case 4: return FT_UINT32;
        case 5: return FT_UINT40;
        case 6: return FT_UINT48;
        case 7: return FT_UINT56;
        default: return FT_UINT64;
    }
}

enum ftenum type_of(const FieldInfo& info) {
    switch (info.kind) {
        case Kind::unsigned_integer: return number_type(info.width);
        case Kind::boolean: return FT_BOOLEAN;
        case Kind::mac: return FT_ETHER;
        case Kind::ipv4: return FT_IPv4;
        case Kind::gid: return FT_IPv6;
        case Kind::text: return FT_STRING;
        case Kind::bytes: break;
    }
    return FT_BYTES;
}

int display_of(const FieldInfo& info) {
    if (info.kind == Kind::boolean && info.mask != 0) return 8 * info.width;  // the bits that are drawn
    if (info.kind != Kind::unsigned_integer) return BASE_NONE;
    return info.base == Base::hex ? BASE_HEX : BASE_DEC;
}

struct GeneratedShape {
    enum ftenum type;
    int display;
};

/// Wireshark's packet list draws what a frame number means to the selected frame.
const void* link_of(std::string_view filter) {
    constexpr struct {
        std::string_view ending;
        ft_framenum_type_t type;
    } links[] = {
        {".request_in", FT_FRAMENUM_REQUEST},   {".response_in", FT_FRAMENUM_RESPONSE},
        {".ack_to", FT_FRAMENUM_ACK},           {".acknowledged_in", FT_FRAMENUM_ACK},
        {".copy_of", FT_FRAMENUM_RETRANS_PREV}, {".retransmission.of", FT_FRAMENUM_RETRANS_PREV},
    };
    for (const auto& link : links)
        if (filter.ends_with(link.ending)) return FRAMENUM_TYPE(link.type);
    return FRAMENUM_TYPE(FT_FRAMENUM_NONE);
}

GeneratedShape shape_of(GeneratedType type) {
    switch (type) {
        case GeneratedType::text: break;
        case GeneratedType::unsigned_number: return {FT_UINT64, BASE_DEC};
        case GeneratedType::address: return {FT_UINT64, BASE_HEX};
        case GeneratedType::signed_number: return {FT_INT64, BASE_DEC};
        case GeneratedType::boolean: return {FT_BOOLEAN, BASE_NONE};
        case GeneratedType::frame: return {FT_FRAMENUM, BASE_NONE};
        case GeneratedType::time_span: return {FT_RELATIVE_TIME, BASE_NONE};
        case GeneratedType::octets: return {FT_BYTES, BASE_NONE};
        case GeneratedType::presence:
        case GeneratedType::expert_info: return {FT_NONE, BASE_NONE};
    }
    return {FT_STRING, BASE_NONE};
}

/// "Octets 10 to 15 of PROPOSAL hold it (RFC 7609, A.2.2)."
std::string description_of(const FieldInfo& field, const layout::LayoutInfo& info) {
    const bool is_one = field.width == 1, is_part = field.mask != 0;
    const std::string place = is_one ? fmt::format("octet {}", field.offset)
                                     : fmt::format("octets {} to {}", field.offset, field.end() - 1);
    return fmt::format(
        "{}{} of {} {} it ({}).", is_part ? "Bits of o" : "O", place.substr(1), info.name,
        is_one && !is_part ? "holds" : "hold", field.clause != nullptr ? field.clause : info.clause);
}

}  // namespace

std::string sentence(const char* description, const char* clause) {
    return clause != nullptr ? fmt::format("{} ({}).", description, clause) : fmt::format("{}.", description);
}

const char* FieldRegistry::kept(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

const void* FieldRegistry::strings_of(const FieldInfo& info) {
    if (info.names.empty()) return nullptr;
    std::vector<value_string>& names = value_names_.emplace_back();
    for (const layout::ValueName& name : info.names) names.push_back({name.value, name.name});
    if (layout::name_of(info.names, 0) == nullptr) names.push_back({0, "not set"});  // no "Unknown (0)"
    names.push_back({0, nullptr});
    return VALS(names.data());
}

void FieldRegistry::add_layouts(std::span<const layout::LayoutInfo> layouts) {
    for (const layout::LayoutInfo& info : layouts) {
        LayoutIds& ids = layouts_[info.fields.data()];
        ids.fields.assign(info.fields.size(), -1);
        add_subtree(ids.subtree);
        for (std::size_t i = 0; i < info.fields.size(); ++i) {
            const FieldInfo& field = info.fields[i];
            fields_.push_back(
                {&ids.fields[i],
                 {field.label, field.filter, type_of(field), display_of(field), strings_of(field), field.mask,
                  kept(description_of(field, info)), HFILL}});
        }
        add_flags(info, ids);
    }
}

void FieldRegistry::add_flags(const layout::LayoutInfo& info, LayoutIds& ids) {
    const std::vector<layout::FlagGroup> groups = layout::flag_groups(info.fields);
    ids.flags.reserve(groups.size());  // they stay where they are from now on
    for (const layout::FlagGroup& group : groups) {
        ids.flags.push_back({group.begin, group.end, -1});
        Flags& flags = ids.flags.back();
        add(flags.id, kept(group.filter), group.label, number_type(info.fields[group.begin].width), BASE_HEX,
            kept(fmt::format(
                "These octets of {} hold all of its flags that stand side by side ({}).", info.name, info.clause)));
    }
}

void FieldRegistry::add_octets(std::span<const layout::OctetsInfo> infos) {
    for (const layout::OctetsInfo& info : infos) {
        int& id = octets_[&info] = -1;  // stays where it is, whatever comes later
        add(id, info.filter, info.label, FT_BYTES, BASE_NONE,
            kept(fmt::format("These octets have no layout of their own ({}).", info.clause)));
    }
}

void FieldRegistry::add_generated(std::span<const engine::GeneratedField> fields, std::span<int> ids) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const GeneratedShape shape = shape_of(fields[i].type);
        ids[i] = -1;
        if (fields[i].type == GeneratedType::expert_info) continue;
        const void* strings = shape.type == FT_FRAMENUM ? link_of(fields[i].filter) : nullptr;
        add(ids[i], fields[i].filter, fields[i].label, shape.type, shape.display,
            kept(sentence(fields[i].description, fields[i].clause)), strings);
    }
}

void FieldRegistry::add(
    int& id, const char* filter, const char* label, enum ftenum type, int display, const char* description,
    const void* strings) {
    fields_.push_back({&id, {label, filter, type, display, strings, 0, description, HFILL}});
}

void FieldRegistry::register_with(int protocol) {
    proto_register_field_array(protocol, fields_.data(), static_cast<int>(fields_.size()));
    add_subtree(flags_subtree_);
    for (int* subtree : subtrees_) *subtree = -1;
    proto_register_subtree_array(subtrees_.data(), static_cast<int>(subtrees_.size()));
}

FieldRegistry::Part FieldRegistry::part(const layout::LayoutInfo& info) const {
    const LayoutIds& ids = layouts_.at(info.fields.data());
    return {ids.fields.data(), ids.subtree, ids.flags};
}

}  // namespace fabricscope::plugin
