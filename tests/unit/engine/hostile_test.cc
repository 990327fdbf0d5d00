// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile traffic reaches limits, and what is kept stays within them; ctest's timeout bounds the time.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "analyzer/engine/engine.h"
#include "analyzer/engine/intervals.h"
#include "tests/traffic/hostile.h"

namespace fabricscope::engine {
namespace {

using namespace smcr;

class Hostile : public testing::TestWithParam<traffic::HostileKind> {};

TEST_P(Hostile, stays_within_the_limits) {
    constexpr std::uint64_t count = 20'000;
    engine::Options options{.rdma_cm = true};
    options.rdma_cm_options.limits = {.connections = 1000, .messages = 3, .findings = 50, .findings_of_a_kind = 10};
    options.smcr_options.timelines = true;
    Limits& limits = options.smcr_options.limits;
    limits = {
        .connections = 1000,
        .link_groups = 500,
        .links = 600,
        .links_per_group = 20,
        .rmbs = 800,
        .rmbs_per_group = 700,
        .rtokens = 900,
        .exchanges = 1000,
        .exchanges_per_group = 300,
        .open_requests = 10,
        .cursor_samples = 5000,
        .findings = 50,
        .findings_of_a_kind = 10,
        .midstream_groups = 100,
        .waiting = 50};
    Engine engine(options);
    std::uint64_t number = 0;
    GetParam().generate(count, [&](Time time, ByteView octets) {
        const auto size = static_cast<std::uint32_t>(octets.size());
        engine.on_frame({++number, time, size, octets, capture::LinkType::ethernet, 0});
    });
    engine.finish();

    const Model& model = engine.smcr();
    EXPECT_GE(number, count);
    EXPECT_LE(model.connections.size(), limits.connections);
    EXPECT_LE(model.link_groups.size(), limits.link_groups);
    EXPECT_LE(model.findings.size(), limits.findings);
    std::size_t links = 0, rmbs = 0, rtokens = 0, exchanges = 0;
    for (const LinkGroup& group : model.link_groups) {
        EXPECT_LE(group.links.size(), limits.links_per_group);
        EXPECT_LE(group.exchanges.size(), limits.exchanges_per_group);
        EXPECT_LE(group.rmbs.size(), limits.rmbs_per_group);
        links += group.links.size();
        rmbs += group.rmbs.size();
        exchanges += group.exchanges.size();
        for (const Rmb& rmb : group.rmbs) rtokens += rmb.rtokens.size();
    }
    EXPECT_LE(links, limits.links);
    EXPECT_LE(rmbs, limits.rmbs);
    EXPECT_LE(rtokens, limits.rtokens);
    EXPECT_LE(exchanges, limits.exchanges);
    std::size_t samples = 0;
    for (const Connection& connection : model.connections)
        for (const Direction& direction : connection.from.values) samples += direction.timeline.size();
    EXPECT_LE(samples, limits.cursor_samples);
    EXPECT_LE(engine.rdma_cm().connections.size(), 1000U);
    EXPECT_LE(engine.rdma_cm().findings.size(), 50U);
}

std::string name_of_kind(const testing::TestParamInfo<traffic::HostileKind>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Traffic, Hostile, testing::ValuesIn(traffic::hostile_kinds()), name_of_kind);

std::uint64_t dropped(const char* kind, std::uint64_t Model::*counter, Limits limits) {
    engine::Options options;
    options.smcr_options.timelines = true;
    options.smcr_options.limits = limits;
    Engine engine(options);
    std::uint64_t number = 0;
    const auto found = std::ranges::find(traffic::hostile_kinds(), std::string(kind), &traffic::HostileKind::name);
    found->generate(100, [&](Time time, ByteView octets) {
        const auto size = static_cast<std::uint32_t>(octets.size());
        engine.on_frame({++number, time, size, octets, capture::LinkType::ethernet, 0});
    });
    engine.finish();
    return engine.smcr().*counter;
}

TEST(Limits, WhatIsLeftOutIsCounted) {
    EXPECT_EQ(dropped("half_open", &Model::dropped_connections, {.connections = 40}), 60U);
    EXPECT_EQ(dropped("half_open", &Model::dropped_connections, {}), 0U);
    EXPECT_EQ(dropped("link_groups", &Model::dropped_link_groups, {.link_groups = 90}), 20U) << "ACCEPT and CONFIRM";
    EXPECT_EQ(dropped("links", &Model::dropped_details, {.links_per_group = 11}), 40U);
    EXPECT_EQ(dropped("rkeys", &Model::dropped_details, {.rmbs = 72}), 30U) << "two of the connection's own";
    EXPECT_EQ(dropped("rkeys", &Model::dropped_details, {}), 0U);
    EXPECT_EQ(dropped("cursor_steps", &Model::dropped_details, {.cursor_samples = 50}), 1U);
    EXPECT_EQ(dropped("cursor_steps", &Model::dropped_details, {}), 0U);
}

TEST(Limits, OfRdmaCm) {
    for (const auto& [kind, connections, findings] :
         {std::tuple{"cm_storm", 180U /* each of their messages */, 0U}, std::tuple{"cm_violations", 60U, 30U}}) {
        engine::Options options{.rdma_cm = true};
        options.rdma_cm_options.limits = {.connections = 40, .findings = 10};
        Engine engine(options);
        std::uint64_t number = 0;
        const auto found = std::ranges::find(traffic::hostile_kinds(), std::string(kind), &traffic::HostileKind::name);
        found->generate(100, [&](Time time, ByteView octets) {
            const auto size = static_cast<std::uint32_t>(octets.size());
            engine.on_frame({++number, time, size, octets, capture::LinkType::ethernet, 0});
        });
        engine.finish();
        EXPECT_EQ(engine.rdma_cm().dropped_connections, connections);
        EXPECT_EQ(engine.rdma_cm().dropped_findings, findings);
        EXPECT_EQ(engine.rdma_cm().connections.front().outcome == rdma_cm::Outcome::connected, findings == 0);
    }
}

TEST(Ranges, WhatHasNoRoomIsUnknown) {
    RangeSet set;
    std::uint64_t fresh = 0;
    for (std::uint64_t i = 0; i < RangeSet::most_ranges; ++i) fresh += set.add(10 * i, 10 * i + 1);
    EXPECT_EQ(fresh, RangeSet::most_ranges);
    EXPECT_EQ(set.add(10, 12), 1U) << "this makes a range longer";
    EXPECT_EQ(set.left_out(), 0U);
    EXPECT_EQ(set.add(1'000'000, 1'000'003), 0U);
    EXPECT_EQ(set.left_out(), 3U);
    EXPECT_FALSE(set.covers(1'000'000, 1'000'003));
    EXPECT_FALSE(set.covers(0, 12)) << "nothing between the ranges is known";
    EXPECT_EQ(set.ranges().size(), RangeSet::most_ranges);
    set.forget_below(50'000);
    EXPECT_EQ(set.add(1'000'000, 1'000'003), 3U) << "there is room again";
}

}  // namespace
}  // namespace fabricscope::engine
