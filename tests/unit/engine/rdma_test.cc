// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma/tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "protocols/ib/psn.h"
#include "protocols/rdma_cm/message.h"

namespace fabricscope::engine::rdma {
namespace {

constexpr std::uint8_t send_only = 0x04, send_first = 0x00, send_middle = 0x01, send_last = 0x02;
constexpr std::uint8_t write_first = 0x06, write_middle = 0x07, write_last = 0x08, write_only = 0x0A;
constexpr std::uint8_t read_request = 0x0C, response_first = 0x0D, response_middle = 0x0E, response_last = 0x0F;
constexpr std::uint8_t response_only = 0x10, acknowledge = 0x11, cnp = 0x81;
constexpr std::uint8_t atomic_acknowledge = 0x12, fetch_add = 0x14;
constexpr std::uint8_t ack = 0x1F, sequence_error = 0x60, access_error = 0x62, rnr_nak = 0x20 | 12;  // 12: 0.64 ms
constexpr std::uint32_t qp_a = 0x11, qp_b = 0x22;
constexpr Time microsecond = capture::microsecond;

/// Two hosts whose packets go straight into a tracker, 10 us apart.
class World : public Observer {
public:
    explicit World(Options options = {}) : tracker(options, {cm, smcr}, this) {}

    capture::Packet packet(Side from, std::uint8_t opcode, std::uint32_t psn, std::uint32_t payload) {
        capture::Packet p;
        p.number = ++frames;
        p.time = now += 10 * microsecond;
        p.source = address_of(from);
        p.destination = address_of(other(from));
        p.transport = capture::Transport::ib;
        p.ib.carrier = capture::IbCarrier::roce_v2;
        p.ib.bth.opcode = opcode;
        p.interface = interface[from];
        p.ib.bth.ack_request = asks_for_answers;
        p.ib.bth.destination_qpn = from == a ? qp_b : qp_a;
        p.ib.bth.psn = psn & ib::psn_mask;
        p.ib.payload_length = payload;
        return p;
    }
    void request(Side from, std::uint8_t opcode, std::uint32_t psn, std::uint32_t payload = 100) {
        tracker.on_packet(packet(from, opcode, psn, payload));
    }
    void read(Side from, std::uint32_t psn, std::uint32_t length) { announce(from, read_request, psn, 0, length); }
    /// A packet whose RETH announces so many octets.
    void announce(Side from, std::uint8_t opcode, std::uint32_t psn, std::uint32_t payload, std::uint32_t length) {
        capture::Packet p = packet(from, opcode, psn, payload);
        p.ib.has_reth = true;
        p.ib.reth.dma_length = length;
        tracker.on_packet(p);
    }
    void answer(
        Side from, std::uint32_t psn, std::uint8_t syndrome = ack, std::uint8_t opcode = acknowledge,
        std::uint32_t payload = 0) {
        capture::Packet p = packet(from, opcode, psn, payload);
        p.ib.has_aeth = opcode != response_middle;
        p.ib.aeth.syndrome = syndrome;
        p.ib.aeth.msn = ++msn;
        tracker.on_packet(p);
    }
    void wait(Time time) { now += time; }
    /// A message of Communication Management, of which so much was captured.
    void mad(Side from, const std::vector<std::uint8_t>& octets, std::size_t captured) {
        capture::Packet p = packet(from, 0x64, 0, static_cast<std::uint32_t>(octets.size()));
        p.ib.bth.destination_qpn = ib::gsi_qpn;
        p.ib.has_deth = true;
        p.ib.deth.source_qpn = ib::gsi_qpn;
        p.ib.payload = ByteView(octets).first(captured);
        tracker.on_packet(p);
    }

    /// The CM has set up a connection between both.
    void connect(std::uint8_t retry_count) {
        rdma_cm::Connection& connection = cm.connections.emplace_back();
        connection.id = 1;
        connection.retry_count = retry_count;
        connection.end[engine::Side::client].address = address_of(a);
        connection.end[engine::Side::client].qpn = qp_a;
        connection.end[engine::Side::server].address = address_of(b);
        connection.end[engine::Side::server].qpn = qp_b;
    }

    void on_facts(const FrameFacts& seen) override { facts.push_back(seen); }
    const Model& end() {
        tracker.finish();
        return tracker.model();
    }
    const Stream& stream() { return end().streams.at(0); }

    static Address address_of(Side side) {
        return Address::of(Ipv4{{192, 0, 2, static_cast<std::uint8_t>(side == a ? 10 : 20)}});
    }

    rdma_cm::Model cm;
    smcr::Model smcr;
    Tracker tracker;
    Time now = 0;
    std::uint64_t frames = 0;
    std::uint32_t msn = 0;
    std::array<std::uint32_t, 2> interface {};  ///< by which each side's packets come
    bool asks_for_answers = false;
    std::vector<FrameFacts> facts;
};

std::uint64_t sum(const Retransmitted& r) { return r.nak + r.timeout + r.rnr + r.implied; }

TEST(Rdma, AcknowledgmentsTellTheOtherQueuePair) {
    World w;
    w.request(a, send_only, 100), w.answer(b, 100);
    const Stream& s = w.stream();
    EXPECT_EQ(s.end[a].qpn, qp_a);
    EXPECT_EQ(s.end[b].qpn, qp_b);
    EXPECT_EQ(s.learned, Learned::acknowledgments);
    EXPECT_EQ(w.tracker.model().streams.size(), 1U) << "an answer founds no stream of its own";
    EXPECT_EQ(s.from[a].packets, 1U);
    EXPECT_EQ(s.from[b].packets, 1U);
    EXPECT_EQ(s.from[a].ack_rtt.max(), 10 * microsecond);
    EXPECT_EQ(s.ending, End::open);
    ASSERT_EQ(w.tracker.model().operations.size(), 1U);
    EXPECT_EQ(w.tracker.model().operations[0].answer->frame, 2U);
}

TEST(Rdma, ADisconnectMayBeBehindTheSnapLength) {
    constexpr std::size_t ids_begin = 24, ids_end = 32, whole = 256;
    for (const std::size_t captured : {std::size_t{0}, ids_begin, ids_end, whole}) {
        World w;
        w.request(a, send_only, 100), w.answer(b, 100);
        w.mad(b, std::vector<std::uint8_t>(whole), captured);
        EXPECT_EQ(w.stream().ending, captured < ids_end ? End::unknown : End::open) << captured;
    }
    World w;
    w.mad(b, std::vector<std::uint8_t>(whole), 0);
    w.request(a, send_only, 100), w.answer(b, 100);
    EXPECT_EQ(w.stream().ending, End::open) << "it came before";
}

TEST(Rdma, AQueuePairThatIsConnectedAgainIsAnotherStream) {
    enum class Before : std::uint8_t { goes_on, disconnected, silent };
    for (const Before before : {Before::goes_on, Before::disconnected, Before::silent}) {
        World w;
        w.connect(7);
        w.request(a, send_only, 100), w.answer(b, 100);
        if (before == Before::disconnected) w.cm.connections[0].dreq = FrameStamp{};
        if (before == Before::silent) w.wait(capture::second);
        w.cm.connections[0].req = FrameStamp{.time = w.now};
        fabricscope::rdma_cm::Message req;
        req.mad.management_class = ib::cm_class;
        req.mad.attribute_id = static_cast<std::uint16_t>(ib::CmAttribute::req);
        fabricscope::rdma_cm::Req body;
        body.body.local_qpn = qp_a;
        req.body = body;
        const std::vector<std::uint8_t> octets = fabricscope::rdma_cm::build(req);
        w.mad(a, octets, octets.size());
        w.request(a, send_only, 101), w.answer(b, 101);
        EXPECT_EQ(w.end().streams.size(), before == Before::goes_on ? 1U : 2U);
    }
}

TEST(Rdma, OfASideThatWasNotCapturedNothingIsKnown) {
    World w;
    w.request(a, send_only, 100);
    const Stream& s = w.stream();
    EXPECT_TRUE(s.from[a].sender_heard);
    EXPECT_FALSE(s.from[a].receiver_heard);
    EXPECT_FALSE(s.from[b].sender_heard);
    EXPECT_TRUE(s.from[b].receiver_heard);
}

TEST(Rdma, AReadOfARestTellsTheMtu) {
    World w;
    const auto read = [&](std::uint32_t psn, std::uint64_t address, std::uint32_t length) {
        capture::Packet p = w.packet(a, read_request, psn, 0);
        p.ib.has_reth = true;
        p.ib.reth.virtual_address = address;
        p.ib.reth.dma_length = length;
        w.tracker.on_packet(p);
    };
    read(50, 0x10000, 5000);
    read(52, 0x10800, 2952);  // two packets of 1024 have come
    read(55, 0x20000, 5000);
    const Stream& s = w.stream();
    EXPECT_EQ(s.mtu, 1024U);
    EXPECT_EQ(s.from[a].operations[2].count, 2U);
    EXPECT_EQ(s.from[a].operations[2].bytes, 10000U);
    EXPECT_EQ(s.from[a].retransmitted.packets, 1U);
}

TEST(Rdma, PsnsThatComeRoundAgainAreNotThoseBefore) {
    constexpr std::uint32_t mtu = 256, responses = 1 << 20, rounds = 40;
    World w;
    w.request(a, send_first, 0, mtu), w.request(a, send_last, 1, mtu), w.answer(b, 1);
    std::uint32_t psn = 2;
    for (std::uint32_t i = 0; i < rounds; ++i) {
        w.read(a, psn, responses * mtu);
        psn += responses;
        w.request(a, send_only, psn), w.answer(b, psn), ++psn;
    }
    w.wait(capture::second), w.request(a, send_only, psn - 1), w.answer(b, psn - 1);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].not_captured, 0U);
    EXPECT_EQ(s.from[a].out_of_order, 0U);
    EXPECT_EQ(s.from[a].retransmitted.timeout, 1U);
    EXPECT_EQ(s.from[a].duplicate_requests, 1U);
    EXPECT_EQ(s.from[a].operations[0].count, rounds + 1U);
    EXPECT_TRUE(w.tracker.model().findings.empty());
}

