// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/field_values.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>

namespace fabricscope::replay {

using layout::FieldInfo;
using layout::Kind;

namespace {

constexpr std::string_view octets_prefix = "octets[";
/// As often as the structure of a message may depend on values that themselves have to be set first.
constexpr unsigned most_rounds = 16;
/// Where values alone do not give the message.
constexpr unsigned most_patches = 8;
/// Equal octets in a row that are worth a run of their own.
constexpr std::size_t least_run = 16;
constexpr std::uint64_t most_octets = 1 << 26;

std::optional<std::uint64_t> number_from_text(std::string_view text) {
    const bool hex = text.starts_with("0x");
    if (hex) text.remove_prefix(2);
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, hex ? 16 : 10);
    if (error != std::errc() || stop != end) return std::nullopt;
    return number;
}

std::optional<Octets> octets_from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    Octets octets(text.size() / 2);
    for (std::size_t i = 0; i < octets.size(); ++i) {
        const char* const end = text.data() + 2 * i + 2;
        const auto [stop, error] = std::from_chars(text.data() + 2 * i, end, octets[i], 16);
        if (error != std::errc() || stop != end) return std::nullopt;
    }
    return octets;
}

std::optional<Octets> run_from_text(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view kind = text.substr(0, colon), rest = text.substr(colon + 1);
    if (kind == "hex") return octets_from_hex(rest);
    if (kind == "text") return Octets(rest.begin(), rest.end());
    const std::optional<std::uint64_t> count = number_from_text(rest);
    if (!count || *count > most_octets || (kind != "zeros" && kind != "count")) return std::nullopt;
    Octets octets(*count);
    if (kind == "count")
        for (std::size_t i = 0; i < octets.size(); ++i) octets[i] = static_cast<std::uint8_t>(i);
    return octets;
}

std::string hex_text(ByteView octets) {
    std::string text = "hex:";
    text.reserve(text.size() + 2 * octets.size());
    for (const std::uint8_t octet : octets) fmt::format_to(std::back_inserter(text), "{:02x}", octet);
    return text;
}

bool is_plain(ByteView octets) {
    constexpr std::string_view with_meaning = "\"+$\\?#";
    const bool plain = octets.size() >= 4 && std::ranges::all_of(octets, [&](std::uint8_t octet) {
                           return octet >= 0x20 && octet < 0x7F &&
                                  with_meaning.find(static_cast<char>(octet)) == std::string_view::npos;
                       });
    return plain && std::string(octets.begin(), octets.end()).find("..") == std::string::npos;
}

std::size_t zeros_at(ByteView octets, std::size_t from) {
    const ByteView rest = octets.subspan(from);
    return static_cast<std::size_t>(
        std::ranges::find_if(rest, [](std::uint8_t octet) { return octet != 0; }) - rest.begin());
}

std::optional<Value> number_value(const FieldInfo& info, std::string_view text) {
    if (info.kind == Kind::boolean && (text == "yes" || text == "no")) return Value{text == "yes"};
    const auto named = std::ranges::find_if(
        info.names, [&](const layout::ValueName& name) { return name.name == text; });
    if (named != info.names.end()) return value_of_number(named->value);
    const std::optional<std::uint64_t> number = number_from_text(text);
    const std::size_t width = info.mask != 0 ? static_cast<std::size_t>(std::popcount(info.mask)) : 8U * info.width;
    if (!number || (width < 64 && *number >> width != 0)) return std::nullopt;
    return value_of_number(*number);
}

std::optional<Value> address_value(int family, std::string_view text) {
    Value value(family == AF_INET ? 4 : 16);
    if (::inet_pton(family, std::string(text).c_str(), value.data()) != 1) return std::nullopt;
    return value;
}

std::optional<Value> gid_value(std::string_view text) {
    const std::optional<Value> ipv4 = address_value(AF_INET, text);
    if (!ipv4) return address_value(AF_INET6, text);
    Value value(ipv4_mapped_prefix.begin(), ipv4_mapped_prefix.end());
    value.insert(value.end(), ipv4->begin(), ipv4->end());
    return value;
}

/// So many octets, with colons between them.
std::optional<Octets> octets_with_colons(std::string_view text, std::size_t count) {
    std::string digits;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (i % 3 != 2) digits.push_back(text[i]);
        else if (text[i] != ':') return std::nullopt;
    if (text.size() != 3 * count - 1) return std::nullopt;
    return octets_from_hex(digits);
}

