// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of RDMA CM where timing, knowledge of the server or what is missing decides. What plainly breaks a rule is in
// tests/traffic/rdma_cm.rules.
#include "analyzer/engine/rdma_cm/rules.h"

#include <gtest/gtest.h>

#include "tests/unit/engine/cm_world.h"

namespace fabricscope::engine::rdma_cm {
namespace {

using namespace test;
using enum Side;
using World = CmWorld;
using Ids = std::vector<std::string>;
using Edit = std::function<void(wire::Req&)>;

Ids found(World& w) {
    w.tracker.finish();
    Ids ids;
    for (const Finding& finding : w.tracker.model().findings) ids.emplace_back(finding.rule->id);
    return ids;
}

const Tally& tally(const World& w, RuleRef rule) { return w.tracker.model().of(rule); }

wire::IpVersions& versions(wire::Req& req) { return req.ip->versions; }
wire::Ipv4Addresses& ipv4(wire::Req& req) { return std::get<wire::Ipv4Addresses>(req.ip->addresses); }

const Edit major_version = [](wire::Req& req) { versions(req).major_version = 1; };
const Edit padding_size = [](wire::Req& req) { ipv4(req).source_padding.octets[3] = 1; };
const Edit ipv6_flag = [](wire::Req& req) {
    versions(req).ip_version = 6;
    wire::Ipv6Addresses addresses;
    addresses.source.octets = {0x20, 1, 0xd, 0xb8};
    addresses.destination.octets = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 20};
    req.ip->addresses = addresses;
};

/// A REQ that is accepted.
Ids accepted(const Edit& edit) {
    World w;
    w.req(1, 1, 3, edit), w.rep(1), w.rtu(1);
    return found(w);
}

/// A REQ that is rejected, by a server that has accepted one of its service before, or not.
Ids rejected(const Edit& edit, const Octets& ari, bool known_server = true) {
    World w;
    if (known_server) w.connect(7);
    w.req(1, 1, 3, edit), w.reject(1, ari);
    return found(w);
}

TEST(CmRules, HealthyTrafficBreaksNone) {
    World w;
    w.connect(1);
    w.data(client, 0x21, 1);
    w.dreq(client, 1), w.drep(server, 1);
    w.req(2, 2), w.rej(server, 0, 0x102, ib::invalid_service_id);
    w.req(3, 3), w.reject(3, {1, 77});
    w.req(4, 4), w.reject(4, {});
    w.carrier = capture::IbCarrier::native;
    w.req(5, 5, 3, ipv6_flag), w.rep(5), w.rtu(5);
    w.carrier = capture::IbCarrier::roce_v2;
    w.req(6, 6), w.reject(6, {0, 0, 0, 0});
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::ip_version).satisfied, 2U);
    EXPECT_EQ(tally(w, rules::sequence).satisfied, 4U);
}

TEST(CmRules, ARepThatWasCapturedBeforeItsReq) {
    World w;
    w.transactions[1] = 1;
    w.rep(1), w.req(1), w.rtu(1);
    EXPECT_EQ(found(w), Ids{});
    const Model& model = w.tracker.model();
    ASSERT_EQ(model.connections.size(), 1U);
    const Connection& connection = model.connections.front();
    EXPECT_EQ(connection.outcome, Outcome::connected);
    EXPECT_FALSE(connection.began_before);
    EXPECT_EQ(connection.req->frame, 2U);
    EXPECT_EQ(connection.end[server].qpn, 0x21U);
}

TEST(CmRules, IpVersion) {
    EXPECT_EQ(rejected(nullptr, {0, 3, 1, 0, 6}), Ids{"IPCM-CA11-4"});
    EXPECT_EQ(rejected(nullptr, {0, 3, 1, 0, 6}, false), Ids{}) << "it may know IPv6 only";
    EXPECT_EQ(rejected(ipv6_flag, {0, 3, 1, 0, 4}), Ids{"IPCM-03"}) << "it has accepted IPv4 only";
}

