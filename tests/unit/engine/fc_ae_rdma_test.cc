// SPDX-License-Identifier: GPL-2.0-or-later
// FC-AE-RDMA messages; what breaks a rule is in tests/traffic/fc_ae_rdma.rules.
#include <gtest/gtest.h>

#include <map>

#include "analyzer/engine/engine.h"
#include "tests/traffic/edit.h"

namespace fabricscope::engine::fc_ae_rdma {
namespace {

using Ids = std::vector<std::string>;
using Edits = std::vector<std::string>;

constexpr Port target{0, 0x01'0200};

/// What the engine makes of reads and writes, statements of docs/scenarios.md, once they have been edited.
class World : public Observer {
public:
    explicit World(const std::string& statements, const Edits& edits = {}, Options options = {})
        : engine_(engine_options(std::move(options)), {.fc_ae_rdma = this}) {
        traffic::Recording recording = traffic::play_text("protocol fc-ae-rdma\nunit lun=3\n" + statements);
        for (const std::string& line : edits) traffic::edit(recording, line);
        traffic::for_each_frame(recording, [&](const capture::Frame& frame) { engine_.on_frame(frame); });
        engine_.finish();
    }

    const Model& model() const { return engine_.fc_ae_rdma(); }
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

    std::vector<FrameFacts> facts;
    std::map<std::uint64_t, std::uint8_t> memory;

private:
    static engine::Options engine_options(Options options) {
        engine::Options whole{.smcr = false};
        whole.fc_protocols.fc_ae_rdma = true;
        whole.fc_protocols.fc_ae_rdma_options = std::move(options);
        return whole;
    }
    Engine engine_;
};

constexpr const char* a_read = "read lun=3 address=0x1000 octets=100";

TEST(FcAeRdmaTracker, ReadsAndWrites) {
    const World w(
        "sequences octets=100\nread lun=3 address=0x1000 octets=200 at=5ms\nwrite lun=3 address=0x1000 octets=300 "
        "at=10ms\n"
        "read lun=3 octets=0 at=15ms");
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
    const World w("write lun=3 address=0x1000 octets=300 at=5ms\nread lun=3 address=0x1000 octets=100 at=10ms");
    ASSERT_EQ(w.model().regions.size(), 1U);
    const Region& region = w.model().regions.front();
    EXPECT_EQ(region.target, target);
    EXPECT_EQ(region.lun, 3);
    EXPECT_TRUE(region.written.covers(0x1000, 0x1000 + 300));
    EXPECT_TRUE(region.read.covers(0x1000, 0x1000 + 100));
    EXPECT_FALSE(region.read.covers(0x1000, 0x1000 + 101));
    EXPECT_EQ(region.end(), 0x1000U + 300);
    EXPECT_EQ(w.memory.size(), 300U);
}

TEST(FcAeRdmaTracker, EveryStatus) {
    for (const auto& [code, name] : wire::status_names) {
        Edits edits{"FCP_RSP set fcaerdma.status=" + std::to_string(code)};
        if (code != 0) edits.emplace_back("FCP_DATA drop");
        const World w(a_read, edits);
        EXPECT_EQ(w.found(), Ids{}) << name;
        EXPECT_EQ(w.message().state, code == 0 ? MessageState::complete : MessageState::failed) << name;
    }
}

TEST(FcAeRdmaTracker, PlainFcpIsNotClaimed) {
    const World w(a_read, {"FCP_CMND set fcaerdma.code=0"});
    EXPECT_EQ(w.model().messages.size(), 0U);
    EXPECT_TRUE(w.facts.empty());
    EXPECT_EQ(w.found(), Ids{});
}

TEST(FcAeRdmaTracker, AnOxIdThatPlainFcpUsesAgainIsNotClaimed) {
    const World w(
        a_read, {"FCP_CMND copy after FCP_RSP", "FCP_DATA copy after FCP_CMND/2", "FCP_CMND/2 set fcaerdma.code=0"});
    const World alone(a_read);
    EXPECT_EQ(w.facts.size(), alone.facts.size());
}

TEST(FcAeRdmaTracker, LostAndRepeatedFrames) {
    const World w(
        "sequences octets=100\nread lun=3 address=0x1000 octets=300",
        {"FCP_DATA/1 copy after FCP_DATA/2", "FCP_DATA/3 delay 1ms", "FCP_DATA/2 drop"});
    EXPECT_EQ(w.found(), Ids{}) << "what the capture lost breaks no rule";
    EXPECT_EQ(w.message().repeated_frames, 1U);
    EXPECT_EQ(w.message().missing_bytes, 100U);
}

TEST(FcAeRdmaTracker, ResidualsAreTold) {
    const World w(a_read, {"FCP_DATA size 60", "FCP_RSP set fcaerdma.resid_under=1 fcaerdma.resid=40"});
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(w.message().residual, 40U);
    const World over(a_read, {"FCP_RSP set fcaerdma.resid_over=1 fcaerdma.resid=20"});
    EXPECT_EQ(over.found(), Ids{}) << "20 octets did not go into FCP_DL";
}

TEST(FcAeRdmaTracker, LimitsHold) {
    Options options;
    options.limits.messages = 3;
    options.limits.regions = 1;
    const World w("read lun=3 octets=10 count=10", {}, options);
    EXPECT_EQ(w.model().messages.size(), 3U);
    EXPECT_EQ(w.model().dropped_messages, 7U);
}

// ---- what a capture lacks --------------------------------------------------------------------------

constexpr const char* in_pieces = "sequences octets=50\nread lun=3 address=0x1000 octets=150 at=5ms";

TEST(FcAeRdmaEvidence, LostDataAreNoResidual) {
    for (const char* lost : {"FCP_DATA/1 drop", "FCP_DATA/2 drop", "FCP_DATA/3 drop"}) {
        const World w(in_pieces, {lost});
        EXPECT_EQ(w.found(), Ids{}) << lost;
        EXPECT_EQ(w.model().of(rules::residual).undecided, 1U) << lost;
        EXPECT_EQ(w.message().bytes, 100U) << lost;
    }
}

TEST(FcAeRdmaEvidence, DataThatBeginBehindOffsetZeroNeedTheResponse) {
    const Edits behind{"FCP_DATA/1 drop"};
    const World w(in_pieces, behind);
    EXPECT_EQ(w.model().of(rules::first_offset).undecided, 1U);
    const World told(
        a_read, {"FCP_DATA set fabricscope.fc.parameter=50", "FCP_DATA size 50",
                 "FCP_RSP set fcaerdma.resid_under=1 fcaerdma.resid=50"});
    EXPECT_EQ(told.found(), Ids{"AERDMA-07"});
}

TEST(FcAeRdmaEvidence, ALostEndOfAWriteMayHavePassedTheInitiative) {
    const World w("sequences octets=50\nwrite lun=3 address=0x1000 octets=150 at=5ms", {"FCP_DATA/3 drop"});
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(w.model().of(rules::iu_order).why, UndecidedReason::frames_missing);
}

TEST(FcAeRdmaEvidence, AResponseSeenTwiceIsOne) {
    const World w(a_read, {"FCP_RSP copy", "FCP_RSP/2 delay 1ms"});
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(w.message().repeated_frames, 1U);
    EXPECT_EQ(w.message().frames, 3U);
}

}  // namespace
}  // namespace fabricscope::engine::fc_ae_rdma
