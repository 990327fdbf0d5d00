// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json_value.h"

#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace fabricscope::report {
namespace {

TEST(JsonValue, Scalars) {
    EXPECT_EQ(line_of(nullptr), "null");
    EXPECT_EQ(line_of(true), "true");
    EXPECT_EQ(line_of(false), "false");
    EXPECT_EQ(line_of(std::int16_t{-3}), "-3");
    EXPECT_EQ(line_of(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(line_of(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
    EXPECT_EQ(line_of("constant"), "\"constant\"");
    EXPECT_EQ(line_of(std::string()), "\"\"");
}

TEST(JsonValue, NumbersThatAreNotWhole) {
    EXPECT_EQ(line_of(2.0), "2.0");
    EXPECT_EQ(line_of(9.754000001), "9.754000001");
    EXPECT_EQ(line_of(1.5e-6), "1.5e-06");
    EXPECT_EQ(line_of(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(JsonValue, MembersKeepTheirOrder) {
    Json object{{"b", 1}, {"a", {{"inside", nullptr}}}};
    object.add("list", std::vector<std::string>{"x", "y"});
    object.add_all({{"last", Json::List{}}});
    EXPECT_EQ(line_of(object), R"({"b":1,"a":{"inside":null},"list":["x","y"],"last":[]})");
    EXPECT_EQ(line_of(object["a"]), R"({"inside":null})");
    EXPECT_TRUE(object["absent"].is_null());
}

TEST(JsonValue, OneMemberIsAnObject) { EXPECT_EQ(line_of({{"only", 1}}), R"({"only":1})"); }

TEST(JsonValue, WhatIsNoTextListOrObjectHasNothingInside) {
    const Json number(7);
    EXPECT_FALSE(number.is_text());
    EXPECT_TRUE(number.list().empty());
    EXPECT_TRUE(number.members().empty());
    EXPECT_TRUE(number["name"].is_null());
}

/// Every octet, before and behind plain ones, as nlohmann's parser reads it back.
TEST(JsonValue, EveryOctetIsEscapedWhereNeeded) {
    for (int octet = 0; octet < 256; ++octet) {
        const std::string text{'a', static_cast<char>(octet), 'z'};
        const std::string expected = octet < 0x80 ? text : "a\xef\xbf\xbdz";
        EXPECT_EQ(nlohmann::json::parse(line_of(text)).get<std::string>(), expected) << octet;
        EXPECT_EQ(utf8_of(text), expected) << octet;
    }
    EXPECT_EQ(line_of(std::string("say \"\\\"\n\x7f")), "\"say \\\"\\\\\\\"\\n\x7f\"");
    EXPECT_EQ(line_of("caf\xc3\xa9"), "\"caf\xc3\xa9\"");
}

}  // namespace
}  // namespace fabricscope::report
