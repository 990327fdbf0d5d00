// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/masks.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::replay {

namespace {

layout::Kind layout_kind_of(const Mask& mask) {
    if (mask.name == "gid") return layout::Kind::gid;
    if (mask.name == "mac") return layout::Kind::mac;
    if (mask.name == "ip") return layout::Kind::bytes;
    return layout::Kind::unsigned_integer;
}

bool is_meant(const Mask& mask, std::string_view filter) {
    // The last word of a filter name will do: "payload", "private_data".
    return filter == mask.field || (filter.ends_with(mask.field) && filter.size() > mask.field.size() &&
                                    filter[filter.size() - mask.field.size() - 1] == '.');
}

bool is_about(const Mask& mask, Side from, std::string_view name) {
    return (!mask.from || *mask.from == from) && (mask.message.empty() || mask.message == name);
}

bool overlap(const FieldAt& a, const FieldAt& b) {
    return a.offset < b.offset + b.width && b.offset < a.offset + a.width;
}

}  // namespace

std::string text_of(const Mask& mask) {
    if (!mask.octets) return mask.field;
    const bool open = mask.octets->end == SIZE_MAX;
    return fmt::format("{}[{}:{}]", mask.field, mask.octets->begin, open ? "" : fmt::format("{}", mask.octets->end));
}

void Masks::add(Mask mask) {
    Entry& entry = masks_.emplace_back();
    entry.mask = std::move(mask);
    entry.filter = text_of(entry.mask);
    entry.octets = {entry.filter.c_str(), "Masked octets", nullptr};
    entry.info.filter = entry.filter.c_str();
    entry.info.label = "Masked name";
    entry.info.kind = layout_kind_of(entry.mask);
    entry.info.base = layout::Base::hex;
    entry.info.order = entry.mask.order;
    if (entry.mask.octets)
        entry.info.width = static_cast<std::uint16_t>(entry.mask.octets->end - entry.mask.octets->begin);
}

void Masks::tolerate(Side from, std::uint64_t frame, std::vector<Tolerance> tolerances) {
    if (!tolerances.empty()) tolerances_[{frame, from}] = std::move(tolerances);
}

bool Masks::apply(const Entry& entry, Message& message) {
    const Mask& mask = entry.mask;
    if (!is_about(mask, message.from, message.name)) return false;
    const Treatment treatment = mask.ignores() ? Treatment::ignored : Treatment::refers;
    const std::string_view kind = mask.name;
    bool found = false;
    for (const FieldAt& field : message.format->fields_of(message.octets)) {
        if (!is_meant(mask, field.filter())) continue;
        if (!mask.octets) {
            message.overrides.push_back({field.filter(), treatment, kind, mask.owner});
            found = true;
            continue;
        }
        // What a layout describes is no place for names of applications.
        const std::size_t end = std::min(mask.octets->end, field.width);
        if (field.info != nullptr || mask.octets->begin >= end) continue;
        FieldAt marked{.offset = field.offset + mask.octets->begin, .width = end - mask.octets->begin};
        if (mask.ignores()) marked.octets = &entry.octets;
        else if (marked.width == mask.octets->end - mask.octets->begin) marked.info = &entry.info;
        else continue;  // the message ends within the name
        std::erase_if(message.embedded, [&](const FieldAt& name) { return overlap(name, marked); });
        message.embedded.push_back(marked);
        message.overrides.push_back({entry.filter, treatment, kind, mask.owner});
        found = true;
    }
    return found;
}

bool Masks::apply(const Entry& entry, Stream& stream) {
    const Mask& mask = entry.mask;
    if (mask.field != stream_field || !mask.ignores() || !is_about(mask, stream.from, stream.name)) return false;
    const Mask::Range range = mask.octets.value_or(Mask::Range{0, SIZE_MAX});
    stream.ignored.push_back({range.begin, range.end});
    return true;
}

void Masks::apply(Conversation& recorded) const {
    for (Message& message : recorded.messages)
        if (const auto found = tolerances_.find({message.frame, message.from}); found != tolerances_.end())
            message.tolerances = found->second;
    for (const Entry& entry : masks_) {
        for (Message& message : recorded.messages) apply(entry, message);
        for (Stream& stream : recorded.streams) apply(entry, stream);
    }
}

std::vector<std::string> Masks::unused(const Conversation& recorded) const {
    std::vector<std::string> texts;
    for (const Entry& entry : masks_) {
        const bool used = std::ranges::any_of(
                              recorded.messages, [&](Message message) { return apply(entry, message); }) ||
                          std::ranges::any_of(recorded.streams, [&](Stream stream) { return apply(entry, stream); });
        if (!used) texts.push_back(entry.filter);
    }
    return texts;
}

}  // namespace fabricscope::replay