TEST(Rdma, TheOtherHalfJoinsAStreamThatWasNumberedBefore) {
    World w;
    w.request(a, send_only, 100), w.request(b, send_only, 0x500000, 40);
    w.answer(b, 100), w.answer(a, 0x500000);
    const Model& model = w.end();
    ASSERT_EQ(model.streams.size(), 2U);
    EXPECT_TRUE(model.streams[1].merged);
    EXPECT_EQ(model.streams[0].from[a].bytes, 100U);
    EXPECT_EQ(model.streams[0].from[b].bytes, 40U);
    EXPECT_EQ(model.streams[0].from[b].packets, 2U);
    for (const Operation& operation : model.operations) EXPECT_EQ(operation.stream, 1U);
}

TEST(Rdma, AQueuePairIsNotGuessedWhereTwoFit) {
    World w;
    w.request(a, send_only, 100);
    capture::Packet p = w.packet(a, send_only, 100, 100);
    p.ib.bth.destination_qpn = 0x33;
    w.tracker.on_packet(p);
    w.answer(b, 100);
    for (const Stream& stream : w.end().streams) EXPECT_FALSE(stream.learned);
}

TEST(Rdma, AMessageOfManyPacketsIsOneOperation) {
    World w;
    w.request(a, send_first, 7, 1024), w.request(a, send_middle, 8, 1024), w.request(a, send_last, 9, 10);
    w.answer(b, 9);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].operations[0].count, 1U);
    EXPECT_EQ(s.from[a].operations[0].bytes, 2058U);
    EXPECT_EQ(s.mtu, 1024U);
    EXPECT_EQ(s.from[a].operation_time.max(), 30 * microsecond);
    EXPECT_EQ(s.from[a].ack_rtt.max(), 10 * microsecond);
}

TEST(Rdma, AReadTakesAPsnForEachPacketOfItsResponse) {
    World w;
    w.read(a, 50, 2500);
    w.answer(b, 50, ack, response_first, 1024), w.answer(b, 51, ack, response_middle, 1024);
    w.answer(b, 52, ack, response_last, 452);
    w.read(a, 53, 100), w.answer(b, 53, ack, response_only, 100);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].operations[2].count, 2U);
    EXPECT_EQ(s.from[a].bytes, 2600U) << "a READ's bytes belong to who asked";
    EXPECT_EQ(s.from[b].bytes, 0U);
    EXPECT_EQ(s.from[a].operation_time.count(), 2U);
    EXPECT_EQ(s.from[a].lost + s.from[a].not_captured + s.from[a].retransmitted.packets, 0U);
    EXPECT_EQ(s.unanswered[a], 0U);
}

TEST(Rdma, PacketSequenceNumbersBeginAgainAtZero) {
    World w;
    for (std::uint32_t psn = 0xFFFFFE; psn < 0x1000002; ++psn)
        w.request(a, send_only, psn), w.answer(b, psn & 0xFFFFFF);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].operations[0].count, 4U);
    EXPECT_EQ(s.from[a].operation_time.count(), 4U);
    EXPECT_EQ(s.from[a].retransmitted.packets + s.from[a].not_captured, 0U);
}

TEST(Rdma, WhatWasLostBehindTheTapComesAgainAfterANak) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    for (std::uint32_t psn = 2; psn < 6; ++psn) w.request(a, send_only, psn);
    w.answer(b, 3, sequence_error);
    for (std::uint32_t psn = 3; psn < 6; ++psn) w.request(a, send_only, psn);
    w.answer(b, 5);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].lost, 1U);
    EXPECT_EQ(s.from[a].retransmitted.packets, 3U);
    EXPECT_EQ(s.from[a].retransmitted.nak, 3U);
    EXPECT_EQ(s.from[a].naks, 1U);
    EXPECT_EQ(s.from[a].duplicate_requests, 0U);
    EXPECT_EQ(s.from[a].bytes, 500U) << "each octet once";
    EXPECT_EQ(s.from[a].operation_time.count(), 5U);
}

TEST(Rdma, WhatWasLostBeforeTheTapComesAgainAfterANak) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_only, 3), w.request(a, send_only, 4);
    w.answer(b, 2, sequence_error);
    for (std::uint32_t psn = 2; psn < 5; ++psn) w.request(a, send_only, psn);
    w.answer(b, 4);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].lost, 1U);
    EXPECT_EQ(s.from[a].retransmitted.nak, 3U);
    EXPECT_EQ(s.from[a].not_captured, 0U);
    EXPECT_EQ(s.from[a].operations[0].count, 4U);
    EXPECT_EQ(s.from[a].bytes, 400U);
}

TEST(Rdma, AGapThatIsAcknowledgedWasNotCaptured) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_only, 4), w.answer(b, 4);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].not_captured, 2U);
    EXPECT_EQ(s.from[a].lost, 0U);
    EXPECT_EQ(s.from[a].retransmitted.packets, 0U);
}

TEST(Rdma, APacketThatWasOvertakenIsNeitherLostNorSentAgain) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_only, 3), w.request(a, send_only, 2), w.answer(b, 3);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].out_of_order, 1U);
    EXPECT_EQ(s.from[a].lost + s.from[a].not_captured + s.from[a].retransmitted.packets, 0U);
    EXPECT_EQ(s.from[a].operation_time.count(), 3U);
}

TEST(Rdma, ASilenceIsATimeOut) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_only, 2);
    w.wait(500 * capture::millisecond);
    w.request(a, send_only, 2), w.answer(b, 2);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].retransmitted.timeout, 1U);
    EXPECT_EQ(s.from[a].timeouts, 1U);
    EXPECT_GE(s.from[a].longest_timeout, 500 * capture::millisecond);
    EXPECT_EQ(s.from[a].ack_rtt.count(), 1U) << "which of both was acknowledged nobody knows";
}

TEST(Rdma, ARepeatedRequestThatHadArrivedIsADuplicate) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.wait(500 * capture::millisecond);
    w.request(a, send_only, 1), w.answer(b, 1);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].duplicate_requests, 1U);
    EXPECT_EQ(s.from[a].lost, 0U) << "the acknowledgment was";
    EXPECT_TRUE(w.facts.back().duplicate_ack);
}

TEST(Rdma, WithOneDirectionNoCauseIsClaimed) {
    World w;
    w.request(a, send_only, 1), w.request(a, send_only, 2);
    w.wait(500 * capture::millisecond);
    w.request(a, send_only, 1), w.request(a, send_only, 2);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].retransmitted.packets, 2U);
    EXPECT_EQ(sum(s.from[a].retransmitted), 0U);
    EXPECT_EQ(s.from[a].lost, 0U);
    EXPECT_FALSE(s.learned);
    EXPECT_EQ(s.end[b].qpn, qp_b);
    EXPECT_FALSE(s.end[a].qpn);
    EXPECT_EQ(s.ending, End::unknown);
}

