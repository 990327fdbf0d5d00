// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/bindings.h"

#include <algorithm>

namespace fabricscope::replay {

FieldRule rule_of(const MessageFormat& format, const FieldAt& field) {
    if (field.info != nullptr && field.info->reserved) return {field.filter(), Treatment::ignored};
    const auto found = std::ranges::find(format.rules, field.filter(), &FieldRule::filter);
    return found == format.rules.end() ? FieldRule{field.filter()} : *found;
}

FieldRule rule_of(const Message& recorded, const FieldAt& field) {
    const auto found = std::ranges::find(recorded.overrides, field.filter(), &FieldRule::filter);
    return found != recorded.overrides.end() ? *found : rule_of(*recorded.format, field);
}

std::vector<FieldAt> fields_of(const Message& like, ByteView octets) {
    return with_names(like.format->fields_of(octets), like.embedded);
}

Side owner_of(const FieldRule& rule, Side sender) {
    switch (rule.owner) {
        case Owner::sender: return sender;
        case Owner::receiver: return engine::other(sender);
        case Owner::group: break;
    }
    return Side::client;
}

std::string kind_of(const FieldRule& rule, const Message& message) {
    std::string kind(rule.kind);
    if (rule.in_channel) kind += " of " + message.channel;
    return kind;
}

void Bindings::bind_number(std::string_view kind, Side owner, const Message& recorded, std::uint64_t actual) {
    for (const FieldAt& field : fields_of(recorded, recorded.octets)) {
        const FieldRule rule = rule_of(recorded, field);
        if (rule.kind == kind && owner_of(rule, recorded.from) == owner)
            bind(kind, owner, value_of(recorded.octets, field), value_of_number(actual, field));
    }
}

bool Bindings::stands_for_any(std::string_view kind, Side owner, const Value& actual) const {
    return std::ranges::any_of(actual_, [&](const auto& entry) {
        return std::get<0>(entry.first) == kind && std::get<1>(entry.first) == owner && entry.second == actual;
    });
}

void Bindings::learn(const Message& recorded, ByteView actual) {
    const std::vector<FieldAt> before = fields_of(recorded, recorded.octets);
    const std::vector<FieldAt> now = fields_of(recorded, actual);
    // Lists may be longer in one of them: fields are found by what they are, not by where they stand.
    for (const FieldAt& field : before) {
        const FieldRule rule = rule_of(recorded, field);
        if (rule.treatment != Treatment::introduces && rule.treatment != Treatment::refers) continue;
        const auto same = std::ranges::find_if(now, [&](const FieldAt& other) { return same_place(other, field); });
        if (same == now.end()) continue;
        const Value value = value_of(recorded.octets, field);
        const Side owner = owner_of(rule, recorded.from);
        const std::string kind = kind_of(rule, recorded);
        if (rule.treatment == Treatment::introduces || find(kind, owner, value) == nullptr)
            bind(kind, owner, value, value_of(actual, *same));
    }
}

Octets Bindings::translated(const Message& recorded) const {
    Octets octets = recorded.octets;
    for (const FieldAt& field : fields_of(recorded, recorded.octets)) {
        const FieldRule rule = rule_of(recorded, field);
        if (rule.treatment != Treatment::introduces && rule.treatment != Treatment::refers) continue;
        const Value value = value_of(recorded.octets, field);
        if (const Value* actual = find(kind_of(rule, recorded), owner_of(rule, recorded.from), value))
            set_value(octets, field, *actual);
    }
    return octets;
}

}  // namespace fabricscope::replay
