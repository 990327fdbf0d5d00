// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "capture/packet.h"
#include "replay/stack/core/endpoint.h"
#include "replay/synth/families.h"

namespace fabricscope::synth {
namespace {

using testing::HasSubstr;

const std::string head =
    "protocol messages\nlink delay=0us processing=0us megabits=0\ncapture at=network\n"
    "host client mac=00:00:5e:00:53:0a ip=192.0.2.10\nhost server mac=00:00:5e:00:53:14 ip=192.0.2.20\n"
    "tcp tcp-1 client-isn=100 server-isn=200\npair pair-1 client-qpn=17 server-qpn=20 client-psn=5 server-psn=9\n";

capture::Packet packet_of(const RecordedFrame& frame) { return capture::decode(stack::ethernet_frame(frame.octets)); }

std::string complaint_of(const std::string& lines) {
    try {
        run(parse_scenario(head + lines));
    } catch (const ScenarioError& error) {
        return error.what();
    }
    return {};
}

TEST(Messages, TcpNumbersFollow) {
    const Recording recording = run(parse_scenario(
        head +
        "message client SYN over=tcp-1 smc=yes\nmessage server SYN-ACK over=tcp-1\nmessage client ACK over=tcp-1\n"
        "message client DATA over=tcp-1 payload=text:hello\nmessage server DATA over=tcp-1 payload=zeros:3\n"
        "message server FIN over=tcp-1\nmessage client ACK over=tcp-1\n"));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> numbers;
    for (const RecordedFrame& frame : recording.frames) {
        const capture::Packet packet = packet_of(frame);
        ASSERT_EQ(packet.transport, capture::Transport::tcp);
        numbers.emplace_back(packet.tcp.sequence, packet.tcp.acknowledgment);
    }
    EXPECT_EQ(
        numbers, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                     {100, 0}, {200, 101}, {101, 201}, {101, 201}, {201, 106}, {204, 106}, {106, 205}}));
}

TEST(Messages, PsnsFollowAndMayBeOthers) {
    const Recording recording = run(parse_scenario(
        head +
        "message client \"RC SEND Only\" over=pair-1 payload=text:abcd\n"
        "message server \"RC Acknowledge\" over=pair-1\n"
        "message client \"RC SEND Only\" over=pair-1 payload=text:abcd infiniband.bth.psn=77\n"
        "message client \"RC RDMA READ Request\" over=pair-1 infiniband.reth.dmalen=3000\n"
        "message server \"RC RDMA READ Response First\" over=pair-1 payload=zeros:1024\n"
        "message server \"RC RDMA READ Response Middle\" over=pair-1 payload=zeros:1024\n"
        "message server \"RC RDMA READ Response Last\" over=pair-1 payload=zeros:952\n"
        "message client \"RC SEND Only\" over=pair-1 payload=text:abcd icrc=wrong\n"));
    std::vector<std::uint32_t> psns;
    std::size_t wrong = 0;
    for (const RecordedFrame& frame : recording.frames) {
        const capture::Packet packet = packet_of(frame);
        psns.push_back(packet.ib.bth.psn);
        EXPECT_EQ(packet.ib.bth.destination_qpn, packet.source_mac.octets[5] == 0x0A ? 20U : 17U);
        wrong += capture::icrc_is_good(packet) != true;
    }
    EXPECT_EQ(psns, (std::vector<std::uint32_t>{5, 5, 77, 78, 78, 79, 80, 81}));
    EXPECT_EQ(wrong, 1U);
}

TEST(Messages, AnAcknowledgmentCountsMessages) {
    const std::string send = "message client \"RC SEND Only\" over=pair-1 payload=text:abcd";
    const std::string ack = "message server \"RC Acknowledge\" over=pair-1\n";
    const Recording recording = run(parse_scenario(
        head + send + "\n" + ack + send + " infiniband.bth.psn=5\n" + ack + send + "\n" + ack +
        "message client \"RC SEND First\" over=pair-1 payload=zeros:1024\n"
        "message client \"RC SEND Last\" over=pair-1 payload=zeros:4\n" +
        ack));
    std::vector<std::uint32_t> msns;
    for (const RecordedFrame& frame : recording.frames)
        if (const capture::Packet packet = packet_of(frame); packet.ib.has_aeth) msns.push_back(packet.ib.aeth.msn);
    EXPECT_EQ(msns, (std::vector<std::uint32_t>{1, 1, 2, 3}));
}

