// SPDX-License-Identifier: GPL-2.0-or-later
// The table of Exchanges as those see it who are built on Fibre Channel: what they keep of an Exchange comes with each
// of its frames, and they are told when none will come any more.
#include <gtest/gtest.h>

#include <map>

#include "tests/unit/engine/fc_link.h"

namespace fabricscope::engine::fibre_channel {
namespace {

using traffic::FcExchange;
using traffic::FcFrame;
using traffic::FcPort;
using traffic::Octets;

using Numbers = std::vector<std::uint32_t>;

/// Keeps the number of each Exchange's first frame.
class Listener : public Observer {
public:
    void on_frame(const FrameFacts& facts) override {
        if (facts.opens) before_opening.push_back(facts.kept);
        if (keeps && facts.kept == 0) facts.kept = static_cast<std::uint32_t>(facts.packet.number);
        kept.push_back(facts.kept);
        exchanges.push_back(facts.exchange.id);
    }
    void on_exchange_over(const Exchange& exchange) override { over.push_back(exchange.id); }
    void on_forgotten(std::uint32_t number) override { forgotten.push_back(number); }
    void on_end(const Logins&) override { ended = true; }

    bool keeps = true;
    Numbers before_opening;   ///< what was kept when an Exchange was opened
    Numbers kept, exchanges;  ///< by frame
    Numbers over, forgotten;
    bool ended = false;
};

class FcExchangeTable : public testing::Test {
protected:
    explicit FcExchangeTable(const Limits& limits = {}) : tracker_({.limits = limits}, {&one_, &two_}) {}

    void send(const std::vector<FcFrame>& frames) {
        for (const FcFrame& frame : frames) {
            ++number_;
            test::take(tracker_, frame, number_, static_cast<Time>(number_));
        }
    }
    void ask(FcExchange& exchange) { send(exchange.send({.r_ctl = 0x06, .data = data_, .passes_initiative = true})); }
    void answer(FcExchange& exchange) {
        send(exchange.send({.r_ctl = 0x07, .data = data_, .from_responder = true, .last = true}));
    }

    FcPort a_{.id = 0x010101}, b_{.id = 0x010202};
    Listener one_, two_;
    Tracker tracker_;

private:
    const Octets data_ = Octets(32);
    std::uint64_t number_ = 0;
};

TEST_F(FcExchangeTable, WhatIsKeptComesWithEachFrame) {
    two_.keeps = false;
    FcExchange first(a_, b_, wire::type_fcp), second(a_, b_, wire::type_fcp);
    ask(first), ask(second), answer(first), answer(second);
    EXPECT_EQ(one_.exchanges, (Numbers{1, 2, 1, 2}));
    EXPECT_EQ(one_.kept, (Numbers{1, 2, 1, 2}));
    EXPECT_EQ(two_.kept, (Numbers{0, 0, 0, 0})) << "nobody sees what another one keeps";
    tracker_.finish();
    EXPECT_EQ(one_.over.size(), 2U);
    EXPECT_TRUE(one_.ended);
    EXPECT_TRUE(one_.forgotten.empty());
}

TEST_F(FcExchangeTable, BothPortsUseTheSameOxId) {
    FcExchange there(a_, b_, wire::type_fcp), back(b_, a_, wire::type_fcp);
    back.set_ox_id(there.ox_id());
    ask(there), ask(back), answer(there), answer(back);
    EXPECT_EQ(one_.exchanges, (Numbers{1, 2, 1, 2}));
    EXPECT_EQ(one_.kept, (Numbers{1, 2, 1, 2}));
}

TEST_F(FcExchangeTable, AnOxIdThatIsUsedAgainIsAnotherExchange) {
    FcExchange first(a_, b_, wire::type_fcp), second(a_, b_, wire::type_fcp);
    second.set_ox_id(first.ox_id());
    ask(first), answer(first), ask(second), answer(second);
    EXPECT_EQ(one_.exchanges, (Numbers{1, 1, 2, 2}));
    EXPECT_EQ(one_.over, Numbers{1});
    EXPECT_EQ(one_.before_opening, (Numbers{0, 1})) << "the listener decides what becomes of it";
    EXPECT_TRUE(one_.forgotten.empty());
}

TEST_F(FcExchangeTable, DataOfAnotherTypeAreOfAnotherExchange) {
    FcExchange first(a_, b_, wire::type_fcp), second(a_, b_, wire::type_els);
    second.set_ox_id(first.ox_id());
    ask(first), answer(second);
    EXPECT_EQ(one_.exchanges, (Numbers{1, 2})) << "the answer to the one and the request of the other are missing";
}

struct FewAtATime : FcExchangeTable {
    FewAtATime() : FcExchangeTable({.followed = 3, .over = 1}) {}
};

TEST_F(FewAtATime, TheOneThatWasIdleLongestMakesRoom) {
    two_.keeps = false;
    std::vector<FcExchange> exchanges;
    for (int i = 0; i < 4; ++i) exchanges.emplace_back(a_, b_, wire::type_fcp);
    ask(exchanges[0]), ask(exchanges[1]), ask(exchanges[2]);
    send({exchanges[0].abts(false)});
    ask(exchanges[3]);
    EXPECT_EQ(one_.over, Numbers{2});
    EXPECT_EQ(one_.forgotten, Numbers{2});
    EXPECT_TRUE(two_.forgotten.empty()) << "it has kept nothing";
    answer(exchanges[1]);
    EXPECT_EQ(one_.exchanges.back(), 5U) << "met again, it is another one";
}

TEST_F(FewAtATime, ThoseThatAreOverGoFirst) {
    std::vector<FcExchange> exchanges;
    for (int i = 0; i < 4; ++i) exchanges.emplace_back(a_, b_, wire::type_fcp);
    ask(exchanges[0]), ask(exchanges[1]);
    answer(exchanges[1]);
    ask(exchanges[2]), ask(exchanges[3]);
    EXPECT_EQ(one_.forgotten, Numbers{2});
    answer(exchanges[0]), answer(exchanges[2]);
    EXPECT_EQ(one_.forgotten, (Numbers{2, 1})) << "frames repeat those of the latest one only";
    EXPECT_EQ(tracker_.model().exchanges[0].state, ExchangeState::closed);
}

TEST(FcKept, NumbersAreUsedAgain) {
    Kept<int> kept;
    std::uint32_t one = 0, two = 0, three = 0;
    kept.renew(one) = 1, kept.renew(two) = 2;
    EXPECT_EQ(*kept.find(one), 1);
    EXPECT_EQ(kept.find(0), nullptr);
    EXPECT_EQ(kept.renew(one), 0) << "a new one in its place";
    const std::uint32_t former = one;
    kept.forget(one);
    EXPECT_EQ(one, 0U);
    EXPECT_EQ(kept.renew(three), 0);
    EXPECT_EQ(three, former);
    EXPECT_EQ(*kept.find(two), 2);
}

}  // namespace
}  // namespace fabricscope::engine::fibre_channel
