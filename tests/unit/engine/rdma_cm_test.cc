// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/tracker.h"

#include <gtest/gtest.h>

#include "tests/unit/engine/cm_world.h"

namespace fabricscope::engine::rdma_cm {
namespace {

using namespace test;
using enum Side;
using World = CmWorld;

TEST(RdmaCm, FromReqToDrep) {
    World w;
    w.req(1), w.rep(1), w.rtu(1);
    w.data(client, 0x21, 7);
    w.data(server, 0x11, 9, 40);
    w.dreq(server, 1), w.drep(client, 1);
    const Connection& c = w.connection(1);
    EXPECT_EQ(c.outcome, Outcome::connected);
    EXPECT_EQ(c.service, Service::rc);
    EXPECT_EQ(protocol_text(c), "tcp");
    EXPECT_EQ(to_string(*c.client), "192.0.2.10:5000");
    EXPECT_EQ(to_string(*c.server), "192.0.2.20:3260");
    EXPECT_EQ(c.end[client].qpn, 0x11U);
    EXPECT_EQ(c.end[server].qpn, 0x21U);
    EXPECT_EQ(c.from[client].bytes, 100U);
    EXPECT_EQ(c.from[server].bytes, 40U);
    EXPECT_EQ(c.from[client].sends, 1U);
    EXPECT_EQ(c.disconnected_by, server);
    EXPECT_TRUE(c.drep);
    EXPECT_EQ(c.message_count, 5U);
    ASSERT_EQ(w.facts.size(), 7U);
    EXPECT_EQ(w.facts[1].request_frame, 1U) << "REP answers REQ";
    EXPECT_EQ(w.facts[2].request_frame, 2U) << "RTU answers REP";
    EXPECT_EQ(w.facts[6].request_frame, 6U) << "DREP answers DREQ";
}

TEST(RdmaCm, ARepeatedReqIsNoNewConnection) {
    World w;
    w.req(1), w.req(1), w.rep(1), w.rep(1), w.rtu(1);
    EXPECT_EQ(w.count(), 1U);
    const Connection& c = w.connection(1);
    EXPECT_EQ(c.req_transmissions, 2U);
    EXPECT_EQ(c.rep_transmissions, 2U);
    EXPECT_EQ(c.req->frame, 1U);
    EXPECT_TRUE(w.facts[1].retransmission);
    EXPECT_TRUE(w.facts[3].retransmission);
}

TEST(RdmaCm, ACommunicationIdIsUsedAgain) {
    World w;
    w.req(1, 1), w.rej(server, 0, 0x101, 8);
    w.req(1, 2), w.rep(1), w.rtu(1);
    EXPECT_EQ(w.connection(1).outcome, Outcome::rejected);
    EXPECT_EQ(w.connection(2).outcome, Outcome::connected);
}

TEST(RdmaCm, RejectedByTheServer) {
    World w;
    w.req(1), w.rej(server, 0, 0x101, 8);
    const Connection& c = w.connection(1);
    EXPECT_EQ(c.outcome, Outcome::rejected);
    ASSERT_TRUE(c.reject);
    EXPECT_EQ(c.reject->by, server);
    EXPECT_STREQ(c.reject->name(), "invalid service id");
    EXPECT_FALSE(c.reject->information);
    EXPECT_EQ(w.facts[1].request_frame, 1U);
}

TEST(RdmaCm, RejectedByTheClientAfterRep) {
    World w;
    w.req(1), w.rep(1), w.rej(client, 0x101, 0x201, 28);
    const Connection& c = w.connection(1);
    EXPECT_EQ(c.outcome, Outcome::rejected);
    EXPECT_EQ(c.reject->by, client);
    EXPECT_EQ(w.facts[2].request_frame, 2U);
}

TEST(RdmaCm, TheServicesOwnReason) {
    World w;
    w.req(1);
    wire::Rej rej;
    rej.body.remote_comm_id = 0x101;
    rej.body.reason = 28;
    rej.body.ari_length = 5;
    rej.information = wire::RejectInformation{.layer = 0, .code = 3, .suggested_length = 1};
    const Octets rest{6};
    Octets additional(ib::ari_size - 4);
    additional[0] = 6;
    rej.additional = additional;
    w.send(server, ib::CmAttribute::rej, rej);
    const Connection& c = w.connection(1);
    ASSERT_TRUE(c.reject && c.reject->information);
    EXPECT_STREQ(c.reject->information->layer_name(), "RDMA IP CM service");
    EXPECT_STREQ(c.reject->information->code_name(), "IP version");
    EXPECT_EQ(c.reject->information->suggested, rest);
}

TEST(RdmaCm, NobodyAnswers) {
    World all_retries_used;
    for (int i = 0; i < 4; ++i) all_retries_used.req(1);
    EXPECT_EQ(all_retries_used.connection(1).outcome, Outcome::timeout);

    World capture_ends;
    capture_ends.req(1);
    EXPECT_EQ(capture_ends.connection(1).outcome, Outcome::unknown) << "the answer may have come later";

    World capture_goes_on;
    capture_goes_on.req(1);
    capture_goes_on.now += 10 * capture::second;
    capture_goes_on.data(client, 0x99, 1);
    EXPECT_EQ(capture_goes_on.connection(1).outcome, Outcome::unknown)
        << "who asks no more before all retries are used may have had an answer";

    World client_says_so;
    client_says_so.req(1), client_says_so.rej(client, 0x101, 0, 4);
    EXPECT_EQ(client_says_so.connection(1).outcome, Outcome::timeout);
}

TEST(RdmaCm, WhoWaitsTooLongForSomethingElseRejects) {
    for (const bool replied : {false, true}) {
        World w;
        w.req(1);
        if (replied) w.rep(1);
        w.rej(server, replied ? 0x201 : 0, 0x101, 4);
        EXPECT_EQ(w.connection(1).outcome, Outcome::rejected);
        EXPECT_EQ(w.connection(1).reject->by, server);
    }
    World client_of_reply;
    client_of_reply.req(1), client_of_reply.rep(1), client_of_reply.rej(client, 0x101, 0x201, 4);
    EXPECT_EQ(client_of_reply.connection(1).outcome, Outcome::rejected) << "an answer came";
}

TEST(RdmaCm, AnRtuThatDidNotArriveMakesNoConnection) {
    for (const bool used : {false, true}) {
        World w;
        w.req(1), w.rep(1), w.rtu(1);
        if (used) w.data(server, 0x11, 1);
        w.rej(server, 0x201, 0x101, 4, ib::rejects_rep);
        EXPECT_EQ(w.connection(1).outcome, used ? Outcome::connected : Outcome::rejected);
    }
}

TEST(RdmaCm, WhatIsRepeatedBehindItsAnswerIsCountedApart) {
    World w;
    w.req(1), w.req(1), w.rep(1), w.req(1), w.rep(1), w.rtu(1), w.rep(1), w.rtu(1);
    const Connection& c = w.connection(1);
    EXPECT_EQ(c.last_req.times, 3U);
    EXPECT_EQ(c.last_req.times_answered, 1U);
    EXPECT_EQ(c.last_rep.times, 3U);
    EXPECT_EQ(c.last_rep.times_answered, 1U);
}

TEST(RdmaCm, MraExtendsTheWait) {
    World w;
    w.req(1);
    w.send(
        server, ib::CmAttribute::mra,
        ib::CmMra{.local_comm_id = 0x201, .remote_comm_id = 0x101, .service_timeout = 24});
    w.now += 10 * capture::second;
    w.data(client, 0x99, 1);
    const Connection& c = w.connection(1);
    EXPECT_TRUE(c.mra);
    EXPECT_EQ(c.outcome, Outcome::unknown) << "69 s were asked for";
    EXPECT_EQ(w.facts[1].request_frame, 1U);
}

TEST(RdmaCm, BothDisconnect) {
    World w;
    w.req(1), w.rep(1), w.rtu(1);
    w.dreq(client, 1), w.dreq(server, 1), w.drep(server, 1), w.drep(client, 1);
    const Connection& c = w.connection(1);
    EXPECT_EQ(c.disconnected_by, client);
    EXPECT_TRUE(c.both_disconnect);
    EXPECT_EQ(c.dreq_transmissions, 2U);
}

TEST(RdmaCm, BeganBeforeTheCapture) {
    World w;
    w.rep(1), w.rtu(1);
    w.data(client, 0x21, 1);
    const Connection& c = w.connection(1);
    EXPECT_EQ(c.outcome, Outcome::connected);
    EXPECT_EQ(c.service, Service::unknown);
    EXPECT_FALSE(c.client);
    EXPECT_EQ(c.end[client].comm_id, 0x101U);
    EXPECT_EQ(c.from[client].packets, 1U);

    EXPECT_TRUE(c.began_before && c.roles_known);
    EXPECT_FALSE(c.service_id);
}

TEST(RdmaCm, OneConnectionOfEachThatBeganBefore) {
    World rtu;
    rtu.rtu(1), rtu.dreq(client, 1), rtu.drep(server, 1);
    ASSERT_EQ(rtu.count(), 1U);
    EXPECT_TRUE(rtu.connection(1).began_before && rtu.connection(1).roles_known);
    EXPECT_EQ(rtu.connection(1).outcome, Outcome::connected);
    EXPECT_EQ(rtu.connection(1).message_count, 3U);

    World dreq;
    dreq.dreq(server, 1), dreq.drep(client, 1), dreq.data(server, 0x11, 1);
    ASSERT_EQ(dreq.count(), 1U);
    const Connection& c = dreq.connection(1);
    EXPECT_TRUE(c.began_before);
    EXPECT_FALSE(c.roles_known) << "either side may disconnect";
    EXPECT_EQ(c.outcome, Outcome::unknown);
    EXPECT_EQ(c.end[server].qpn, 0x11U) << "the receiver's";
    EXPECT_EQ(c.from[client].packets, 1U);
    EXPECT_EQ(dreq.facts.back().connection, 1U);
    EXPECT_FALSE(c.service_id || c.max_cm_retries || c.end[client].private_data);

    World rej;
    rej.rej(server, 0, 0x101, 28), rej.rej(server, 0, 0x101, 28);
    ASSERT_EQ(rej.count(), 1U);
    EXPECT_EQ(rej.connection(1).outcome, Outcome::rejected);
    EXPECT_EQ(rej.connection(1).reject->by, server);
    EXPECT_TRUE(rej.connection(1).roles_known && rej.facts[1].retransmission);

    World sidr;
    wire::SidrRep reply;
    reply.body.request_id = 1, reply.body.qpn = 0x30, reply.body.service_id = iser;
    sidr.send(server, ib::CmAttribute::sidr_rep, reply), sidr.datagram(client, 0x30, 0x41);
    ASSERT_EQ(sidr.count(), 1U);
    EXPECT_TRUE(sidr.connection(1).began_before);
    EXPECT_EQ(sidr.connection(1).from[client].packets, 1U);
}

TEST(RdmaCm, TheTransactionIdTellsWhichOfTwoConnectionsIsMeant) {
    World w;
    w.req(1, 5), w.req(1, 6);  // the same communication id
    w.transactions[1] = 5, w.rep(1);
    EXPECT_EQ(w.facts.back().connection, 1U);
    EXPECT_TRUE(w.connection(1).rep && !w.connection(2).rep);
}

TEST(RdmaCm, EachDrepAnswersTheDreqWithItsTransactionId) {
    World w;
    w.connect(1);
    w.dreq(client, 1, 8), w.dreq(server, 1, 9);
    w.drep(client, 1, 9), w.drep(server, 1, 8);
    EXPECT_EQ(w.facts[5].request_frame, 5U);
    EXPECT_EQ(w.facts[6].request_frame, 4U);
    for (const FrameFacts& facts : w.facts) EXPECT_FALSE(facts.retransmission) << facts.frame;
}

TEST(RdmaCm, ASecondLapIsNoRepetition) {
    World w;
    w.connect(1);
    const auto lap = [&](std::uint64_t tid) {
        ib::CmLap body;
        body.local_comm_id = 0x101, body.remote_comm_id = 0x201;
        w.send(client, ib::CmAttribute::lap, body, tid);
    };
    lap(20), lap(21), lap(21);
    wire::Apr apr;
    apr.body.local_comm_id = 0x201, apr.body.remote_comm_id = 0x101;
    w.send(server, ib::CmAttribute::apr, apr, 21);
    EXPECT_FALSE(w.facts[4].retransmission);
    EXPECT_TRUE(w.facts[5].retransmission);
    EXPECT_EQ(w.facts[6].request_frame, 5U);
}

TEST(RdmaCm, MrasForDifferentMessages) {
    World w;
    const auto mra = [&](Side from, std::uint8_t message) {
        const std::uint32_t local = from == client ? 0x101 : 0x201;
        w.send(
            from, ib::CmAttribute::mra,
            ib::CmMra{.local_comm_id = local, .remote_comm_id = 0x302 - local, .message = message});
    };
    w.req(1), mra(server, 0), w.rep(1), mra(client, 1), mra(client, 1);
    EXPECT_EQ(w.facts[1].request_frame, 1U);
    EXPECT_EQ(w.facts[3].request_frame, 3U);
    EXPECT_FALSE(w.facts[3].retransmission);
    EXPECT_TRUE(w.facts[4].retransmission);
}

TEST(RdmaCm, NoAddressIsReadOfAnUnknownFormat) {
    for (const std::uint8_t version : {std::uint8_t{0}, std::uint8_t{5}, std::uint8_t{15}}) {
        World w;
        w.req(1, 1, 3, [&](wire::Req& req) { req.ip->versions.ip_version = version; });
        const Connection& c = w.connection(1);
        EXPECT_FALSE(c.client || c.server) << int{version};
        ASSERT_TRUE(c.header);
        EXPECT_EQ(c.header->versions.ip_version, version);
        EXPECT_FALSE(c.end[client].private_data);
    }
    World w;
    w.req(1, 1, 3, [](wire::Req& req) { req.ip->versions.major_version = 1; });
    EXPECT_FALSE(w.connection(1).client);
}

TEST(RdmaCm, WhoseAdditionalInformationItIs) {
    World ulp;
    ulp.req(1), ulp.reject(1, {1, 77, 2});
    ASSERT_TRUE(ulp.connection(1).reject->information);
    EXPECT_FALSE(ulp.connection(1).reject->information->code);
    EXPECT_EQ(ulp.connection(1).reject->information->data, (Octets{77, 2}));
    World foreign;
    foreign.req(1, 1, 3, [](wire::Req& req) { req.body.service_id = 0x1234, req.ip.reset(); });
    foreign.reject(1, {0, 3, 0, 0});
    EXPECT_FALSE(foreign.connection(1).reject->information);
}

TEST(RdmaCm, RepeatedPacketsAndOtherPeoplesQueuePairs) {
    World w;
    w.req(1), w.rep(1), w.rtu(1);
    w.data(client, 0x21, 1), w.data(client, 0x21, 2), w.data(client, 0x21, 2), w.data(client, 0x99, 3);
    const Connection& c = w.connection(1);
    EXPECT_EQ(c.from[client].packets, 3U);
    EXPECT_FALSE(c.from[client].retransmissions) << "which those tell who follow queue pairs";
    EXPECT_EQ(c.from[client].bytes, 200U);
}

TEST(RdmaCm, DatagramServices) {
    World w;
    for (std::uint32_t n : {1U, 2U}) {
        wire::SidrReq request;
        request.body.request_id = n;
        request.body.service_id = iser;
        w.send(client, ib::CmAttribute::sidr_req, request, n);
        wire::SidrRep reply;
        reply.body.request_id = n;
        reply.body.qpn = 0x30;
        w.send(server, ib::CmAttribute::sidr_rep, reply, n);
    }
    w.datagram(client, 0x30, 0x41), w.datagram(client, 0x30, 0x42), w.datagram(client, 0x30, 0x42);
    w.datagram(server, 0x42, 0x30);
    EXPECT_EQ(w.connection(1).service, Service::ud);
    EXPECT_EQ(w.connection(1).outcome, Outcome::connected);
    EXPECT_EQ(w.connection(1).end[client].qpn.value_or(0) + w.connection(2).end[client].qpn.value_or(0), 0x83U);
    const Connection& busy = w.connection(w.connection(1).end[client].qpn == 0x42U ? 1 : 2);
    EXPECT_EQ(busy.from[client].packets, 2U);
    EXPECT_EQ(busy.from[server].packets, 1U);
}

TEST(RdmaCm, ADatagramServiceThatIsNotThere) {
    World w;
    wire::SidrReq request;
    request.body.request_id = 1;
    w.send(client, ib::CmAttribute::sidr_req, request);
    wire::SidrRep reply;
    reply.body.request_id = 1;
    reply.body.status = 1;
    w.send(server, ib::CmAttribute::sidr_rep, reply);
    EXPECT_EQ(w.connection(1).outcome, Outcome::rejected);
    EXPECT_STREQ(w.connection(1).reject->name(), "service id not supported");
}

TEST(RdmaCm, LimitsAreTold) {
    Options options;
    options.limits.connections = 2;
    options.limits.messages = 3;
    World w(options);
    for (std::uint32_t n = 0; n < 5; ++n) w.req(n);
    w.rep(0), w.rep(0), w.rep(0);
    EXPECT_EQ(w.count(), 2U);
    EXPECT_EQ(w.tracker.model().dropped_connections, 3U);
    EXPECT_EQ(w.connection(1).messages.size(), 3U);
    EXPECT_EQ(w.connection(1).message_count, 4U);
}

/// The server's own REQ for the same service, which crosses the client's.
void send_peers_req(World& w, std::uint32_t n) {
    wire::Req body;
    body.body.local_comm_id = 0x200 + n;
    body.body.service_id = iser;
    body.body.local_qpn = 0x20 + n;
    wire::Ipv4Addresses addresses;
    addresses.source = Ipv4{{192, 0, 2, 20}};
    addresses.destination = Ipv4{{192, 0, 2, 10}};
    body.ip = wire::IpHeader{{.source_port = 5000}, addresses};
    w.send(server, ib::CmAttribute::req, body, 77);
}

TEST(RdmaCm, PeerToPeer) {
    World w;
    w.req(1), send_peers_req(w, 1), w.rep(1), w.rtu(1);
    w.data(client, 0x21, 1), w.dreq(client, 1), w.drep(server, 1);
    const Connection& c = w.connection(1);
    EXPECT_TRUE(c.peer_to_peer);
    EXPECT_EQ(c.outcome, Outcome::connected);
    EXPECT_EQ(c.req_transmissions, 2U);
    EXPECT_EQ(c.end[server].comm_id, 0x201U);
    EXPECT_EQ(c.from[client].packets, 1U);
    ASSERT_EQ(c.messages.size(), 6U);
    EXPECT_EQ(c.messages[1].from, server) << "the peer's REQ";
    EXPECT_TRUE(w.connection(2).merged);
    EXPECT_TRUE(w.tracker.model().findings.empty());
}

TEST(RdmaCm, TwoRequestsInOppositeDirectionsAreTwoConnections) {
    World w;
    w.req(1), send_peers_req(w, 9), w.rep(1), w.rtu(1);
    EXPECT_FALSE(w.connection(1).peer_to_peer);
    EXPECT_FALSE(w.connection(2).merged);
}

TEST(RdmaCm, AnotherAlternatePath) {
    World w;
    w.connect(1);
    ib::CmLap lap;
    lap.local_comm_id = 0x101, lap.remote_comm_id = 0x201;
    w.send(client, ib::CmAttribute::lap, lap);
    wire::Apr apr;
    apr.body.local_comm_id = 0x201, apr.body.remote_comm_id = 0x101, apr.body.status = 3;
    w.send(server, ib::CmAttribute::apr, apr);
    EXPECT_EQ(w.facts.back().request_frame, 4U);
    const Connection& c = w.connection(1);
    ASSERT_TRUE(c.lap && c.apr);
    EXPECT_EQ(c.apr_status, 3);
}

TEST(RdmaCm, MadsAreUsedAsFarAsTheyWereCaptured) {
    World w;
    w.captured = 165;  // up to the first octet of the addresses
    w.req(1), w.rep(1), w.rtu(1);
    const Connection& c = w.connection(1);
    EXPECT_EQ(c.outcome, Outcome::connected);
    EXPECT_TRUE(c.path);
    EXPECT_FALSE(c.client || c.header);

    World v;
    v.captured = 40;  // behind the communication ids
    v.req(1), v.rep(1);
    ASSERT_EQ(v.count(), 1U);
    EXPECT_FALSE(v.connection(1).end[client].qpn || v.connection(1).end[server].qpn)
        << "what was not captured is not 0";
    EXPECT_FALSE(v.connection(1).began_before);
    v.captured = 32;
    v.rtu(1), v.dreq(client, 1), v.drep(server, 1);
    EXPECT_EQ(v.connection(1).outcome, Outcome::connected);
    EXPECT_TRUE(v.connection(1).drep);
    v.captured = 31;
    v.dreq(client, 1);
    EXPECT_EQ(v.connection(1).message_count, 5U) << "without ids";
}

TEST(RdmaCm, NativeInfiniBandDataHasLidsWhereMadsHadGids) {
    const auto set_lids = [](wire::Req& req) { req.primary.local_lid = 3, req.primary.remote_lid = 4; };
    World w;
    w.carrier = capture::IbCarrier::native;
    w.req(1, 1, 3, set_lids), w.rep(1), w.rtu(1);
    w.by_lid = true;
    w.data(client, 0x21, 1), w.data(server, 0x11, 1);
    EXPECT_EQ(w.connection(1).from[client].packets, 1U);
    EXPECT_EQ(w.connection(1).from[server].packets, 1U);
}

}  // namespace
}  // namespace fabricscope::engine::rdma_cm