TEST(Messages, TimesAreTheLines) {
    const Recording recording = run(parse_scenario(
        head +
        "message client SYN over=tcp-1 after=1ms\nwait time=2ms\nmessage server SYN-ACK over=tcp-1 after=5ns\n"
        "message client ACK over=tcp-1 at=10ms\n"));
    ASSERT_EQ(recording.frames.size(), 3U);
    EXPECT_EQ(recording.frames[1].time - recording.frames[0].time, 2'000'005);
    EXPECT_EQ(recording.frames[2].time - recording.frames[0].time, 9'000'000);
}

TEST(Messages, VlansIpv6AndMoreHosts) {
    const Recording recording = run(parse_scenario(
        "protocol messages\ncapture at=network\nhost a mac=00:00:5e:00:53:01 ip=2001:db8::1 vlan=7\n"
        "host b mac=00:00:5e:00:53:02 ip=2001:db8::2 vlan=7\nhost c mac=00:00:5e:00:53:03 ip=2001:db8::3\n"
        "tcp x client=a server=b\ntcp y client=c server=a\nmessage client SYN over=x\nmessage client SYN over=y\n"));
    ASSERT_EQ(recording.frames.size(), 2U);
    const capture::Packet first = packet_of(recording.frames[0]), second = packet_of(recording.frames[1]);
    EXPECT_EQ(first.vlan, 7);
    EXPECT_EQ(to_string(first.source), "2001:db8::1");
    EXPECT_EQ(second.vlan, 0);
    EXPECT_EQ(to_string(second.destination), "2001:db8::1");
}

TEST(Messages, FaultsWork) {
    const Recording recording = run(parse_scenario(
        head + "drop message=SYN\nmessage client SYN over=tcp-1\nmessage client SYN over=tcp-1 seq=100\n"));
    ASSERT_EQ(recording.frames.size(), 2U);
    EXPECT_THAT(recording.frames[0].comments, testing::Contains(HasSubstr("lost on the way")));
    EXPECT_TRUE(recording.frames[1].comments.empty());
}

TEST(Messages, Tolerances) {
    std::vector<Composed> composed;
    run_messages(
        parse_scenario(
            head + "message client SYN over=tcp-1\n"
                   "message server CDC over=pair-1 within=5ms smcr.cdc.sequence=3..9 smcr.cdc.alert_token=0x11?\n"),
        &composed);
    ASSERT_EQ(composed.size(), 2U);
    EXPECT_TRUE(composed[0].tolerances.empty());
    EXPECT_EQ(composed[1].frame, 2U);
    EXPECT_EQ(composed[1].from, Side::server);
    std::map<std::string, replay::Tolerance> by_field;
    for (const replay::Tolerance& one : composed[1].tolerances) by_field[one.field] = one;
    EXPECT_EQ(by_field.at("time").high, 5'000'000U);
    EXPECT_EQ(by_field.at("smcr.cdc.sequence").low, 3U);
    EXPECT_EQ(by_field.at("smcr.cdc.sequence").high, 9U);
    EXPECT_EQ(by_field.at("smcr.cdc.alert_token").low, std::nullopt);
    EXPECT_EQ(composed[1].damage, "");
}

TEST(Messages, WhatIsWrongOnPurposeIsToldToThePlayer) {
    std::vector<Composed> composed;
    run_messages(
        parse_scenario(
            head + "message client SYN over=tcp-1 checksum=wrong\nmessage server CDC over=pair-1 icrc=wrong\n"),
        &composed);
    ASSERT_EQ(composed.size(), 2U);
    EXPECT_EQ(composed[0].damage, "line 8: checksum=wrong");
    EXPECT_EQ(composed[1].damage, "line 9: icrc=wrong");
}