TEST(Rdma, RnrNaksAreWaitedFor) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_only, 2), w.answer(b, 2, rnr_nak);
    w.wait(700 * microsecond);
    w.request(a, send_only, 2), w.answer(b, 2);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].rnr_naks, 1U);
    EXPECT_EQ(s.from[a].naks, 0U);
    EXPECT_EQ(s.from[a].retransmitted.rnr, 1U);
    EXPECT_EQ(s.from[a].rnr_waited, 710 * microsecond);
    EXPECT_EQ(w.tracker.model().of(rules::rnr_wait).satisfied, 1U);
}

TEST(RdmaRules, TooShortAWaitAfterAnRnrNak) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_only, 2), w.answer(b, 2, rnr_nak), w.request(a, send_only, 2);
    EXPECT_EQ(w.end().of(rules::rnr_wait).broken, 1U);
}

TEST(RdmaRules, ANakOfWhatWasAcknowledged) {
    World w;
    w.request(a, send_only, 1), w.request(a, send_only, 2), w.answer(b, 2);
    w.wait(capture::second);
    w.answer(b, 1, sequence_error);
    EXPECT_EQ(w.end().of(rules::nak_of_missing).broken, 1U);
}

TEST(RdmaRules, ANakThatIpNumbersBehindTheAcknowledgment) {
    for (const std::uint32_t step : {1U, 0U}) {  // 0: its sender does not count
        World w;
        std::uint32_t identification = 1;
        const auto answer = [&](std::uint32_t psn, std::uint8_t syndrome) {
            capture::Packet p = w.packet(b, acknowledge, psn, 0);
            p.ip_identification = identification += step;
            p.ib.has_aeth = true;
            p.ib.aeth.syndrome = syndrome;
            p.ib.aeth.msn = ++w.msn;
            w.tracker.on_packet(p);
        };
        for (std::uint32_t psn = 1; psn <= 4; ++psn) w.request(a, send_only, psn), answer(psn, ack);
        answer(2, sequence_error);
        EXPECT_EQ(w.end().of(rules::nak_of_missing).broken, step) << "without it, it may have been overtaken";
    }
}

TEST(RdmaRules, WhatGoesOnBehindAFatalNakIsNotAnswered) {
    for (const Time pause : {capture::millisecond, capture::second}) {
        World w;
        w.request(a, send_only, 1), w.answer(b, 1);
        w.request(a, send_only, 2), w.answer(b, 2, access_error);
        w.wait(pause);
        w.request(a, send_only, 3), w.answer(b, 3);
        EXPECT_EQ(w.end().of(rules::nothing_behind_refusal).broken, pause < capture::second ? 1U : 0U);
        for (const Operation& operation : w.tracker.model().operations)
            EXPECT_EQ(operation.answer.has_value(), operation.psn != 2U);
    }
}

TEST(RdmaRules, AnAcknowledgmentThatReadsHaveOvertakenDoesNotCount) {
    World w;
    w.request(a, send_only, 100), w.answer(b, 100), w.request(a, send_only, 101), w.answer(b, 101);
    w.read(a, 102, 100), w.request(a, send_only, 103);
    w.answer(b, 102, ack, response_only, 100);
    w.msn = 1;
    w.answer(b, 101);
    w.msn = 3;
    w.answer(b, 103);
    EXPECT_EQ(w.end().of(rules::counts_what_was_asked).broken, 0U);
}

TEST(RdmaRules, TwoNaksForOneGap) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_only, 3), w.answer(b, 2, sequence_error), w.request(a, send_only, 4);
    w.answer(b, 2, sequence_error);
    EXPECT_EQ(w.end().of(rules::one_nak_for_a_gap).broken, 1U);
}

TEST(RdmaRules, AMessageSequenceNumberThatFalls) {
    World w;
    w.request(a, send_only, 1), w.request(a, send_only, 2), w.answer(b, 1);
    w.msn = 0xFFFFF0;
    w.answer(b, 2);
    EXPECT_EQ(w.end().of(rules::message_count_grows).broken, 1U);
}

TEST(RdmaRules, AQueuePairThatBeganAnewCountsFromTheStart) {
    World w;
    for (std::uint32_t psn = 1; psn <= 3; ++psn) w.request(a, send_only, psn), w.answer(b, psn);
    w.msn = 0;
    w.request(a, send_only, 5'000), w.answer(b, 5'000);
    EXPECT_EQ(w.end().of(rules::message_count_grows).broken, 0U);
    EXPECT_EQ(w.tracker.model().of(rules::message_count_grows).undecided, 1U);
}

TEST(RdmaRules, WhatBeginsAlikeAfterALongRestIsAnotherQueuePair) {
    for (const int seconds : {9, 11}) {
        World w;
        for (std::uint32_t psn = 1; psn <= 3; ++psn) w.request(a, send_only, psn), w.answer(b, psn);
        w.wait(seconds * capture::second);
        for (std::uint32_t psn = 1; psn <= 3; ++psn) w.request(a, send_only, psn), w.answer(b, psn);
        w.end();
        EXPECT_EQ(w.tracker.model().streams.size(), seconds > 10 ? 2U : 1U);
        EXPECT_EQ(w.tracker.model().streams.at(0).from[a].retransmitted.packets, seconds > 10 ? 0U : 3U);
    }
}

TEST(RdmaRules, AnOperationEndsWhereItsLengthDoes) {
    for (const std::uint32_t end : {4U, 50U}) {
        World w;
        capture::Packet first = w.packet(a, write_first, 1, 100);
        first.ib.has_reth = true;
        first.ib.reth.dma_length = 400;
        w.tracker.on_packet(first);
        w.request(a, write_last, end), w.answer(b, end);
        w.end();
        const auto& operations = w.tracker.model().operations;
        EXPECT_EQ(operations.size(), end == 4 ? 1U : 2U);
        EXPECT_EQ(operations.at(0).packets, end == 4 ? 2U : 1U);
    }
}

TEST(RdmaRules, AnUndefinedSyndrome) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1, 0x7F);
    EXPECT_EQ(w.end().of(rules::known_nak).broken, 1U);
}

TEST(RdmaRules, MoreRetriesThanTheCmAllowed) {
    World w;
    w.connect(2);
    w.request(a, send_only, 1), w.answer(b, 1);
    for (int i = 0; i < 4; ++i) w.request(a, send_only, 2), w.wait(capture::second);
    EXPECT_EQ(w.end().of(rules::retry_count).broken, 1U);
    EXPECT_EQ(w.tracker.model().findings.at(0).frames.size(), 3U);
    EXPECT_EQ(w.tracker.model().streams.at(0).cm_connection, 1U);
}

/// Of the client, whose first request has PSN 100.
rdma_cm::Endpoint& server_of(World& w) {
    rdma_cm::Endpoint& server = w.cm.connections.at(0).end[engine::Side::server];
    server.starting_psn = 100;
    return server;
}

TEST(RdmaRules, AnAcknowledgmentOfMoreThanALinkCarries) {
    World w;
    w.request(a, send_only, 100), w.answer(b, 100), w.request(a, send_only, 101);
    w.answer(b, 101 + 5'000'000);
    w.answer(b, 101);
    const Stream& s = w.stream();
    EXPECT_EQ(w.tracker.model().of(rules::acknowledges_what_was_sent).broken, 1U);
    EXPECT_EQ(s.ending, End::open) << "it acknowledges nothing";
}

TEST(RdmaRules, AnAcknowledgmentOfWhatMayNotHaveBeenCaptured) {
    World w;
    w.request(a, send_only, 100), w.answer(b, 100), w.request(a, send_only, 101), w.answer(b, 150);
    EXPECT_EQ(w.end().of(rules::acknowledges_what_was_sent).broken, 0U);
    EXPECT_EQ(w.tracker.model().of(rules::acknowledges_what_was_sent).undecided, 1U);
}

TEST(RdmaRules, AnAcknowledgmentFromBeforeTheConnection) {
    World w;
    w.connect(7);
    server_of(w);
    w.request(a, send_only, 100), w.answer(b, 100), w.answer(b, 99), w.answer(b, 90);
    EXPECT_EQ(w.end().of(rules::acknowledges_what_was_sent).broken, 1U);
    EXPECT_EQ(w.tracker.model().findings.at(0).frames.back(), 4U);
}

TEST(RdmaRules, NumbersOfQueuePairsAreUsedAgainBehindADisconnect) {
    World w;
    w.connect(7);
    server_of(w);
    w.request(a, send_only, 100), w.answer(b, 100);
    w.cm.connections.at(0).dreq = FrameStamp{w.now, 3};
    w.answer(b, 90), w.answer(b, 101 + 5'000'000);
    EXPECT_EQ(w.end().of(rules::acknowledges_what_was_sent).broken, 0U);
    EXPECT_EQ(w.tracker.model().of(rules::acknowledges_what_was_sent).undecided, 2U);
}

