// SPDX-License-Identifier: GPL-2.0-or-later
// FC-AE-RDMA messages, and each rule broken by traffic that breaks just it.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "analyzer/engine/fc_ae_rdma/tracker.h"
#include "tests/traffic/fc_ae_rdma_dialogue.h"

namespace fabricscope::engine::fc_ae_rdma {
namespace {

using traffic::Octets;
using Ids = std::vector<std::string>;
using Spec = traffic::FcAeRdmaSpec;

constexpr Port initiator{0, traffic::FcAeRdmaDialogue::initiator_id};
constexpr Port target{0, traffic::FcAeRdmaDialogue::target_id};

/// An Initiator and a Target whose frames go straight into a tracker.
class World : public traffic::FcAeRdmaDialogue, public Observer {
public:
    explicit World(Options options = {}) : tracker(std::move(options), this) {}

    void prli(const std::function<void(wire::ServicePage&)>& change = [](wire::ServicePage&) {}) {
        ProcessLogin login{.from = initiator, .to = target, .page = {}, .frame = ++frames};
        change(login.page);
        tracker.on_process_login(login);
    }
    void prli_accept(bool rejected = false) {
        ProcessLogin login{.from = target, .to = initiator, .is_accept = true, .rejected = rejected, .page = {}};
        login.page.accept_response = wire::request_executed;
        login.frame = ++frames;
        tracker.on_process_login(login);
    }

    const Model& model() const { return tracker.model(); }
    const Message& message(std::size_t i = 0) const { return model().messages.at(i); }
    Ids found() const {
        Ids ids;
        for (const Finding& finding : model().findings) ids.emplace_back(finding.rule->id);
        return ids;
    }
    void on_facts(const FrameFacts& seen) override { facts.push_back(seen); }
    void on_data(const DataPiece& piece) override {
        for (std::size_t i = 0; i < piece.octets.size(); ++i) memory[piece.address + i] = piece.octets[i];
    }

