// SPDX-License-Identifier: GPL-2.0-or-later
// Which message a frame belongs to: OX_IDs that are used again, commands that are sent again, ABTS and its answers.
#include <gtest/gtest.h>

#include "analyzer/engine/fc_ae_rdma/tracker.h"
#include "protocols/fc/basic_links.h"
#include "tests/unit/engine/fc_link.h"

namespace fabricscope::engine::fc_ae_rdma {
namespace {

using traffic::FcExchange;
using traffic::FcFrame;
using traffic::FcPort;
using traffic::Octets;
using States = std::vector<MessageState>;
using enum MessageState;

class FcAeRdmaIdentity : public testing::Test {
protected:
    void send(const std::vector<FcFrame>& frames) {
        for (const FcFrame& frame : frames) send(frame);
    }
    void send(const FcFrame& frame) {
        ++number_;
        fibre_channel::test::take(fc_, frame, number_, static_cast<Time>(number_) * 10 * capture::millisecond);
    }
    FcExchange exchange() { return {a_, b_, wire::fc_type}; }
    /// An FCP_CMND that reads so many octets.
    static std::vector<FcFrame> command(FcExchange& exchange, std::uint32_t octets) {
        wire::Command command;
        command.control.read_data = true;
        command.data_length = octets;
        const Octets payload = layout::octets_of(command);
        std::vector<FcFrame> frames = exchange.send({.r_ctl = 0x06, .data = payload, .passes_initiative = true});
        for (FcFrame& frame : frames) frame = with_code(std::move(frame));
        return frames;
    }
    static FcFrame with_code(FcFrame frame) {
        constexpr std::size_t parameter = 20;
        frame.octets[parameter] = wire::code_with_notification;
        return frame;
    }
    void answer(FcExchange& exchange) {
        const Octets good(wire::response_size);
        send(exchange.send({.r_ctl = 0x07, .data = good, .from_responder = true, .last = true}));
    }
    States states() const {
        States all;
        for (const Message& message : rdma_.model().messages) all.push_back(message.state);
        return all;
    }
    std::size_t findings() const { return rdma_.model().findings.size(); }

    FcPort a_{.id = 0x010101}, b_{.id = 0x010202};
    Tracker rdma_;
    fibre_channel::Tracker fc_{{}, {&rdma_}};

private:
    std::uint64_t number_ = 0;
};

TEST_F(FcAeRdmaIdentity, TheSameFrameTwiceIsOneMessage) {
    FcExchange x = exchange();
    const auto frames = command(x, 0);
    send(frames);
    send(frames);
    EXPECT_EQ(states(), States{open});
    EXPECT_EQ(rdma_.model().messages[0].repeated_frames, 1U);
}

TEST_F(FcAeRdmaIdentity, ACommandSentAgainAfterAbtsIsANewMessage) {
    for (const bool answered : {true, false}) {
        FcExchange x = exchange();
        const auto frames = command(x, 0);
        send(frames);
        send(x.abts(false));
        if (answered) send(x.ba_acc(true));
        send(frames);
        answer(x);
    }
    EXPECT_EQ(states(), (States{aborted, complete, aborted, complete}));
    EXPECT_EQ(fc_.model().exchanges.size(), 4U);
    EXPECT_EQ(findings(), 0U);
}

TEST_F(FcAeRdmaIdentity, AResponseBehindAnAcceptedAbtsComesTooLate) {
    for (const bool accepted : {true, false}) {
        FcExchange x = exchange();
        send(command(x, 0));
        send(x.abts(false));
        if (accepted) send(x.ba_acc(true));
        answer(x);
    }
    EXPECT_EQ(states(), (States{aborted, complete})) << "it may have crossed the ABTS";
}

TEST_F(FcAeRdmaIdentity, AnAbtsThatIsRefusedAbortsNothing) {
    FcExchange x = exchange();
    const auto frames = command(x, 0);
    send(frames);
    send(x.abts(false));
    send(x.ba_rjt(true, 3, 0));
    EXPECT_EQ(states(), States{open});
    send(frames);
    EXPECT_EQ(states(), States{open}) << "the same command once more";
    answer(x);
    EXPECT_EQ(states(), States{complete});
}

TEST_F(FcAeRdmaIdentity, AbtsOfASequenceIsNotTheEndOfTheMessage) {
    FcExchange x = exchange();
    send(command(x, 0));
    send(x.abts(false, true));
    EXPECT_EQ(states(), States{open});
}

TEST_F(FcAeRdmaIdentity, AnotherCommandUnderTheSameOxId) {
    FcExchange first = exchange();
    send(command(first, 0));
    answer(first);
    FcExchange second = exchange();
    second.set_ox_id(first.ox_id());
    send(command(second, 0));
    answer(second);
    FcExchange third = exchange();
    third.set_ox_id(first.ox_id());
    send(command(third, 0));
    FcExchange fourth = exchange();  // the third one's end was not captured
    fourth.set_ox_id(first.ox_id());
    const auto other = command(fourth, 200);
    send(other);
    EXPECT_EQ(states(), (States{complete, complete, open, open}));
    EXPECT_EQ(rdma_.model().messages[3].data_length, 200U);
    EXPECT_EQ(findings(), 0U);
}

}  // namespace
}  // namespace fabricscope::engine::fc_ae_rdma
