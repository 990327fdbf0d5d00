// SPDX-License-Identifier: GPL-2.0-or-later
// What came of a replay, in words.
#include "replay/report/run_report.h"

#include <gmock/gmock.h>

#include <sstream>

namespace fabricscope::replay {
namespace {

using testing::HasSubstr;
using testing::Not;

const Conversation nothing;

std::string text_of(
    const Comparison& comparison, const Conversation& recorded = nothing, const Conversation& actual = nothing,
    bool ladder = false) {
    const RunReport report{
        .session = "cm-1",
        .about = "",
        .played = Side::client,
        .target = "emulated",
        .speed = "fast",
        .recorded = recorded,
        .actual = actual,
        .comparison = comparison,
        .over = true,
        .waiting_for = {},
        .broken_off = {},
        .refusal = {},
        .proof = {},
        .notes = {}};
    std::ostringstream out;
    write_text(out, report, {.style = {}, .ladder = ladder});
    return out.str();
}

Difference difference(Level level, std::string field, std::string cause = {}) {
    return {level, "CM", "REP", std::move(field), "1", "7", 4, 2, "", std::move(cause)};
}

TEST(RunReport, WhatIsLeftToImplementationsIsListedByItself) {
    Comparison comparison;
    comparison.differences = {
        difference(Level::exact, "wrong_field"), difference(Level::policy, "free_field"),
        difference(Level::exact, "follows", "the first one")};
    const std::string text = text_of(comparison);
    const std::size_t differences = text.find("\nDifferences\n"), free = text.find("\nLeft to implementations\n");
    ASSERT_NE(differences, std::string::npos) << text;
    ASSERT_NE(free, std::string::npos) << text;
    const std::string of_differences = text.substr(differences, free - differences), of_free = text.substr(free);
    EXPECT_THAT(of_differences, HasSubstr("wrong_field"));
    EXPECT_THAT(of_differences, Not(HasSubstr("free_field")));
    EXPECT_THAT(of_free, HasSubstr("free_field"));
    EXPECT_THAT(of_free, Not(HasSubstr("wrong_field")));
    EXPECT_THAT(text, HasSubstr("the first one")) << "a line for each cause";
}

TEST(RunReport, OfWhatFollowsFromACauseTheFirstThreeAreShown) {
    Comparison comparison;
    for (const char* field : {"one", "two", "three"})
        comparison.differences.push_back(difference(Level::exact, field, "the cause"));
    EXPECT_THAT(text_of(comparison), Not(HasSubstr("more")));
    for (const char* field : {"four", "five"})
        comparison.differences.push_back(difference(Level::exact, field, "the cause"));
    const std::string text = text_of(comparison);
    EXPECT_THAT(text, HasSubstr("5 differences from one cause: the cause"));
    EXPECT_THAT(text, HasSubstr("three"));
    EXPECT_THAT(text, Not(HasSubstr("four")));
    EXPECT_THAT(text, HasSubstr("... and 2 more\n"));
}

TEST(RunReport, RulesThatThePlayedSideBrokeAreNotHeldAgainstThePeer) {
    Comparison comparison;
    const auto finding = [](const char* text) { return engine::Finding{engine::rules()[0], {2}, "cm-1", text}; };
    comparison.broken = {finding("of the peer")};
    comparison.own = {finding("of the played side")};
    const std::string text = text_of(comparison);
    const std::size_t own = text.find("\nRules that the played side broke");
    ASSERT_NE(own, std::string::npos) << text;
    EXPECT_LT(text.find("of the peer"), own);
    EXPECT_GT(text.find("of the played side"), own);
}

TEST(RunReport, BothRunsSideBySide) {
    const auto conversation = [](std::initializer_list<const char*> names) {
        Conversation all;
        for (const char* name : names)
            all.messages.push_back(
                {.from = all.messages.empty() ? Side::client : Side::server,
                 .name = name,
                 .channel = "connection 1",
                 .time = static_cast<Time>(all.messages.size()) * capture::millisecond,
                 .frame = all.messages.size() + 1});
        return all;
    };
    Comparison comparison;
    comparison.pairs = {{0, 0}, {1, 1}, {2, {}, true}, {{}, 2}};
    const std::string text = text_of(
        comparison, conversation({"REQ", "REP", "MRA"}), conversation({"REQ", "REP", "DREQ"}), true);
    EXPECT_THAT(text, testing::ContainsRegex(" > +0\\.000000 +1 +0\\.000000 +1 +-> +REQ, connection 1\n"));
    EXPECT_THAT(text, testing::ContainsRegex(" = +0\\.001000 +2 +0\\.001000 +2 +<- +REP, connection 1\n"));
    EXPECT_THAT(text, testing::ContainsRegex(" ! +0\\.002000 +3 +- +- +<- +MRA, connection 1\n"));
    EXPECT_THAT(text, testing::ContainsRegex(" ~ +- +- +0\\.002000 +3 +<- +DREQ, connection 1\n"));
}

}  // namespace
}  // namespace fabricscope::replay
