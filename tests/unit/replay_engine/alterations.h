// SPDX-License-Identifier: GPL-2.0-or-later
// Recordings with one field altered, beside a run of the unaltered one: replay has to point at just that field.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "replay/engine/comparison.h"

namespace fabricscope::replay {

/// With the last bit turned over.
inline Value flipped(Value value) {
    value.back() ^= 1;
    return value;
}

/// The recording with one bit of a field turned over.
inline Conversation altered(const Conversation& recorded, std::size_t message, const FieldAt& field) {
    Conversation copy = recorded;
    Octets& octets = copy.messages[message].octets;
    set_value(octets, field, flipped(value_of(octets, field)));
    return copy;
}

inline std::size_t count_of(const Comparison& comparison, const std::string& message, const std::string& field) {
    return static_cast<std::size_t>(std::ranges::count_if(comparison.differences, [&](const Difference& difference) {
        return difference.message == message && difference.field == field;
    }));
}

/// try_one(message, field, comparison, differences that the unaltered recording did not have) for each field of each
/// message of the other side that came; of those of the same name the first three.
template <class Try>
void alter_each_field(const Conversation& recorded, const Conversation& actual, Side played, const Try& try_one) {
    const Comparison unaltered = compare(recorded, actual, played);
    const std::size_t before = unaltered.differences.size();
    Conversation altered = recorded;
    std::map<std::string, int> tried;
    for (const Pairing& pair : unaltered.pairs) {
        if (!pair.recorded || !pair.actual || recorded.messages[*pair.recorded].from == played) continue;
        const std::size_t i = *pair.recorded;
        const Message& message = recorded.messages[i];
        if (++tried[message.name] > 3) continue;
        for (const FieldAt& field : fields_of(message, message.octets)) {
            SCOPED_TRACE(fmt::format("{} {} ({})", message.name, field.name(), i));
            set_value(altered.messages[i].octets, field, flipped(value_of(message.octets, field)));
            const Comparison comparison = compare(altered, actual, played);
            try_one(
                message, field, comparison,
                comparison.differences.size() - std::min(before, comparison.differences.size()));
            altered.messages[i].octets = message.octets;
        }
    }
}

/// `structure`: what the field says decides which other fields there are.
inline void expect_just_this(
    const Message& message, const FieldAt& field, const Comparison& comparison, std::size_t more, bool structure) {
    switch (rule_of(*message.format, field).treatment) {
        case Treatment::exact:
            EXPECT_GE(count_of(comparison, message.name, field.name()), 1U);
            EXPECT_FALSE(comparison.same());
            EXPECT_TRUE(more == 1 || structure) << more;
            break;
        case Treatment::policy: EXPECT_TRUE(comparison.same() || structure); break;
        case Treatment::ignored: EXPECT_TRUE(more == 0 || structure) << more; break;
        case Treatment::introduces:
        case Treatment::refers: break;  // a name of its own, until it is referred to again
    }
}

}  // namespace fabricscope::replay
