// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace fabricscope::replay {

using layout::FieldInfo;
using layout::Kind;
using layout::Order;

namespace {

/// More octets than these say nothing to people.
constexpr std::size_t shown_octets = 24;

std::uint64_t load(ByteView octets, Order order) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < octets.size(); ++i)
        value = value << 8 | octets[order == Order::big ? i : octets.size() - 1 - i];
    return value;
}

void store(std::span<std::uint8_t> octets, std::uint64_t value, Order order) {
    for (std::size_t i = 0; i < octets.size(); ++i, value >>= 8)
        octets[order == Order::big ? octets.size() - 1 - i : i] = static_cast<std::uint8_t>(value);
}

template <class T> std::string address_text(const Value& value) {
    T address;
    std::copy_n(value.begin(), std::min(value.size(), address.octets.size()), address.octets.begin());
    return to_string(address);
}

std::string number_text(const FieldInfo& info, std::uint64_t number) {
    if (info.kind == Kind::boolean) return number != 0 ? "set" : "not set";
    std::string text = info.base == layout::Base::hex ? fmt::format("0x{:x}", number) : fmt::format("{}", number);
    if (const char* name = layout::name_of(info.names, number)) text += fmt::format(" ({})", name);
    return text;
}

std::string octets_text(const Value& value) {
    std::string text;
    for (std::size_t i = 0; i < std::min(value.size(), shown_octets); ++i) text += fmt::format("{:02x}", value[i]);
    return value.size() <= shown_octets ? text : fmt::format("{}... ({} octets)", text, value.size());
}

}  // namespace

bool is_number(const FieldAt& field) { return field.info != nullptr && layout::detail::is_number(field.info->kind); }

Value value_of_number(std::uint64_t number) {
    Value value;
    for (; number != 0; number >>= 8) value.insert(value.begin(), static_cast<std::uint8_t>(number));
    if (value.empty()) value.push_back(0);
    return value;
}

Value value_of_number(std::uint64_t number, const FieldAt& field) {
    Value value(field.width);
    for (auto octet = value.rbegin(); octet != value.rend(); ++octet, number >>= 8)
        *octet = static_cast<std::uint8_t>(number);
    return is_number(field) ? value_of_number(number_of(value)) : value;
}

std::string_view FieldAt::filter() const {
    if (info != nullptr) return info->filter;
    if (octets != nullptr) return octets->filter;
    return label != nullptr ? label : "octets";
}

std::string FieldAt::name() const {
    std::string text(filter());
    if (index >= 0) text += fmt::format("[{}]", index);
    if (info != nullptr && label != nullptr) text += fmt::format(" ({})", label);
    return text;
}

const char* FieldAt::clause() const {
    if (info != nullptr) return info->clause;
    return octets != nullptr ? octets->clause : nullptr;
}

bool same_place(const FieldAt& a, const FieldAt& b) {
    const auto label = [](const FieldAt& field) { return std::string_view(field.label != nullptr ? field.label : ""); };
    return a.filter() == b.filter() && a.index == b.index && label(a) == label(b);
}

std::vector<FieldAt> with_names(std::vector<FieldAt> fields, std::span<const FieldAt> names) {
    for (const FieldAt& name : names) {
        const std::size_t end = name.offset + name.width;
        const auto around = std::ranges::find_if(fields, [&](const FieldAt& field) {
            return field.info == nullptr && field.offset <= name.offset && end <= field.offset + field.width;
        });
        if (around == fields.end()) continue;
        FieldAt before = *around;
        FieldAt behind = before;
        before.width = name.offset - before.offset;
        behind.width -= end - behind.offset;
        behind.offset = end;
        auto place = fields.erase(around);
        if (behind.width != 0) place = fields.insert(place, behind);
        place = fields.insert(place, name);
        if (before.width != 0) fields.insert(place, before);
    }
    return fields;
}

void FieldCollector::add(
    const layout::LayoutInfo& part, std::size_t begin, std::size_t offset, const layout::PartInfo& role) {
    for (const FieldInfo& info : part.fields)
        fields_.push_back({&info, nullptr, role.label, role.index, origin_ + offset + info.offset - begin, info.width});
}

Value value_of(ByteView message, const FieldAt& field) {
    if (field.offset + field.width > message.size()) return {};
    const ByteView octets = message.subspan(field.offset, field.width);
    if (!is_number(field)) return {octets.begin(), octets.end()};
    const std::uint64_t number = load(octets, field.info->order);
    const std::uint64_t mask = field.info->mask;
    return value_of_number(mask == 0 ? number : (number & mask) >> std::countr_zero(mask));
}

std::uint64_t number_of(const Value& value) { return load(value, Order::big); }

void set_value(std::span<std::uint8_t> message, const FieldAt& field, const Value& value) {
    if (field.offset + field.width > message.size()) return;
    const std::span<std::uint8_t> octets = message.subspan(field.offset, field.width);
    if (!is_number(field)) {
        std::copy_n(value.begin(), std::min(value.size(), octets.size()), octets.begin());
        return;
    }
    const std::uint64_t mask = field.info->mask;
    std::uint64_t number = number_of(value);
    if (mask != 0) number = (load(octets, field.info->order) & ~mask) | (number << std::countr_zero(mask) & mask);
    store(octets, number, field.info->order);
}

std::string text_of(const FieldAt& field, const Value& value) {
    if (is_number(field)) return number_text(*field.info, number_of(value));
    switch (field.info != nullptr ? field.info->kind : Kind::bytes) {
        case Kind::mac: return address_text<Mac>(value);
        case Kind::ipv4: return address_text<Ipv4>(value);
        case Kind::gid: return address_text<Gid>(value);
        case Kind::text: return '"' + printable_text(value) + '"';
        default: return octets_text(value);
    }
}

}  // namespace fabricscope::replay
