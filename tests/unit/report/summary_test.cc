// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/summary.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "tests/unit/report/models.h"

namespace fabricscope::report {
namespace {

using namespace models;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class SummaryText : public testing::Test {
protected:
    std::string text(const SummaryOptions& options = {}) const {
        std::ostringstream out;
        const engine::Models models{.smcr = &model_};
        write_summary(
            out,
            {.files = {"a.pcap"},
             .problems = problems_,
             .capture = capture_,
             .models = models,
             .findings = {},
             .observations = observations::observe({.models = models, .capture = capture_, .unread = problems_})},
            options);
        return out.str();
    }

    engine::CaptureSummary capture_{
        .frames = 78, .start = start, .duration = 9'750'000'000, .tcp_frames = 13, .rdma_frames = 60};
    Model model_;
    std::vector<std::string> problems_;
};

TEST_F(SummaryText, OfACaptureWithNothingOfInterest) {
    EXPECT_EQ(
        text(),
        "a.pcap\n"
        "78 frames in 9.75 s from 2026-11-21T00:14:21.283330129Z\n"
        "\n"
        "Nothing of the protocols that were looked for\n"
        "  13 frames of TCP, 60 of RoCE and InfiniBand\n");
}

TEST_F(SummaryText, SaysWhereSmcWasNotEvenOffered) {
    model_.not_offered = 2;
    EXPECT_THAT(
        text(),
        HasSubstr("  13 frames of TCP, 60 of RoCE and InfiniBand\n"
                  "  2 TCP connections began without offering SMC: the SYN has no SMC option. A program offers it if\n"
                  "  it is started by smc_run or uses AF_SMC; a firewall may take it away.\n"));
    model_.connections = {connection(1)};
    EXPECT_THAT(text(), HasSubstr("\n  2 other TCP connections did not offer SMC in SYN\n"));
}

TEST_F(SummaryText, OfOneUneventfulConnection) {
    model_.connections = {connection(1)};
    EXPECT_EQ(
        text(),
        "a.pcap\n"
        "78 frames in 9.75 s from 2026-11-21T00:14:21.283330129Z\n"
        "\n"
        "What stands out\n"
        "  nothing\n"
        "\n"
        "SMC-R: 1 connection (1 over SMC-R), 0 link groups\n"
        "\n"
        "  Connection  Client            Server            Outcome    To server  To client  Blocked  Close\n"
        "  smcr-1      192.0.2.10:40001  192.0.2.20:18001  SMC-Rv2.1        500        500        -  orderly\n"
        "  Set-up, SYN to CONFIRM: 12.0 ms\n");
}

TEST_F(SummaryText, SaysWhySmcrDidNotComeUp) {
    model_.connections = {declined(1, 0x03030008), connection(2), declined(3, 0x03030008), declined(4, 0x12345678)};
    EXPECT_THAT(
        text(),
        HasSubstr(
            "  ! smcr-1, smcr-3: the connection fell back to TCP: the server declined with 0x03030008, peer sent\n"
            "    no user defined EID [SMCR-O-declined]\n"
            "      Cause: The server says: peer sent no user defined EID.\n"
            "      Look at: EIDs of both hosts: `smcr ueid show`"));
    EXPECT_THAT(text(), HasSubstr("0x12345678, a code whose\n    meaning is not published"));
    EXPECT_THAT(text(), HasSubstr("4 connections (1 over SMC-R, 3 fell back to TCP)"));
}

TEST_F(SummaryText, SaysWhoWaitedAndForHowLong) {
    model_.connections = {connection(1), connection(2)};
    model_.connections[0].from[Side::server].blocked = {3, 30'000'000, 20'000'000};
    model_.connections[1].from[Side::client].stalls = {1, 50'000'000, 50'000'000};
    EXPECT_THAT(
        text(), HasSubstr("  - smcr-1: the server waited for window space 3 times, 30.0 ms in total [SMCR-O-stall]\n"));
    EXPECT_THAT(
        text(), HasSubstr("  - smcr-2: the client waited for window space 1 time, 50.0 ms in total [SMCR-O-stall]\n"));
    EXPECT_THAT(text(), HasSubstr("smcr-1 server  3 times  30.0 ms  20.0 ms      0 times     0 ns     0 ns"));
}

TEST_F(SummaryText, TablesAreLimited) {
    for (std::uint32_t id = 1; id <= 30; ++id) model_.connections.push_back(declined(id, 0x03030000));
    EXPECT_THAT(text(), HasSubstr("... and 5 more connections (--all)"));
    EXPECT_THAT(text(), HasSubstr("smcr-4, smcr-5 and 25 more:"));
    EXPECT_THAT(text(), Not(HasSubstr("smcr-26")));
    const std::string all = text({.style = {}, .rows = no_limit, .names = no_limit});
    EXPECT_THAT(all, Not(HasSubstr("more")));
    EXPECT_THAT(all, HasSubstr("  smcr-30 "));
}

TEST_F(SummaryText, MarksCountsThatBeganBeforeTheCapture) {
    model_.connections = {connection(1)};
    model_.connections[0].midstream = true;
    model_.connections[0].client.reset();
    for (Direction& direction : model_.connections[0].from.values) direction.from_start = false;
    EXPECT_THAT(text(), HasSubstr("500+       500+"));
    EXPECT_THAT(text(), HasSubstr("smcr-1      ?  "));
    EXPECT_THAT(text(), HasSubstr("  - smcr-1: the connection began before the capture did: bytes count from there"));
}

TEST_F(SummaryText, ASecondLinkThatIsRefusedIsNoTrouble) {
    model_.link_groups = {link_group()};
    model_.connections = {connection(1)};
    LlcExchange exchange{
        .type = wire::LlcType::add_link,
        .version = 2,
        .from = Side::server,
        .link = 1,
        .request = {start, 3},
        .reply = FrameStamp{start + 5, 4},
        .refused = true,
        .change = {}};
    model_.link_groups[0].exchanges = {exchange};
    EXPECT_THAT(text(), HasSubstr("  - lg-1: ADD LINK of the server was refused [SMCR-O-add-link-refused]"));
    exchange.type = wire::LlcType::confirm_rkey;
    model_.link_groups[0].exchanges = {exchange, exchange};
    EXPECT_THAT(text(), HasSubstr("  ! lg-1: CONFIRM RKEY of the server was refused, 2 times [SMCR-O-llc-refused]"));
}

TEST_F(SummaryText, TellsMissingOctetsFailedLinksAndUnreadFiles) {
    model_.connections = {connection(1)};
    model_.connections[0].from[Side::client].bytes_written = 400;
    model_.link_groups = {link_group()};
    model_.link_groups[0].links[0].state = LinkState::failed;
    model_.link_groups[0].links[0].packets = 3;
    problems_ = {"a.pcap: frame 79: cut"};
    EXPECT_THAT(text(), HasSubstr("smcr-1: 100 bytes from the client were announced but not captured"));
    EXPECT_THAT(text(), HasSubstr("  ! lg-1: link 1 failed [SMCR-O-link-failed]"));
    EXPECT_THAT(text(), HasSubstr("not read to the end: a.pcap: frame 79: cut"));
}

TEST_F(SummaryText, FindingsThatAreNotListedAreCountedWithTheirRules) {
    const engine::Rule& rule = *engine::rules().front();
    const engine::Finding finding{.rule = &rule, .frames = {3}, .session = "smcr-1", .text = "something"};
    const auto summary = [&](std::uint64_t broken) {
        std::ostringstream out;
        write_summary(
            out,
            {.files = {"a.pcap"},
             .problems = {},
             .capture = capture_,
             .findings = {&finding},
             .rules = {{&rule, {.broken = broken, .why = {}}}}},
            {});
        return out.str();
    };
    EXPECT_THAT(summary(8), HasSubstr("... and 7 more, counted with their rules"));
    EXPECT_THAT(
        summary(1),
        HasSubstr(std::string("What stands out\n  ! a rule is broken: ") + rule.id + " (see the findings below)\n"));
    EXPECT_THAT(summary(1), Not(HasSubstr("counted with")));
}

// ---- RDMA CM -------------------------------------------------------------------------------------

class CmSummaryText : public testing::Test {
protected:
    CmSummaryText() {
        connection_.id = 1;
        connection_.outcome = engine::rdma_cm::Outcome::connected;
        connection_.req = FrameStamp{start, 1};
        connection_.rep = FrameStamp{start + 2 * capture::millisecond, 2};
        connection_.end[Side::client].qpn = 7;
        connection_.end[Side::server].qpn = 9;
        connection_.from[Side::client].packets = 3;
        connection_.from[Side::client].bytes = 4321;
    }
    std::string text() {
        model_.connections = {connection_};
        const engine::CaptureSummary capture{.frames = 9, .start = start};
        const engine::Models models{.rdma_cm = &model_};
        std::ostringstream out;
        write_summary(
            out, {.files = {"a.pcap"}, .problems = {}, .capture = capture, .models = models, .findings = {}}, {});
        return out.str();
    }

    engine::rdma_cm::Connection connection_;
    engine::rdma_cm::Model model_;
};

TEST_F(CmSummaryText, WhatGoesToAnUnknownQueuePairIsNotKnown) {
    EXPECT_THAT(text(), ContainsRegex("4,321 +0 "));
    connection_.end[Side::client].qpn.reset();
    EXPECT_THAT(text(), ContainsRegex("4,321 +\\? "));
}

TEST_F(CmSummaryText, OnlyTheServerAnswersAReq) {
    EXPECT_THAT(text(), HasSubstr("2.00 ms"));
    connection_.rep.reset();
    connection_.outcome = engine::rdma_cm::Outcome::timeout;
    connection_.reject.emplace().by = Side::client;
    connection_.reject->time = start + 5 * capture::millisecond;
    EXPECT_THAT(text(), Not(HasSubstr("5.00 ms")));
    connection_.reject->by = Side::server;
    EXPECT_THAT(text(), HasSubstr("5.00 ms"));
}

TEST_F(CmSummaryText, AnAnswerOfASideThatWasNotCapturedIsNotMissing) {
    connection_.dreq = FrameStamp{start, 5};
    connection_.disconnected_by = Side::client;
    EXPECT_THAT(text(), Not(HasSubstr("not answered")));
    connection_.messages.push_back({.from = Side::server});
    EXPECT_THAT(text(), HasSubstr("by client, not answered"));
}

}  // namespace
}  // namespace fabricscope::report
