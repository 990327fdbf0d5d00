// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/engine/run.h"
#include "words.h"

namespace fabricscope::replay {
namespace {

using test::said;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Conversation recorded() {
    Conversation talk;
    talk.messages = {
        said(Side::client, "ask", 1, {.number = 1, .own = 5}),
        said(Side::server, "answer", 2, {.number = 1, .own = 9, .peer = 5}),
        said(Side::server, "more", 3, {.number = 2, .own = 9, .peer = 5})};
    talk.streams = {{.name = "line", .from = Side::server, .octets = {1, 2, 3}}};
    talk.facts = {{.about = "line", .name = "outcome", .value = "understood"}};
    return talk;
}

std::vector<std::string> fields_of(const Comparison& comparison) {
    std::vector<std::string> fields;
    for (const Difference& difference : comparison.differences) fields.push_back(difference.field);
    return fields;
}

TEST(Comparison, OfARecordingWithItselfFindsNothing) {
    const Comparison result = compare(recorded(), recorded(), Side::client);
    EXPECT_TRUE(result.same());
    EXPECT_THAT(result.differences, IsEmpty());
    EXPECT_THAT(result.pairs, SizeIs(3));
}

TEST(Comparison, TakesFreelyChosenNamesForEachOther) {
    Conversation actual = recorded();
    actual.messages[0].octets = test::octets_of({.number = 1, .own = 6});
    actual.messages[1].octets = test::octets_of({.number = 1, .own = 1, .peer = 6});
    actual.messages[2].octets = test::octets_of({.number = 2, .own = 1, .peer = 6});
    EXPECT_TRUE(compare(recorded(), actual, Side::client).same());
}

TEST(Comparison, FindsANameThatIsUsedInconsistently) {
    Conversation actual = recorded();
    actual.messages[0].octets = test::octets_of({.number = 1, .own = 6});
    actual.messages[1].octets = test::octets_of({.number = 1, .own = 9, .peer = 6});
    const Comparison result = compare(recorded(), actual, Side::client);
    EXPECT_FALSE(result.same());
    ASSERT_THAT(fields_of(result), ElementsAre("test.peer"));
    EXPECT_EQ(result.differences[0].recorded, "0x5, here 0x6");
    EXPECT_EQ(result.differences[0].actual, "0x5");
    EXPECT_EQ(result.differences[0].clause, "Test 1.2");
    EXPECT_EQ(result.differences[0].recorded_frame, 3U);
}

TEST(Comparison, NamesExactlyTheFieldThatDiffers) {
    Conversation actual = recorded();
    actual.messages[1].octets = test::octets_of({.number = 4, .own = 9, .peer = 5, .reserved = 1});
    const Comparison result = compare(recorded(), actual, Side::client);
    EXPECT_THAT(fields_of(result), ElementsAre("test.number"));
    EXPECT_TRUE(result.pairs[1].differs);
    EXPECT_FALSE(result.pairs[2].differs);
}

TEST(Comparison, WhatIsToleratedIsNoDifference) {
    Conversation actual = recorded();
    actual.messages[1].octets = test::octets_of({.number = 4, .own = 9, .peer = 5});
    for (const auto& [tolerance, same] :
         {std::pair(Tolerance{"test.number", 1, 4}, true), std::pair(Tolerance{"test.number", 1, 3}, false),
          std::pair(Tolerance{"test.number", {}, {}}, true), std::pair(Tolerance{"test.peer", {}, {}}, false)}) {
        Conversation tolerant = recorded();
        tolerant.messages[1].tolerances = {tolerance};
        EXPECT_EQ(compare(tolerant, actual, Side::client).same(), same) << tolerance.field;
    }
}

TEST(Comparison, AMessageMayHaveATimeLimit) {
    Conversation limited = recorded();
    limited.messages[1].tolerances = {{time_field, 0, 100}};
    Conversation actual = recorded();
    for (std::size_t i = 0; i < actual.messages.size(); ++i) actual.messages[i].time = static_cast<Time>(i) * 100;
    EXPECT_TRUE(compare(limited, actual, Side::client).same());
    actual.messages[1].time = 101;
    const Comparison late = compare(limited, actual, Side::client);
    EXPECT_FALSE(late.same());
    EXPECT_THAT(fields_of(late), ElementsAre("time"));
}

TEST(Comparison, OnlyTellsWhatIsLeftToImplementations) {
    Conversation actual = recorded();
    actual.messages[1].octets = test::octets_of({.number = 1, .own = 9, .peer = 5, .mood = 3});
    const Comparison result = compare(recorded(), actual, Side::client);
    ASSERT_THAT(fields_of(result), ElementsAre("test.mood"));
    EXPECT_EQ(result.differences[0].level, Level::policy);
    EXPECT_TRUE(result.same());
}

TEST(Comparison, DoesNotJudgeThePlayedSide) {
    Conversation actual = recorded();
    actual.messages[1].octets = test::octets_of({.number = 4, .own = 9, .peer = 5});
    EXPECT_TRUE(compare(recorded(), actual, Side::server).same());
}

TEST(Comparison, FindsMessagesThatAreMissingOrNew) {
    Conversation actual = recorded();
    actual.messages[1].name = "refusal";
    const Comparison result = compare(recorded(), actual, Side::client);
    ASSERT_THAT(result.differences, SizeIs(2));
    EXPECT_EQ(result.differences[0].message, "answer");
    EXPECT_EQ(result.differences[0].actual, "not sent");
    EXPECT_EQ(result.differences[1].message, "refusal");
    EXPECT_EQ(result.differences[1].actual, "sent");
    EXPECT_THAT(result.pairs, SizeIs(4));
}

/// Both requests are there, but something else has overtaken the first one.
TEST(Comparison, AnAnswerStandsBesideTheAnswerToTheSameRequest) {
    Conversation talk, actual;
    talk.messages = {
        said(Side::client, "ask", 1, {.own = 5}), said(Side::server, "answer", 2, {.peer = 5}),
        said(Side::client, "go on", 3, {}), said(Side::client, "ask", 4, {.own = 6}),
        said(Side::server, "answer", 5, {.peer = 6})};
    talk.messages[1].answers = 0;
    talk.messages[4].answers = 3;
    for (const std::size_t i : {2U, 0U, 1U, 3U, 4U}) actual.messages.push_back(talk.messages[i]);
    actual.messages[2].answers = 1;
    EXPECT_TRUE(compare(talk, actual, Side::client).same());
    actual.messages[2].octets = test::octets_of({.peer = 6});
    actual.messages[4].octets = test::octets_of({.peer = 5});
    EXPECT_THAT(fields_of(compare(talk, actual, Side::client)), ElementsAre("test.peer", "test.peer"));
}

/// When the other side does what it need not do says nothing of the order of the rest.
TEST(Comparison, WhatMayComeAtAnyTimeIsInNoOrder) {
    Conversation talk, actual;
    talk.messages = {
        said(Side::server, "end", 1, {}), said(Side::server, "by the way", 2, {.number = 1}),
        said(Side::server, "by the way", 3, {.number = 2})};
    talk.messages[1].optional = talk.messages[2].optional = true;
    for (const std::size_t i : {1U, 2U, 0U}) actual.messages.push_back(talk.messages[i]);
    EXPECT_THAT(compare(talk, actual, Side::client).differences, IsEmpty());
}

TEST(Comparison, OfDataTellsThePosition) {
    Conversation actual = recorded();
    actual.streams[0].octets = {1, 7, 3};
    Comparison result = compare(recorded(), actual, Side::client);
    ASSERT_THAT(result.differences, SizeIs(1));
    EXPECT_EQ(result.differences[0].level, Level::semantic);
    EXPECT_EQ(result.differences[0].actual, "another byte at position 1: 0x07");
    actual.streams[0].octets = {1, 2};
    result = compare(recorded(), actual, Side::client);
    EXPECT_EQ(result.differences[0].actual, "2 bytes");
    actual.streams.clear();
    EXPECT_FALSE(compare(recorded(), actual, Side::client).same());
}

TEST(Comparison, DataThatWereNotCapturedAreNotHeldAgainstTheRun) {
    Conversation with_hole = recorded(), actual = recorded();
    with_hole.streams[0].octets = {1, 0, 3};
    with_hole.streams[0].missing = 1;
    const Comparison result = compare(with_hole, actual, Side::client);
    ASSERT_THAT(result.differences, SizeIs(1));
    EXPECT_EQ(result.differences[0].level, Level::policy);
    EXPECT_EQ(result.differences[0].recorded, "3 bytes, 0x00 there (1 of them not captured)");
    actual.streams[0].octets = {1, 7, 3};
    EXPECT_EQ(compare(recorded(), actual, Side::client).differences[0].recorded, "3 bytes, 0x02 there");
}

TEST(Comparison, OfStatesTellsBothValues) {
    Conversation actual = recorded();
    actual.facts[0].value = "misunderstood";
    const Comparison result = compare(recorded(), actual, Side::client);
    ASSERT_THAT(fields_of(result), ElementsAre("outcome"));
    EXPECT_EQ(result.differences[0].recorded, "understood");
    EXPECT_EQ(result.differences[0].actual, "misunderstood");
}

TEST(Comparison, CountsRulesThatOnlyTheRunBroke) {
    Conversation actual = recorded();
    engine::Finding finding;
    finding.rule = engine::rules().front();
    actual.findings = {finding};
    EXPECT_THAT(compare(recorded(), actual, Side::client).broken, SizeIs(1));
    Conversation before = recorded();
    before.findings = {finding};
    EXPECT_THAT(compare(before, actual, Side::client).broken, IsEmpty());
}

/// A run of two frames, the first one of which was played; it broke a rule in `frame`.
Comparison compared(std::uint64_t frame, bool by_silence) {
    replay::Run run;
    run.over = true;
    run.frames.resize(2);
    run.frames[0].sent = true;
    Conversation actual = recorded();
    actual.findings = {{engine::rules().front(), {frame}, "", "", by_silence}};
    return compare(recorded(), actual, Side::client, run);
}

TEST(Comparison, BlamesThePeerForItsOwnDeedsAndSilences) {
    for (const bool by_silence : {false, true}) {
        const Comparison played = compared(by_silence ? 2 : 1, by_silence);
        EXPECT_THAT(played.own, SizeIs(1));
        EXPECT_TRUE(played.same());
        const Comparison peer = compared(by_silence ? 1 : 2, by_silence);
        EXPECT_THAT(peer.broken, SizeIs(1));
        EXPECT_FALSE(peer.same());
    }
}

TEST(Comparison, FoldsWhatDidNotComeUnderItsCause) {
    Conversation before = recorded();
    Conversation actual = before;
    actual.messages.resize(1);
    actual.facts.clear();
    const Comparison result = compare(before, actual, Side::client, replay::Run{});
    ASSERT_THAT(result.differences, SizeIs(3));
    EXPECT_EQ(result.differences[0].cause, "");
    EXPECT_EQ(result.differences[1].cause, "the run ended at line: answer, which did not come");
    EXPECT_EQ(result.differences[2].cause, result.differences[1].cause);
}

TEST(Comparison, TellsTheRecordedCause) {
    Conversation before = recorded();
    before.causes = {{"line", 2, "it was late", "more"}};
    Conversation actual = recorded();
    actual.messages.resize(1);
    const Comparison result = compare(before, actual, Side::client);
    ASSERT_THAT(result.differences, SizeIs(2));
    EXPECT_EQ(result.differences[0].cause, "");
    EXPECT_EQ(result.differences[1].cause, "it was late");
    before.causes[0].frame = 4;
    EXPECT_EQ(compare(before, actual, Side::client).differences[1].cause, "");
}

TEST(Comparison, WhatWasNotCapturedCannotDiffer) {
    Conversation before = recorded();
    const Conversation actual = recorded();
    std::erase_if(before.messages, [](const Message& one) { return one.from == Side::server; });
    for (Message& message : before.messages) message.answers.reset();
    EXPECT_FALSE(compare(before, actual, Side::client).same());
    before.causes = {{.frame = 0, .text = "it was not captured", .not_captured = true}};
    const Comparison result = compare(before, actual, Side::client);
    EXPECT_TRUE(result.same());
    ASSERT_FALSE(result.differences.empty());
    EXPECT_EQ(result.differences[0].cause, "it was not captured");
    EXPECT_EQ(result.differences[0].level, Level::policy);
}

TEST(Comparison, AFactThatTheRecordingDoesNotTellIsNotCompared) {
    Conversation before = recorded(), actual = recorded();
    before.facts = {{"line", "close", Fact::unknown}};
    actual.facts = {{"line", "close", "half"}};
    EXPECT_TRUE(compare(before, actual, Side::client).same());
    std::swap(before.facts, actual.facts);
    EXPECT_FALSE(compare(before, actual, Side::client).same());
}

}  // namespace
}  // namespace fabricscope::replay
