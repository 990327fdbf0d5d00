// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/overview.h"

#include <gmock/gmock.h>

#include "analyzer/report/protocol.h"
#include "analyzer/report/smcr_report.h"
#include "tests/unit/report/models.h"

namespace fabricscope::report {
namespace {

using namespace models;
using testing::ElementsAre;

constexpr Time ms = capture::millisecond;

const Node& node_named(const Overview& overview, std::string_view name) {
    return *std::ranges::find(overview.nodes, name, &Node::name);
}

const Lane& lane_named(const Node& node, std::string_view name) {
    return *std::ranges::find(node.lanes, name, &Lane::name);
}

CursorSample sample(Time after, std::uint64_t frame, std::uint64_t produced, std::uint64_t consumed) {
    return {.time = start + after, .frame = frame, .produced = produced, .consumed = consumed};
}

Overview overview_of_one(const std::vector<CursorSample>& timeline) {
    Model model;
    model.connections = {connection(1)};
    model.link_groups = {link_group()};
    model.connections[0].from[Side::client].timeline = timeline;
    return overview_of({.smcr = &model});
}

TEST(Overview, IsATreeOfHostsLinkGroupsAndConnections) {
    const Overview overview = overview_of_one({});
    const Node& one = node_named(overview, "smcr-1");
    const Node& group = overview.nodes[one.parent];
    EXPECT_EQ(group.name, "lg-1");
    EXPECT_EQ(overview.nodes[group.parent].name, "192.0.2.10 - 192.0.2.20");
    EXPECT_EQ(overview.nodes[group.parent].octets, 1000U) << "what is below adds up";
    const auto place = std::ranges::find(overview.nodes, "smcr-1", &Node::name);
    EXPECT_EQ(overview.depth_of(static_cast<std::size_t>(place - overview.nodes.begin())), 2U);
}

TEST(Overview, OperationLastsUntilItsLastOctetIsConsumed) {
    const Overview overview = overview_of_one(
        {sample(20 * ms, 10, 100, 0), sample(21 * ms, 11, 300, 0), sample(25 * ms, 12, 300, 200),
         sample(27 * ms, 13, 300, 300), sample(28 * ms, 14, 350, 300)});
    const Node& node = node_named(overview, "smcr-1");
    const auto& slices = lane_named(node, "client → server").slices;
    ASSERT_EQ(slices.size(), 3U);
    EXPECT_EQ(slices[0].duration(), 5 * ms);
    EXPECT_EQ(slices[1].octets, 200U);
    EXPECT_EQ(slices[1].duration(), 6 * ms);
    EXPECT_FALSE(slices[2].ended) << "nothing says when it was consumed";
    EXPECT_EQ(node.worst, 6 * ms);
}

TEST(Overview, WindowThatIsFullIsAWait) {
    const Overview overview = overview_of_one(
        {sample(20 * ms, 10, 16'384, 0), sample(30 * ms, 11, 16'384, 4096), sample(40 * ms, 12, 20'480, 4096),
         sample(45 * ms, 13, 20'480, 20'480)});
    const auto& slices = lane_named(node_named(overview, "smcr-1"), "client waits").slices;
    ASSERT_EQ(slices.size(), 2U);
    EXPECT_EQ(slices[0].duration(), 10 * ms);
    EXPECT_EQ(slices[1].duration(), 5 * ms);
}

TEST(Overview, MemoryWrapsAtTheEndOfTheElement) {
    Model model;
    model.connections = {connection(1)};
    model.connections[0].from[Side::client].timeline = {
        sample(1 * ms, 1, 16'000, 0), sample(2 * ms, 2, 17'000, 16'000)};
    const std::vector<Memory> memories = smcr_memories(model.connections[0]);
    ASSERT_EQ(memories.size(), 2U);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> written;
    for (const Access& access : memories[0].accesses)
        if (access.writes) written.emplace_back(access.address, access.octets);
    EXPECT_THAT(written, ElementsAre(std::pair(0, 16'000), std::pair(16'000, 384), std::pair(0, 616)));
}

TEST(Overview, SlicesThatOverlapGoToRowsOfTheirOwn) {
    Lane lane{.name = "x"};
    for (const auto& [begin, end] : {std::pair{0, 10}, {5, 8}, {6, 7}, {10, 12}})
        lane.slices.push_back({.begin = begin, .end = end});
    EXPECT_THAT(rows_of(lane, 8), ElementsAre(ElementsAre(0, 3), ElementsAre(1), ElementsAre(2)));
    EXPECT_THAT(rows_of(lane, 2), ElementsAre(ElementsAre(0, 3), ElementsAre(1, 2)));
}

TEST(Overview, NamesOfSessionsTellTheirKind) {
    EXPECT_EQ(kind_of("fcvi-12")->id, 12U);
    EXPECT_EQ(std::string(kind_of("fc-ae-rdma-region-3")->kind->noun), "memory region");
    EXPECT_FALSE(kind_of("192.0.2.1 - 192.0.2.2"));
    EXPECT_FALSE(kind_of("smcr-x"));
}

TEST(Overview, QueuePairsHaveOperationsAndTroubles) {
    namespace rdma = engine::rdma;
    rdma::Model model;
    rdma::Stream& stream = model.streams.emplace_back();
    stream.id = 1;
    stream.end = {
        {{capture::Address::of(Ipv4{{192, 0, 2, 10}}), 17}, {capture::Address::of(Ipv4{{192, 0, 2, 20}}), 18}}};
    stream.from[rdma::a].bytes = 4'000;
    rdma::Operation operation;
    operation.stream = 1;
    operation.by = rdma::a;
    operation.bytes = 4'000;
    operation.first = {start, 1};
    operation.answer = engine::FrameStamp{start + 5 * ms, 9};
    model.operations.push_back(operation);
    rdma::Event event;
    event.stream = 1;
    event.kind = rdma::Event::Kind::retransmission;
    event.time = start + 4 * ms;
    event.waited = 3 * ms;
    event.cause = rdma::Cause::timeout;
    model.events.push_back(event);

    const Overview overview = overview_of({.rdma = &model});
    const Node& node = node_named(overview, "rdma-1");
    EXPECT_EQ(node.about, "192.0.2.10 QP 17 > 192.0.2.20 QP 18");
    EXPECT_EQ(node.octets, 4'000U);
    EXPECT_EQ(node.worst, 5 * ms);
    EXPECT_EQ(lane_named(node, "a → b").slices.at(0).duration(), 5 * ms);
    const Slice& wait = lane_named(node, "trouble").slices.at(0);
    EXPECT_EQ(wait.begin, start + 1 * ms);
    EXPECT_EQ(overview.labels[wait.label], "retransmitted after a timeout");

    stream.link_group = 1;
    Model smcr;
    EXPECT_EQ(node_named(overview_of({.smcr = &smcr, .rdma = &model}), "rdma-1").octets, std::nullopt)
        << "counted with its link group";
}

}  // namespace
}  // namespace fabricscope::report