TEST(Messages, VariablesIncludesAndOthersBeside) {
    const std::map<std::string, std::string> files{
        {"hosts", "host client mac=$mac ip=192.0.2.10\nhost server mac=00:00:5e:00:53:14 ip=192.0.2.20\n"},
        {"other", "protocol rdma-cm\nlisten\nconnect messages=1\n"},
        {"itself", "include itself\n"}};
    const LoadText load = [&](const std::string& name) -> std::optional<std::string> {
        const auto found = files.find(name);
        return found == files.end() ? std::nullopt : std::optional(found->second);
    };
    const std::string text =
        "protocol messages\ncapture at=network\nset mac=00:00:5e:00:53:0a\ninclude hosts\nset port=7\n"
        "tcp t server-port=$port \\\n    client-port=${port}0\nmessage client SYN over=t\n";
    const capture::Packet packet = packet_of(run(parse_scenario(text, {}, load)).frames.front());
    EXPECT_EQ(packet.tcp.destination_port, 7);
    EXPECT_EQ(packet.tcp.source_port, 70);
    const Recording both = run(parse_scenario(text + "beside other\n", {}, load));
    const Recording other = run(parse_scenario(files.at("other")));
    EXPECT_EQ(both.frames.size(), other.frames.size() + 1);
    EXPECT_TRUE(std::ranges::is_sorted(both.frames, {}, &RecordedFrame::time));
    for (const auto& [wrong, what] : std::map<std::string, std::string>{
             {"include\n", "line 1: include: which file?"},
             {"beside\n", "line 1: beside: which file?"},
             {"include nothing\n", "line 1: include: nothing cannot be read"},
             {"include itself\n", "itself, line 1: include: more than 8 files"},
             {"set 1\n", "is not name=value"},
             {"title $none\n", "no variable has the name none"},
             {"title $\n", "the name of a variable is wanted"}})
        try {
            parse_scenario(wrong, {}, load);
            FAIL() << wrong;
        } catch (const ScenarioError& error) {
            EXPECT_THAT(error.what(), HasSubstr(what));
        }
}

TEST(Messages, WhatIsWrongIsToldWithItsLine) {
    EXPECT_THAT(
        complaint_of("message client HELLO over=tcp-1\n"), HasSubstr("line 8: message: no message has the name HELLO"));
    EXPECT_THAT(complaint_of("message client SYN\n"), HasSubstr("over which connection?"));
    EXPECT_THAT(complaint_of("message client SYN over=pair-1\n"), HasSubstr("SYN does not go over pair-1"));
    EXPECT_THAT(complaint_of("message SYN over=tcp-1\n"), HasSubstr("who says what?"));
    EXPECT_THAT(complaint_of("message client SYN over=tcp-1 color=red\n"), HasSubstr("color means nothing here"));
    EXPECT_THAT(
        complaint_of("message client CDC over=pair-1 smcr.cdc.color=1\n"), HasSubstr("smcr.cdc.color is no field"));
    EXPECT_THAT(complaint_of("message client \"CLC PROPOSAL\" over=tcp-1\n"), HasSubstr("length= is wanted"));
    EXPECT_THAT(
        complaint_of("message client SYN over=tcp-1 after=2ms\nmessage client ACK over=tcp-1 at=1ms\n"),
        HasSubstr("at= is before the message above"));
    EXPECT_THAT(
        complaint_of("message client DATA over=tcp-1 payload=zeros:65496\n"),
        HasSubstr("line 8: message: it has 65536 octets with its headers, and a packet has 65535 at most"));
    EXPECT_EQ(complaint_of("message client DATA over=tcp-1 payload=zeros:65495\n"), "");
    EXPECT_THAT(complaint_of("tcp tcp-1\n"), HasSubstr("another connection, pair or link has that name"));
    EXPECT_THAT(complaint_of("tcp t server=nobody\n"), HasSubstr("no host has the name nobody"));
}

}  // namespace
}  // namespace fabricscope::synth