TEST(RdmaRules, MoreMessagesCountedThanAskedFor) {
    World w;
    w.request(a, send_only, 100), w.answer(b, 100), w.request(a, send_only, 101), w.answer(b, 101);
    EXPECT_EQ(w.tracker.model().of(rules::counts_what_was_asked).satisfied, 1U);
    w.request(a, send_only, 102);
    w.msn += 2;
    w.answer(b, 102);
    EXPECT_EQ(w.end().of(rules::counts_what_was_asked).broken, 1U);
}

TEST(RdmaRules, MessagesThatWereNotCapturedMayBeCounted) {
    World w;
    w.request(a, send_only, 100), w.answer(b, 100), w.request(a, send_only, 103);
    w.msn += 2;
    w.answer(b, 103);
    EXPECT_EQ(w.end().of(rules::counts_what_was_asked).broken, 0U);
}

TEST(RdmaRules, MessagesFromBeforeTheFirstRequestMayBeCounted) {
    World w;
    w.request(a, send_only, 100), w.answer(b, 100);
    w.msn = 0;
    w.answer(a, 500), w.request(b, send_only, 502);
    w.msn += 2;
    w.answer(a, 502);
    EXPECT_EQ(w.end().of(rules::counts_what_was_asked).broken, 0U);
}

TEST(RdmaRules, MoreReadsOutstandingThanTheResponderServes) {
    for (const std::uint8_t resources : std::array<std::uint8_t, 2>{1, 2}) {
        World w;
        w.connect(7);
        server_of(w).responder_resources = resources;
        w.read(a, 100, 100), w.read(a, 101, 100);
        w.answer(b, 100, ack, response_only, 100), w.answer(b, 101, ack, response_only, 100);
        w.read(a, 102, 100), w.answer(b, 102, ack, response_only, 100);
        EXPECT_EQ(w.end().of(rules::outstanding_reads).broken, resources == 1 ? 1U : 0U);
        EXPECT_EQ(w.tracker.model().of(rules::outstanding_reads).satisfied, resources == 1 ? 0U : 1U);
    }
}

TEST(RdmaRules, MoreRnrRetriesThanTheServerAllowed) {
    for (const std::uint8_t count : std::array<std::uint8_t, 3>{1, 2, 7}) {
        World w;
        w.connect(7);
        server_of(w).rnr_retry_count = count;
        w.request(a, send_only, 100), w.answer(b, 100), w.request(a, send_only, 101);
        for (int i = 0; i < 2; ++i)
            w.answer(b, 101, rnr_nak), w.wait(capture::millisecond), w.request(a, send_only, 101);
        EXPECT_EQ(w.end().of(rules::rnr_retry_count).broken, count == 1 ? 1U : 0U);
    }
}

TEST(RdmaRules, ATimeOutBeforeItsTime) {
    for (const std::uint8_t code : std::array<std::uint8_t, 2>{14, 18}) {  // 67 ms, 1.07 s
        World w;
        w.connect(7);
        w.cm.connections[0].path.emplace().local_ack_timeout = code;
        w.request(a, write_only, 100), w.answer(b, 100), w.request(a, write_only, 101);
        w.wait(70 * capture::millisecond), w.request(a, write_only, 101);
        w.answer(b, 101), w.request(a, write_only, 102);
        EXPECT_EQ(w.end().of(rules::ack_timeout).broken, code == 18 ? 1U : 0U);
        EXPECT_EQ(w.tracker.model().of(rules::ack_timeout).satisfied, code == 18 ? 0U : 1U);
    }
}

TEST(RdmaRules, WhatComesAgainWithWhatFollowedItIsNoTimeOut) {
    for (const bool ends : {false, true}) {
        World w;  // 102 had been sent before, and a NAK asked for 101: neither was captured
        w.connect(7);
        w.cm.connections[0].path.emplace().local_ack_timeout = 18;
        w.request(a, write_only, 100), w.answer(b, 100), w.request(a, write_only, 101);
        w.wait(70 * capture::millisecond), w.request(a, write_only, 101);
        if (!ends) w.request(a, write_only, 102), w.answer(b, 101), w.answer(b, 102);
        EXPECT_EQ(w.end().of(rules::ack_timeout).broken, 0U);
        EXPECT_EQ(w.tracker.model().of(rules::ack_timeout).undecided, 1U);
    }
}

TEST(RdmaRules, WhatComesAgainBehindAGapIsNoTimeOut) {
    World w;  // a NAK asked for 101, with which 102 came again
    w.connect(7);
    w.cm.connections[0].path.emplace().local_ack_timeout = 18;
    w.request(a, write_only, 100), w.answer(b, 100), w.request(a, write_only, 102);
    w.wait(70 * capture::millisecond), w.request(a, write_only, 102), w.answer(b, 102), w.request(a, write_only, 103);
    EXPECT_EQ(w.end().of(rules::ack_timeout).broken, 0U);
    EXPECT_EQ(w.tracker.model().of(rules::ack_timeout).undecided, 1U);
}

TEST(RdmaRules, WhatMayHaveBeenRefusedIsNoTimeOut) {
    World w;  // a SEND may have met an RNR NAK that was not captured
    w.connect(7);
    w.cm.connections[0].path.emplace().local_ack_timeout = 18;
    w.request(a, send_only, 100), w.answer(b, 100), w.request(a, send_only, 101);
    w.wait(70 * capture::millisecond), w.request(a, send_only, 101);
    EXPECT_EQ(w.end().of(rules::ack_timeout).broken, 0U);
}

TEST(RdmaRules, CnpsThatFollowEachOther) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.tracker.on_packet(w.packet(b, cnp, 0, 0)), w.tracker.on_packet(w.packet(b, cnp, 0, 0));
    w.wait(50 * microsecond), w.tracker.on_packet(w.packet(b, cnp, 0, 0));
    EXPECT_EQ(w.end().of(rules::cnp_interval).broken, 1U);
    EXPECT_EQ(w.tracker.model().of(rules::cnp_interval).satisfied, 1U);
}

TEST(RdmaRules, MigReqThatDiffers) {
    for (const bool both : {false, true}) {
        World w;
        w.request(a, send_only, 1);
        capture::Packet answer = w.packet(b, acknowledge, 1, 0);
        answer.ib.has_aeth = true;
        answer.ib.aeth.syndrome = ack;
        answer.ib.bth.migration = true;
        w.tracker.on_packet(answer);
        if (both) w.answer(b, 1);
        EXPECT_EQ(w.end().of(rules::same_migration).broken, both ? 0U : 1U) << "who changes it migrates";
    }
}

TEST(RdmaRules, AQueuePairThatBeginsAnewCountsFromTheStart) {
    for (const std::uint32_t psn : {101U, 5'000'000U}) {
        World w;
        w.msn = 20;
        w.request(a, send_only, 100), w.answer(b, 100);
        w.wait(capture::second);
        if (psn == 101) w.request(a, send_only, psn);
        w.msn = 0;
        w.answer(b, psn);
        EXPECT_EQ(w.end().of(rules::message_count_grows).broken, psn == 101 ? 1U : 0U);
    }
}

TEST(RdmaRules, PacketsOfARequestFollowEachOther) {
    struct Sent {
        std::uint8_t opcode;
        std::uint32_t psn;
    };
    struct Case {
        const char* what;
        std::vector<Sent> packets;
        std::uint64_t broken;
    };
    for (const Case& c : std::vector<Case>{
             {"as it should be",
              {{send_first, 1}, {send_middle, 2}, {send_last, 3}, {send_only, 4}, {read_request, 5}},
              0},
             {"a message begins within another", {{send_first, 1}, {send_only, 2}}, 1},
             {"a READ is asked for within a message", {{send_first, 1}, {read_request, 2}}, 1},
             {"a SEND goes on as a WRITE", {{send_first, 1}, {write_last, 2}}, 1},
             {"a message goes on that has ended", {{send_only, 1}, {send_last, 2}}, 1},
             {"it went on before the capture", {{send_middle, 1}, {send_last, 2}, {send_only, 3}}, 0},
             {"what is between them was not captured", {{send_first, 1}, {send_only, 3}}, 0},
             {"and comes late", {{send_first, 1}, {send_only, 3}, {send_last, 2}, {send_only, 4}}, 0},
             {"all comes again", {{send_first, 1}, {send_last, 2}, {send_first, 1}, {send_last, 2}, {send_only, 3}}, 0},
             {"again from the middle on", {{send_first, 1}, {send_middle, 2}, {send_middle, 2}, {send_last, 3}}, 0}}) {
        World w;
        for (const Sent& sent : c.packets) w.request(a, sent.opcode, sent.psn, sent.opcode == read_request ? 0 : 1024);
        EXPECT_EQ(w.end().of(rules::packets_in_order).broken, c.broken) << c.what;
    }
}