TEST(CmRules, ServiceIdForm) {
    World w;
    wire::Req req;
    req.body.local_comm_id = 0x101;
    req.body.service_id = 0x1000'0000'0106'0CBC;
    Octets addresses{0, 0x40, 0x13, 0x88};
    addresses.resize(36);
    std::ranges::copy(Octets{192, 0, 2, 10}, addresses.begin() + 16);
    std::ranges::copy(Octets{192, 0, 2, 20}, addresses.begin() + 32);
    w.send_with_private_data(client, ib::CmAttribute::req, req, addresses);
    EXPECT_EQ(found(w), Ids{"IPCM-CA11-6"});

    World others_data;
    addresses[19] = 11;  // not where the packet comes from
    others_data.send_with_private_data(client, ib::CmAttribute::req, req, addresses);
    EXPECT_EQ(found(others_data), Ids{});
}

TEST(CmRules, IpoibPortSpaceIsAHabit) {
    const Edit ipoib = [](wire::Req& req) { req.body.service_id = 0x0000'0000'0002'0CBC; };
    for (const Profile profile : {Profile::linux_, Profile::standard}) {
        World w({.profile = profile});
        w.req(1, 1, 3, ipoib);
        EXPECT_EQ(found(w), profile == Profile::standard ? Ids{"IPCM-CA11-6"} : Ids{});
        EXPECT_EQ(tally(w, rules::service_id_form).waived, profile == Profile::standard ? 0U : 1U);
    }
}

TEST(CmRules, InvalidServiceIdOfAServiceThatIsThere) {
    World w;
    w.connect(7);
    w.req(1, 1, 3, padding_size), w.rej(server, 0, 0x101, ib::invalid_service_id);
    EXPECT_EQ(found(w), (Ids{"IPCM-CA11-5", "IPCM-oA11-1"}));
    World stopped_listening;
    stopped_listening.connect(7);
    stopped_listening.req(1), stopped_listening.rej(server, 0, 0x101, ib::invalid_service_id);
    EXPECT_EQ(found(stopped_listening), Ids{});
}

TEST(CmRules, NoReasonGiven) {
    for (const Profile profile : {Profile::linux_, Profile::standard}) {
        World w({.profile = profile});
        w.connect(7);
        w.req(1, 1, 3, major_version), w.reject(1, {});
        EXPECT_EQ(found(w), profile == Profile::standard ? Ids{"IPCM-oA11-1"} : Ids{});
    }
    World w({.profile = Profile::standard});
    w.req(1, 1, 3, major_version), w.reject(1, {});
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::reason_given).undecided, 1U);
}

TEST(CmRules, InformationOfAServiceOutsideTheRangeIsItsOwn) {
    const Edit elsewhere = [](wire::Req& req) { req.body.service_id = 0x1234; };
    World w;
    wire::Req req;
    elsewhere(req);
    req.body.local_comm_id = 0x101;
    w.send(client, ib::CmAttribute::req, req), w.reject(1, {9, 9, 99, 9});
    EXPECT_EQ(found(w), Ids{});
}

TEST(CmRules, CodeThatDoesNotFitTheRequest) {
    EXPECT_EQ(rejected(nullptr, {0, 4, 0, 0}), Ids{"IPCM-02"}) << "source";
    EXPECT_EQ(rejected(nullptr, {0, 5, 0, 0}), Ids{"IPCM-02"}) << "destination";
    EXPECT_EQ(rejected(nullptr, {0, 6, 0, 0}), Ids{"IPCM-02"}) << "that is where the REQ was sent";
    EXPECT_EQ(rejected(padding_size, {0, 4, 0, 0}), Ids{"IPCM-CA11-5"}) << "rightly rejected";
    EXPECT_EQ(rejected(padding_size, {0, 5, 0, 0}), (Ids{"IPCM-CA11-5", "IPCM-02"}));
    EXPECT_EQ(rejected(ipv6_flag, {0, 4, 0, 0}), (Ids{"IPCM-03", "IPCM-02"}));
    EXPECT_EQ(rejected(ipv6_flag, {0, 5, 0, 0}), Ids{"IPCM-03"}) << "IPv4 in IPv6, which a server may refuse";
}

