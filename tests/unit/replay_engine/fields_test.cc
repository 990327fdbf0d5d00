// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fields.h"

#include <gtest/gtest.h>

#include "protocols/smcr/llc.h"
#include "words.h"

namespace fabricscope::replay {
namespace {

using test::octets_of;
using test::Word;

const FieldAt& field(const std::vector<FieldAt>& fields, std::string_view filter) {
    return *std::ranges::find_if(fields, [&](const FieldAt& f) { return f.filter() == filter; });
}

TEST(Fields, StandWhereTheLayoutSays) {
    const Octets octets = octets_of({.number = 0x1234, .own = 7});
    const auto fields = test::fields_of_words(octets);
    ASSERT_EQ(fields.size(), 5U);
    EXPECT_EQ(fields[1].offset, 2U);
    EXPECT_EQ(number_of(value_of(octets, fields[0])), 0x1234U);
    EXPECT_EQ(text_of(fields[0], value_of(octets, fields[0])), "4660");
    EXPECT_EQ(text_of(fields[1], value_of(octets, fields[1])), "0x7");
}

TEST(Fields, OfAListAreToldApart) {
    Octets octets = octets_of({.own = 1});
    const Octets second = octets_of({.own = 2});
    octets.insert(octets.end(), second.begin(), second.end());
    const auto fields = test::fields_of_words(octets);
    ASSERT_EQ(fields.size(), 10U);
    EXPECT_EQ(fields[1].name(), "test.own[0]");
    EXPECT_EQ(fields[6].name(), "test.own[1]");
    EXPECT_FALSE(same_place(fields[1], fields[6]));
    EXPECT_EQ(number_of(value_of(octets, fields[6])), 2U);
}

TEST(Fields, EqualNumbersAreEqualHoweverWideTheirFields) {
    const Octets octets = octets_of({.number = 7, .own = 7});
    const auto fields = test::fields_of_words(octets);
    EXPECT_EQ(value_of(octets, fields[0]), value_of(octets, fields[1]));
}

TEST(Fields, ThatAMessageIsTooShortForHaveNoValue) {
    const auto fields = test::fields_of_words(octets_of({}));
    const Octets cut(2);
    EXPECT_TRUE(value_of(cut, fields[1]).empty());
    Octets unchanged = cut;
    set_value(unchanged, fields[1], {9});
    EXPECT_EQ(unchanged, cut);
}

TEST(Fields, BitsAndOtherByteOrdersAreReadAndWritten) {
    // CONFIRM LINK of version 2 as Linux on x86 sends it: the length in host order, the reply flag one bit.
    Octets octets(fabricscope::smcr::llc_size);
    octets[0] = 0x21;
    octets[1] = fabricscope::smcr::llc_size;
    octets[3] = 0x80;
    std::vector<FieldAt> fields;
    const auto message = fabricscope::smcr::parse_llc(octets, octets.size());
    fabricscope::smcr::walk(message, FieldCollector(fields));
    const FieldAt& length = field(fields, "smcr.llc.v2_length");
    EXPECT_EQ(number_of(value_of(octets, length)), fabricscope::smcr::llc_size);
    const auto reply = std::ranges::find_if(
        fields, [](const FieldAt& f) { return f.info != nullptr && f.info->mask == 0x80 && f.offset == 3; });
    ASSERT_NE(reply, fields.end());
    EXPECT_EQ(text_of(*reply, value_of(octets, *reply)), "set");
    set_value(octets, *reply, {0});
    EXPECT_EQ(octets[3], 0x00);
    set_value(octets, length, {0x01, 0x02});
    EXPECT_EQ(octets[1], 0x02);
    EXPECT_EQ(octets[2], 0x01);
}

}  // namespace
}  // namespace fabricscope::replay
