// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/field_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/smcr/cdc.h"
#include "protocols/smcr/llc.h"
#include "replay/engine/smcr/formats.h"

namespace fabricscope::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<FieldAt> llc_fields(ByteView octets) { return smcr::llc_format(octets).fields_of(octets); }

std::string complaint_about(const std::vector<Assignment>& assignments, std::size_t length = 44) {
    try {
        assemble(length, llc_fields, assignments);
    } catch (const FieldError& error) {
        return error.what();
    }
    return {};
}

TEST(FieldValues, OctetsInRuns) {
    EXPECT_EQ(octets_from_text("hex:00ff+zeros:2+text:ab+count:3"), (Octets{0, 255, 0, 0, 'a', 'b', 0, 1, 2}));
    for (const char* wrong : {"", "00ff", "hex:0", "hex:0g", "zeros:x", "zeros:99999999999", "text", "hex:00+"})
        EXPECT_EQ(octets_from_text(wrong), std::nullopt) << wrong;
}

TEST(FieldValues, OctetsComeBack) {
    Octets long_run(100);
    long_run[50] = 7;
    for (const Octets& octets :
         {Octets{}, Octets{0}, Octets{'q', 'u', 'i', 't', 'e'}, Octets{'"', '$', '+', '?', 'a'}, long_run})
        EXPECT_EQ(octets_from_text(text_of_octets(octets)), octets) << text_of_octets(octets);
    EXPECT_EQ(text_of_octets(long_run), "zeros:50+hex:07+zeros:49");
}

TEST(FieldValues, AMessageOfItsValues) {
    const Octets message = assemble(
        44, llc_fields,
        {{"smcr.llc.type", "CONFIRM LINK"},
         {"smcr.llc.length", "44"},
         {"smcr.llc.mac", "00:00:5e:00:53:0a"},
         {"smcr.llc.gid", "192.0.2.10"},
         {"smcr.llc.qpn", "0x11"},
         {"smcr.llc.link", "1"},
         {"smcr.llc.reply", "yes"}});
    EXPECT_EQ(message[0], 1);
    EXPECT_EQ(message[1], 44);
    EXPECT_EQ(message[3], 0x80);
    EXPECT_EQ(Octets(message.begin() + 4, message.begin() + 10), (Octets{0, 0, 0x5E, 0, 0x53, 10}));
}

TEST(FieldValues, AssignmentsGiveTheMessageAgain) {
    // All types of LLC, each with a pattern in it: numbers, addresses, lists, reserved octets.
    for (unsigned type = 0; type < 256; ++type) {
        Octets message(44);
        for (std::size_t i = 0; i < message.size(); ++i) message[i] = static_cast<std::uint8_t>(i * 37 + type);
        message[0] = static_cast<std::uint8_t>(type);
        message[1] = 44;
        EXPECT_EQ(assemble(44, llc_fields, assignments_of(message, llc_fields, {})), message) << type;
    }
}

TEST(FieldValues, DefaultsAreLeftOut) {
    const std::vector<Assignment> defaults{{"smcr.llc.type", "TEST LINK"}, {"smcr.llc.length", "44"}};
    const Octets message = assemble(44, llc_fields, defaults);
    EXPECT_TRUE(assignments_of(message, llc_fields, defaults).empty());
    Octets other = message;
    other[1] = 45;
    const std::vector<Assignment> differs = assignments_of(other, llc_fields, defaults);
    ASSERT_EQ(differs.size(), 1U);
    EXPECT_EQ(differs[0].name, "smcr.llc.length");
    EXPECT_EQ(differs[0].text, "45");
}

TEST(FieldValues, MalformedOnPurpose) {
    const Octets message = assemble(
        44, llc_fields, {{"smcr.llc.type", "TEST LINK"}, {"smcr.llc.length", "200"}, {"octets[40]", "hex:dead"}});
    EXPECT_EQ(message[1], 200);
    EXPECT_EQ(message[40], 0xDE);
}

TEST(FieldValues, WhatMeansNothingIsAnError) {
    EXPECT_THAT(complaint_about({{"smcr.llc.colour", "1"}}), HasSubstr("smcr.llc.colour is no field of this message"));
    EXPECT_THAT(complaint_about({{"smcr.llc.length", "many"}}), HasSubstr("no value of that field"));
    EXPECT_THAT(complaint_about({{"smcr.llc.length", "256"}}), HasSubstr("no value of that field"));
    EXPECT_THAT(complaint_about({{"octets[43]", "hex:0000"}}), HasSubstr("beyond the message, which has 44 octets"));
    EXPECT_THAT(complaint_about({{"octets[43]", "0000"}}), HasSubstr("is not octets"));
}

TEST(FieldValues, EqualFieldsAreNumbered) {
    const FieldAt first{.label = "rest", .offset = 0, .width = 1}, second{.label = "rest", .offset = 1, .width = 1};
    std::vector<std::string> names;
    for (const NamedField& field : named({first, second})) names.push_back(field.name);
    EXPECT_THAT(names, ElementsAre("rest", "rest/2"));
}

TEST(FieldValues, Addresses) {
    EXPECT_EQ(to_string(mac_from_text("00:00:5e:00:53:0a").value_or(Mac{})), "00:00:5e:00:53:0a");
    EXPECT_EQ(short_text(gid_from_text("192.0.2.1").value_or(Gid{})), "192.0.2.1");
    EXPECT_EQ(short_text(gid_from_text("2001:db8::1").value_or(Gid{})), "2001:db8::1");
    for (const char* wrong : {"", "00:00:5e:00:53", "00-00-5e-00-53-0a", "0:0:5e:00:53:0a"})
        EXPECT_EQ(mac_from_text(wrong), std::nullopt) << wrong;
    EXPECT_EQ(port_name_from_text("21:00:00:e0:8b:05:05:04"), 0x2100'00E0'8B05'0504);
    for (const char* wrong : {"", "0x", "00:00:5e:00:53:0a", "21:00:00:e0:8b:05:05:04:", "0x210000e08b05050"})
        EXPECT_EQ(port_name_from_text(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace fabricscope::replay