TEST(CmRules, SentElsewhere) {
    const Edit elsewhere = [](wire::Req& req) { ipv4(req).destination.octets[3] = 99; };
    EXPECT_EQ(accepted(elsewhere), Ids{"IPCM-03"});
    EXPECT_EQ(rejected(elsewhere, {0, 6, 0, 0}), Ids{"IPCM-03"});
    World w;
    w.carrier = capture::IbCarrier::native;
    w.req(1, 1, 3, elsewhere);
    EXPECT_EQ(found(w), Ids{}) << "the IP address of the port is not known";
}

TEST(CmRules, ImpatientRepetition) {
    World w;
    w.req(1), w.req(1), w.rep(1);
    EXPECT_EQ(found(w), Ids{"IPCM-04"});

    World patient;
    patient.req(1), patient.now += 4 * capture::second, patient.req(1), patient.rep(1);
    EXPECT_EQ(found(patient), Ids{});

    World copied;
    copied.req(1), --copied.gsi_psn[client], copied.req(1), copied.rep(1);
    EXPECT_EQ(found(copied), Ids{});
    EXPECT_EQ(tally(copied, rules::patient_repetition).undecided, 1U);
}

TEST(CmRules, RepetitionInSpiteOfMra) {
    const ib::CmMra mra{.local_comm_id = 0x201, .remote_comm_id = 0x101, .service_timeout = 24};  // 69 s
    for (const bool crossed : {false, true}) {
        World w;
        w.req(1), w.now += 5 * capture::second;
        w.send(server, ib::CmAttribute::mra, mra);
        if (!crossed) w.now += 5 * capture::second;
        w.req(1), w.rep(1);
        EXPECT_EQ(found(w), crossed ? Ids{} : Ids{"IPCM-04"});
    }
}

TEST(CmRules, WrongOrder) {
    World wrong_side;
    wrong_side.req(1), wrong_side.rep(1);
    wrong_side.send(server, ib::CmAttribute::rtu, ib::CmRtu{0x201, 0x101});
    EXPECT_EQ(found(wrong_side), Ids{"IPCM-05"});

    World after_reject;
    after_reject.req(1), after_reject.rej(server, 0x201, 0x101, 28), after_reject.rep(1);
    EXPECT_EQ(found(after_reject), Ids{"IPCM-05"});

    World changed_mind;
    changed_mind.req(1), changed_mind.rep(1), changed_mind.rej(client, 0x101, 0x201, 28), changed_mind.rtu(1);
    EXPECT_EQ(found(changed_mind), Ids{"IPCM-05"});
}

TEST(CmRules, RtuWithoutRep) {
    const ib::CmMra mra{.local_comm_id = 0x201, .remote_comm_id = 0x101};
    enum class Rep : std::uint8_t { not_sent, lost, unread };
    for (const Rep rep : {Rep::not_sent, Rep::lost, Rep::unread}) {
        World w;
        w.req(9), w.send(server, ib::CmAttribute::mra, ib::CmMra{.local_comm_id = 0x209, .remote_comm_id = 0x109});
        w.req(1), w.send(server, ib::CmAttribute::mra, mra);
        if (rep == Rep::lost) ++w.gsi_psn[server];
        if (rep == Rep::unread) w.captured = 16, w.rep(1), w.captured = 0;
        w.rtu(1), w.dreq(client, 1), w.drep(server, 1);
        const bool known = rep == Rep::not_sent;
        EXPECT_EQ(found(w), known ? Ids{"IPCM-05"} : Ids{});
        EXPECT_EQ(tally(w, rules::sequence).undecided, known ? 0U : 1U);
    }
    World elsewhere;  // its clock may be ahead
    elsewhere.interface = 1, elsewhere.rep(1), elsewhere.interface = 0;
    elsewhere.req(2),
        elsewhere.send(server, ib::CmAttribute::mra, ib::CmMra{.local_comm_id = 0x202, .remote_comm_id = 0x102});
    elsewhere.rtu(2), elsewhere.drep(server, 1);
    EXPECT_EQ(found(elsewhere), Ids{});
    World begins_with_mra;  // before which no REP was sent
    begins_with_mra.req(1), begins_with_mra.send(server, ib::CmAttribute::mra, mra), begins_with_mra.rtu(1);
    begins_with_mra.dreq(client, 1), begins_with_mra.drep(server, 1);
    EXPECT_EQ(found(begins_with_mra), Ids{"IPCM-05"});
    World other_mad;  // of another connection: it proves as much
    other_mad.req(1), other_mad.send(server, ib::CmAttribute::mra, mra), other_mad.rtu(1);
    other_mad.req(9, 9), other_mad.rep(9);
    EXPECT_EQ(found(other_mad), Ids{"IPCM-05"});
    World begins_with_it;  // so that a REP before the server's first message may be missing
    begins_with_it.req(1), begins_with_it.rtu(1);
    begins_with_it.dreq(client, 1), begins_with_it.drep(server, 1);
    EXPECT_EQ(found(begins_with_it), Ids{});
    EXPECT_EQ(tally(begins_with_it, rules::sequence).undecided, 1U);
    World capture_ends;
    capture_ends.req(1), capture_ends.send(server, ib::CmAttribute::mra, mra), capture_ends.rtu(1);
    EXPECT_EQ(found(capture_ends), Ids{});
    EXPECT_EQ(tally(capture_ends, rules::sequence).undecided, 1U);
}

