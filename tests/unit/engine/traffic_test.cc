// SPDX-License-Identifier: GPL-2.0-or-later
// The engine finds in generated traffic what was put there, and nothing else.
#include <gtest/gtest.h>

#include <map>

#include "analyzer/engine/engine.h"
#include "tests/traffic/smcr_traffic.h"

namespace fabricscope::engine {
namespace {

using namespace smcr;

/// Compares the streams' octets with what their positions say they are.
class StreamChecker : public Observer {
public:
    bool wants_stream(const Connection&, Side) override { return true; }
    void on_stream(const StreamPiece& piece) override {
        std::uint64_t& octets = octets_[{piece.of.connection, piece.of.from}];
        EXPECT_EQ(piece.position, octets);
        EXPECT_EQ(piece.missing, 0U);
        for (const std::uint8_t octet : piece.octets)
            wrong += octet != traffic::stream_octet(piece.of.connection, piece.of.from, octets++);
    }
    std::uint64_t octets(std::uint32_t connection, Side from) { return octets_[{connection, from}]; }

    std::uint64_t wrong = 0;

private:
    std::map<std::pair<std::uint32_t, Side>, std::uint64_t> octets_;
};

class Generated : public testing::TestWithParam<traffic::TrafficOptions> {
protected:
    void SetUp() override {
        capture::Frame frame;
        truth_ = traffic::generate(GetParam(), [&](Time time, ByteView octets) {
            engine_.on_frame(
                {++frame.number, time, static_cast<std::uint32_t>(octets.size()), octets, capture::LinkType::ethernet,
                 0});
        });
        engine_.finish();
    }

    StreamChecker streams_;
    Engine engine_{{}, {.smcr = &streams_}};
    traffic::Truth truth_;
};

TEST_P(Generated, breaks_no_rule) {
    EXPECT_GE(truth_.roce_frames, GetParam().roce_frames);
    EXPECT_EQ(engine_.capture().frames, truth_.frames);
    EXPECT_EQ(engine_.capture().undecoded_frames, 0U);
    for (const Finding* finding : engine_.findings())
        ADD_FAILURE() << finding->rule->id << " in frame " << finding->frames.front() << ": " << finding->text;
}

TEST_P(Generated, connections_are_found_as_generated) {
    const auto& connections = engine_.smcr().connections;
    ASSERT_EQ(connections.size(), truth_.connections.size());
    for (std::size_t i = 0; i < connections.size(); ++i) {
        const Connection& c = connections[i];
        const traffic::ConnectionTruth& truth = truth_.connections[i];
        SCOPED_TRACE(c.id);
        EXPECT_EQ(c.outcome, Outcome::smc_r);
        EXPECT_EQ(c.close, Close::orderly);
        EXPECT_EQ(c.client->port, truth.client_port);
        EXPECT_EQ(c.link_group, truth.group);
        EXPECT_EQ(c.version, truth.version);
        EXPECT_EQ(c.first_contact, truth.first_contact);
        EXPECT_FALSE(c.midstream);
    }
}

TEST_P(Generated, data_is_found_as_generated) {
    std::uint64_t wraps = 0, retransmissions = 0;
    for (const Connection& c : engine_.smcr().connections)
        for (const Side from : {Side::client, Side::server}) {
            const Direction& found = c.from[from];
            const traffic::DirectionTruth& truth = truth_.connections[c.id - 1].from[from];
            SCOPED_TRACE(std::to_string(c.id) + name_of(from));
            EXPECT_EQ(found.bytes_announced, truth.bytes);
            EXPECT_EQ(found.bytes_written, truth.bytes);
            EXPECT_EQ(found.bytes_replayed, 0U);
            EXPECT_EQ(found.bytes_acknowledged, truth.acknowledged);
            EXPECT_EQ(found.writes, truth.writes);
            EXPECT_EQ(found.cdcs, truth.cdcs);
            EXPECT_EQ(found.wraps, truth.wraps);
            EXPECT_EQ(found.rmbe_size, truth.rmbe_size);
            EXPECT_EQ(found.cursor_base, 0);
            EXPECT_EQ(found.peak_in_flight, truth.peak_in_flight);
            EXPECT_EQ(found.retransmissions, truth.retransmissions);
            EXPECT_EQ(found.stalls.count, 0U);
            EXPECT_EQ(streams_.octets(c.id, from), truth.bytes);
            wraps += truth.wraps;
            retransmissions += truth.retransmissions;
        }
    EXPECT_EQ(streams_.wrong, 0U);
    EXPECT_GT(wraps, 0U);
    EXPECT_GT(retransmissions, 0U);
}

TEST_P(Generated, link_groups_are_found_as_generated) {
    const auto& groups = engine_.smcr().link_groups;
    ASSERT_EQ(groups.size(), truth_.groups.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_EQ(groups[i].version, truth_.groups[i].version);
        EXPECT_EQ(groups[i].links.size(), truth_.groups[i].links);
        EXPECT_EQ(groups[i].exchange_count, truth_.groups[i].llc_requests);
        for (const LlcExchange& exchange : groups[i].exchanges) EXPECT_TRUE(exchange.reply);
        for (const Rmb& rmb : groups[i].rmbs) EXPECT_TRUE(rmb.deleted());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Traffic, Generated,
    testing::Values(
        traffic::TrafficOptions{.roce_frames = 20'000, .connections = 12, .seed = 1},
        traffic::TrafficOptions{.roce_frames = 40'000, .connections = 250, .seed = 2},
        traffic::TrafficOptions{.roce_frames = 10'000, .connections = 1, .seed = 3}));

TEST(Traffic, same_options_give_same_frames) {
    const auto hash = [] {
        std::uint64_t sum = 0;
        traffic::generate({.roce_frames = 500, .connections = 5, .seed = 4}, [&](Time time, ByteView octets) {
            sum = sum * 31 + static_cast<std::uint64_t>(time);
            for (const std::uint8_t octet : octets) sum = sum * 31 + octet;
        });
        return sum;
    };
    EXPECT_EQ(hash(), hash());
}

}  // namespace
}  // namespace fabricscope::engine
