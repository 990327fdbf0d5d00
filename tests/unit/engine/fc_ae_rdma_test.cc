// SPDX-License-Identifier: GPL-2.0-or-later
// FC-AE-RDMA messages, and each rule broken by traffic that breaks just it.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "analyzer/engine/fc_ae_rdma/tracker.h"

namespace fabricscope::engine::fc_ae_rdma {
namespace {

using Octets = std::vector<std::uint8_t>;
using Ids = std::vector<std::string>;

constexpr Port initiator{0, 0x010203};
constexpr Port target{0, 0x040506};

/// A frame before it is sent.
struct Spec {
    bool from_initiator = true;
    fc::FrameHeader header;
    Octets payload;
    std::optional<int> service_class = 3;
};
using Change = std::function<void(Spec&)>;
void unchanged(Spec&) {}

/// An Initiator and a Target whose frames go straight into a tracker.
class World : public Observer {
public:
    explicit World(Options options = {}) : tracker(std::move(options), this) {}

    void command(bool read, std::uint32_t length, const Change& change = unchanged) {
        ++ox_id;
        offset_ = 0, seq_cnt_ = 0, seq_id_ = 0;
        read_ = read;
        Spec s = spec(true, wire::Iu::command);
        wire::Command command;
        command.lun.number = 3;
        command.control.read_data = read;
        command.control.write_data = !read;
        command.data_length = length;
        s.payload.resize(wire::command_size);
        layout::build_into(command, s.payload);
        s.header.parameter = wire::build_parameter({.code = wire::rdma_code, .base_address = 0x1000});
        s.header.f_ctl.first_sequence = true;
        s.header.f_ctl.sequence_initiative = read;
        send(s, change);
    }
    void data(std::uint32_t octets, const Change& change = unchanged) {
        Spec s = spec(!read_, wire::Iu::data);
        s.payload.assign(octets, std::uint8_t{0x5A});
        s.header.parameter = offset_;
        s.header.f_ctl.relative_offset_present = true;
        s.header.rx_id = 0;
        s.header.seq_cnt = seq_cnt_++;
        s.header.seq_id = 1;
        offset_ += octets;
        send(s, change);
    }
    void response(wire::StatusCode status = wire::StatusCode::good, const Change& change = unchanged) {
        Spec s = spec(false, wire::Iu::response);
        wire::Response response;
        response.status = static_cast<std::uint8_t>(status);
        s.payload.resize(wire::response_size);
        layout::build_into(response, s.payload);
        s.header.f_ctl.last_sequence = true;
        send(s, change);
    }
    void read(std::uint32_t octets) { command(true, octets), data(octets), response(); }
    void write(std::uint32_t octets) { command(false, octets), data(octets), response(); }
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
    void transfer_ready() { send(spec(false, wire::Iu::xfer_rdy), unchanged); }
    void plain_command() {
        Spec s = spec(true, wire::Iu::command);
        ++s.header.ox_id;
        s.payload.resize(wire::command_size);
        send(s, unchanged);
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
    std::uint16_t ox_id = 0x100;
    std::uint64_t frames = 0;
    std::vector<FrameFacts> facts;
    std::map<std::uint64_t, std::uint8_t> memory;

private:
    Spec spec(bool from_initiator, wire::Iu iu) const {
        Spec s;
        s.from_initiator = from_initiator;
        s.header.r_ctl = static_cast<std::uint8_t>(iu);
        s.header.type = wire::fc_type;
        s.header.ox_id = ox_id;
        s.header.f_ctl.end_sequence = true;
        return s;
    }
    void send(Spec s, const Change& change) {
        change(s);
        s.header.s_id = (s.from_initiator ? initiator : target).id;
        s.header.d_id = (s.from_initiator ? target : initiator).id;
        s.header.f_ctl.exchange_responder = !s.from_initiator;
        fc::Frame frame;
        frame.header = s.header;
        frame.payload = s.payload;
        frame.payload_length = static_cast<std::uint32_t>(s.payload.size());
        ++frames;
        tracker.on_frame({frames, static_cast<Time>(frames) * capture::millisecond, 0, 0, s.service_class, frame});
    }

    bool read_ = false;
    std::uint32_t offset_ = 0;
    std::uint16_t seq_cnt_ = 0;
    std::uint8_t seq_id_ = 0;
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
    EXPECT_EQ(w.memory.at(0x1000), 0x5A);
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
    w.data(100, [](Spec& s) { s.header.seq_cnt = 0, s.header.parameter = 0; });
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
