// SPDX-License-Identifier: GPL-2.0-or-later
// FC-AE-RDMA messages; what breaks a rule is in tests/traffic/fc_ae_rdma.rules.
#include <gtest/gtest.h>

#include <map>

#include "analyzer/engine/engine.h"
#include "tests/traffic/edit.h"
#include "tests/unit/engine/fc_cut.h"

namespace fabricscope::engine::fc_ae_rdma {
namespace {

using Ids = std::vector<std::string>;
using Edits = std::vector<std::string>;
using test::Cut;

constexpr Port target{0, 0x01'0200};

Cut cut(const char* frame, std::size_t octets) { return {frame, octets}; }

/// What the engine makes of reads and writes, statements of docs/scenarios.md, once they have been edited.
class World : public Observer {
public:
    /// `elsewhere` is a frame that another interface has captured.
    explicit World(
        const std::string& statements, const Edits& edits = {}, Options options = {}, const Cut& cut = {},
        const std::string& elsewhere = {})
        : engine_(engine_options(std::move(options)), {.fc_ae_rdma = this}) {
        traffic::Recording recording = traffic::play_text("protocol fc-ae-rdma\nunit lun=3\n" + statements);
        for (const std::string& line : edits) traffic::edit(recording, line);
        recording.interfaces.push_back(recording.interfaces.front());
        if (!elsewhere.empty()) recording.frames[traffic::select(recording, elsewhere).front()].interface = 1;
        test::analyze(engine_, recording, cut);
    }

    const Model& model() const { return engine_.fc_ae_rdma(); }
    std::uint64_t copies() const { return engine_.capture().copies; }
    Message message(std::size_t i = 0) const { return model().messages.at(i); }
    Ids found() const {
        Ids ids;
        for (const Finding& finding : model().findings) ids.emplace_back(finding.rule->id);
        return ids;
    }
    void on_facts(const FrameFacts& seen) override { facts.push_back(seen); }
    void on_data(const DataPiece& piece) override {
        for (std::size_t i = 0; i < piece.octets.size(); ++i) memory[piece.address + i] = piece.octets[i];
    }

    void on_stored(const Message& message) override { stored.push_back(message.id); }

    std::vector<FrameFacts> facts;
    std::vector<std::uint64_t> stored;  ///< ids of messages
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
    EXPECT_TRUE(write.writes());
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
        if (code == static_cast<std::uint8_t>(wire::StatusCode::write_protect_error)) continue;  // not of a read
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

TEST(FcAeRdmaTracker, DataWithoutRoomAreNotTakenForMissing) {
    constexpr std::uint64_t frames = 40'000, octets = 256;  // of which every second one was not captured
    const traffic::Recording recording = traffic::play_text(
        "protocol fc-ae-rdma\nhosts frame-size=256\nunit lun=3 size=16M\nread lun=3 address=0 octets=" +
        std::to_string(frames * octets));
    engine::Options options{.smcr = false};
    options.fc_protocols.fc_ae_rdma = true;
    Engine engine(options);
    std::uint64_t data = 0;
    traffic::for_each_frame(recording, [&](const capture::Frame& frame) {
        const fc::FrameHeader header = capture::decode(frame).fc->frame.header;
        const bool is_data = header.type == fc::type_fcp &&
                             header.r_ctl == static_cast<std::uint8_t>(fabricscope::fc_ae_rdma::Iu::data);
        if (!is_data || data++ % 2 == 0) engine.on_frame(frame);
    });
    engine.finish();
    ASSERT_EQ(data, frames);
    const Model& model = engine.fc_ae_rdma();
    const Message& message = model.messages.at(0);
    EXPECT_EQ(message.bytes, RangeSet::most_ranges * octets);
    EXPECT_GT(model.dropped_details, 0U);
    EXPECT_LE(message.missing_bytes, frames / 2 * octets) << "no more than were not captured";
    EXPECT_EQ(model.findings.size(), 0U);
}

TEST(FcAeRdmaTracker, ResidualsAreTold) {
    const World w(a_read, {"FCP_DATA size 60", "FCP_RSP set fcaerdma.resid_under=1 fcaerdma.resid=40"});
    EXPECT_EQ(w.found(), Ids{"AERDMA-55"}) << "a protocol error, though it is told";
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

constexpr const char* a_write = "write lun=3 address=0x1000 octets=100";
constexpr const char* in_pieces = "sequences octets=50\nread lun=3 address=0x1000 octets=150 at=5ms";

TEST(FcAeRdmaEvidence, LostDataAreNoResidual) {
    for (const char* lost : {"FCP_DATA/1 drop", "FCP_DATA/2 drop", "FCP_DATA/3 drop"}) {
        const World w(in_pieces, {lost});
        EXPECT_EQ(w.found(), Ids{}) << lost;
        EXPECT_EQ(w.model().of(rules::residual).undecided, 1U) << lost;
        EXPECT_EQ(w.message().bytes, 100U) << lost;
    }
}

TEST(FcAeRdmaEvidence, DataThatAreCapturedLateAreNeitherMissingNorBehindTheResponse) {
    const World w(in_pieces, {"FCP_DATA/2 move after FCP_RSP"});
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(w.message().bytes, 150U);
    EXPECT_EQ(w.message().missing_bytes, 0U);
}

TEST(FcAeRdmaEvidence, WhatWasNotSentIsNotMissing) {
    const Edits jump{
        "FCP_DATA/2 set fabricscope.fc.parameter=60", "FCP_DATA/2 size 40",
        "FCP_RSP set fcaerdma.resid_under=1 fcaerdma.resid=10"};
    const World w(in_pieces, jump);
    EXPECT_EQ(w.found(), (Ids{"AERDMA-08", "AERDMA-55"}));
    EXPECT_EQ(w.message().missing_bytes, 0U);
}

TEST(FcAeRdmaEvidence, WhatAGoodReadLacksAtItsEndIsMissing) {
    EXPECT_EQ(World(in_pieces, {"FCP_DATA/3 drop"}).message().missing_bytes, 50U);
    EXPECT_EQ(World(a_read, {"FCP_DATA drop"}).message().missing_bytes, 100U);
    const World told(a_read, {"FCP_DATA drop", "FCP_RSP set fcaerdma.resid_under=1 fcaerdma.resid=40"});
    EXPECT_EQ(told.message().missing_bytes, 60U);
}

TEST(FcAeRdmaEvidence, AMessageWithoutItsCommandIsNotThatBeforeIt) {
    for (const std::string direction : {"read", "write"}) {
        const World w(
            std::string(a_read) + "\n" + direction + " lun=3 address=0x1000 octets=100",
            {"FCP_DATA/2 set fabricscope.fc.ox_id=@FCP_CMND/1", "FCP_RSP/2 set fabricscope.fc.ox_id=@FCP_CMND/1",
             "FCP_CMND/2 drop"});
        EXPECT_EQ(w.found(), Ids{}) << direction;
        EXPECT_EQ(w.model().messages.size(), 1U);
        EXPECT_EQ(w.message().state, MessageState::complete);
        EXPECT_EQ(w.message().frames, 3U);
    }
}

/// Two messages with the same OX_ID; the FCP_CMND of the second was not captured.
Ids found_without_second_command(const std::string& first, const std::string& second) {
    Edits edits{"FCP_CMND/2 drop"};
    for (const char* frame : {"FCP_DATA/2", "FCP_RSP/2"})
        edits.push_back(std::string(frame) + " set fabricscope.fc.ox_id=@FCP_CMND");
    const std::string of = " lun=3 address=0x1000 octets=100 at=";
    return World(first + of + "5ms\n" + second + of + "10ms", edits).found();
}

TEST(FcAeRdmaEvidence, AnOxIdIsUsedAgainByAMessageWithoutItsCommand) {
    for (const char* first : {"read", "write"})
        for (const char* second : {"read", "write"})
            EXPECT_EQ(found_without_second_command(first, second), Ids{}) << first << ", " << second;
}

TEST(FcAeRdmaEvidence, DataBeyondTheLengthMayBeAnothersWhereOxIdsAreUsedAgain) {
    const std::string three =
        "read lun=3 address=0x1000 octets=100 at=5ms\nread lun=3 address=0x1000 octets=100 at=10ms\n"
        "read lun=3 address=0x1000 octets=200 at=15ms";
    Edits edits;
    for (const char* frame : {"FCP_CMND", "FCP_DATA", "FCP_RSP"})
        for (const char* number : {"/2", "/3"})
            edits.push_back(std::string(frame) + number + " set fabricscope.fc.ox_id=@FCP_CMND");
    EXPECT_EQ(World(three, edits).found(), Ids{});
    for (const char* lost : {"FCP_CMND/3 drop", "FCP_RSP/2 drop", "FCP_DATA/2 drop"}) edits.emplace_back(lost);
    EXPECT_EQ(World(three, edits).found(), Ids{});
}

TEST(FcAeRdmaEvidence, ASecondResponseIsOneWhereOxIdsAreNumbered) {
    const std::string three = "read lun=3 octets=0 at=5ms\nread lun=3 octets=0 at=10ms\nread lun=3 octets=0 at=15ms";
    const Edits other_sequence{"FCP_RSP/2 copy", "FCP_RSP/3 set fabricscope.fc.seq_id=+1"};
    EXPECT_EQ(World(three, other_sequence).found(), Ids{"AERDMA-15"});
    EXPECT_EQ(World(three, {"FCP_RSP/2 copy", "FCP_RSP/3 delay 300us"}).found(), Ids{}) << "a copy";
}

TEST(FcAeRdmaEvidence, DataTheOtherWayBehindAGapMayBeOfAnotherMessage) {
    const World w(
        std::string(in_pieces) + "\nwrite lun=3 address=0x1000 octets=150",
        {"FCP_DATA/4 set fabricscope.fc.ox_id=@FCP_CMND/1", "FCP_DATA/5 set fabricscope.fc.ox_id=@FCP_CMND/1",
         "FCP_DATA/6 set fabricscope.fc.ox_id=@FCP_CMND/1", "FCP_RSP/2 set fabricscope.fc.ox_id=@FCP_CMND/1",
         "FCP_DATA/4 drop", "FCP_DATA/3 drop", "FCP_DATA/2 drop", "FCP_RSP/1 drop", "FCP_CMND/2 drop"});
    EXPECT_EQ(w.found(), Ids{});
}

TEST(FcAeRdmaEvidence, OneOfThePortsNeedNotAskForTheProcessLogin) {
    EXPECT_EQ(World(a_read).model().of(rules::process_login).undecided, 0U);
    EXPECT_EQ(
        World(a_read, {"PRLI drop", "LS_ACC/last drop"}).model().of(rules::process_login).why,
        UndecidedReason::login_not_captured);
}

TEST(FcAeRdmaEvidence, ARegionWhoseSizeIsToldIsKnown) {
    Options options;
    options.region_sizes.push_back({target.id, 3, 0x1100});
    const World w(a_read, {}, options);
    EXPECT_EQ(w.model().of(rules::region_size).satisfied, 1U);
    EXPECT_EQ(w.model().of(rules::region_size).undecided, 0U);
}

TEST(FcAeRdmaEvidence, AShortCommandWasNotCut) {
    const World w(a_read, {"FCP_CMND size 28"});
    EXPECT_EQ(w.found(), Ids{"AERDMA-50"});
    EXPECT_EQ(w.model().of(rules::data_allowed).why, UndecidedReason::too_short);
    EXPECT_EQ(World(a_read, {}, {}, cut("FCP_CMND", 28)).model().of(rules::data_allowed).why, UndecidedReason::cut);
}

TEST(FcAeRdmaEvidence, DataThatBeginBehindOffsetZeroNeedTheResponse) {
    const Edits behind{"FCP_DATA/1 drop"};
    const World w(in_pieces, behind);
    EXPECT_EQ(w.model().of(rules::first_offset).undecided, 1U);
    const World told(
        a_read, {"FCP_DATA set fabricscope.fc.parameter=50", "FCP_DATA size 50",
                 "FCP_RSP set fcaerdma.resid_under=1 fcaerdma.resid=50"});
    EXPECT_EQ(told.found(), (Ids{"AERDMA-55", "AERDMA-07"}));
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

TEST(FcAeRdmaEvidence, AMirrorOfTwoPortsShowsCopies) {
    const World w(a_read, {"FCP_CMND copy", "FCP_DATA copy", "FCP_RSP copy"});
    EXPECT_EQ(w.found(), Ids{});
    EXPECT_EQ(w.copies(), 3U);
    EXPECT_EQ(w.message().repeated_frames, 0U);
    EXPECT_EQ(w.message().frames, 3U);
}

// What was cut has no value, what stands before is known. Octets of the IU: LUN 1, READ DATA 11, FCP_DL 28 to 31.

TEST(FcAeRdmaEvidence, ACommandThatWasCutIsAMessageWithoutValues) {
    const World nothing(a_read, {}, {}, cut("FCP_CMND", 0));
    ASSERT_EQ(nothing.model().messages.size(), 1U);
    EXPECT_EQ(nothing.message().is_read, std::nullopt);
    EXPECT_EQ(nothing.message().lun, std::nullopt);
    EXPECT_EQ(nothing.message().data_length, std::nullopt);
    EXPECT_EQ(nothing.message().base_address, 0x1000U);
    EXPECT_EQ(nothing.message().state, MessageState::complete);
    EXPECT_EQ(nothing.model().regions.size(), 0U);
    EXPECT_EQ(nothing.found(), Ids{});
    EXPECT_EQ(nothing.model().of(rules::data_direction).why, UndecidedReason::cut);
    const World some(a_read, {}, {}, cut("FCP_CMND", 12));
    EXPECT_EQ(some.message().lun, 3);
    EXPECT_EQ(some.message().is_read, true);
    EXPECT_EQ(some.message().data_length, std::nullopt);
    EXPECT_EQ(some.found(), Ids{});
}

TEST(FcAeRdmaEvidence, ALoginThatAnotherClockShowsLateIsNoLogout) {
    const Edits late{"LS_ACC/2 move after PRLI", "LS_ACC/last drop"};
    EXPECT_EQ(World("read lun=3 address=0x1000 octets=100", late).found(), Ids{"AERDMA-17"});
    EXPECT_EQ(World("read lun=3 address=0x1000 octets=100", late, {}, {}, "LS_ACC/2").found(), Ids{});
}

TEST(FcAeRdmaEvidence, AStatusThatWasCutIsNoGood) {
    const World without(a_read, {}, {}, cut("FCP_RSP", 11));
    EXPECT_EQ(without.message().status, std::nullopt);
    EXPECT_EQ(without.message().resid_under, false);
    EXPECT_EQ(without.message().state, MessageState::open);
    const World with(a_read, {}, {}, cut("FCP_RSP", 12));
    EXPECT_EQ(with.message().state, MessageState::complete);
    EXPECT_EQ(with.found(), Ids{});
    const World on_the_wire(a_read, {"FCP_RSP size 8"});
    EXPECT_EQ(on_the_wire.message().status, std::nullopt) << "a response that is short says nothing, either";
    EXPECT_EQ(on_the_wire.found(), Ids{"AERDMA-11"});
}

// ---- what the Target has ---------------------------------------------------------------------------

TEST(FcAeRdmaMemory, WhatIsRefusedDoesNotGetIn) {
    for (const char* status : {"0x5A", "0x5B", "0x5D"}) {
        const World w(a_write, {std::string("FCP_RSP set fcaerdma.status=") + status});
        EXPECT_EQ(w.found(), Ids{}) << status;
        EXPECT_TRUE(w.model().regions.at(0).written.ranges().empty()) << status;
        EXPECT_TRUE(w.stored.empty()) << status;
        EXPECT_EQ(w.message().bytes, 100U);
    }
    const World good(a_write);
    EXPECT_TRUE(good.model().regions.at(0).written.covers(0x1000, 0x1064));
    EXPECT_EQ(good.stored, (std::vector<std::uint64_t>{1}));
    const World unanswered(a_write, {"FCP_RSP drop"});
    EXPECT_TRUE(unanswered.model().regions.at(0).written.ranges().empty());
}

TEST(FcAeRdmaMemory, DataBeyondTheLengthAreThrownAway) {
    const World w(
        a_write, {"FCP_CMND set fcaerdma.data_length=60", "FCP_RSP set fcaerdma.resid_over=1 fcaerdma.resid=40"});
    EXPECT_TRUE(w.model().regions.at(0).written.covers(0x1000, 0x1000 + 60));
    EXPECT_EQ(w.model().regions.at(0).end(), 0x1000U + 60);
    EXPECT_EQ(w.message().bytes, 100U);
}

TEST(FcAeRdmaMemory, NewerDataWin) {
    const World w(
        "sequences octets=50\nwrite lun=3 address=0x1000 octets=100",
        {"FCP_DATA/2 set fabricscope.fc.parameter=0", "FCP_DATA/2 octets 0 EE"});
    EXPECT_EQ(w.message().repeated_frames, 0U) << "another Sequence";
    EXPECT_EQ(w.memory.at(0x1000), 0xEE);
    EXPECT_EQ(w.found().front(), "AERDMA-08");
}

}  // namespace
}  // namespace fabricscope::engine::fc_ae_rdma
