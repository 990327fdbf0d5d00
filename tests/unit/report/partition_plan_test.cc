// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/partition_plan.h"

#include <gmock/gmock.h>

#include <sstream>

namespace fabricscope::report {
namespace {

using capture::Address;

capture::Packet packet_from(const Address& address) {
    capture::Packet packet;
    packet.source = address;
    return packet;
}

PartitionPlan plan() {
    PartitionPlan plan;
    plan.octets = 1000;
    plan.largest = 600;
    plan.partition.captures = {{"a \"b\".pcap", 1234}};
    plan.partition.parts = {{.file = "part-1.pcapng", .components = 2}, {.file = "part-2.pcapng", .components = 1}};
    plan.partition.components = 3;
    plan.partition.frames = 12;
    plan.partition.start = 1'700'000'000'123'456'789;
    plan.partition.losses = {"eth0 lost 3 frames"};
    plan.table.put(Address::of(Ipv4{{192, 0, 2, 1}}), 1);
    plan.table.put(Address::of_port_id(0x01'02'03), 0);
    plan.table.put(Address::of_lid(7), 1);
    return plan;
}

std::string text(const PartitionPlan& plan, const std::string& run) {
    std::ostringstream out;
    write_plan(out, plan, run, "test");
    return out.str();
}

std::optional<PartitionPlan> read(const std::string& text, const std::string& run) {
    std::istringstream in(text);
    return read_plan(in, run);
}

TEST(PartitionPlan, IsReadAsItWasWritten) {
    const auto read_back = read(text(plan(), "a run"), "a run");
    ASSERT_TRUE(read_back);
    EXPECT_EQ(read_back->octets, 1000U);
    EXPECT_EQ(read_back->largest, 600U);
    EXPECT_EQ(manifest_of(read_back->partition, "test"), manifest_of(plan().partition, "test"));
    EXPECT_EQ(read_back->table.of(packet_from(Address::of(Ipv4{{192, 0, 2, 1}}))), 1U);
    EXPECT_EQ(read_back->table.of(packet_from(Address::of_port_id(0x01'02'03))), 0U);
    EXPECT_EQ(read_back->table.of(packet_from(Address::of_lid(7))), 1U);
    EXPECT_EQ(read_back->table.of(packet_from(Address::of_lid(8))), 0U);
}

TEST(PartitionPlan, OfAnotherRunIsNone) { EXPECT_FALSE(read(text(plan(), "a run"), "another run")); }

TEST(PartitionPlan, CutOffOrDamagedItIsNone) {
    const std::string whole = text(plan(), "a run");
    for (std::size_t size = 0; size + 1 < whole.size(); ++size)
        EXPECT_FALSE(read(whole.substr(0, size), "a run")) << size;
    for (const char* line :
         {"x", "9 00 0", "1 00112233445566778899aabbccddeeff", "1 00112233445566778899aabbccddeeff 2",
          "1 00112233445566778899aabbccddeefg 1", "1 00112233445566778899aabbccddeeff 1 "})
        EXPECT_FALSE(read(whole + line + '\n', "a run")) << line;
}

TEST(PartsProgress, IsReadAsItWasWritten) {
    const capture::PartsProgress progress{
        .frames = 100,
        .parts = {{.path = "a", .frames = 60, .octets = 6000, .size = 7000}, {.path = "b", .frames = 40}}};
    const auto read_back = progress_of(text_of(progress), 2);
    ASSERT_TRUE(read_back);
    EXPECT_EQ(read_back->frames, 100U);
    EXPECT_EQ(read_back->parts[0].frames, 60U);
    EXPECT_EQ(read_back->parts[0].octets, 6000U);
    EXPECT_EQ(read_back->parts[0].size, 7000U);
    EXPECT_EQ(read_back->parts[1].frames, 40U);
    EXPECT_FALSE(progress_of(text_of(progress), 3));
    EXPECT_FALSE(progress_of(text_of(progress).substr(1), 2));
}

}  // namespace
}  // namespace fabricscope::report
