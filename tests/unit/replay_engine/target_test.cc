// SPDX-License-Identifier: GPL-2.0-or-later
// Who is to be played against, and where a port of Fibre Channel over Ethernet is.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "capture/source.h"
#include "replay/transport/port_names.h"
#include "replay/transport/transport.h"

namespace fabricscope::replay {
namespace {

std::optional<Target> target_of(const std::string& text) {
    std::string problem;
    const std::optional<Target> target = parse_target(text, problem);
    EXPECT_EQ(problem.empty(), target.has_value()) << text << ": " << problem;
    return target;
}

TEST(Target, PeerOfAnInterface) {
    const Target any = target_of("if://eth0").value();
    EXPECT_EQ(any.interface, "eth0");
    EXPECT_FALSE(any.mac || any.port_name);
    const Target mac = target_of("if://eth0.100/0e:fd:00:00:53:14").value();
    EXPECT_EQ(mac.interface, "eth0.100");
    EXPECT_EQ(to_string(mac.mac.value()), "0e:fd:00:00:53:14");
    EXPECT_FALSE(mac.port_name);
    for (const char* const name : {"21:00:00:e0:8b:05:05:04", "210000E08B050504", "0x210000e08b050504"}) {
        const Target port = target_of(std::string("if://eth0/") + name).value();
        EXPECT_EQ(port.port_name, 0x2100'00E0'8B05'0504) << name;
        EXPECT_FALSE(port.mac) << name;
    }
    for (const char* const wrong :
         {"if://", "if:///02:00:00:00:00:07", "if://eth0/", "if://eth0/01:10:18:01:00:04",
          "if://eth0/00:00:00:00:00:00", "if://eth0/00:00:00:00:00:00:00:00", "if://eth0/21:00:00:e0:8b:05:05",
          "if://eth0/21:00:00:e0:8b:05:05:04:", "if://eth0/21:00:00:e0:8b:05:05:0g", "if://eth0/210000e08b05050",
          "if://eth0/0x210000e08b05050", "if://eth0/0x21:00:00:e0:8b:05:05:04", "if://eth0/21-00-00-e0-8b-05-05-04",
          "if://eth0/host"})
        EXPECT_FALSE(target_of(wrong)) << wrong;
}

constexpr std::uint64_t initiator = 0x2000'0000'5E00'530A, storage = 0x2000'0000'5E00'5314;

/// The numbers of the frames of a sample that tell where a port is, and all that they say.
struct Told {
    std::set<std::uint64_t> frames;
    std::set<std::string> addresses;
};

Told told_of(const std::string& name, std::uint64_t port) {
    Told told;
    const capture::OpenResult opened = capture::open(FABRICSCOPE_SAMPLES "/" + name);
    EXPECT_TRUE(opened);
    for (capture::Frame frame; opened.source->next(frame);)
        if (const auto mac = mac_of_port(frame.data, port)) {
            told.frames.insert(frame.number);
            told.addresses.insert(to_string(*mac));
        }
    return told;
}

TEST(PortNames, VirtualPortsOfLinux) {
    const Told first = told_of("fcoe_vn2vn.pcap", storage), second = told_of("fcoe_vn2vn.pcap", initiator);
    EXPECT_EQ(first.addresses, std::set<std::string>{"0e:fd:00:00:53:14"}) << "not that of the adapter";
    EXPECT_EQ(second.addresses, std::set<std::string>{"0e:fd:00:00:53:0a"});
    for (const std::uint64_t probe : {2U, 3U}) EXPECT_FALSE(first.frames.contains(probe)) << "it is not its own yet";
    for (const std::uint64_t number : {5U, 6U, 11U, 13U, 15U})
        EXPECT_TRUE(first.frames.contains(number)) << number << ": claim, beacon, claim response, FLOGI, PLOGI";
    for (const std::uint64_t number : {10U, 12U, 16U})
        EXPECT_TRUE(second.frames.contains(number)) << number << ": claim, beacon, answer to the PLOGI";
    EXPECT_TRUE(told_of("fcoe_vn2vn.pcap", 0x2000'0000'5E00'5315).frames.empty());
}

TEST(PortNames, PortsOfAFabric) {
    const std::string sample = "../fcvi/client_server_iso.fcoe.pcap";
    // A port that asks for its address has none.
    EXPECT_EQ(told_of(sample, storage).frames, (std::set<std::uint64_t>{9})) << "PLOGI";
    EXPECT_EQ(told_of(sample, initiator).addresses, std::set<std::string>{"0e:fc:00:04:05:06"});
    EXPECT_EQ(told_of(sample, 0x2000'0000'5E00'5301).addresses, std::set<std::string>{"0e:fc:00:ff:ff:fe"});
}

/// FIP frames that no sample has, with the descriptors MAC address, Name_Identifier and VN_Port.
std::vector<std::uint8_t> fip(std::uint8_t operation, std::uint8_t subcode) {
    return {0x01, 0x10, 0x18, 0x01,      0x00, 0x01,    0x02, 0,    0, 0, 0, 0x01, 0x89, 0x14,  // Ethernet
            0x10, 0,    0,    operation, 0,    subcode, 0,    10,   0, 0,                       // header
            0x02, 2,    0x02, 0,         0,    0,       0,    0x0B,                             // MAC
            0x04, 3,    0,    0,         0x10, 0,       0,    0,    0, 0, 0, 0x0C,              // name
            0x0B, 5,    0x02, 0,         0,    0,       0,    0x0D, 0, 1, 2, 3,    0x20, 0,
            0,    0,    0,    0,         0,    0x0E};  // port
}

TEST(PortNames, SwitchesAndKeepAlives) {
    constexpr std::uint64_t node = 0x1000'0000'0000'000C, port = 0x2000'0000'0000'000E;
    const auto where = [](const std::vector<std::uint8_t>& frame, std::uint64_t name) {
        const auto mac = mac_of_port(frame, name);
        return mac ? to_string(*mac) : "nowhere";
    };
    EXPECT_EQ(where(fip(1, 2), node), "02:00:00:00:00:0b") << "advertisement";
    EXPECT_EQ(where(fip(1, 1), node), "nowhere") << "solicitation";
    EXPECT_EQ(where(fip(3, 1), port), "02:00:00:00:00:0d") << "keep-alive";
    EXPECT_EQ(where(fip(3, 2), port), "nowhere") << "its link is cleared";
    EXPECT_EQ(where(fip(5, 5), port), "02:00:00:00:00:0d") << "beacon";
    EXPECT_EQ(where(fip(5, 5), node), "nowhere") << "a Node may have several ports";
    std::vector<std::uint8_t> hostile = fip(5, 5);
    hostile[46] = 0x03;  // the VN_Port's MAC address: a group's
    EXPECT_EQ(where(hostile, port), "nowhere");
    for (std::size_t size = 0; size < hostile.size(); ++size)
        EXPECT_EQ(where({hostile.begin(), hostile.begin() + static_cast<std::ptrdiff_t>(size)}, port), "nowhere");
    for (const std::size_t words : {25U, 33U, 45U}) {
        hostile = fip(5, 5);
        hostile[words] = 0;
        EXPECT_EQ(where(hostile, port), "nowhere") << words;
    }
}

}  // namespace
}  // namespace fabricscope::replay