TEST(RdmaRules, PacketsAreAsLongAsTheirPlaceAllows) {
    struct Case {
        std::vector<std::pair<std::uint8_t, std::uint32_t>> packets;  ///< opcodes and octets
        std::uint64_t broken;
    };
    for (const Case& c : std::vector<Case>{
             {{{send_first, 1024}, {send_middle, 1024}, {send_last, 1024}, {send_only, 1024}, {send_only, 0}}, 0},
             {{{send_first, 1024}, {send_middle, 512}, {send_last, 1}}, 1},
             {{{send_first, 1000}, {send_middle, 1024}, {send_last, 1}}, 1},
             {{{send_first, 1024}, {send_last, 0}}, 1},
             {{{send_first, 1024}, {send_last, 1028}}, 1},
             {{{send_first, 1024}, {send_last, 4}, {send_only, 1025}}, 1},
             {{{send_only, 9000}}, 0}}) {
        World w;
        std::uint32_t psn = 0;
        for (const auto& [opcode, octets] : c.packets) w.request(a, opcode, ++psn, octets);
        EXPECT_EQ(w.end().of(rules::packet_length).broken, c.broken) << testing::PrintToString(c.packets);
    }
}

TEST(RdmaRules, AWriteCarriesWhatItAnnounces) {
    for (const std::uint32_t announced : {1023U, 1024U, 1025U}) {
        World w;
        w.announce(a, write_only, 1, 1024, announced);
        w.announce(a, write_first, 2, 1024, announced + 2048), w.request(a, write_middle, 3, 1024);
        w.request(a, write_last, 4, 1024);
        EXPECT_EQ(w.end().of(rules::message_length).broken, announced == 1024 ? 0U : 2U);
    }
    World lost;
    lost.announce(a, write_first, 1, 1024, 3072), lost.request(a, write_last, 3, 1024);
    EXPECT_EQ(lost.end().of(rules::message_length).broken, 0U) << "a packet is missing";
    World again;
    again.announce(a, write_first, 1, 1024, 2048), again.announce(a, write_first, 1, 1024, 2048);
    again.request(a, write_last, 2, 1024);
    EXPECT_EQ(again.end().of(rules::message_length).broken, 0U) << "each octet counts once";
}

TEST(RdmaRules, AReadIsAnsweredWithWhatItAsksFor) {
    for (const std::uint32_t asked : {1500U, 2000U, 2048U}) {
        World w;
        w.request(a, send_only, 1), w.answer(b, 1);
        w.read(a, 2, asked);
        w.answer(b, 2, ack, response_first, 1024), w.answer(b, 3, ack, response_last, 976);
        EXPECT_EQ(w.end().of(rules::message_length).broken, asked == 2000 ? 0U : 1U) << asked;
    }
    World again;
    again.request(a, send_only, 1), again.answer(b, 1);
    again.read(a, 2, 2500);
    again.answer(b, 2, ack, response_first, 1024), again.answer(b, 4, ack, response_last, 452);
    again.read(a, 3, 1024), again.answer(b, 3, ack, response_only, 1024);
    EXPECT_EQ(again.end().of(rules::message_length).broken, 0U);
}

TEST(Rdma, SaysWhetherThePointOfCaptureSawWhatWasLost) {
    World behind;
    behind.request(a, send_only, 1), behind.answer(b, 1);
    behind.request(a, send_only, 2), behind.request(a, send_only, 3);
    behind.answer(b, 2, sequence_error), behind.request(a, send_only, 2), behind.request(a, send_only, 3);
    EXPECT_EQ(behind.stream().from[a].lost_behind, 1U);
    EXPECT_EQ(behind.stream().from[a].lost_before, 0U);
    World before;
    before.request(a, send_only, 1), before.answer(b, 1), before.request(a, send_only, 3);
    before.answer(b, 2, sequence_error), before.request(a, send_only, 2), before.request(a, send_only, 3);
    EXPECT_EQ(before.stream().from[a].lost_before, 1U);
    EXPECT_EQ(before.stream().from[a].lost_behind, 0U);
}

TEST(Rdma, ANakThatHasNoEffectIsTold) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1), w.request(a, send_only, 2), w.request(a, send_only, 3);
    w.answer(b, 2, sequence_error), w.wait(capture::second), w.request(a, send_only, 2);
    EXPECT_EQ(w.stream().from[a].timeouts, 1U);
    EXPECT_EQ(w.stream().from[a].unheeded_naks, 1U);
}

TEST(Rdma, GapsOfAnUnreliableConnection) {
    constexpr std::uint8_t uc_send_only = 0x24;
    World w;
    w.request(a, uc_send_only, 1), w.request(a, uc_send_only, 5), w.request(a, uc_send_only, 3);
    EXPECT_EQ(w.stream().from[a].unseen, 2U);
}

TEST(Rdma, AFatalNakEndsTheStream) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_only, 2), w.answer(b, 2, access_error);
    const Stream& s = w.stream();
    EXPECT_EQ(s.ending, End::nak);
    ASSERT_TRUE(s.fatal);
    EXPECT_EQ(s.fatal->by, b);
}

TEST(Rdma, OfSeveralFatalNaksTheFirstIsTheCause) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_only, 2), w.answer(b, 2, access_error);
    w.request(a, send_only, 3), w.answer(b, 3, access_error + 1);
    const Stream& s = w.stream();
    ASSERT_TRUE(s.fatal);
    EXPECT_EQ(s.fatal->syndrome, access_error);
    EXPECT_EQ(s.from[a].naks, 2U);
}

TEST(Rdma, RetriesThatNobodyAnswersEndTheStream) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    for (int i = 0; i < 8; ++i) w.request(a, send_only, 2), w.wait(capture::second);
    w.wait(5 * capture::second);
    capture::Packet p = w.packet(a, send_only, 9, 1);
    p.ib.bth.destination_qpn = 0x99;
    w.tracker.on_packet(p);
    const Stream& s = w.stream();
    EXPECT_EQ(s.ending, End::retries_exhausted);
    EXPECT_EQ(s.from[a].timeouts, 7U);
}

TEST(Rdma, RetriesThatBeginFartherOnWereAnswered) {
    World w;
    w.connect(2);
    w.request(a, send_only, 1), w.answer(b, 1);
    for (std::uint32_t psn = 2; psn < 10; ++psn) w.request(a, send_only, psn);
    for (std::uint32_t psn = 2; psn < 10; ++psn) w.wait(capture::second), w.request(a, send_only, psn);
    w.wait(5 * capture::second), w.mad(a, std::vector<std::uint8_t>(256), 256);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].timeouts, 8U);
    EXPECT_NE(s.ending, End::retries_exhausted);
    EXPECT_EQ(w.tracker.model().of(rules::retry_count).satisfied, 1U);
}

TEST(Rdma, WhoIsStillRetransmittingHasNotGivenUp) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    for (int i = 0; i < 8; ++i) {
        w.request(a, send_first, 2), w.request(a, send_middle, 3), w.request(a, send_middle, 4);
        w.wait(2 * capture::millisecond);
    }
    for (std::uint32_t psn = 2; psn < 500; ++psn) w.request(a, psn == 2 ? send_first : send_middle, psn);
    const Stream& s = w.stream();
    EXPECT_GE(s.from[a].timeouts, 7U);
    EXPECT_NE(s.ending, End::retries_exhausted) << "the latest retry is 5 ms old, but not all of it";
}

TEST(Rdma, TheLastRetryIsTheOneThatTheCmAllows) {
    World w;
    w.connect(3);
    w.request(a, send_only, 1), w.answer(b, 1);
    for (int i = 0; i < 4; ++i) w.request(a, send_only, 2), w.wait(capture::second);
    const auto& silence = w.tracker.model().streams.at(0).silence;
    ASSERT_TRUE(silence);
    EXPECT_EQ(silence->last.frame, w.frames);
    EXPECT_FALSE(silence->is_final_at(w.now)) << "the answer may still come";
    EXPECT_TRUE(silence->is_final_at(w.now + capture::second));
    w.request(b, send_only, 0x500000), w.answer(a, 0x500000);
    EXPECT_TRUE(silence) << "what the other side asked for is no answer";
}