std::optional<Value> mac_value(std::string_view text) { return octets_with_colons(text, sizeof(Mac)); }

/// Where "octets[12]" stands.
std::optional<std::size_t> place_of(std::string_view name) {
    if (!name.starts_with(octets_prefix) || !name.ends_with(']')) return std::nullopt;
    name.remove_prefix(octets_prefix.size());
    name.remove_suffix(1);
    const std::optional<std::uint64_t> place = number_from_text(name);
    return place ? std::optional<std::size_t>(*place) : std::nullopt;
}

void set_octets(Octets& message, std::size_t place, const Assignment& assignment) {
    const std::optional<Octets> octets = octets_from_text(assignment.text);
    if (!octets) throw FieldError(fmt::format("{}={} is not octets, as hex:00ff", assignment.name, assignment.text));
    if (place > message.size() || octets->size() > message.size() - place)
        throw FieldError(
            fmt::format("{} goes beyond the message, which has {} octets", assignment.name, message.size()));
    std::ranges::copy(*octets, message.begin() + static_cast<std::ptrdiff_t>(place));
}

/// The names that the message has no field for are left in `unknown`.
void set_fields(
    Octets& message, const std::vector<NamedField>& fields, std::span<const Assignment> assignments,
    std::vector<const Assignment*>& unknown) {
    for (const Assignment& assignment : assignments) {
        if (place_of(assignment.name)) continue;
        const auto found = std::ranges::find(fields, assignment.name, &NamedField::name);
        if (found == fields.end()) {
            unknown.push_back(&assignment);
            continue;
        }
        const std::optional<Value> value = value_from_text(found->field, assignment.text);
        if (!value) throw FieldError(fmt::format("{}={} is no value of that field", assignment.name, assignment.text));
        if (!is_number(found->field) && value->size() > found->field.width)
            throw FieldError(fmt::format(
                "{} has room for {} octets, not for {}: see length=", assignment.name, found->field.width,
                value->size()));
        set_value(message, found->field, *value);
    }
}

}  // namespace

std::optional<Octets> octets_from_text(std::string_view text) {
    Octets octets;
    while (true) {
        const std::size_t end = text.find('+');
        const std::optional<Octets> run = run_from_text(text.substr(0, end));
        if (!run || octets.size() + run->size() > most_octets) return std::nullopt;
        octets.insert(octets.end(), run->begin(), run->end());
        if (end == std::string_view::npos) return octets;
        text.remove_prefix(end + 1);
    }
}

std::string text_of_octets(ByteView octets) {
    if (octets.empty()) return "zeros:0";
    if (is_plain(octets)) return fmt::format("text:{}", std::string(octets.begin(), octets.end()));
    std::string text;
    const auto add = [&](const std::string& run) { text.append(text.empty() ? "" : "+").append(run); };
    std::size_t begin = 0;
    for (std::size_t at = 0; at < octets.size();) {
        const std::size_t zeros = octets[at] == 0 ? zeros_at(octets, at) : 0;
        if (zeros < least_run) {
            at += std::max<std::size_t>(zeros, 1);
            continue;
        }
        if (at > begin) add(hex_text(octets.subspan(begin, at - begin)));
        add(fmt::format("zeros:{}", zeros));
        begin = at += zeros;
    }
    if (begin < octets.size()) add(hex_text(octets.subspan(begin)));
    return text;
}

std::optional<Mac> mac_from_text(std::string_view text) {
    const std::optional<Value> value = mac_value(text);
    if (!value) return std::nullopt;
    Mac mac;
    std::ranges::copy(*value, mac.octets.begin());
    return mac;
}

std::optional<std::uint64_t> port_name_from_text(std::string_view text) {
    constexpr std::size_t size = sizeof(std::uint64_t);
    std::optional<Octets> octets = octets_with_colons(text, size);
    if (text.starts_with("0x")) text.remove_prefix(2);
    if (!octets && text.size() == 2 * size) octets = octets_from_hex(text);
    if (!octets) return std::nullopt;
    return number_of(*octets);
}

std::optional<Gid> gid_from_text(std::string_view text) {
    const std::optional<Value> value = gid_value(text);
    if (!value) return std::nullopt;
    Gid gid;
    std::ranges::copy(*value, gid.octets.begin());
    return gid;
}

