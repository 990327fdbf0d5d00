// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json_value.h"

#include <gmock/gmock.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace fabricscope::report::json_value_test {
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
}

TEST(JsonValue, OneMemberIsAnObject) { EXPECT_EQ(line_of({{"only", 1}}), R"({"only":1})"); }

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

/// As nlohmann's writer says it.
TEST(JsonValue, BytesThatAreNoUtf8) {
    using nlohmann::json;
    std::mt19937 random(1);
    constexpr std::string_view bytes = "a\x7f\x80\x8f\x9f\xa0\xbf\xc1\xc2\xe0\xed\xef\xf0\xf1\xf4\xf5\xff";
    for (int i = 0; i < 10'000; ++i) {
        std::string text;
        for (std::size_t size = random() % 8; size != 0; --size) text += bytes[random() % bytes.size()];
        EXPECT_EQ(line_of(text), json(text).dump(-1, ' ', false, json::error_handler_t::replace));
    }
}

/// The same number, and mostly the same digits: nlohmann's are not always the shortest.
TEST(JsonValue, NumbersAreReadBack) {
    std::mt19937_64 random(1);
    int differ = 0;
    constexpr int numbers = 10'000;
    for (int i = 0; i < numbers; ++i) {
        const double number = static_cast<double>(random() >> (random() % 64)) / 1e9;
        EXPECT_EQ(nlohmann::json::parse(line_of(number)).get<double>(), number);
        if (line_of(number) != nlohmann::json(number).dump()) ++differ;
    }
    EXPECT_LT(differ, numbers / 100);
}

/// Times are written without std::to_chars(), which takes longer.
TEST(JsonValue, NanosecondsHaveTheirShortestDigits) {
    std::mt19937_64 random(1);
    const auto expected = [](double number) {
        std::array<char, 64> text{};
        const bool fixed = number >= 1e-4 && number < 1e15;
        const auto end = std::to_chars(
            text.data(), text.data() + text.size(), number,
            fixed ? std::chars_format::fixed : std::chars_format::scientific);
        const std::string digits(text.data(), end.ptr);
        return fixed && digits.find('.') == std::string::npos ? digits + ".0" : digits;
    };
    for (int i = 0; i < 20'000; ++i) {
        double number = static_cast<double>(random() >> (random() % 63) | 1U) / 1e9;
        EXPECT_EQ(line_of(number), expected(number));
        number = std::nextafter(number, 0);  // of nothing whole
        EXPECT_EQ(line_of(number), expected(number));
        const double seconds = static_cast<double>(random() % 3'000'000 + 1);
        EXPECT_EQ(line_of(seconds), expected(seconds));
    }
}

TEST(JsonValue, OverSeveralLines) {
    const Json value{
        {"list", Json::List{1, "a, [b] {c: \"d\"}\\", Json::List{}, nullptr}},
        {"object", {{"inside", {{"deep", 1.5}}}}},
        {"nothing", Json::List{}}};
    EXPECT_EQ(indented(line_of(value)), nlohmann::ordered_json::parse(line_of(value)).dump(2));
    EXPECT_EQ(indented("[]"), "[]");
    EXPECT_EQ(indented("7"), "7");
}

}  // namespace
}  // namespace fabricscope::report::json_value_test