TEST(Rdma, AReadThatIsAskedForAgainFromTheMiddle) {
    World w;
    w.read(a, 50, 4096);
    w.answer(b, 50, ack, response_first, 1024);
    w.answer(b, 52, ack, response_middle, 1024), w.answer(b, 53, ack, response_last, 1024);
    w.read(a, 51, 3072);
    w.answer(b, 51, ack, response_first, 1024), w.answer(b, 52, ack, response_middle, 1024);
    w.answer(b, 53, ack, response_last, 1024);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].operations[2].count, 1U);
    EXPECT_EQ(s.from[a].bytes, 4096U);
    EXPECT_EQ(s.from[a].retransmitted.packets, 1U);
}

TEST(Rdma, AReadThatMissesResponsesWaitsForThem) {
    World w;
    w.read(a, 10, 3072), w.read(a, 13, 100);
    w.answer(b, 10, ack, response_first, 1024), w.answer(b, 11, ack, response_middle, 1024);
    w.answer(b, 13, ack, response_only, 100);  // the last response of the first READ was lost
    w.read(a, 12, 1024), w.read(a, 13, 100);
    w.answer(b, 12, ack, response_only, 1024), w.answer(b, 13, ack, response_only, 100);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].retransmitted.implied, 2U);
    EXPECT_EQ(s.from[a].duplicate_requests, 2U);
    EXPECT_EQ(s.from[b].lost, 1U);
    EXPECT_EQ(s.from[b].retransmitted.packets, 1U) << "the lost one was not there before";
    ASSERT_EQ(w.tracker.model().operations.size(), 2U);
    EXPECT_EQ(w.tracker.model().operations[0].answer->frame, 8U);
    EXPECT_EQ(w.tracker.model().operations[1].answer->frame, 9U) << "its requester has thrown away the first answer";
    EXPECT_EQ(s.ending, End::open);
}

TEST(Rdma, AnswersThatWereAskedForAgainAreNoRequestsThatCameAgain) {
    World w;
    w.read(a, 10, 100), w.answer(b, 10, ack, response_only, 100);
    w.request(b, send_only, 500), w.answer(a, 500);
    w.wait(100 * capture::millisecond), w.read(a, 10, 100), w.answer(b, 10, ack, response_only, 100);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[b].retransmitted.packets, 1U);
    EXPECT_EQ(s.from[b].asked_again().packets, 0U);
    EXPECT_EQ(s.from[a].asked_again().packets, 1U);
}

TEST(Rdma, AnAnswerThatComesAgainProvesOneDuplicate) {
    World w;
    w.request(a, fetch_add, 1, 0), w.answer(b, 1, ack, atomic_acknowledge);
    w.request(a, fetch_add, 2, 0);
    w.wait(100 * capture::millisecond), w.request(a, fetch_add, 2, 0);  // nobody knows whether it had arrived
    w.answer(b, 2, ack, atomic_acknowledge);
    w.wait(100 * capture::millisecond), w.request(a, fetch_add, 2, 0);  // this one had
    w.answer(b, 2, ack, atomic_acknowledge);
    EXPECT_EQ(w.stream().from[a].duplicate_requests, 1U);
}

TEST(Rdma, TheFirstOfTwoRequestsHadArrivedIfBothAreAnswered) {
    World w;
    w.request(a, fetch_add, 1, 0), w.answer(b, 1, ack, atomic_acknowledge);
    w.request(a, fetch_add, 2, 0);
    w.wait(100 * capture::millisecond), w.request(a, fetch_add, 2, 0);
    w.answer(b, 2, ack, atomic_acknowledge), w.answer(b, 2, ack, atomic_acknowledge);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].duplicate_requests, 1U);
    EXPECT_EQ(s.from[b].retransmitted.packets, 1U);
}

TEST(Rdma, PacketsThatCameAgainBeforeAnAcknowledgedOneHadArrived) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    for (std::uint32_t psn = 2; psn < 6; ++psn) w.request(a, send_only, psn);
    w.wait(100 * capture::millisecond);
    w.request(a, send_only, 2), w.request(a, send_only, 3), w.answer(b, 5);
    EXPECT_EQ(w.stream().from[a].duplicate_requests, 2U);
}

TEST(Rdma, PacketsThatCameAgainBeforeOneThatDidNotHadArrived) {
    for (const std::uint32_t acknowledged : {3, 4}) {
        World w;
        w.request(a, send_only, 1), w.answer(b, 1);
        for (std::uint32_t psn = 2; psn < 6; ++psn) w.request(a, send_only, psn);
        w.wait(100 * capture::millisecond);
        w.request(a, send_only, 2), w.request(a, send_only, 3), w.answer(b, acknowledged);
        EXPECT_EQ(w.stream().from[a].duplicate_requests, acknowledged == 4 ? 2U : 0U);
    }
}

TEST(Rdma, WhatCameAgainEarlierHadBeenAskedFor) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    for (std::uint32_t psn = 2; psn < 6; ++psn) w.request(a, send_only, psn);
    w.answer(b, 2, sequence_error);
    for (std::uint32_t psn = 2; psn < 6; ++psn) w.request(a, send_only, psn);
    w.answer(b, 5);
    for (std::uint32_t psn = 6; psn < 9; ++psn) w.request(a, send_only, psn);
    w.wait(100 * capture::millisecond);
    w.request(a, send_only, 6), w.answer(b, 7);
    EXPECT_EQ(w.stream().from[a].duplicate_requests, 1U) << "not the four that the NAK asked for";
}

TEST(Rdma, WhoAcknowledgesTheSameOnceMoreHadIt) {
    World w;
    w.request(a, send_only, 100), w.answer(b, 100);
    w.request(a, send_only, 101);
    w.wait(5 * capture::millisecond);
    w.request(a, send_only, 101);  // the answer to the first one is still under way
    w.answer(b, 101);
    EXPECT_EQ(w.tracker.model().streams[0].from[a].duplicate_requests, 0U) << "of one of the two";
    w.answer(b, 101), w.answer(b, 101);
    EXPECT_EQ(w.stream().from[a].duplicate_requests, 1U) << "no more than came again";
    EXPECT_EQ(w.stream().from[a].lost, 0U);
}

TEST(Rdma, TimeoutsBeforeTheFirstAnswerAreToldBehindIt) {
    for (const std::uint8_t syndrome : {ack, sequence_error}) {
        World w;
        w.request(a, send_only, 100), w.request(a, send_only, 101);
        w.wait(20 * capture::millisecond);
        w.request(a, send_only, 100), w.request(a, send_only, 101);
        EXPECT_EQ(w.tracker.model().streams[0].from[a].retransmitted.timeout, 0U) << "NAKs may not be captured";
        w.answer(b, 101, syndrome);
        const Direction& direction = w.stream().from[a];
        EXPECT_EQ(direction.retransmitted.timeout, 2U);
        EXPECT_EQ(direction.timeouts, 1U);
        EXPECT_EQ(direction.longest_timeout, 20 * capture::millisecond + 10 * microsecond);
        EXPECT_EQ(w.tracker.model().events[0].cause, Cause::timeout);
    }
}

TEST(Rdma, WithoutTheSyndromesOfAnswersNoTimeoutIsClaimed) {
    World w;
    w.request(a, send_only, 100), w.answer(b, 100);
    w.request(a, send_only, 101);
    w.tracker.on_packet(w.packet(b, acknowledge, 101, 0));  // cut behind its BTH
    w.wait(20 * capture::millisecond);
    w.request(a, send_only, 101);
    EXPECT_EQ(w.stream().from[a].retransmitted.packets, 1U);
    EXPECT_EQ(sum(w.stream().from[a].retransmitted), 0U);
    EXPECT_FALSE(w.stream().from[a].answers_known);
    EXPECT_TRUE(w.stream().from[b].answers_known);
    EXPECT_EQ(w.stream().from[a].operation_time.count(), 0U) << "some of them are not all of them";
}

TEST(Rdma, AMissedResponseIsWhyAReadComesAgainAsLongAsItsRequesterMayReact) {
    for (const Time waited : {20, 60}) {
        World w;
        w.read(a, 10, 3072), w.read(a, 13, 100);
        w.answer(b, 10, ack, response_first, 1024), w.answer(b, 11, ack, response_middle, 1024);
        w.answer(b, 13, ack, response_only, 100);  // the last response of the first READ was lost
        w.wait(waited * capture::millisecond);
        w.read(a, 12, 1024);
        const Retransmitted& again = w.stream().from[a].retransmitted;
        EXPECT_EQ(again.implied, waited == 20 ? 1U : 0U);
        EXPECT_EQ(again.timeout, waited == 20 ? 0U : 1U);
    }
}

