// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <sstream>

#include "analyzer/report/fcvi_records.h"
#include "analyzer/report/fcvi_summary.h"
#include "tests/unit/engine/fcvi_world.h"

namespace fabricscope::report {
namespace {

using namespace engine::fcvi;
using namespace engine::fcvi::test;
using engine::Side;
using testing::HasSubstr;

TEST(FcviRecords, AConnectionAndItsMessages) {
    World w;
    w.connect();
    w.write_message(Side::client, 100);
    w.read_message(Side::server, 200);
    w.disconnect(Side::client);
    const Clock clock(0);
    const Json connection = record_of(w.connection(), clock);
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
    const Json message = record_of(w.message(), clock);
    EXPECT_EQ(message["operation"], "rdma write");
    EXPECT_EQ(message["state"], "complete");
    EXPECT_EQ(message["rmt_va"], "0x00007f0000001000");
    EXPECT_EQ(message["rmt_va_end"], "0x00007f0000001064");
    EXPECT_EQ(message["response_frame"], 6);
    EXPECT_EQ(limits_record(w.model())["dropped_messages"], 0);
}

TEST(FcviRecords, ARefusalInWords) {
    World w(Version::rev_1_0);
    w.rqst();
    w.resp1(Side::server, [](Spec& s) { s.say(0x04); });
    const Json connection = record_of(w.connection(), Clock(0));
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
    EXPECT_THAT(out.str(), HasSubstr("FC-VI: 1 connection, 1 Message (1 complete)"));
    EXPECT_THAT(out.str(), HasSubstr("Reliable Reception"));
}

TEST(FcviSummary, LadderOfAConnection) {
    World w;
    w.connect();
    w.send_message(Side::client, 100);
    const Ladder ladder = ladder_of(w.connection(), 0);
    ASSERT_EQ(ladder.rungs.size(), 6U);
    EXPECT_EQ(ladder.rungs[0].text, "FCVI_CONNECT_RQST");
    EXPECT_EQ(ladder.rungs[4].text, "FCVI_SEND_RQST, Message 1");
    EXPECT_EQ(ladder.rungs[5].from, Side::server);
}

}  // namespace
}  // namespace fabricscope::report
