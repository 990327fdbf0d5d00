// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/psn_timeline.h"

#include <gmock/gmock.h>

#include <sstream>

#include "analyzer/report/rdma_report.h"
#include "tests/unit/report/models.h"

namespace fabricscope::report::psn_timeline_test {
namespace {

using namespace models;
using engine::rdma::Cause;
using engine::rdma::FrameFacts;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using Kind = PsnSample::Kind;

constexpr std::uint8_t sequence_error = 0x60, rnr = 0x20;

capture::Address address(std::uint8_t last) { return capture::Address::of(Ipv4{{192, 0, 2, last}}); }

/// 192.0.2.10 QP 17 and 192.0.2.20 QP 18.
engine::rdma::Stream stream_of(std::uint32_t id) {
    engine::rdma::Stream stream;
    stream.id = id;
    stream.end = {{{address(10), 17}, {address(20), 18}}};
    return stream;
}

/// What the tracker says of packets between them.
class Talk {
public:
    explicit Talk(std::set<std::uint32_t> streams) : collector(std::move(streams)) {}

    void request(std::uint32_t stream, std::uint32_t relative, std::optional<Cause> again = {}) {
        FrameFacts facts = next(stream, relative);
        facts.request = true;
        facts.retransmission = again;
        if (again == Cause::timeout) facts.waited = 1;
        send(facts, 20, 18, 0x0A, 1'000);
    }
    void answer(std::uint32_t stream, std::uint32_t relative, std::optional<std::uint8_t> nak = {}) {
        FrameFacts facts = next(stream, relative);
        facts.response = true;
        facts.nak = nak;
        send(facts, 10, 17, 0x11, 0);
    }

    PsnCollector collector;

private:
    FrameFacts next(std::uint32_t stream, std::uint32_t relative) {
        FrameFacts facts;
        facts.frame = ++frame_;
        facts.time = start + static_cast<Time>(frame_);
        facts.stream = stream;
        facts.psn = facts.relative_psn.emplace(relative);
        facts.packets_in_flight = 1;
        return facts;
    }
    void send(const FrameFacts& facts, std::uint8_t to, std::uint32_t qpn, std::uint8_t opcode, std::uint32_t bytes) {
        capture::Packet packet;
        packet.destination = address(to);
        packet.ib.bth.destination_qpn = qpn;
        packet.ib.bth.opcode = opcode;
        packet.ib.payload_length = bytes;
        collector.on_packet(facts, packet);
    }
    std::uint64_t frame_ = 0;
};

TEST(PsnTimeline, CountsOnWhere24BitsBeginAnew) {
    Talk talk({1});
    for (const std::uint32_t psn : {0U, 0x40'0000U, 0x80'0000U, 0xC0'0000U, 0xFF'FFFFU, 0U}) talk.request(1, psn);
    const auto stream = stream_of(1);
    const PsnTimeline timeline = talk.collector.timeline_of(stream, start);
    EXPECT_EQ(timeline.of[engine::rdma::a].back().relative, 0x100'0000U);
}

TEST(PsnTimeline, AnswersBelongToWhoAsked) {
    Talk talk({1});
    talk.request(1, 0);
    talk.answer(1, 0);
    auto stream = stream_of(1);
    EXPECT_EQ(talk.collector.timeline_of(stream, start).of[engine::rdma::a].size(), 2U);
    std::swap(stream.end[0], stream.end[1]);  // the CM tells at the end who the client is
    EXPECT_EQ(talk.collector.timeline_of(stream, start).of[engine::rdma::b].size(), 2U);
}

TEST(PsnTimeline, HalfThatJoinsIsTakenAlong) {
    Talk talk({1});
    talk.request(1, 0);
    talk.answer(2, 0);
    talk.request(1, 1);
    talk.collector.on_merged(2, 1);
    const auto stream = stream_of(1);
    const PsnTimeline timeline = talk.collector.timeline_of(stream, start);
    EXPECT_THAT(
        timeline.of[engine::rdma::a],
        ElementsAre(Field(&PsnSample::frame, 1U), Field(&PsnSample::frame, 2U), Field(&PsnSample::frame, 3U)));
}

TEST(PsnTimeline, OtherStreamsAreNotKept) {
    Talk talk({2});
    talk.request(1, 0);
    EXPECT_TRUE(talk.collector.timeline_of(stream_of(1), start).of[engine::rdma::a].empty());
}

/// The second one is asked for by a NAK.
void lose_one_of_three(Talk& talk) {
    for (const std::uint32_t psn : {0U, 1U, 2U}) talk.request(1, psn);
    talk.answer(1, 1, sequence_error);
    talk.request(1, 1, Cause::nak);
    talk.answer(1, 2);
}

TEST(PsnCurves, SentFallsWhereItIsSentAgain) {
    Talk talk({1});
    lose_one_of_three(talk);
    const auto stream = stream_of(1);
    const PsnCurves curves = curves_of(talk.collector.timeline_of(stream, start).of[engine::rdma::a]);
    const auto values = [](const std::vector<StepValue>& steps) {
        std::vector<std::uint64_t> found;
        for (const StepValue& step : steps) found.push_back(step.value);
        return found;
    };
    EXPECT_THAT(values(curves.sent), ElementsAre(1, 2, 3, 2));
    EXPECT_THAT(values(curves.highest), ElementsAre(1, 2, 3));
    EXPECT_THAT(values(curves.acknowledged), ElementsAre(1, 3)) << "a NAK acknowledges what is before it";
    ASSERT_EQ(curves.marks.size(), 2U);
    EXPECT_EQ(curves.marks[0].kind, Kind::nak);
    EXPECT_EQ(curves.marks[1].again, Cause::nak);
}

TEST(PsnTimelinePage, MarksWhatWentWrong) {
    Talk talk({1});
    talk.request(1, 0);
    talk.answer(1, 0, rnr);
    talk.request(1, 0, Cause::timeout);
    talk.answer(1, 0);
    const auto stream = stream_of(1);
    std::ostringstream out;
    write_timeline(out, talk.collector.timeline_of(stream, start), {});
    EXPECT_THAT(out.str(), HasSubstr("rdma-1  192.0.2.10 QP 17 -> 192.0.2.20 QP 18\n"));
    EXPECT_THAT(out.str(), testing::ContainsRegex("  retransmit  +R\n"));
    EXPECT_THAT(out.str(), testing::ContainsRegex("    timeout  +T\n"));
    EXPECT_THAT(out.str(), testing::ContainsRegex("     RNR NAK  +W\n"));
    EXPECT_THAT(out.str(), testing::Not(HasSubstr("CNP  "))) << "of what did not happen there is no line of marks";
}

TEST(PsnTimelineCsv, WhatIsNotKnownIsEmpty) {
    Talk talk({1});
    talk.request(1, 7, Cause::timeout);
    const auto stream = stream_of(1);
    std::ostringstream out;
    write_timeline_csv(out, talk.collector.timeline_of(stream, start));
    EXPECT_EQ(
        out.str(),
        "time,frame,requester,kind,psn,psn_relative,bytes,packets_in_flight,bytes_in_flight,cause,ce\n"
        "0.000000001,1,a,request,7,7,1000,1,,timeout,0\n");
}

TEST(PsnPlot, ShowsWhatHappened) {
    Talk talk({1});
    lose_one_of_three(talk);
    const auto stream = stream_of(1);
    const PsnTimeline timeline = talk.collector.timeline_of(stream, start);
    const Drawing drawing = plot_of({&timeline, 1}, "a.pcap");
    std::set<std::string> layers;
    for (const Layer& layer : drawing.layers) layers.insert(layer.name);
    for (const char* name : {"sent", "acknowledged", "window", "in-flight", "rate", "nak", "sent-again"})
        EXPECT_TRUE(layers.contains(name)) << name;
    EXPECT_FALSE(layers.contains("rnr-nak"));
}

}  // namespace
}  // namespace fabricscope::report::psn_timeline_test
