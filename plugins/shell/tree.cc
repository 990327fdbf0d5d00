// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/tree.h"

#include <algorithm>

#include "analyzer/info/line.h"

namespace fabricscope::plugin {

using layout::FieldInfo;
using layout::Kind;
using layout::Order;

const char* packet_text(const packet_info* pinfo, const std::string& text) {
    return wmem_strndup(pinfo->pool, text.data(), text.size());
}

void TreeBuilder::add_part(const Shape& shape, std::size_t offset, const layout::PartInfo& role, std::size_t used) {
    if (!role.used) return add_octets(offset, shape.size, {.label = "Unused", .index = role.index});
    proto_tree* tree = subtree_for(shape, offset, role);
    const FieldRegistry::Part ids = ids_.registry.part(shape.info);
    auto flags = ids.flags.begin();
    proto_tree* flags_tree = nullptr;
    for (std::size_t i = 0; i < shape.info.fields.size(); ++i) {
        const FieldInfo& field = shape.info.fields[i];
        const std::size_t start = field.offset - shape.begin;
        const auto width = static_cast<unsigned>(std::min<std::size_t>(field.width, used - std::min(used, start)));
        const std::size_t position = offset + start;
        // A part that was cut is shown as far as it goes.
        if (width == 0 || !tvb_bytes_exist(message_, static_cast<int>(position), static_cast<int>(width))) continue;
        if (flags != ids.flags.end() && i == flags->begin) flags_tree = add_flags(tree, shape, *flags, position);
        const bool is_flag = flags != ids.flags.end() && i >= flags->begin;
        add_field(is_flag ? flags_tree : tree, field, ids.fields[i], position, width);
        if (is_flag && i + 1 == flags->end) ++flags;
    }
}

/// "Flags: 0x40 (Urgent data pending (P))"
proto_tree* TreeBuilder::add_flags(
    proto_tree* tree, const Shape& shape, const FieldRegistry::Flags& flags, std::size_t offset) const {
    const auto members = shape.info.fields.subspan(flags.begin, flags.end - flags.begin);
    const FieldInfo& first = members.front();
    const unsigned encoding = first.order == Order::little ? ENC_LITTLE_ENDIAN : ENC_BIG_ENDIAN;
    proto_item* item = proto_tree_add_item(tree, flags.id, message_, static_cast<int>(offset), first.width, encoding);
    info::Line names;
    for (const FieldInfo& flag : members) {
        if (flag.kind != Kind::boolean || !is_set(flag, offset)) continue;
        names << (names.empty() ? " (" : ", ") << flag.label;
    }
    if (!names.empty()) proto_item_append_text(item, "%s)", names.c_str());
    return proto_item_add_subtree(item, ids_.registry.flags_subtree());
}

/// A part whose offsets count from the message's begin continues the message; one that counts its own
/// is an area in it, worth a subtree if it has several fields.
proto_tree* TreeBuilder::subtree_for(const Shape& shape, std::size_t offset, const layout::PartInfo& role) {
    const bool continues = shape.begin == offset;
    if ((continues && role.index < 0) || shape.info.fields.size() == 1) return tree_;
    const int present = tvb_captured_length_remaining(message_, static_cast<int>(offset));
    const int length = std::clamp(present, 0, static_cast<int>(shape.size));
    const char* name = role.label != nullptr ? role.label : shape.info.name;
    const int subtree = ids_.registry.part(shape.info).subtree;
    const int start = length == 0 ? 0 : static_cast<int>(offset);
    if (role.index < 0) return proto_tree_add_subtree(tree_, message_, start, length, subtree, nullptr, name);
    return proto_tree_add_subtree_format(
        tree_, message_, start, length, subtree, nullptr, "%s %d", name, role.index + 1);
}

/// What is reserved shows if it is in use.
void TreeBuilder::add_field(proto_tree* tree, const FieldInfo& info, int id, std::size_t offset, unsigned width) {
    if (info.reserved && !is_set(info, offset)) return;
    const int start = static_cast<int>(offset), length = static_cast<int>(width);
    proto_item* item = nullptr;
    if (info.kind == Kind::text) {
        const char* text = packet_text(pinfo_, printable_text({tvb_get_ptr(message_, start, length), width}));
        item = proto_tree_add_string(tree, id, message_, start, length, text);
    } else {
        const unsigned encoding = info.order == Order::little ? ENC_LITTLE_ENDIAN : ENC_BIG_ENDIAN;
        item = proto_tree_add_item(tree, id, message_, start, length, encoding);
    }
    if (info.reserved) expert_add_info(pinfo_, item, &ids_.experts.reserved_set);
}

bool TreeBuilder::is_set(const FieldInfo& info, std::size_t offset) const {
    const std::uint8_t* octets = tvb_get_ptr(message_, static_cast<int>(offset), info.width);
    for (unsigned i = 0; i < info.width; ++i) {
        const unsigned shift = 8 * (info.order == Order::big ? info.width - 1U - i : i);
        const auto mask = static_cast<std::uint8_t>(info.mask == 0 ? 0xFF : info.mask >> shift);
        if ((octets[i] & mask) != 0) return true;
    }
    return false;
}

void TreeBuilder::add_octets(std::size_t offset, std::size_t size, const layout::PartInfo& role) {
    const int start = static_cast<int>(offset);
    const int present = std::min(tvb_captured_length_remaining(message_, start), static_cast<int>(size));
    if (present <= 0) return;
    if (role.octets != nullptr) {
        proto_tree_add_item(tree_, ids_.registry.octets(*role.octets), message_, start, present, ENC_NA);
        return;
    }
    const char* label = role.label != nullptr ? role.label : "Bytes";
    const char* octets = tvb_bytes_to_str(pinfo_->pool, message_, start, std::min(present, 24));
    proto_tree_add_bytes_format(
        tree_, ids_.octets, message_, start, present, nullptr, "%s (%zu bytes): %s", label, size, octets);
}

}  // namespace fabricscope::plugin
