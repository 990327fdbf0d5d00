// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/bindings.h"

#include <algorithm>

namespace fabricscope::replay {

FieldRule rule_of(const Dialect& dialect, const FieldAt& field) {
    if (field.info != nullptr && field.info->reserved) return {field.filter(), Treatment::ignored};
    const auto found = std::ranges::find(dialect.rules, field.filter(), &FieldRule::filter);
    return found == dialect.rules.end() ? FieldRule{field.filter()} : *found;
}

Side owner_of(const FieldRule& rule, Side sender) {
    switch (rule.owner) {
        case Owner::sender: return sender;
        case Owner::receiver: return engine::other(sender);
        case Owner::group: break;
    }
    return Side::client;
}

void Bindings::learn(const Message& recorded, ByteView actual) {
    const std::vector<FieldAt> before = recorded.dialect->fields_of(recorded.octets);
    const std::vector<FieldAt> now = recorded.dialect->fields_of(actual);
    // Lists may be longer in one of them: fields are found by what they are, not by where they stand.
    for (const FieldAt& field : before) {
        const FieldRule rule = rule_of(*recorded.dialect, field);
        if (rule.treatment != Treatment::introduces && rule.treatment != Treatment::refers) continue;
        const auto same = std::ranges::find_if(now, [&](const FieldAt& other) { return same_place(other, field); });
        if (same == now.end()) continue;
        const Value value = value_of(recorded.octets, field);
        const Side owner = owner_of(rule, recorded.from);
        if (rule.treatment == Treatment::introduces || find(rule.kind, owner, value) == nullptr)
            bind(rule.kind, owner, value, value_of(actual, *same));
    }
}

Octets Bindings::translated(const Message& recorded) const {
    Octets octets = recorded.octets;
    for (const FieldAt& field : recorded.dialect->fields_of(recorded.octets)) {
        const FieldRule rule = rule_of(*recorded.dialect, field);
        if (rule.treatment != Treatment::introduces && rule.treatment != Treatment::refers) continue;
        if (const Value* actual = find(rule.kind, owner_of(rule, recorded.from), value_of(recorded.octets, field)))
            set_value(octets, field, *actual);
    }
    return octets;
}

}  // namespace fabricscope::replay