    Tracker tracker;
    std::uint64_t frames = 0;
    std::vector<FrameFacts> facts;
    std::map<std::uint64_t, std::uint8_t> memory;

protected:
    void on_frame(const traffic::FcFrame& frame) override {
        const fc::Frame parsed = fc::parse_frame(frame.octets, frame.octets.size());
        tracker.on_frame({++frames, now, 0, 0, fc::class_of(frame.sof), parsed});
    }
};

#define EXPECT_ONLY(id, w) EXPECT_EQ((w).found(), Ids{id})

TEST(FcAeRdmaTracker, ReadsAndWrites) {
    World w;
    w.prli(), w.prli_accept();
    w.read(200);
    w.command(false, 300), w.data(100), w.data(100), w.data(100), w.response();
    w.command(true, 0), w.response();
    EXPECT_EQ(w.found(), Ids{});
    ASSERT_EQ(w.model().messages.size(), 3U);
    const Message& write = w.message(1);
    EXPECT_FALSE(write.is_read);
    EXPECT_TRUE(write.notifies);
    EXPECT_EQ(write.lun, 3);
    EXPECT_EQ(write.base_address, 0x1000U);
    EXPECT_EQ(write.bytes, 300U);
    EXPECT_EQ(write.state, MessageState::complete);
    EXPECT_EQ(w.facts.back().request_frame, w.message(2).command.frame);
}

TEST(FcAeRdmaTracker, RegionsShowWhatWasTouched) {
    World w;
    w.write(300);
    w.read(100);
    ASSERT_EQ(w.model().regions.size(), 1U);
    const Region& region = w.model().regions.front();
    EXPECT_EQ(region.target, target);
    EXPECT_EQ(region.lun, 3);
    EXPECT_TRUE(region.written.covers(0x1000, 0x1000 + 300));
    EXPECT_TRUE(region.read.covers(0x1000, 0x1000 + 100));
    EXPECT_FALSE(region.read.covers(0x1000, 0x1000 + 101));
    EXPECT_EQ(region.end(), 0x1000U + 300);
    EXPECT_EQ(w.memory.size(), 300U);
    EXPECT_EQ(w.memory.at(0x1000 + 99), traffic::message_data(99, 100).front());
}

TEST(FcAeRdmaTracker, EveryStatus) {
    for (const auto& [code, name] : wire::status_names) {
        World w;
        w.command(true, 100);
        if (code == 0) w.data(100);
        w.response(static_cast<wire::StatusCode>(code));
        EXPECT_EQ(w.found(), Ids{}) << name;
        EXPECT_EQ(w.message().state, code == 0 ? MessageState::complete : MessageState::failed) << name;
    }
}

TEST(FcAeRdmaTracker, PlainFcpIsNotClaimed) {
    World w;
    w.plain_command();
    ++w.ox_id;
    w.data(100), w.response(), w.transfer_ready();
    EXPECT_EQ(w.model().messages.size(), 0U);
    EXPECT_TRUE(w.facts.empty());
    EXPECT_EQ(w.found(), Ids{});
}

TEST(FcAeRdmaTracker, AnOxIdThatPlainFcpUsesAgainIsNotClaimed) {
    World w;
    w.read(10);
    const std::size_t facts = w.facts.size();
    w.ox_id = static_cast<std::uint16_t>(w.ox_id - 1);
    w.plain_command();
    ++w.ox_id;
    w.data(10);
    EXPECT_EQ(w.facts.size(), facts);
}

TEST(FcAeRdmaTracker, LostAndRepeatedFrames) {
    World w;
    w.command(true, 300), w.data(100);
    w.data(100, [](Spec& s) { s.header.seq_id = 1, s.header.seq_cnt = 0, s.header.parameter = 0; });
    w.data(100, [](Spec& s) { s.header.seq_cnt = 2; });
    w.response();
    EXPECT_EQ(w.found(), Ids{}) << "what the capture lost breaks no rule";
    EXPECT_EQ(w.message().repeated_frames, 1U);
    EXPECT_EQ(w.message().missing_bytes, 100U);
}

TEST(FcAeRdmaTracker, LimitsHold) {
    Options options;
    options.limits.messages = 3;
    options.limits.exchanges = 2;
    options.limits.regions = 1;
    World w(options);
    for (int i = 0; i < 10; ++i) w.read(10);
    EXPECT_EQ(w.model().messages.size(), 3U);
    EXPECT_EQ(w.model().dropped_messages, 7U);
}

// ---- rules ---------------------------------------------------------------------------------------

TEST(FcAeRdmaRules, R01Code) {
    World w;
    w.read(10);
    w.plain_command();
    EXPECT_ONLY("AERDMA-01", w);
}

TEST(FcAeRdmaRules, R02Lun) {
    World w;
    w.command(true, 0, [](Spec& s) { s.payload[2] = 1; });
    EXPECT_ONLY("AERDMA-02", w);
}

TEST(FcAeRdmaRules, R03Direction) {
    for (const std::uint8_t bits : Octets{0x00, 0x03}) {
        World w;
        w.command(true, 0, [&](Spec& s) { s.payload[11] = bits; });
        EXPECT_ONLY("AERDMA-03", w);
    }
}

TEST(FcAeRdmaRules, R04TaskManagement) {
    World w;
    w.command(true, 0, [](Spec& s) { s.payload[10] = 0x20; });
    EXPECT_ONLY("AERDMA-04", w);
}

TEST(FcAeRdmaRules, R05TransferReady) {
    World w;
    w.command(false, 10), w.transfer_ready();
    EXPECT_ONLY("AERDMA-05", w);
}

TEST(FcAeRdmaRules, R06OffsetPresent) {
    World w;
    w.command(true, 0, [](Spec& s) { s.header.f_ctl.relative_offset_present = true; });
    EXPECT_ONLY("AERDMA-06", w);
    World data;
    data.command(true, 10), data.data(10, [](Spec& s) { s.header.f_ctl.relative_offset_present = false; });
    EXPECT_ONLY("AERDMA-06", data);
}

TEST(FcAeRdmaRules, R07FirstOffset) {
    World w;
    w.command(true, 100), w.data(10, [](Spec& s) { s.header.parameter = 50; });
    EXPECT_ONLY("AERDMA-07", w);
}

TEST(FcAeRdmaRules, R08NextOffset) {
    World w;
    w.command(true, 100), w.data(10), w.data(10, [](Spec& s) { s.header.parameter = 20; });
    EXPECT_ONLY("AERDMA-08", w);
}

TEST(FcAeRdmaRules, R09RxId) {
    World w;
    w.command(false, 10), w.data(10, [](Spec& s) { s.header.rx_id = 0x1234; });
    EXPECT_ONLY("AERDMA-09", w);
    World class_2;
    class_2.command(false, 10);
    class_2.data(10, [](Spec& s) { s.header.rx_id = 0x1234, s.service_class = 2; });
    EXPECT_EQ(class_2.found(), Ids{});
}

TEST(FcAeRdmaRules, R10Residual) {
    World w;
    w.command(true, 100), w.data(60), w.response();
    EXPECT_ONLY("AERDMA-10", w);
    World told;
    told.command(true, 100), told.data(60);
    told.response(wire::StatusCode::good, [](Spec& s) { s.payload[10] = 0x08, s.payload[15] = 40; });
    EXPECT_EQ(told.found(), Ids{});
    EXPECT_EQ(told.message().residual, 40U);
    World over;
    over.command(true, 100), over.data(100);
    over.response(wire::StatusCode::good, [](Spec& s) { s.payload[10] = 0x04, s.payload[15] = 20; });
    EXPECT_EQ(over.found(), Ids{}) << "20 octets did not go into FCP_DL";
}

TEST(FcAeRdmaRules, R11ResponseLength) {
    World w;
    w.command(true, 0), w.response(wire::StatusCode::good, [](Spec& s) { s.payload.resize(32); });
    EXPECT_ONLY("AERDMA-11", w);
}

TEST(FcAeRdmaRules, R12Sense) {
    World w;
    w.command(true, 0), w.response(wire::StatusCode::good, [](Spec& s) { s.payload[19] = 8; });
    EXPECT_ONLY("AERDMA-12", w);
}

TEST(FcAeRdmaRules, R13StatusCode) {
    World w;
    w.command(true, 0), w.response(static_cast<wire::StatusCode>(0x02));
    EXPECT_ONLY("AERDMA-13", w);
}

TEST(FcAeRdmaRules, R14DataAfterAnError) {
    World w;
    w.command(false, 10), w.response(wire::StatusCode::busy), w.data(10);
    EXPECT_ONLY("AERDMA-14", w);
    World beyond;
    beyond.command(false, 10), beyond.data(20);
    EXPECT_ONLY("AERDMA-14", beyond);
}

TEST(FcAeRdmaRules, R15IuOrder) {
    World w;
    w.command(false, 0), w.response(), w.data(10);
    EXPECT_ONLY("AERDMA-15", w);
    World end;
    end.command(true, 10), end.data(10, [](Spec& s) { s.header.f_ctl.last_sequence = true; });
    EXPECT_ONLY("AERDMA-15", end);
    World open;
    open.command(true, 0);
    open.response(wire::StatusCode::good, [](Spec& s) { s.header.f_ctl.last_sequence = false; });
    EXPECT_ONLY("AERDMA-15", open);
}

TEST(FcAeRdmaRules, R15SequenceInitiative) {
    const auto keeps = [](Spec& s) { s.header.f_ctl.sequence_initiative = false; };
    const auto passes = [](Spec& s) { s.header.f_ctl.sequence_initiative = true; };
    World read;
    read.command(true, 10, keeps), read.data(10), read.response();
    EXPECT_ONLY("AERDMA-15", read);
    World i3;
    i3.command(true, 10), i3.data(10, passes), i3.response();
    EXPECT_ONLY("AERDMA-15", i3);
    World t6;
    t6.command(false, 10), t6.data(10, keeps), t6.response();
    EXPECT_ONLY("AERDMA-15", t6);
    World t7;
    t7.command(false, 20), t7.data(10, passes), t7.data(10), t7.response();
    EXPECT_ONLY("AERDMA-15", t7);
    World without_data;
    without_data.command(false, 10), without_data.response(wire::StatusCode::busy);
    EXPECT_EQ(without_data.found(), Ids{}) << "the capture may have missed them";
}

TEST(FcAeRdmaRules, R16ProcessLogin) {
    World w;
    w.prli([](wire::ServicePage& page) { page.data_overlay_allowed = true; });
    w.prli_accept();
    EXPECT_EQ(w.found(), Ids{}) << "it may be plain FCP's";
    w.read(10);
    EXPECT_ONLY("AERDMA-16", w);
}

TEST(FcAeRdmaRules, R17LoginBefore) {
    World w;
    w.prli(), w.prli_accept(true);
    w.read(10);
    EXPECT_ONLY("AERDMA-17", w);
}

TEST(FcAeRdmaRules, R18DataDirection) {
    World w;
    w.command(true, 10), w.data(10, [](Spec& s) { s.from_initiator = true; });
    EXPECT_ONLY("AERDMA-18", w);
}

TEST(FcAeRdmaRules, R19WhatTheTargetSaysOfARegion) {
    constexpr auto overrun = wire::StatusCode::buffer_overrun;
    World w;
    w.read(0x200);
    w.command(true, 0x300), w.response(overrun);
    w.read(0x200);
    EXPECT_EQ(w.found(), Ids{});
    w.read(0x300);
    EXPECT_ONLY("AERDMA-19", w);
    World other;
    other.read(0x200);
    other.command(true, 0x200), other.response(overrun);
    EXPECT_ONLY("AERDMA-19", other);
    World another;
    another.command(true, 0x200), another.response(overrun);
    another.lun = 4, another.read(0x300);
    EXPECT_EQ(another.found(), Ids{}) << "of another Logical Unit";
}

TEST(FcAeRdmaRules, R19RegionSize) {
    Options options;
    options.region_sizes.push_back({target, 3, 0x1100});
    World w(options);
    w.read(0x100);
    EXPECT_EQ(w.found(), Ids{});
    w.read(0x101);
    EXPECT_ONLY("AERDMA-19", w);
}

}  // namespace
}  // namespace fabricscope::engine::fc_ae_rdma
