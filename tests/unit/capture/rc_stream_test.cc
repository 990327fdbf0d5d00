// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/rc_stream.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <tuple>

#include "capture/source.h"
#include "tests/unit/capture/frames.h"

namespace fabricscope::capture {
namespace {

using namespace test;
using Kind = RcEvent::Kind;

/// A receiver, and the frames it was given, which must outlive its events.
class Receiver {
public:
    RcEvent operator()(
        std::uint8_t opcode, std::uint32_t psn, const Octets& extended, const Octets& payload,
        std::size_t captured = SIZE_MAX) {
        frames_.push_back(roce_v2(bth(opcode, psn, extended, payload)));
        Frame frame = frame_of(frames_.back(), LinkType::ethernet, captured);
        frame.number = frames_.size();
        return receiver_.receive(decode(frame));
    }
    RcEvent operator()(std::uint8_t opcode, std::uint32_t psn, const Octets& payload) {
        return (*this)(opcode, psn, {}, payload);
    }

private:
    std::deque<Octets> frames_;
    RcReceiver receiver_;
};

TEST(Psn, SerialArithmetic) {
    EXPECT_EQ(psn_distance(5, 7), 2);
    EXPECT_EQ(psn_distance(7, 5), -2);
    EXPECT_EQ(psn_distance(0xFFFFFF, 0), 1);
    EXPECT_EQ(psn_distance(0, 0xFFFFFF), -1);
    EXPECT_EQ(psn_distance(0, 0x7FFFFF), 0x7FFFFF);
    EXPECT_EQ(psn_after(0xFFFFFF), 0U);
}

TEST(PsnWindow, OrderGapLateDuplicate) {
    for (const std::uint32_t start : {0U, 1000U, 0xFFFFF0U, 0xFFFFFEU}) {
        SCOPED_TRACE(start);
        PsnWindow window;
        const auto classify = [&](std::uint32_t i) { return window.classify(psn_after(start, i)); };
        const auto use = [&](std::uint32_t i) { window.mark_used(psn_after(start, i)); };
        EXPECT_EQ(classify(0).order, PsnOrder::next);
        use(0);
        EXPECT_EQ(classify(0).order, PsnOrder::duplicate);
        EXPECT_EQ(classify(1).order, PsnOrder::next);
        EXPECT_EQ(classify(4).order, PsnOrder::ahead_after_gap);
        EXPECT_EQ(classify(4).missing, 3U);
        use(4);
        EXPECT_EQ(classify(2).order, PsnOrder::late);
        use(2);
        EXPECT_EQ(classify(2).order, PsnOrder::duplicate);
        EXPECT_EQ(classify(3).order, PsnOrder::late);
        window.mark_seen(psn_after(start, 5));
        EXPECT_EQ(classify(5).order, PsnOrder::late) << "seen, but not used";
        EXPECT_EQ(classify(6).order, PsnOrder::next);
    }
}

TEST(PsnWindow, SlidesOverManyAndForgets) {
    PsnWindow window;
    std::uint32_t psn = 0xFF0000;
    for (std::uint32_t i = 0; i < 3 * PsnWindow::size; ++i, psn = psn_after(psn)) {
        ASSERT_EQ(window.classify(psn).order, PsnOrder::next);
        window.mark_used(psn);
    }
    const auto back = [&](std::uint32_t n) { return window.classify((psn - n) & 0xFFFFFF).order; };
    EXPECT_EQ(back(1), PsnOrder::duplicate);
    EXPECT_EQ(back(PsnWindow::size), PsnOrder::duplicate);
    EXPECT_EQ(back(PsnWindow::size + 1), PsnOrder::stale);
    window.mark_used(psn_after(psn, 100'000));
    psn = psn_after(psn, 100'001);
    EXPECT_EQ(back(1), PsnOrder::duplicate);
    EXPECT_EQ(back(2), PsnOrder::late);
    EXPECT_EQ(back(PsnWindow::size), PsnOrder::late);
}

TEST(RcReceiver, SendOfOneAndOfSeveralPackets) {
    Receiver receive;
    RcEvent event = receive(send_only, 10, counting(44));
    EXPECT_EQ(event.kind, Kind::send_message);
    EXPECT_EQ(octets_of(event.message), counting(44));
    EXPECT_EQ(receive(send_first, 11, counting(256)).kind, Kind::send_part);
    EXPECT_EQ(receive(send_middle, 12, counting(256)).kind, Kind::send_part);
    event = receive(send_last, 13, counting(3));
    EXPECT_EQ(event.kind, Kind::send_message);
    EXPECT_EQ(event.order, PsnOrder::next);
    EXPECT_EQ(octets_of(event.message), join({counting(256), counting(256), counting(3)}));
    EXPECT_EQ(event.message_length, 515U);
    EXPECT_EQ(event.first_frame, 2U);
    event = receive(send_only, 10, counting(44));
    EXPECT_EQ(event.order, PsnOrder::duplicate);
    EXPECT_TRUE(event.repeated());
}

TEST(RcReceiver, LostSendPacketIsMadeGoodByGoingBack) {
    Receiver receive;
    receive(send_first, 0, counting(256));
    const RcEvent last = receive(send_last, 2, counting(4));  // 1 is lost
    EXPECT_EQ(last.kind, Kind::unplaceable);
    EXPECT_EQ(last.order, PsnOrder::ahead_after_gap);
    EXPECT_EQ(last.missing, 1U);
    EXPECT_EQ(receive(send_only, 3, counting(8)).kind, Kind::send_message);
    EXPECT_EQ(receive(send_middle, 1, counting(256)).order, PsnOrder::late);
    const RcEvent again = receive(send_last, 2, counting(4));
    EXPECT_EQ(again.kind, Kind::send_message);
    EXPECT_EQ(again.order, PsnOrder::late);
    EXPECT_EQ(again.message.size(), 516U);
    EXPECT_TRUE(receive(send_only, 3, counting(8)).repeated());
}

TEST(RcReceiver, LostSendFirst) {
    Receiver receive;
    receive(send_only, 0, counting(8));
    EXPECT_EQ(receive(send_middle, 2, counting(256)).kind, Kind::unplaceable);
    EXPECT_EQ(receive(send_last, 3, counting(8)).kind, Kind::unplaceable);
    receive(send_first, 1, counting(256));
    receive(send_middle, 2, counting(256));
    EXPECT_EQ(receive(send_last, 3, counting(8)).message.size(), 520U);
}

TEST(RcReceiver, NewFirstEndsAHalfAssembledMessage) {
    Receiver receive;
    receive(send_first, 0, Octets(256, 'x'));
    receive(send_first, 1, counting(256));
    EXPECT_EQ(octets_of(receive(send_last, 2, counting(1)).message), join({counting(256), counting(1)}));
}

TEST(RcReceiver, CutSendKeepsItsBeginning) {
    Receiver receive;
    receive(send_first, 0, {}, counting(256), 14 + 20 + 8 + 12 + 100);
    const RcEvent event = receive(send_last, 1, counting(20));
    EXPECT_EQ(octets_of(event.message), counting(100));
    EXPECT_EQ(event.message_length, 276U);
}

TEST(RcReceiver, LongSendIsBounded) {
    Receiver receive;
    receive(send_first, 0, Octets(4096));
    for (std::uint32_t psn = 1; psn < 40; ++psn) receive(send_middle, psn, Octets(4096));
    const RcEvent event = receive(send_last, 40, Octets(4));
    EXPECT_EQ(event.message.size(), RcReceiver::message_limit);
    EXPECT_EQ(event.message_length, 40 * 4096 + 4U);
}

TEST(RcReceiver, WriteSegmentsHaveTheirPlaces) {
    Receiver receive;
    RcEvent event = receive(write_only, 1, reth(0x1000, 7, 5), counting(5));
    EXPECT_EQ(event.kind, Kind::write);
    EXPECT_TRUE(event.first && event.last);
    EXPECT_EQ(event.r_key, 7U);
    EXPECT_EQ(event.address, 0x1000U);
    EXPECT_EQ(event.length, 5U);
    event = receive(write_first, 2, reth(0xFFFF'0000'0000'2000, 8, 600), Octets(256));
    EXPECT_TRUE(event.first && !event.last);
    EXPECT_EQ(event.operation_length, 600U);
    event = receive(write_middle, 3, Octets(256));
    EXPECT_EQ(event.address, 0xFFFF'0000'0000'2100U);
    event = receive(write_last, 4, Octets(88));
    EXPECT_EQ(event.address, 0xFFFF'0000'0000'2200U);
    EXPECT_EQ(event.r_key, 8U);
    EXPECT_EQ(event.length, 88U);
    EXPECT_TRUE(event.last);
    EXPECT_EQ(event.first_frame, 2U);
    EXPECT_EQ(receive(write_only_immediate, 5, join({reth(0, 1, 4), built(ib::ImmDt{99})}), Octets(4)).immediate, 99U);
}

TEST(RcReceiver, WriteSegmentsArePlacedAcrossAGapAndLate) {
    Receiver receive;
    receive(write_first, 0, reth(0, 8, 1000), Octets(256));
    RcEvent event = receive(write_last, 3, Octets(232));  // 1 and 2 come later
    EXPECT_EQ(event.address, 768U);
    EXPECT_EQ(event.missing, 2U);
    receive(write_only, 4, reth(0x9000, 8, 4), Octets(4));
    event = receive(write_middle, 2, Octets(256));
    EXPECT_EQ(event.address, 512U);
    EXPECT_EQ(event.order, PsnOrder::late);
    EXPECT_EQ(receive(write_middle, 1, Octets(256)).address, 256U);
    event = receive(write_last, 3, Octets(232));
    EXPECT_TRUE(event.repeated());
    EXPECT_EQ(event.address, 768U) << "where a repeated packet goes is still told";
}

TEST(RcReceiver, UnplaceableWriteIsUsedWhenSentAgain) {
    Receiver receive;
    receive(write_only, 0, reth(0, 1, 4), Octets(4));
    EXPECT_EQ(receive(write_middle, 2, Octets(256)).kind, Kind::unplaceable);
    EXPECT_EQ(receive(write_last, 3, Octets(8)).kind, Kind::unplaceable);
    EXPECT_EQ(receive(write_first, 1, reth(0x100, 1, 520), Octets(256)).order, PsnOrder::late);
    const RcEvent middle = receive(write_middle, 2, Octets(256));
    EXPECT_EQ(middle.kind, Kind::write);
    EXPECT_FALSE(middle.repeated());
    EXPECT_EQ(middle.address, 0x200U);
    EXPECT_EQ(receive(write_last, 3, Octets(8)).address, 0x300U);
}

TEST(RcReceiver, APacketBehindTheLengthOfAWriteIsNotOfIt) {
    Receiver receive;
    receive(write_first, 0, reth(0, 8, 520), Octets(256));
    receive(write_middle, 1, Octets(256)), receive(write_last, 2, Octets(8));
    EXPECT_EQ(receive(write_last, 2, Octets(8)).address, 512U);
    EXPECT_EQ(receive(write_middle, 3, Octets(256)).kind, Kind::unplaceable);
}

TEST(RcReceiver, WriteWhoseRethWasCutIsUnplaceable) {
    Receiver receive;
    const RcEvent event = receive(write_only, 0, reth(0, 1, 4), Octets(4), 14 + 20 + 8 + 12 + 8);
    EXPECT_EQ(event.kind, Kind::unplaceable);
}

TEST(RcReceiver, ReadRequestTakesThePsnsOfItsResponse) {
    Receiver receive;
    const RcEvent read = receive(read_request, 100, reth(0x5000, 3, 3000), {});
    EXPECT_EQ(read.kind, Kind::read_request);
    EXPECT_EQ(read.address, 0x5000U);
    EXPECT_EQ(read.length, 3000U);
    EXPECT_EQ(receive(send_only, 103, counting(4)).order, PsnOrder::next) << "three packets of 1024";
    EXPECT_EQ(receive(send_only, 105, counting(4)).missing, 1U);
    receive(read_request, 106, reth(0, 3, 256), {});
    EXPECT_EQ(receive(send_only, 108, counting(4)).order, PsnOrder::ahead_after_gap);
}

TEST(RcReceiver, AReadThatIsAskedForAgainFromWhereItBrokeOffIsRepeated) {
    Receiver receive;
    const auto repeated = [&](std::uint32_t psn, std::uint64_t address, std::uint32_t length, std::uint32_t r_key = 3) {
        return receive(read_request, psn, reth(address, r_key, length), {}).repeated();
    };
    EXPECT_FALSE(repeated(100, 0x5000, 3000));
    EXPECT_FALSE(repeated(103, 0x9000, 4096));
    EXPECT_TRUE(repeated(101, 0x5000 + 1024, 3000 - 1024)) << "its second packet was lost, with an MTU of 1024";
    EXPECT_TRUE(repeated(103, 0x9000, 4096));
    EXPECT_TRUE(repeated(106, 0x9000 + 3 * 1024, 1024));
    EXPECT_FALSE(repeated(107, 0x5000 + 2048, 3000 - 2048)) << "the end of the same memory, but no PSN fits";
    EXPECT_FALSE(repeated(108, 0x9000 + 1024, 3072, 4)) << "another memory";
}

TEST(RcReceiver, ResponsesThatComeAgainAreRepeated) {
    Receiver receive;
    const auto repeated = [&](std::uint32_t psn) {
        return receive(response_only, psn, built(ib::Aeth{0, 1}), Octets(8)).repeated();
    };
    EXPECT_FALSE(repeated(900));
    EXPECT_FALSE(repeated(905)) << "between them are those of other requests";
    EXPECT_TRUE(repeated(900));
    EXPECT_FALSE(repeated(903)) << "late";
    EXPECT_TRUE(repeated(903));
    EXPECT_FALSE(receive(acknowledge, 905, built(ib::Aeth{0, 1}), {}).repeated());
}

TEST(RcReceiver, ResponsesHavePsnsOfTheOtherDirection) {
    Receiver receive;
    receive(send_only, 1, counting(4));
    EXPECT_EQ(receive(acknowledge, 900, built(ib::Aeth{0x60, 1}), {}).kind, Kind::acknowledge);
    EXPECT_EQ(receive(response_only, 901, built(ib::Aeth{0, 1}), Octets(8)).kind, Kind::read_response);
    EXPECT_EQ(receive(send_only, 2, counting(4)).order, PsnOrder::next);
    EXPECT_EQ(receive(fetch_add, 3, Octets(28), {}).kind, Kind::atomic_request);
    EXPECT_EQ(receive(send_only, 4, counting(4)).order, PsnOrder::next);
}

TEST(RcReceiver, OtherServicesAreOther) {
    Receiver receive;
    EXPECT_EQ(receive(0x64, 1, Octets(8), counting(256)).kind, Kind::other);  // UD
    EXPECT_EQ(receive(0x24, 1, counting(4)).kind, Kind::other);               // UC
    EXPECT_EQ(RcReceiver().receive(Packet{}).kind, Kind::other);
}

/// Real captures begin with the first packet of every queue pair: whatever was written has a place.
TEST(RcReceiver, EveryWriteOfARealCaptureHasItsPlace) {
    using Key = std::tuple<std::array<std::uint8_t, 16>, std::uint32_t>;
    for (const char* name :
         {"smcr_v2_20conns.pcap", "smcr_v2_virtbuf.pcap", "smcr_v1_echo.pcap", "plain_roce_perftest.pcap"}) {
        const auto source = open(sample(name)).source;
        ASSERT_NE(source, nullptr);
        std::map<Key, RcReceiver> receivers;
        Frame frame;
        std::uint64_t written = 0, messages = 0, unplaceable = 0;
        while (source->next(frame)) {
            const Packet packet = decode(frame);
            if (packet.transport != Transport::ib) continue;
            const RcEvent event = receivers[{packet.destination.bytes, packet.ib.bth.destination_qpn}].receive(packet);
            if (event.kind == Kind::write && !event.repeated()) written += event.length;
            messages += event.kind == Kind::send_message && !event.repeated();
            unplaceable += event.kind == Kind::unplaceable;
        }
        EXPECT_GT(written, 0U) << name;
        EXPECT_GT(messages, 0U) << name;
        EXPECT_EQ(unplaceable, 0U) << name;
    }
}

}  // namespace
}  // namespace fabricscope::capture
