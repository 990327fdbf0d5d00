// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/script.h"

#include <gtest/gtest.h>

#include "words.h"

namespace fabricscope::replay {
namespace {

using test::octets_of;
using test::said;

/// The client asks twice, is answered twice, and the server says something of its own in between.
Conversation talk() {
    Conversation talk;
    talk.messages = {
        said(Side::client, "ask", 10, {.number = 1, .own = 5}),
        said(Side::server, "answer", 20, {.number = 1, .own = 9, .peer = 5}),
        said(Side::server, "remark", 25, {.own = 9}),
        said(Side::client, "ask", 40, {.number = 2, .own = 5, .peer = 9}),
        said(Side::client, "thanks", 41, {.own = 5, .peer = 9}),
        said(Side::server, "answer", 60, {.number = 2, .own = 9, .peer = 5})};
    talk.messages[1].answers = 0;
    talk.messages[5].answers = 3;
    talk.messages[2].optional = true;
    return talk;
}

TEST(Script, SendsWhatWaitsForNothing) {
    const Conversation recorded = talk();
    Script script(recorded, Side::client, {});
    script.start(100);
    EXPECT_EQ(script.ready(100), 0U);
    script.sent(100, 0);
    EXPECT_EQ(script.ready(100), std::nullopt);
    EXPECT_EQ(script.wakeup(), Script::never);
    EXPECT_EQ(script.waiting_for(), "answer of the server (recorded in frame 20)");
}

TEST(Script, GoesOnWhenTheAnswerHasCome) {
    const Conversation recorded = talk();
    Script script(recorded, Side::client, {});
    script.start(100);
    script.sent(100, 0);
    EXPECT_EQ(script.received(110, "line", "answer", octets_of({.number = 1, .own = 0x33, .peer = 5})), 1U);
    // The remark is left to implementations: nobody waits for it.
    EXPECT_EQ(script.ready(110), 3U);
    script.sent(110, 3);
    EXPECT_EQ(script.ready(110), 4U);
}

TEST(Script, TranslatesNamesOfTheOtherSide) {
    const Conversation recorded = talk();
    Script script(recorded, Side::client, {});
    script.start(100);
    script.sent(100, 0);
    script.received(110, "line", "answer", octets_of({.number = 1, .own = 0x33, .peer = 5}));
    const Octets expected = octets_of({.number = 2, .own = 5, .peer = 0x33});
    EXPECT_EQ(script.bindings().translated(recorded.messages[3]), expected);
}

TEST(Script, AnswersWaitForTheirRequestOnly) {
    const Conversation recorded = talk();
    Script script(recorded, Side::server, {});
    script.start(100);
    // The second question has overtaken the first one's answer.
    script.received(101, "line", "ask", octets_of({.number = 1}));
    EXPECT_EQ(script.ready(101), 1U);
    script.sent(101, 1);
    EXPECT_EQ(script.ready(101), 2U);
    script.sent(101, 2);
    script.received(102, "line", "ask", octets_of({.number = 2}));
    EXPECT_EQ(script.ready(102), 5U);
    script.sent(102, 5);
    EXPECT_FALSE(script.over());
    script.received(103, "line", "thanks", octets_of({}));
    EXPECT_TRUE(script.over());
}

TEST(Script, WhatWasNotRecordedIsNotRecognised) {
    const Conversation recorded = talk();
    Script script(recorded, Side::client, {});
    script.start(0);
    EXPECT_EQ(script.received(1, "line", "insult", octets_of({})), std::nullopt);
    EXPECT_EQ(script.received(1, "elsewhere", "answer", octets_of({})), std::nullopt);
    EXPECT_EQ(script.received(1, "line", "ask", octets_of({})), std::nullopt) << "the played side's own";
}

TEST(Script, KeepsRecordedGaps) {
    const Conversation recorded = talk();
    Script script(recorded, Side::client, {2});
    script.start(100);
    EXPECT_EQ(script.ready(100), 0U);
    script.sent(100, 0);
    script.received(130, "line", "answer", octets_of({.own = 9, .peer = 5}));
    // Recorded 20 after the answer, of which the remark is no cause; twice as slow.
    EXPECT_EQ(script.ready(169), std::nullopt);
    EXPECT_EQ(script.wakeup(), 170);
    EXPECT_EQ(script.ready(170), 3U);
}

TEST(Script, WakesForWhatIsDueLaterThanWhatCannotGo) {
    Conversation recorded = talk();
    recorded.messages = {
        said(Side::client, "ask", 10, {.own = 5}), said(Side::server, "answer", 20, {.own = 9, .peer = 5}),
        said(Side::client, "more", 30, {.own = 5}), said(Side::client, "even more", 40, {.own = 5})};
    recorded.messages[2].answers = recorded.messages[3].answers = 1;
    Script script(recorded, Side::client, {1});
    script.start(100);
    script.sent(100, 0);
    script.received(110, "line", "answer", octets_of({.own = 9, .peer = 5}));
    EXPECT_EQ(script.wakeup(), 120);
    EXPECT_EQ(script.wakeup(120), Script::never) << "an answer waits for the one before it";
    script.sent(121, 2);
    EXPECT_EQ(script.wakeup(121), 131);
}

}  // namespace
}  // namespace fabricscope::replay