TEST(CmRules, NoAnswerToReq) {
    World w;
    for (int i = 0; i < 4; ++i) w.req(1), w.now += 5 * capture::second;
    w.data(client, 0x99, 1);
    EXPECT_EQ(found(w), Ids{"IPCM-06"});

    World retries_left;
    retries_left.req(1), retries_left.now += 5 * capture::second, retries_left.req(1);
    EXPECT_EQ(found(retries_left), Ids{});
    EXPECT_EQ(tally(retries_left, rules::answered).undecided, 1U);
}

TEST(CmRules, NoAnswerToDreq) {
    World w;
    w.connect(1);
    for (int i = 0; i < 4; ++i) w.dreq(client, 1), w.now += 5 * capture::second;
    w.data(client, 0x99, 1);
    EXPECT_EQ(found(w), Ids{"IPCM-06"});

    World capture_ends;
    capture_ends.connect(1), capture_ends.dreq(client, 1);
    EXPECT_EQ(found(capture_ends), Ids{});
}

TEST(CmRules, DrepAnswersTheDreqWithItsTransactionId) {
    for (const std::uint64_t tid : {5U, 6U}) {
        World w;
        w.connect(1);
        for (int i = 0; i < 4; ++i) w.dreq(client, 1, 5), w.now += 5 * capture::second;
        w.drep(server, 1, tid);
        EXPECT_EQ(found(w), Ids{}) << "what the other answers is not known";
        EXPECT_EQ(tally(w, rules::answered).satisfied, tid == 5 ? 2U : 1U);
    }
}

TEST(CmRules, AnMraForRepGivesTheServerNoTime) {
    World w;
    w.req(1);
    w.send(
        client, ib::CmAttribute::mra,
        ib::CmMra{.local_comm_id = 0x101, .remote_comm_id = 0x201, .message = 1, .service_timeout = 24});
    w.now += 5 * capture::second, w.req(1), w.rep(1);
    EXPECT_EQ(found(w), Ids{});
    EXPECT_EQ(tally(w, rules::patient_repetition).satisfied, 1U);
}

TEST(CmRules, MraForWhatItsSenderCannotHaveReceived) {
    const auto mra = [](World& w, Side from, std::uint8_t message) {
        const bool by_client = from == client;
        w.send(
            from, ib::CmAttribute::mra,
            ib::CmMra{
                .local_comm_id = by_client ? 0x101U : 0x201U,
                .remote_comm_id = by_client ? 0x201U : 0x101U,
                .message = message});
    };
    for (const Side from : {client, server})
        for (std::uint8_t message = 0; message <= 3; ++message) {
            World w;
            w.req(1), w.rep(1), mra(w, from, message);
            const bool wrong = message == 3 || (message != 2 && (message == 0) == (from == client));
            EXPECT_EQ(found(w), wrong ? Ids{"IPCM-10"} : Ids{}) << name_of(from) << " " << int{message};
        }
    World before_rep;
    before_rep.req(9, 9), before_rep.rep(9), before_rep.req(1), mra(before_rep, client, 1);
    before_rep.dreq(server, 9);
    EXPECT_EQ(found(before_rep), Ids{"IPCM-10"}) << "the server's MADs have no gap";
    World perhaps_peers;
    perhaps_peers.req(1), mra(perhaps_peers, client, 0);
    EXPECT_EQ(found(perhaps_peers), Ids{});
}

