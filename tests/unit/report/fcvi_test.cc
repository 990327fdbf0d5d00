// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analyzer/report/fc_ladder.h"
#include "analyzer/report/fcvi_records.h"
#include "analyzer/report/fcvi_summary.h"
#include "tests/unit/engine/fcvi_world.h"

namespace fabricscope::report {
namespace {

using namespace engine::fcvi;
using namespace engine::fcvi::test;
using engine::Side;
using nlohmann::json;
using testing::HasSubstr;

json parsed(const Json& record) { return json::parse(line_of(record)); }

TEST(FcviRecords, AConnectionAndItsMessages) {
    World w;
    w.connect();
    w.write_message(Side::client, 100);
    w.read_message(Side::server, 200);
    w.disconnect(Side::client);
    const Clock clock(0);
    const json connection = parsed(record_of(w.connection(), clock));
    EXPECT_EQ(connection["id"], "fcvi-1");
    EXPECT_EQ(connection["version"], "iso");
    EXPECT_EQ(connection["mode"], "client-server");
    EXPECT_EQ(connection["client"], "01.02.03");
    EXPECT_EQ(connection["outcome"], "connected");
    EXPECT_EQ(connection["close"], "half");
    EXPECT_EQ(connection["reliability"], "Reliable Reception");
    EXPECT_EQ(connection["client_end"]["handle"], handle_of(Side::client));
    EXPECT_EQ(connection["client_end"]["pipeline_depth"], 3);
    EXPECT_EQ(connection["client_to_server"]["bytes"], 300);
    EXPECT_EQ(connection["setups"][0]["resp3_frame"], 4);
    EXPECT_EQ(connection["disconnects"][0]["by_application"], true);
    const json message = parsed(record_of(w.message(), clock));
    EXPECT_EQ(message["operation"], "rdma write");
    EXPECT_EQ(message["state"], "complete");
    EXPECT_EQ(message["rmt_va"], "0x00007f0000001000");
    EXPECT_EQ(message["rmt_va_end"], "0x00007f0000001064");
    EXPECT_EQ(message["response_frame"], 6);
    EXPECT_EQ(parsed(limits_record(w.model()))["dropped_messages"], 0);
}

TEST(FcviRecords, ARefusalInWords) {
    World w(Version::rev_1_0);
    w.rqst();
    w.refuse(Side::server, 0x04);
    const json connection = parsed(record_of(w.connection(), Clock(0)));
    EXPECT_EQ(connection["version"], "rev-1.0");
    EXPECT_EQ(connection["reject"]["name"], "No Waiting Remote Endpoint");
    EXPECT_EQ(connection["reject"]["by"], "server");
    EXPECT_EQ(connection["close"], nullptr);
    EXPECT_EQ(why_not(w.connection()), "refused by the server: No Waiting Remote Endpoint");
}

TEST(FcviSummary, TellsOfConnections) {
    World w;
    w.connect();
    w.send_message(Side::client, 100);
    std::ostringstream out;
    write_fcvi(out, w.model(), {});
    EXPECT_THAT(out.str(), HasSubstr("FC-VI: 1 connection (1 connected), 1 Message (1 complete)"));
    EXPECT_THAT(out.str(), HasSubstr("Reliable Reception"));
}

TEST(FcviSummary, LadderOfAConnection) {
    World w;
    w.connect();
    w.send_message(Side::client, 100);
    const Ladder ladder = ladder_of(w.connection(), 0);
    ASSERT_EQ(ladder.rungs.size(), 6U);
    EXPECT_EQ(ladder.rungs[0].text, "FCVI_CONNECT_RQST");
    EXPECT_EQ(ladder.rungs[4].text, "FCVI_SEND_RQST 1: 100 octets");
    EXPECT_EQ(ladder.rungs[5].from, Side::server);
    EXPECT_EQ(ladder.rungs[5].latency, ladder.rungs[5].step.time - ladder.rungs[4].step.time);
}

TEST(FcviSummary, LadderShowsAborts) {
    World w;
    w.rqst();
    w.abts(Side::client, Side::client, w.setup_ox_id(Side::client));
    const Ladder ladder = ladder_of(w.connection(), 0);
    ASSERT_EQ(ladder.rungs.size(), 2U);
    EXPECT_EQ(ladder.rungs[1].text, "ABTS of Exchange 1000h");
    EXPECT_EQ(ladder.rungs[1].kind, Rung::Kind::refusal);
}

TEST(FcviSummary, TellsOfMemoryAndOfWhatFailed) {
    World w;
    w.connect();
    w.write_message(Side::client, 4096);
    w.request(Side::client, IuType::write_rqst, 100);
    w.respond(Side::server, IuType::write_resp, [](Spec& s) {
        auto& head = s.head<wire::MessageResponseHead>();
        head.resp_err = head.prot_err = true;
    });
    std::ostringstream out;
    write_fcvi(out, w.model(), {});
    EXPECT_THAT(out.str(), HasSubstr("1 Message (rdma write) failed: protection error (fcvi-message-2)"));
    EXPECT_THAT(out.str(), HasSubstr("00007f0000001000 to 00007f0000001fff"));
    EXPECT_THAT(out.str(), HasSubstr("1 connection left with the client and server in Error (fcvi-1)"));
}

}  // namespace
}  // namespace fabricscope::report
