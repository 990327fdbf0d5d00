// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/report/fcvi_report.h"
#include "analyzer/report/json.h"
#include "tests/unit/engine/fcvi_world.h"

namespace fabricscope::report::fcvi_test {
namespace {

using namespace engine::fcvi;
using namespace engine::fcvi::test;
using engine::Side;
using nlohmann::json;
using testing::HasSubstr;

constexpr const char* a_send = "message side=client at=1ms octets=100\n";

traffic::Recording connected(const std::string& of_client, const std::string& of_server = "") {
    return connection(Version::iso, Reliability::reliable_reception, of_client, of_server);
}

json reported(const World& w) { return json::parse(line_of(fcvi_columns, w.model(), {})); }

TEST(FcviRecords, AConnectionAndItsMessages) {
    const World w(
        connected(
            "message side=client at=1ms octets=100 transfer=write beyond=4K\n",
            "message side=server at=5ms octets=200 transfer=read beyond=4K\n"),
        {"FCVI_CONNECT_RQST begin", "FCVI_DISCONNECT_RESP end"});
    const json model = reported(w);
    const json& connection = model["connections"][0];
    EXPECT_EQ(connection["id"], "fcvi-1");
    EXPECT_EQ(connection["version"], "iso");
    EXPECT_EQ(connection["mode"], "client-server");
    EXPECT_EQ(connection["client"], "01.01.00");
    EXPECT_EQ(connection["outcome"], "connected");
    EXPECT_EQ(connection["close"], "half");
    EXPECT_EQ(connection["reliability"], "Reliable Reception");
    EXPECT_EQ(connection["client_end"]["handle"], w.connection().end[Side::client].handle.value());
    EXPECT_EQ(connection["client_end"]["pipeline_depth"], 3);
    EXPECT_EQ(connection["client_to_server"]["bytes"], 300);
    EXPECT_EQ(connection["setups"][0]["resp3_frame"], 4);
    EXPECT_EQ(connection["disconnects"][0]["by_application"], true);
    const json& message = model["messages"][0];
    EXPECT_EQ(message["operation"], "rdma write");
    EXPECT_EQ(message["state"], "complete");
    const std::uint64_t address = w.message().rmt_va.value();
    EXPECT_EQ(message["rmt_va"], fmt::format("{:#018x}", address));
    EXPECT_EQ(message["rmt_va_end"], fmt::format("{:#018x}", address + 100));
    EXPECT_EQ(message["response_frame"], 6);
    EXPECT_EQ(model["dropped_messages"], 0);
}

TEST(FcviRecords, ARefusalInWords) {
    const World w("fcvi_no_match_rev_1_0", {"FCVI_CONNECT_RESP1 set fcvi.reason=4", "FCVI_CONNECT_RESP1 end"});
    const json connection = reported(w)["connections"][0];
    EXPECT_EQ(connection["version"], "rev-1.0");
    EXPECT_EQ(connection["reject"]["name"], "No Waiting Remote Endpoint");
    EXPECT_EQ(connection["reject"]["by"], "server");
    EXPECT_EQ(connection["close"], nullptr);
    EXPECT_EQ(why_not(w.connection()), "refused by the server: No Waiting Remote Endpoint");
}

TEST(FcviSummary, TellsOfConnections) {
    const World w(connected(a_send), {"FCVI_SEND_RESP end"});
    std::ostringstream out;
    write_fcvi(out, w.model(), {});
    EXPECT_THAT(out.str(), HasSubstr("FC-VI: 1 connection (1 connected), 1 Message (1 complete)"));
    EXPECT_THAT(out.str(), HasSubstr("Reliable Reception"));
}

TEST(FcviSummary, ARejectedConnectionHasNoTimeOfSetUp) {
    const World w("fcvi_no_match", {"FCVI_CONNECT_RQST begin"});
    std::ostringstream out;
    write_fcvi(out, w.model(), {});
    EXPECT_THAT(out.str(), testing::ContainsRegex("rejected +- +-\n"));
}

TEST(FcviSummary, LadderOfAConnection) {
    const World w(connected(a_send), {"FCVI_CONNECT_RQST begin", "FCVI_SEND_RESP end"});
    const Ladder ladder = ladder_of(w.connection(), 0);
    ASSERT_EQ(ladder.rungs.size(), 6U);
    EXPECT_EQ(ladder.rungs[0].text, "FCVI_CONNECT_RQST");
    EXPECT_EQ(ladder.rungs[4].text, "FCVI_SEND_RQST 1: 100 bytes");
    EXPECT_EQ(ladder.rungs[5].from, Side::server);
    EXPECT_EQ(ladder.rungs[5].latency, ladder.rungs[5].step.time - ladder.rungs[4].step.time);
}

TEST(FcviSummary, LadderShowsAborts) {
    const World w("fcvi_no_answer", {"FCVI_CONNECT_RQST begin", "ABTS end"});
    const Ladder ladder = ladder_of(w.connection(), 0);
    ASSERT_EQ(ladder.rungs.size(), 2U);
    EXPECT_THAT(ladder.rungs[1].text, testing::MatchesRegex("ABTS of Exchange [0-9A-F]+h"));
    EXPECT_EQ(ladder.rungs[1].kind, Rung::Kind::refusal);
}

TEST(FcviSummary, TellsOfMemoryAndOfWhatFailed) {
    const World w(
        connected("message side=client at=1ms octets=4096 transfer=write beyond=4K\n"
                  "message side=client at=3ms octets=100 transfer=write beyond=4K\n"),
        {"FCVI_WRITE_RESP/2 set fcvi.flags.resp_err=1 fcvi.flags.prot_err=1", "FCVI_WRITE_RESP/2 end"});
    std::ostringstream out;
    write_fcvi(out, w.model(), {});
    const std::uint64_t address = w.message().rmt_va.value();
    EXPECT_THAT(out.str(), HasSubstr(fmt::format("{:016x} to {:016x}", address, address + 4095)));
    const auto observed = observations::observe({.models = {.fcvi = &w.model()}, .capture = {}});
    ASSERT_EQ(observed.size(), 1U);  // the Error state of both ends follows from it
    EXPECT_THAT(observed[0].text, HasSubstr("RDMA Write of 100 bytes failed: protection error (handle"));
    EXPECT_THAT(observed[0].cause, HasSubstr("The server enabled RDMA Writes for the connection"));
}

}  // namespace
}  // namespace fabricscope::report::fcvi_test