TEST(CmRules, RepeatedWithAnotherContent) {
    const Edit other_qpn = [](wire::Req& req) { req.body.local_qpn = 0x99; };
    World w;
    w.req(1), w.now += 4 * capture::second, w.req(1, 1, 3, other_qpn);
    EXPECT_EQ(found(w), Ids{"IPCM-05"});
    EXPECT_EQ(w.count(), 1U);

    World cut;
    cut.captured = 200;
    cut.req(1), cut.now += 4 * capture::second, cut.req(1, 1, 3, other_qpn);
    EXPECT_EQ(found(cut), Ids{});

    World used_again;  // communication and transaction id
    used_again.connect(1), used_again.dreq(client, 1), used_again.drep(server, 1), used_again.req(1, 1, 3, other_qpn);
    EXPECT_EQ(found(used_again), Ids{});
    EXPECT_EQ(used_again.count(), 2U);
}

TEST(CmRules, MoreRequestsThanMaxCmRetries) {
    const auto ask = [](World& w, int times) {
        for (int i = 0; i < times; ++i) w.req(1, 1, 2), w.now += 5 * capture::second;
        w.rep(1);
    };
    World w;
    ask(w, 4);
    EXPECT_EQ(found(w), Ids{"IPCM-09"});
    World enough;
    ask(enough, 3), --enough.gsi_psn[client], enough.req(1, 1, 2);  // captured twice
    EXPECT_EQ(found(enough), Ids{});
}

TEST(CmRules, RoceV1ComparesGidsThatHoldIpAddresses) {
    const Edit elsewhere = [](wire::Req& req) { ipv4(req).source.octets[3] = 99; };
    World w;
    w.carrier = capture::IbCarrier::roce_v1;
    w.req(1, 1, 3, elsewhere);
    EXPECT_EQ(found(w), Ids{"IPCM-03"});
}

TEST(CmRules, IcrcIsJudgedWhereTheSenderFillsItIn) {
    const auto sent = [](std::initializer_list<bool> right) {
        World w;
        std::uint32_t n = 0;
        for (const bool good : right) {
            w.icrc = good;
            ++n;
            w.req(n, n);
        }
        return found(w);
    };
    EXPECT_EQ(sent({true, false}), Ids{"IPCM-11"});
    EXPECT_EQ(sent({false, true}), Ids{"IPCM-11"});
    EXPECT_EQ(sent({false, false}), Ids{}) << "the adapter fills it in behind the point of capture";
}

TEST(CmRules, SidrRequestsAreJudgedWhereTheyHaveTheAddresses) {
    wire::SidrReq request;
    request.body.request_id = 1;
    request.body.service_id = iser;
    wire::Ipv4Addresses addresses;
    addresses.destination = Ipv4{{192, 0, 2, 20}};
    addresses.source_padding.octets[0] = 1;
    request.ip = wire::IpHeader{{.source_port = 5000}, addresses};
    World w;
    w.send(client, ib::CmAttribute::sidr_req, request);
    EXPECT_EQ(found(w), Ids{"IPCM-CA11-5"});
    request.ip->versions.major_version = 3;
    World others_data;
    others_data.send(client, ib::CmAttribute::sidr_req, request);
    EXPECT_EQ(found(others_data), Ids{});
}

TEST(CmRules, FindingsAreBounded) {
    Options options;
    options.limits.findings = 2;
    World w(options);
    for (std::uint32_t n = 1; n <= 5; ++n) w.req(n, n, 3, padding_size);
    EXPECT_EQ(found(w).size(), 2U);
    EXPECT_EQ(w.tracker.model().dropped_findings, 3U);
}

}  // namespace
}  // namespace fabricscope::engine::rdma_cm