TEST(Rdma, ARequestThatNothingHasAnsweredIsNotAskedForAgainForItsAnswer) {
    World w;
    w.request(a, send_only, 100), w.answer(b, 100);
    w.read(a, 101, 100), w.read(a, 101, 100);
    EXPECT_EQ(w.stream().from[a].retransmitted.implied, 0U);
    w.answer(b, 101, ack, response_only, 100);
    w.read(a, 101, 100);
    EXPECT_EQ(w.stream().from[a].retransmitted.implied, 1U);
}

/// Packets whose sender counts them, far from each other in time.
class Overtaken : public testing::Test {
protected:
    void send(std::uint32_t psn, std::uint32_t identification) {
        capture::Packet p = world_.packet(a, send_only, psn, 100);
        p.ip_identification = identification;
        world_.tracker.on_packet(p);
        world_.wait(5 * capture::millisecond);
    }
    const Direction& direction() { return world_.stream().from[a]; }

    World world_;
};

TEST_F(Overtaken, AreNotLostHoweverLateTheyCome) {
    send(100, 7000), send(101, 7001), send(103, 7003), send(104, 7004), send(102, 7002);
    world_.answer(b, 104);
    EXPECT_EQ(direction().out_of_order, 1U);
    EXPECT_EQ(direction().lost, 0U);
    EXPECT_EQ(direction().retransmitted.packets, 0U);
}

TEST_F(Overtaken, AreNotThoseThatWereSentLater) {
    send(100, 7000), send(101, 7001), send(103, 7003), send(104, 7004), send(102, 7005);
    world_.answer(b, 104);
    EXPECT_EQ(direction().out_of_order, 0U);
    EXPECT_EQ(direction().lost, 1U);
    EXPECT_EQ(direction().retransmitted.packets, 1U);
}

TEST_F(Overtaken, AreNotToldByNumbersThatGoByThePsn) {
    send(100, 7000), send(101, 7001), send(101, 7001);
    send(103, 7003), send(104, 7004), send(102, 7002);
    EXPECT_EQ(direction().out_of_order, 0U);
    EXPECT_EQ(direction().lost, 1U);
}

TEST_F(Overtaken, AreNotToldWhereNobodyCounts) {
    send(100, 0), send(101, 0), send(103, 0), send(104, 0), send(102, 0);
    EXPECT_EQ(direction().out_of_order, 0U);
    EXPECT_EQ(direction().lost, 1U);
}

TEST(Rdma, AMessageWhosePacketsComeInDisorderIsOneOperation) {
    std::array<std::uint32_t, 4> order{10, 11, 12, 13};
    do {
        World w;
        w.request(a, send_only, 9), w.answer(b, 9);
        for (const std::uint32_t psn : order)
            w.request(a, psn == 10 ? send_first : psn == 13 ? send_last : send_middle, psn, 1024);
        w.answer(b, 13);
        const Direction& asker = w.stream().from[a];
        EXPECT_EQ(asker.operations[0].count, 2U) << testing::PrintToString(order);
        EXPECT_EQ(asker.bytes, 100U + 4 * 1024U);
        EXPECT_EQ(asker.retransmitted.packets, 0U);
        EXPECT_EQ(asker.operation_time.count(), 2U);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Rdma, MessagesWhosePacketsAreMixedAreToldApart) {
    std::array<std::uint32_t, 4> order{10, 11, 12, 13};
    do {
        World w;
        w.request(a, send_only, 9), w.answer(b, 9);
        for (const std::uint32_t psn : order) w.request(a, psn % 2 == 0 ? send_first : send_last, psn, 1024);
        w.answer(b, 13);
        const Direction& asker = w.stream().from[a];
        EXPECT_EQ(asker.operations[0].count, 3U) << testing::PrintToString(order);
        EXPECT_EQ(asker.bytes, 100U + 4 * 1024U);
        EXPECT_EQ(asker.operation_time.count(), 3U) << testing::PrintToString(order);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Rdma, PacketsFromBeforeTheFirstOneAreNoRepetition) {
    World w;
    w.request(a, send_only, 12), w.request(a, send_only, 10), w.request(a, send_only, 11), w.answer(b, 12);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].operations[0].count, 3U);
    EXPECT_EQ(s.from[a].bytes, 300U);
    EXPECT_EQ(s.from[a].retransmitted.packets, 0U);
    EXPECT_EQ(s.from[a].out_of_order, 2U);
}

TEST(Rdma, WhatANakAsksForComesBehindWhatWasUnderWay) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    for (std::uint32_t psn = 3; psn < 8; ++psn) w.request(a, send_only, psn);
    w.answer(b, 2, sequence_error);
    for (const std::uint32_t psn : {2U, 4U, 5U}) w.request(a, send_only, psn);
    w.answer(b, 3, sequence_error);
    for (const std::uint32_t psn : {6U, 7U}) w.request(a, send_only, psn);
    for (std::uint32_t psn = 3; psn < 8; ++psn) w.request(a, send_only, psn);
    w.answer(b, 7);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].retransmitted.packets, 10U);
    EXPECT_EQ(s.from[a].retransmitted.nak, 10U);
    EXPECT_EQ(s.from[a].lost, 2U) << "2, and 3 when it came again";
}

TEST(Rdma, WhatIsPassedOverWhileOthersComeAgainWasLost) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    for (std::uint32_t psn = 2; psn < 8; ++psn) w.request(a, send_only, psn);
    w.wait(100 * capture::millisecond);
    for (const std::uint32_t psn : {2U, 3U, 6U, 7U}) w.request(a, send_only, psn);
    w.wait(100 * capture::millisecond);
    for (const std::uint32_t psn : {4U, 5U, 6U, 7U}) w.request(a, send_only, psn);
    w.answer(b, 7);
    EXPECT_EQ(w.stream().from[a].lost, 2U);
}

TEST(Rdma, WhatFollowsAReceiverThatIsNotReadyIsNotLost) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_only, 2), w.request(a, send_only, 3);
    w.answer(b, 2, rnr_nak), w.answer(b, 2, sequence_error);
    w.wait(capture::millisecond);
    w.request(a, send_only, 2), w.request(a, send_only, 3), w.answer(b, 3);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].lost, 0U);
    EXPECT_EQ(s.from[a].retransmitted.rnr, 2U);
}

TEST(Rdma, AnotherQueuePairGetsTheSameNumber) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_only, 0x700000), w.answer(b, 0x700000);
    const Model& model = w.end();
    ASSERT_GE(model.streams.size(), 2U);
    EXPECT_EQ(model.streams[0].from[a].operations[0].count, 1U);
    EXPECT_EQ(model.streams[0].from[a].not_captured, 0U);
}

TEST(Rdma, AnotherQueuePairGetsTheSameNumberAndTheSamePsns) {
    for (const bool same : {false, true}) {
        World w;
        for (std::uint32_t psn = 0; psn < 3; ++psn) w.request(a, send_only, psn), w.answer(b, psn);
        w.wait(5 * capture::second);
        w.msn = 0;
        for (std::uint32_t psn = 0; psn < 6; ++psn) w.request(a, psn == 0 && !same ? send_first : send_only, psn);
        w.answer(b, 5);
        const Model& model = w.end();
        EXPECT_EQ(model.of(rules::message_count_grows).broken, 0U);
        EXPECT_EQ(model.of(rules::message_count_grows).undecided, same ? 1U : 0U);
        if (same) continue;  // which nobody can tell
        ASSERT_EQ(model.streams.size(), 2U);
        for (const Stream& s : model.streams) EXPECT_EQ(s.from[a].retransmitted.packets, 0U);
        EXPECT_EQ(model.streams[1].from[a].packets, 6U);
    }
}

