// SPDX-License-Identifier: GPL-2.0-or-later
// Each rule of FC-VI: traffic that breaks just it, and nothing else is found. What keeps them all is in
// fcvi_tracker_test.cc.
#include "analyzer/engine/fcvi/rules.h"

#include <gtest/gtest.h>

#include "tests/unit/engine/fcvi_world.h"

namespace fabricscope::engine::fcvi {
namespace {

using namespace test;
using enum Side;

constexpr Version rev = Version::rev_1_0;
constexpr Version iso = Version::iso;
constexpr Reliability unreliable = Reliability::unreliable_delivery;
constexpr Reliability delivery = Reliability::reliable_delivery;

const Change retried = [](Spec& s) { s.set_retry(); };

#define EXPECT_ONLY(id, w) EXPECT_EQ((w).found(), Ids{id}) << (w).text()

TEST(FcviRules, EachHasItsOwnId) {
    for (std::size_t i = 1; i < kRules.size(); ++i) EXPECT_STRNE(kRules[i].id, kRules[i - 1].id);
}

// ---- a single IU ---------------------------------------------------------------------------------

TEST(FcviRules, R01RCtl) {
    for (const Version version : wire::versions) {
        World w(version, unreliable);
        w.connect();
        w.request(client, IuType::send_rqst, 10, [](Spec& s) { s.r_ctl = 0x04; });
        EXPECT_ONLY("FCVI-01", w);
    }
}

TEST(FcviRules, R02DeviceHeaderSize) {
    World w(iso, unreliable);
    w.connect();
    w.request(client, IuType::send_rqst, 10, [](Spec& s) { s.header.target = std::monostate{}; });
    EXPECT_ONLY("FCVI-02", w);
    World longer(iso, unreliable);
    longer.connect();
    static constexpr std::array<std::uint8_t, 32> more{0, 1};
    longer.request(client, IuType::send_rqst, 10, [](Spec& s) { s.header.rest = more; });
    EXPECT_ONLY("FCVI-02", longer) << "words that no version has are not reserved";
    World none(iso, unreliable);
    fc::Frame frame;
    frame.header.type = wire::fc_type;
    frame.header.r_ctl = 0x01;
    none.tracker.on_frame({1, 0, 0, 0, frame});
    EXPECT_ONLY("FCVI-02", none);
}

TEST(FcviRules, R03Reserved) {
    World w;
    w.rqst(client, [](Spec& s) { s.header.common().reserved = 1; });
    EXPECT_ONLY("FCVI-03", w);
    World payload;
    payload.rqst(client, [](Spec& s) { s.payload[339] = 1; });
    EXPECT_ONLY("FCVI-03", payload) << "word 84";
}

TEST(FcviRules, R04Opcode) {
    World w(iso);
    w.connect();
    w.request(client, IuType::send_rqst, 10, [](Spec& s) { s.header.common().opcode = 0x33; });
    EXPECT_ONLY("FCVI-04", w);
    World other_version(iso);
    other_version.connect();
    other_version.disconnect_rqst(client);
    other_version.disconnect_resp(server, [](Spec& s) { s.header.common().opcode = 0x1A; });
    EXPECT_EQ(other_version.found().front(), "FCVI-04") << other_version.text();
}

TEST(FcviRules, R05PayloadLength) {
    World w;
    w.rqst(client, [](Spec& s) { s.head<wire::ConnectRequestHead>().conn_info = true; });
    EXPECT_ONLY("FCVI-05", w) << "the flag says that there is Connect Info";
    World refused;  // 6.10.2
    refused.rqst(), refused.resp1(server, [](Spec& s) { s.say(0x04); });
    refused.finish_refused();
    EXPECT_ONLY("FCVI-07", refused);
    World response;
    response.connect();
    response.request(client, IuType::send_rqst, 10);
    response.respond(server, IuType::send_resp, [](Spec& s) { s.payload.resize(4); });
    EXPECT_ONLY("FCVI-05", response);
}

TEST(FcviRules, R06UnassignedHandle) {
    World w(iso, unreliable);
    w.connect();
    w.request(client, IuType::send_rqst, 10, [](Spec& s) { s.header.common().handle = wire::unassigned_handle; });
    EXPECT_ONLY("FCVI-06", w);
}

TEST(FcviRules, R07WrongHandle) {
    World w;
    w.rqst(), w.resp1();
    w.resp2(client, [](Spec& s) { s.header.common().handle = 0x99; });
    w.resp3();
    EXPECT_ONLY("FCVI-07", w);
    World response;
    response.connect();
    response.request(client, IuType::send_rqst, 10);
    response.respond(server, IuType::send_resp, [](Spec& s) { s.header.common().handle = 0x99; });
    EXPECT_ONLY("FCVI-07", response);
}

TEST(FcviRules, R08HeaderDiffersWithinAnIu) {
    World w(iso, unreliable);
    w.connect();
    w.data(client, IuType::write_rqst, 200, 0, 100, false, [](Spec& s) { s.end_sequence = false; });
    w.data(client, IuType::write_rqst, 200, 100, 200, true, [](Spec& s) { ++s.target().rmt_va; });
    EXPECT_ONLY("FCVI-08", w);
}

TEST(FcviRules, R18Parameter) {
    World w(iso, unreliable);
    w.connect();
    w.request(client, IuType::send_rqst, 10, [](Spec& s) { s.header.parameter = wire::Parameter{7}; });
    EXPECT_ONLY("FCVI-18", w);
    World read;
    read.connect();
    read.request(client, IuType::read_rqst, 10, [](Spec& s) { s.set_immediate_data(7); });
    EXPECT_ONLY("FCVI-18", read);
}

TEST(FcviRules, ImmediateDataOfASendAreKept) {
    for (const Version version : wire::versions) {
        World w(version, unreliable);
        w.connect();
        w.request(client, IuType::send_rqst, 10, [](Spec& s) { s.set_immediate_data(0xABCD); });
        EXPECT_EQ(w.found(), Ids{}) << w.text();
        EXPECT_EQ(w.message().immediate_data, 0xABCDU);
    }
}

TEST(FcviRules, R19SequenceInitiative) {
    World w;
    w.connect();
    w.request(client, IuType::send_rqst, 10, [](Spec& s) { s.initiative = false, s.last_sequence = true; });
    EXPECT_ONLY("FCVI-19", w) << "Reliable Reception: a response is due";
    World level(iso, unreliable);
    level.connect();
    level.request(client, IuType::send_rqst, 10, [](Spec& s) { s.initiative = true, s.last_sequence = false; });
    EXPECT_ONLY("FCVI-19", level);
    World setup;
    setup.rqst(), setup.resp1(), setup.resp2();
    setup.resp3(server, [](Spec& s) { s.last_sequence = false; });
    EXPECT_ONLY("FCVI-19", setup);
}

TEST(FcviRules, R24ReasonCode) {
    World w;
    w.rqst();
    w.refuse(server, 0x30);
    EXPECT_ONLY("FCVI-24", w) << "reserved";
    World kind;
    kind.connect();
    kind.disconnect_rqst(client, [](Spec& s) { s.say(0x04); });
    EXPECT_ONLY("FCVI-24", kind) << "a reason of Connect Responses";
    World vendor;
    vendor.rqst();
    vendor.refuse(server, 0xF3);
    EXPECT_EQ(vendor.found(), Ids{}) << vendor.text();
}

TEST(FcviRules, R35AddressLengths) {
    World w;
    w.rqst(client, [](Spec& s) { s.payload[12 + 3] = 8; });
    EXPECT_ONLY("FCVI-35", w) << "a discriminator of 8 octets";
    World host(rev);
    host.rqst(client, [](Spec& s) { s.payload[8 + 1] = 4; });
    EXPECT_ONLY("FCVI-35", host);
}

TEST(FcviRules, R11OfViTheServerDoesNotTimeOut) {
    World w;
    w.rqst();
    w.refuse(server, 0x02);
    EXPECT_ONLY("VI-R11", w);
}

TEST(FcviRules, R37OfViErrorBits) {
    const auto respond = [](World& w, IuType request, IuType response, auto&& set) {
        w.connect();
        w.request(client, request, 10);
        w.respond(server, response, [&](Spec& s) { set(s.head<wire::MessageResponseHead>()); });
    };
    World w;
    respond(w, IuType::send_rqst, IuType::send_resp, [](auto& flags) { flags.resp_err = true; });
    EXPECT_ONLY("VI-R37", w) << "no cause";
    World send;
    respond(send, IuType::send_rqst, IuType::send_resp, [](auto& flags) { flags.resp_err = flags.prot_err = true; });
    EXPECT_ONLY("VI-R37", send) << "a Send has no RDMA protection";
}

// ---- setups --------------------------------------------------------------------------------------

TEST(FcviRules, R20SetupOrder) {
    World w(iso, unreliable);
    w.rqst(), w.resp1();
    w.request(client, IuType::send_rqst, 10);
    w.finish_setup();
    EXPECT_ONLY("FCVI-20", w) << "the client sends before its CONNECT_RESP2";
    World server_side(iso, unreliable);
    server_side.rqst(), server_side.resp1(), server_side.resp2();
    server_side.request(server, IuType::send_rqst, 10);
    server_side.resp3();
    EXPECT_ONLY("FCVI-20", server_side);
    World client_side(iso, unreliable);
    client_side.rqst(), client_side.resp1(), client_side.resp2();
    client_side.request(client, IuType::send_rqst, 10);
    client_side.resp3();
    EXPECT_EQ(client_side.found(), Ids{}) << "the client may send before CONNECT_RESP3 (C.5.5)";
    World order;
    order.rqst(), order.resp2(client), order.resp1(server, [](Spec&) {});
    EXPECT_EQ(order.found().back(), "FCVI-20") << order.text();
}

TEST(FcviRules, R21ConnectionId) {
    World w;
    w.rqst();
    w.resp1(server, [](Spec& s) { ++s.connection().connection_id; });
    EXPECT_ONLY("FCVI-21", w);
    World reused;
    reused.rqst();
    reused.setup_number = 1;
    reused.rqst(client, [](Spec& s) {
        --s.connection().connection_id;
        s.payload[11] = 0x77;  // another endpoint
    });
    EXPECT_ONLY("FCVI-21", reused);
}

TEST(FcviRules, R22Retry) {
    World w;
    w.rqst();
    w.setup_number = 1;
    w.rqst(client, retried);
    w.resp1(server);
    EXPECT_ONLY("FCVI-22", w) << "RETRY is missing in the response";
    World twice;
    twice.rqst();
    for (const int number : {1, 2}) {
        twice.setup_number = number;
        twice.rqst(client, retried);
    }
    EXPECT_ONLY("FCVI-22", twice);
}

TEST(FcviRules, R23Arbitration) {
    World w;
    w.peers = true;
    w.login();
    w.rqst(client), w.rqst(server);
    w.resp1(client), w.resp1(server);
    EXPECT_ONLY("FCVI-23", w) << "the lower Port_Name accepts, too";
    World early;
    early.peers = true;
    early.login();
    early.rqst(client), early.rqst(server);
    early.refuse(server, 0x05);
    EXPECT_ONLY("FCVI-23", early) << "it has to wait";
    World draft(rev);
    draft.peers = true;
    draft.rqst(client), draft.rqst(server);
    draft.resp1(client);
    EXPECT_ONLY("FCVI-23", draft) << "the client has the lower host address";
    World unknown;
    unknown.peers = true;
    unknown.rqst(client), unknown.rqst(server);
    unknown.resp1(client), unknown.resp1(server);
    EXPECT_EQ(unknown.found(), Ids{}) << "without Port_Names it is undecided";
    EXPECT_NE(unknown.model().tallies[static_cast<std::size_t>(RuleName::arbitration)].undecided, 0U);
}

TEST(FcviRules, R26Farp) {
    World w;
    fc::Farp farp;
    farp.match = fc::farp_match_ip;
    farp.action = fc::farp_login;
    farp.requesting_port_id = World::port(client).id;
    farp.responding_ip = traffic::fc_ip(traffic::ip_of_b);
    w.farp(client, farp);
    EXPECT_EQ(w.tracker.model().findings.size(), 0U) << "not known to be FC-VI's";
    w.rqst();
    EXPECT_ONLY("FCVI-26", w);
    World right;
    farp.action = fc::farp_reply;
    right.farp(client, farp);
    right.rqst();
    EXPECT_EQ(right.found(), Ids{}) << right.text();
}

TEST(FcviRules, R27LoginParameters) {
    World w;
    w.login(client, 2), w.login(server, 1, true, false);
    w.rqst();
    EXPECT_ONLY("FCVI-27", w);
    World accepts;
    accepts.login(client, 2, false, true), accepts.login(server, 1);
    accepts.connect();
    EXPECT_ONLY("FCVI-27", accepts);
}

TEST(FcviRules, R34Attributes) {
    World w;
    w.rqst();
    w.max_trans_size = 1;
    w.resp1();
    EXPECT_ONLY("FCVI-34", w);
    World level;
    level.rqst();
    level.level = unreliable;
    level.resp1();
    EXPECT_ONLY("FCVI-34", level);
}

TEST(FcviRules, R3OfViQos) {
    World w;
    w.rqst();
    w.pipeline_depth = 9;
    w.resp1();
    EXPECT_ONLY("VI-R3", w);
}

TEST(FcviRules, R4OfViAddresses) {
    World w;
    w.rqst();
    w.resp1(server, [](Spec& s) { s.payload[12 + 19] = 99; });
    EXPECT_ONLY("VI-R4", w);
}

TEST(FcviRules, R10OfViMessageAfterARefusal) {
    World w(iso, unreliable);
    w.rqst();
    w.resp1(server, [](Spec& s) { s.say(0x04); });
    w.finish_setup();
    w.request(client, IuType::send_rqst, 10);
    EXPECT_ONLY("VI-R10", w);
}

TEST(FcviRules, R9OfViResponseBeforeResp3) {
    World w(iso);
    w.rqst(), w.resp1(), w.resp2();
    w.request(server, IuType::send_rqst, 10);
    w.respond(client, IuType::send_resp);
    w.resp3();
    const Ids found = w.found();
    EXPECT_EQ(found, (Ids{"VI-R9", "FCVI-20"})) << "the server was early, too; else there is nothing to answer";
}

TEST(FcviRules, R15OfViSameAnswerToARetry) {
    World w;
    w.rqst(), w.resp1();
    w.setup_number = 1;
    w.rqst(client, retried);
    w.resp1(server, [](Spec& s) {
        retried(s);
        s.say(0x04);
        s.payload[20] ^= 1;
    });
    EXPECT_ONLY("VI-R15", w);
}

TEST(FcviRules, R16OfViHandleReuse) {
    World w;
    w.connect();
    w.setup_number = 1;
    w.rqst();
    EXPECT_ONLY("VI-R16", w);
    World after;
    after.connect();
    after.disconnect(client), after.disconnect(server);
    after.setup_number = 1;
    after.rqst();
    EXPECT_EQ(after.found(), Ids{}) << after.text();
}

TEST(FcviRules, R24OfViErrorBeforeSetup) {
    World w;
    w.connect();
    w.disconnect(server);
    w.setup_number = 1;
    w.rqst(client);
    EXPECT_ONLY("VI-R24", w) << "the client has not disconnected";
}

// ---- Messages ------------------------------------------------------------------------------------

TEST(FcviRules, R09MsgId) {
    World w(iso, unreliable);
    w.connect();
    w.request(client, IuType::send_rqst, 10, [](Spec& s) { s.header.common().msg_id = 0; });
    EXPECT_ONLY("FCVI-09", w) << "the first is 1";
    World again(iso, unreliable);
    again.connect();
    again.send_message(client);
    again.request(client, IuType::send_rqst, 10, [](Spec& s) { s.header.common().msg_id = 1; });
    EXPECT_ONLY("FCVI-09", again);
    World setup;
    setup.rqst(client, [](Spec& s) { s.header.common().msg_id = 3; });
    EXPECT_ONLY("FCVI-09", setup);
    World draft(rev, unreliable);
    draft.connect();
    draft.send_message(client);
    draft.disconnect_rqst(client, [](Spec& s) { s.header.common().msg_id = 7; });
    EXPECT_ONLY("FCVI-09", draft) << "rev 1.0: one more than the last Message";
}

TEST(FcviRules, R10MsgIdEcho) {
    World w;
    w.connect();
    w.request(client, IuType::send_rqst, 10);
    w.respond(server, IuType::send_resp, [](Spec& s) { ++s.header.common().msg_id; });
    EXPECT_ONLY("FCVI-10", w);
}

TEST(FcviRules, R11SeqCntRestarts) {
    for (const Version version : wire::versions) {
        World w(version, unreliable);
        w.connect();
        w.data(client, IuType::write_rqst, 200, 0, 100, false);
        w.data(client, IuType::write_rqst, 200, 100, 200, true, [](Spec& s) { s.seq_cnt = 0; });
        EXPECT_ONLY("FCVI-11", w);
    }
}

TEST(FcviRules, R12RelativeOffset) {
    World w(iso, unreliable);
    w.connect();
    w.data(client, IuType::write_rqst, 200, 0, 100, false);
    w.data(client, IuType::write_rqst, 200, 100, 200, true, [](Spec& s) {
        s.offset = 120;
        s.payload.resize(80);
    });
    EXPECT_ONLY("FCVI-12", w);
}

TEST(FcviRules, R13TotalLength) {
    World w(iso, unreliable);
    w.connect();
    w.request(client, IuType::send_rqst, 100, [](Spec& s) { s.payload.resize(90); });
    EXPECT_ONLY("FCVI-13", w);
}

TEST(FcviRules, R14TargetChanges) {
    World w(iso, unreliable);
    w.connect();
    w.data(client, IuType::write_rqst, 200, 0, 100, false);
    w.data(client, IuType::write_rqst, 200, 100, 200, true, [](Spec& s) { ++s.target().rmt_va_handle; });
    EXPECT_ONLY("FCVI-14", w);
}

TEST(FcviRules, VIR30PastTheEndOfMemory) {
    for (const std::uint64_t octets : {100U, 99U}) {
        World w(iso, unreliable);
        w.connect();
        w.data(client, IuType::write_rqst, 100, 0, 100, true, [&](Spec& s) { s.target().rmt_va = 0 - octets; });
        EXPECT_EQ(w.found(), octets == 100 ? Ids{} : Ids{"VI-R30"}) << w.text();
    }
}

TEST(FcviRules, R15ResponseNotAllowed) {
    for (const Reliability level : {unreliable, delivery}) {
        World w(iso, level);
        w.connect();
        w.request(client, IuType::send_rqst, 10);
        w.respond(server, IuType::send_resp);
        EXPECT_ONLY("FCVI-15", w);
    }
    World twice;
    twice.connect();
    twice.send_message(client);
    twice.respond(server, IuType::send_resp);
    EXPECT_EQ(twice.found().front(), "FCVI-15") << twice.text();
}

TEST(FcviRules, R16ReadOnUnreliableDelivery) {
    World w(iso, unreliable);
    w.connect();
    w.read_message(client);
    EXPECT_ONLY("FCVI-16", w);
}

TEST(FcviRules, R17RdmaNotEnabled) {
    World w(iso, unreliable);
    w.rdma = false;
    w.connect();
    w.write_message(client);
    EXPECT_ONLY("FCVI-17", w);
}

TEST(FcviRules, R28Preference) {
    World w(iso, unreliable);
    w.connect();
    w.send_message(client);
    w.request(client, IuType::send_rqst, 10, [](Spec& s) { s.preference = true; });
    EXPECT_ONLY("FCVI-28", w);
    World setup;
    setup.rqst(client, [](Spec& s) { s.preference = true; });
    EXPECT_ONLY("FCVI-28", setup);
}

TEST(FcviRules, R29PipelineDepth) {
    World w;
    w.pipeline_depth = 1;
    w.connect();
    w.request(client, IuType::send_rqst, 10);
    w.request(client, IuType::send_rqst, 10);
    EXPECT_EQ(w.tracker.model().findings.size(), 0U) << "one more than the depth";
    w.request(client, IuType::send_rqst, 10);
    EXPECT_ONLY("FCVI-29", w);
}

TEST(FcviRules, R30TransferSize) {
    for (const Version version : wire::versions) {
        World w(version, unreliable);
        w.max_trans_size = 50;
        w.connect();
        w.send_message(client, 51);
        EXPECT_ONLY("FCVI-30", w);
    }
}

TEST(FcviRules, R32ResponseInTime) {
    World w;
    w.connect();
    w.request(client, IuType::send_rqst, 10);
    w.now += 2 * r_a_tov;
    w.abts(client, client, w.message_ox_id(client));
    EXPECT_ONLY("FCVI-32", w);
    EXPECT_EQ(w.message().state, MessageState::aborted);
    World unknown(iso, Reliability::reliable_reception, {.limits = {}, .version = {}, .r_a_tov = {}});
    unknown.connect();
    unknown.request(client, IuType::send_rqst, 10);
    unknown.now += 2 * r_a_tov;
    unknown.abts(client, client, unknown.message_ox_id(client));
    EXPECT_EQ(unknown.found(), Ids{}) << "R_A_TOV is not known";
}

TEST(FcviRules, R33ErrorAfterLoss) {
    World w;
    w.connect();
    w.send_message(client);
    w.skip_message(client);
    w.send_message(client);
    EXPECT_ONLY("FCVI-33", w);
    World lossy;
    lossy.connect();
    lossy.skip_message(client);
    lossy.respond(server, IuType::send_resp);
    lossy.send_message(client);
    EXPECT_EQ(lossy.found(), Ids{}) << "the answer shows that the capture lost it";
}

TEST(FcviRules, R36SeqCntRepeats) {
    World w(iso, unreliable);
    w.connect();
    w.data(client, IuType::write_rqst, 200, 0, 100, false, [](Spec& s) { s.end_sequence = false; });
    w.data(client, IuType::write_rqst, 200, 100, 200, true, [](Spec& s) { s.seq_cnt = 0, s.seq_id = 0; });
    EXPECT_ONLY("FCVI-36", w);
}

TEST(FcviRules, R33OfViResponsesInOrder) {
    World w;
    w.connect();
    w.request(client, IuType::send_rqst, 10);
    w.request(client, IuType::send_rqst, 10);
    w.respond(server, IuType::send_resp);
    w.respond(server, IuType::send_resp, [](Spec& s) {
        s.header.common().msg_id = 1;
        --s.ox_id;
    });
    EXPECT_ONLY("VI-R33", w);
}

TEST(FcviRules, R34OfViReadFirst) {
    World w;
    w.connect();
    w.request(client, IuType::read_rqst, 10);
    w.request(client, IuType::send_rqst, 10);
    w.respond(server, IuType::send_resp);
    EXPECT_ONLY("VI-R34", w);
}

TEST(FcviRules, R35OfViNothingGoodAfterAnError) {
    World w;
    w.connect();
    w.request(client, IuType::send_rqst, 10);
    w.request(client, IuType::send_rqst, 10);
    w.respond(server, IuType::send_resp, [](Spec& s) {
        s.header.common().msg_id = 1;
        --s.ox_id;
        s.head<wire::MessageResponseHead>().resp_err = s.head<wire::MessageResponseHead>().desc_err = true;
    });
    w.respond(server, IuType::send_resp);
    EXPECT_ONLY("VI-R35", w);
}

TEST(FcviRules, R40OfViEndAfterError) {
    World w;
    w.connect();
    w.request(client, IuType::send_rqst, 10);
    w.respond(server, IuType::send_resp, [](Spec& s) {
        s.head<wire::MessageResponseHead>().resp_err = s.head<wire::MessageResponseHead>().desc_err = true;
    });
    w.now += 2 * r_a_tov;
    w.request(client, IuType::send_rqst, 10);
    EXPECT_ONLY("VI-R40", w);
}

// ---- the end -------------------------------------------------------------------------------------

TEST(FcviRules, R25DisconnectEcho) {
    World w;
    w.connect();
    w.disconnect_rqst(client);
    w.disconnect_resp(server, [](Spec& s) { s.head<wire::DisconnectHead>().vi_app_discon = false; });
    EXPECT_ONLY("FCVI-25", w);
    World id;
    id.connect();
    id.disconnect_rqst(client);
    id.disconnect_resp(server, [](Spec& s) { s.connection().connection_id = 5; });
    EXPECT_ONLY("FCVI-25", id);
}

TEST(FcviRules, R31SilenceAfterTheEnd) {
    World w(iso, unreliable);
    w.connect();
    w.disconnect(client);
    w.request(server, IuType::send_rqst, 10);
    EXPECT_ONLY("FCVI-31", w);
    World logout(iso, unreliable);
    logout.connect();
    logout.logout(client);
    logout.request(client, IuType::send_rqst, 10);
    EXPECT_ONLY("FCVI-31", logout);
}

TEST(FcviRules, R19OfViDisconnectFields) {
    World w;
    w.connect();
    w.disconnect_rqst(client, [](Spec& s) { s.connection().connection_id = 5; });
    EXPECT_ONLY("VI-R19", w);
    World unassigned;
    unassigned.connect();
    unassigned.disconnect_rqst(client, [](Spec& s) { s.connection().connection_id = 0xFFFF'FFFF; });
    EXPECT_EQ(unassigned.found(), Ids{}) << "annex D";
}

TEST(FcviRules, R20OfViAbortFields) {
    World w;
    w.rqst();
    w.disconnect_rqst(client, [](Spec& s) {
        s.head<wire::DisconnectHead>().conn_setup_abort = true;
        s.header.common().handle = wire::unassigned_handle;
        s.header.common().msg_id = 4;
        s.connection().connection_id = 0x1000;
        s.say(0x49);
    });
    EXPECT_ONLY("VI-R20", w);
    EXPECT_EQ(w.connection().outcome, Outcome::aborted);
}

TEST(FcviRules, R21OfViUnknownConnection) {
    World w;
    w.connect();
    w.disconnect_rqst(client);
    w.disconnect_resp(server, [](Spec& s) { s.say(0x4A); });
    EXPECT_ONLY("VI-R21", w);
}

TEST(FcviRules, R22OfViDisconnectMsgId) {
    World w;
    w.connect();
    w.send_message(server);
    w.disconnect_rqst(client, [](Spec& s) { s.header.common().msg_id = 2; });
    EXPECT_ONLY("VI-R22", w);
}

TEST(FcviRules, R22OfViDisconnectAfterWhatWasCompleted) {
    const auto told = [](std::uint32_t msg_id, Reliability level) {
        World w(iso, level);
        w.connect();
        w.send_message(server), w.read_message(server), w.send_message(server), w.send_message(client);
        w.disconnect_rqst(client, [&](Spec& s) { s.header.common().msg_id = msg_id; });
        return w.found();
    };
    EXPECT_EQ(told(3, Reliability::reliable_reception), Ids{}) << "annex E: of the peer's Messages";
    EXPECT_EQ(told(2, Reliability::reliable_reception), Ids{"VI-R22"});
    EXPECT_EQ(told(1, Reliability::reliable_reception), Ids{}) << "6.12.2 may mean its own Messages";
    EXPECT_EQ(told(2, Reliability::reliable_delivery), Ids{}) << "there it is not seen what was completed";
}

TEST(FcviRules, R23OfViSilenceAfterTheRequest) {
    World w(iso, unreliable);
    w.connect();
    w.disconnect_rqst(client);
    w.request(client, IuType::send_rqst, 10);
    EXPECT_ONLY("VI-R23", w);
}

}  // namespace
}  // namespace fabricscope::engine::fcvi