std::optional<Value> value_from_text(const FieldAt& field, std::string_view text) {
    if (is_number(field)) return number_value(*field.info, text);
    std::optional<Value> value;
    switch (field.info != nullptr ? field.info->kind : Kind::bytes) {
        case Kind::mac: value = mac_value(text); break;
        case Kind::ipv4: value = address_value(AF_INET, text); break;
        case Kind::gid: value = gid_value(text); break;
        default: break;
    }
    return value ? value : octets_from_text(text);
}

std::string plain_text(const FieldAt& field, const Value& value) {
    if (!is_number(field)) {
        const Kind kind = field.info != nullptr ? field.info->kind : Kind::bytes;
        return kind == Kind::mac || kind == Kind::ipv4 || kind == Kind::gid ? text_of(field, value)
                                                                            : text_of_octets(value);
    }
    const std::uint64_t number = number_of(value);
    if (field.info->kind == Kind::boolean) return number != 0 ? "yes" : "no";
    const char* const name = layout::name_of(field.info->names, number);
    if (name != nullptr && std::string_view(name).find('"') == std::string_view::npos &&
        number_value(*field.info, name) == value)
        return name;
    return field.info->base == layout::Base::hex ? fmt::format("0x{:x}", number) : fmt::format("{}", number);
}

std::vector<NamedField> named(const std::vector<FieldAt>& fields) {
    std::map<std::string, unsigned> counts;
    std::vector<NamedField> result;
    result.reserve(fields.size());
    for (const FieldAt& field : fields) {
        std::string name(field.filter());
        if (const unsigned count = ++counts[name]; count > 1) name += fmt::format("/{}", count);
        result.push_back({std::move(name), field});
    }
    return result;
}

Octets assemble(std::size_t length, const FieldsOf& fields_of, const std::vector<Assignment>& assignments) {
    Octets message(length);
    std::vector<const Assignment*> unknown;
    for (unsigned round = 0; round < most_rounds; ++round) {
        unknown.clear();
        const Octets before = message;
        set_fields(message, named(fields_of(message)), assignments, unknown);
        for (const Assignment& assignment : assignments)
            if (const auto place = place_of(assignment.name)) set_octets(message, *place, assignment);
        if (message == before) break;
    }
    if (!unknown.empty()) {
        std::string names;
        for (const NamedField& field : named(fields_of(message)))
            names.append(names.empty() ? "" : ", ").append(field.name);
        throw FieldError(fmt::format("{} is no field of this message, which has {}", unknown.front()->name, names));
    }
    return message;
}

void set(Octets& message, const FieldsOf& fields_of, const Assignment& assignment) {
    if (const auto place = place_of(assignment.name)) return set_octets(message, *place, assignment);
    std::vector<const Assignment*> unknown;
    set_fields(message, named(fields_of(message)), {&assignment, 1}, unknown);
    if (!unknown.empty()) throw FieldError(assignment.name + " is no field of this message");
}

std::vector<Assignment> assignments_of(
    ByteView message, const FieldsOf& fields_of, const std::vector<Assignment>& defaults) {
    std::vector<Assignment> assignments;
    for (const auto& [name, field] : named(fields_of(message))) {
        const Value value = value_of(message, field);
        const auto by_default = std::ranges::find(defaults, name, &Assignment::name);
        const bool zero = std::ranges::all_of(value, [](std::uint8_t octet) { return octet == 0; });
        const bool same = by_default == defaults.end() ? zero : value_from_text(field, by_default->text) == value;
        if (!same) assignments.push_back({name, plain_text(field, value)});
    }
    std::vector<Assignment> all;
    for (const Assignment& given : defaults)
        if (std::ranges::find(assignments, given.name, &Assignment::name) == assignments.end()) all.push_back(given);
    all.insert(all.end(), assignments.begin(), assignments.end());
    for (unsigned patches = 0; patches < most_patches; ++patches) {
        Octets made;
        try {
            made = assemble(message.size(), fields_of, all);
        } catch (const FieldError&) {  // its structure does not come of its values
            break;
        }
        const auto [here, there] = std::ranges::mismatch(message, made);
        if (here == message.end()) return assignments;
        // What decides over the structure comes first: what is behind it may be right then.
        const auto first = static_cast<std::size_t>(here - message.begin());
        std::size_t end = first;
        while (end < message.size() && message[end] != made[end]) ++end;
        assignments.push_back({fmt::format("octets[{}]", first), text_of_octets(message.subspan(first, end - first))});
        all.push_back(assignments.back());
    }
    return {{"octets[0]", text_of_octets(message)}};
}

}  // namespace fabricscope::replay