/// The answers of one interface are captured before the requests that they answer, of another one.
TEST(Rdma, AnswersOfAClockThatIsBehind) {
    World w;
    w.interface = {0, 1};
    for (std::uint32_t psn = 10; psn < 40; ++psn) {
        const bool read = psn % 3 == 0;
        if (read) w.answer(b, psn, ack, response_only, 100), w.read(a, psn, 100);
        else w.answer(b, psn), w.request(a, send_only, psn);
    }
    const Model& model = w.end();
    ASSERT_TRUE(std::ranges::all_of(model.streams, [](const Stream& s) { return s.id == 1 || s.merged; }));
    const Stream& s = model.streams[0];
    const Direction& asker = s.from[other(s.end[a].address == w.address_of(a) ? b : a)];
    EXPECT_EQ(s.learned, Learned::acknowledgments);
    EXPECT_EQ(asker.operations[0].count, 20U);
    EXPECT_EQ(asker.operations[2].count, 10U);
    EXPECT_EQ(asker.bytes, 3'000U);
    EXPECT_EQ(asker.retransmitted.packets + asker.lost + asker.not_captured + asker.timeouts, 0U);
    EXPECT_EQ(asker.operation_time.count(), 0U);
    EXPECT_EQ(s.unanswered[a] + s.unanswered[b], 0U);
    ASSERT_TRUE(asker.belated);
    EXPECT_GE(asker.belated->count, 8U);
    EXPECT_EQ(asker.belated->by(), 10 * microsecond);
}

/// Another tap, whose clock is ahead, has what the first one lacks.
TEST(Rdma, WhatAnotherTapHasIsNotSentAgain) {
    World w;
    for (std::uint32_t psn = 1; psn < 30; ++psn) {
        if (psn % 3 != 2) w.request(a, send_only, psn), w.answer(b, psn);
        w.wait(5 * capture::millisecond);
        w.interface = {1, 1};
        if (psn % 3 == 0) w.request(a, send_only, psn - 1), w.answer(b, psn - 1);
        w.interface = {0, 0};
    }
    const Direction& asker = w.stream().from[a];
    EXPECT_EQ(asker.operations[0].count, 28U);
    EXPECT_EQ(asker.retransmitted.packets + asker.lost + asker.not_captured + asker.duplicate_requests, 0U);
    EXPECT_EQ(asker.operation_time.max(), 10 * microsecond);
    ASSERT_TRUE(asker.belated);
    EXPECT_EQ(asker.belated->count, 9U);
}

TEST(Rdma, AnAnswerToWhatWasSentLaterDoesNotTimeWhatCameBefore) {
    for (const bool asks : {false, true}) {
        World w;
        w.asks_for_answers = asks;
        w.request(a, send_only, 1), w.answer(b, 1);
        w.request(a, send_only, 2);  // its acknowledgment was not captured
        w.wait(2 * capture::second);
        w.request(a, send_only, 3), w.answer(b, 3);
        const Stream& s = w.stream();
        EXPECT_EQ(s.from[a].operation_time.count(), asks ? 2U : 3U) << "acknowledged together if nobody asked before";
        EXPECT_EQ(s.unanswered[a], 0U);
        EXPECT_EQ(w.tracker.model().operations.size(), 3U);
    }
}

TEST(Rdma, WhoGaveUpIsNamedThoughTheServerSpokeFirst) {
    World w;
    w.connect(1);
    w.request(b, send_only, 10), w.answer(a, 10);
    for (int i = 0; i < 2; ++i) w.request(a, send_only, 100), w.wait(capture::second);
    w.wait(capture::second);
    w.mad(a, std::vector<std::uint8_t>(256), 256);
    const Stream& s = w.stream();
    ASSERT_EQ(s.ending, End::retries_exhausted);
    EXPECT_EQ(s.end[s.silence->of].address, w.address_of(a));
    EXPECT_EQ(s.unanswered[s.silence->of], 1U);
    EXPECT_EQ(s.from[s.silence->of].timeouts, 1U);
}

TEST(Rdma, CnpsGoToTheQueuePairWhosePacketsWereMarked) {
    constexpr std::uint8_t uc_send_only = 0x24, ud_send_only = 0x64;
    for (const std::uint8_t opcode : {send_only, uc_send_only, ud_send_only})
        for (const bool marked : {false, true}) {
            if (opcode != send_only && !marked) continue;  // nothing tells to which queue pair a CNP goes
            World w;
            capture::Packet p = w.packet(a, opcode, 1, 100);
            p.traffic_class = marked ? 3 : 0;
            p.ib.has_deth = opcode == ud_send_only;
            p.ib.deth.source_qpn = qp_a;
            w.tracker.on_packet(p);
            w.tracker.on_packet(w.packet(b, cnp, 0, 0));
            if (opcode == send_only) w.answer(b, 1);
            w.tracker.on_packet(w.packet(b, cnp, 0, 0));
            const Stream& s = w.stream();
            EXPECT_EQ(s.from[a].cnps, 2U) << int{opcode} << marked;
            EXPECT_EQ(w.tracker.model().hosts.at(w.address_of(a)).cnps_received, 2U);
            EXPECT_EQ(std::ranges::count(w.facts, true, &FrameFacts::cnp), marked ? 2 : 1);
        }
    World w;
    for (const std::uint32_t qpn : {0x31U, 0x32U}) {
        capture::Packet p = w.packet(a, uc_send_only, 1, 100);
        p.traffic_class = 3;
        p.ib.bth.destination_qpn = qpn;
        w.tracker.on_packet(p);
    }
    w.tracker.on_packet(w.packet(b, cnp, 0, 0));
    for (const Stream& s : w.end().streams) EXPECT_EQ(s.from[a].cnps, 0U) << "it may be either's";
    EXPECT_EQ(w.tracker.model().cnps, 1U);
}

TEST(Rdma, CongestionIsCountedWhereItHurts) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    capture::Packet marked = w.packet(a, send_only, 2, 100);
    marked.traffic_class = 3;
    w.tracker.on_packet(marked);
    w.tracker.on_packet(w.packet(b, cnp, 0, 0));
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].ce_marked, 1U);
    EXPECT_EQ(s.from[a].cnps, 1U);
    EXPECT_EQ(s.from[b].cnps, 0U);
    EXPECT_EQ(w.tracker.model().cnps, 1U);
}

TEST(Rdma, PacketsThatWereCutBeforeRethClaimNothing) {
    World w;
    w.request(a, read_request, 10, 0);  // no RETH: nobody knows how many PSNs it takes
    w.request(a, read_request, 42, 0);
    w.answer(b, 42, ack, response_only, 100);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].operations[2].count, 2U);
    EXPECT_EQ(s.from[a].lost + s.from[a].not_captured + s.from[a].retransmitted.packets, 0U);
}

TEST(Rdma, ReadsWithoutRethThatWaitTogetherAreNotMissed) {
    World w;
    for (const std::uint32_t psn : {10U, 14U, 18U}) w.request(a, read_request, psn, 0);
    for (std::uint32_t psn = 10; psn < 22; ++psn) {
        const bool first = psn % 4 == 2, last = psn % 4 == 1;
        w.answer(b, psn, ack, first ? response_first : last ? response_last : response_middle, 1024);
        if (psn == 15) w.request(a, read_request, 22, 0);
    }
    w.answer(b, 22, ack, response_only, 1024);
    const Stream& s = w.stream();
    EXPECT_EQ(s.from[a].not_captured + s.from[a].retransmitted.packets, 0U);
    EXPECT_EQ(s.from[a].operation_time.count(), 4U);
    EXPECT_EQ(s.unanswered[a], 0U);
}

TEST(Rdma, AReadRequestThatWasNotCapturedIsOnePacket) {
    World w;
    w.read(a, 50, 100), w.answer(b, 50, ack, response_only, 100);
    w.answer(b, 51, ack, response_first, 1024), w.answer(b, 52, ack, response_middle, 1024);
    w.answer(b, 53, ack, response_last, 1024);
    w.read(a, 54, 100), w.answer(b, 54, ack, response_only, 100);
    EXPECT_EQ(w.stream().from[a].not_captured, 1U);
}

TEST(Rdma, AnOperationWhoseEndIsMissingHoldsNothingUp) {
    World w;
    w.request(a, send_only, 1), w.answer(b, 1);
    w.request(a, send_first, 2, 1024), w.request(a, send_only, 4), w.answer(b, 4);
    const Stream& s = w.stream();
    EXPECT_EQ(s.unanswered[a], 0U);
    EXPECT_EQ(s.from[a].not_captured, 1U);
    EXPECT_EQ(s.from[a].operation_time.count(), 3U);
}

TEST(Rdma, LimitsAreKept) {
    Options options;
    options.limits.streams = 1;
    options.limits.operations = 2;
    World w(options);
    for (std::uint32_t psn = 1; psn < 9; ++psn) w.request(a, send_only, psn);
    capture::Packet p = w.packet(a, send_only, 1, 1);
    p.ib.bth.destination_qpn = 0x99;
    w.tracker.on_packet(p);
    const Model& model = w.end();
    EXPECT_EQ(model.streams.size(), 1U);
    EXPECT_EQ(model.dropped_streams, 1U);
    EXPECT_EQ(model.operations.size(), 2U);
    EXPECT_EQ(model.dropped_operations, 6U);
}

}  // namespace
}  // namespace fabricscope::engine::rdma
