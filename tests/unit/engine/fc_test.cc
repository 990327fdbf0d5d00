// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <numeric>

#include "analyzer/engine/engine.h"
#include "analyzer/engine/fc/logins.h"
#include "capture/source.h"
#include "protocols/fc/basic_links.h"
#include "tests/unit/engine/fc_link.h"

namespace fabricscope::engine::fibre_channel {
namespace {

using namespace traffic;

/// Frames straight into a tracker, a millisecond after one another.
class World : public Observer {
public:
    explicit World(Options options = {}) : tracker(options, {this}) {}

    void send(const FcFrame& frame) {
        ++number;
        test::take(tracker, frame, number, static_cast<Time>(number) * capture::millisecond);
    }
    void send(const std::vector<FcFrame>& frames) {
        for (const FcFrame& frame : frames) send(frame);
    }
    /// A link service and, if there is any, its answer.
    FcExchange els(FcPort& from, FcPort& to, const Octets& request, const Octets& answer = {}) {
        FcExchange exchange(from, to, wire::type_els);
        send(exchange.send(
            {.r_ctl = wire::r_ctl_els_request,
             .data = request,
             .last = answer.empty(),
             .passes_initiative = !answer.empty()}));
        if (!answer.empty())
            send(exchange.send({.r_ctl = wire::r_ctl_els_reply, .data = answer, .from_responder = true, .last = true}));
        return exchange;
    }
    void log_in(std::uint8_t command = wire::els_plogi) {
        Octets answer = login_payload(b, command);
        answer[0] = wire::els_ls_acc;
        els(a, b, login_payload(a, command), answer);
    }
    const Model& finish() {
        tracker.finish();
        return tracker.model();
    }

    bool wants_data(const capture::Packet&) override { return keep; }
    void on_frame(const FrameFacts& facts) override {
        request_frames.push_back(facts.request_frame);
        opened += facts.opens;
        closed += facts.closes;
        if (facts.sequence.completes) data.assign(facts.sequence.data.begin(), facts.sequence.data.end());
    }
    void on_login(const Login& login, Party said_by) override {
        told.push_back(std::string("login by ") + name_of(said_by) + " " + name_of(login.state));
    }
    void on_logout(const Login&) override { told.push_back("logout"); }
    void on_timeouts(const Login&) override { told.push_back("timeouts"); }
    void on_process_login(const Login&, const ProcessLogin& process) override {
        told.push_back(
            process.logout     ? "PRLO"
            : process.rejected ? "PRLI rejected"
            : process.answer   ? "PRLI accepted"
                               : "PRLI");
    }
    void on_exchange_over(const Exchange& exchange) override { over.push_back(exchange.id); }

    Tracker tracker;
    FcPort a{0x010101, 0x2000'0000'5E00'530A, 0x1000'0000'5E00'530A};
    FcPort b{0x010202, 0x2000'0000'5E00'5314, 0x1000'0000'5E00'5314};
    FcPort fabric{wire::f_port_server};
    FcPort name_server{wire::directory_server};
    FcPort everybody{wire::broadcast};
    std::uint64_t number = 0;
    bool keep = false;
    Octets data;
    int opened = 0, closed = 0;
    std::vector<std::uint32_t> over;
    std::vector<std::string> told;
    std::vector<std::uint64_t> request_frames;
};

Octets counting(std::size_t size) {
    Octets octets(size);
    std::iota(octets.begin(), octets.end(), std::uint8_t{0});
    return octets;
}

// ---- Exchanges ----

TEST(FcExchanges, RequestAndAnswer) {
    World world;
    const Octets out = counting(5000), back = counting(100);
    FcExchange exchange(world.a, world.b, wire::type_fcvi);
    world.send(exchange.send({.r_ctl = 0x06, .data = out, .passes_initiative = true}));
    world.send(exchange.send({.r_ctl = 0x07, .data = back, .from_responder = true, .last = true}));
    const Model& model = world.finish();
    ASSERT_EQ(model.exchanges.size(), 1U);
    const Exchange& seen = model.exchanges[0];
    EXPECT_EQ(seen.id, 1U);
    EXPECT_EQ(seen.originator, world.a.id);
    EXPECT_EQ(seen.responder, world.b.id);
    EXPECT_EQ(seen.ox_id, exchange.ox_id());
    EXPECT_EQ(seen.rx_id, 0x100);
    EXPECT_EQ(kind_text(seen), "FC-VI");
    EXPECT_EQ(seen.service_class, 3);
    EXPECT_EQ(seen.state, ExchangeState::closed);
    EXPECT_TRUE(seen.beginning_seen);
    EXPECT_FALSE(seen.initiative) << "nobody's, once it is over";
    EXPECT_EQ(seen.sent[Party::originator].frames, 3U);
    EXPECT_EQ(seen.sent[Party::originator].octets, out.size());
    EXPECT_EQ(seen.sent[Party::responder].octets, back.size());
    ASSERT_EQ(seen.sequences.size(), 2U);
    EXPECT_TRUE(seen.sequences[0].complete);
    EXPECT_TRUE(seen.sequences[0].passes_initiative);
    EXPECT_FALSE(seen.sequences[0].last);
    EXPECT_TRUE(seen.sequences[1].last);
    EXPECT_EQ(seen.incomplete_sequences, 0U);
    EXPECT_EQ(world.opened, 1);
    EXPECT_EQ(world.closed, 1);
    EXPECT_EQ(world.over, std::vector<std::uint32_t>{1});
}

TEST(FcExchanges, WhoHoldsTheInitiative) {
    World world;
    FcExchange exchange(world.a, world.b, wire::type_fcvi);
    world.send(exchange.send({.r_ctl = 0x02, .data = counting(8), .passes_initiative = true}));
    EXPECT_EQ(world.finish().exchanges[0].initiative, Party::responder);
    World other;
    world.send(FcExchange(other.a, other.b, wire::type_fcvi).send({.r_ctl = 0x02, .data = counting(8)}));
    EXPECT_EQ(world.finish().exchanges.back().initiative, Party::originator);
}

TEST(FcExchanges, EqualOxIdsInOppositeDirectionsAreTwo) {
    World world;
    FcExchange one(world.a, world.b, wire::type_fcp), two(world.b, world.a, wire::type_fcp);
    two.set_ox_id(one.ox_id());
    world.send(one.send({.r_ctl = 0x06, .data = counting(32), .passes_initiative = true}));
    world.send(two.send({.r_ctl = 0x06, .data = counting(32), .passes_initiative = true}));
    world.send(one.send({.r_ctl = 0x07, .data = counting(24), .from_responder = true, .last = true}));
    world.send(two.send({.r_ctl = 0x07, .data = counting(24), .from_responder = true, .last = true}));
    const Model& model = world.finish();
    ASSERT_EQ(model.exchanges.size(), 2U);
    for (const Exchange& exchange : model.exchanges) EXPECT_EQ(exchange.state, ExchangeState::closed);
}

TEST(FcExchanges, AnOxIdIsUsedAgain) {
    World world;
    FcExchange first(world.a, world.b, wire::type_fcp), second(world.a, world.b, wire::type_fcp);
    second.set_ox_id(first.ox_id());
    for (FcExchange* exchange : {&first, &second}) {
        world.send(exchange->send({.r_ctl = 0x06, .data = counting(32), .passes_initiative = true}));
        world.send(exchange->send({.r_ctl = 0x07, .data = counting(24), .from_responder = true, .last = true}));
    }
    const Model& model = world.finish();
    ASSERT_EQ(model.exchanges.size(), 2U);
    EXPECT_EQ(model.exchanges[1].first_frame, 3U);
    EXPECT_EQ(model.exchanges[1].sent[Party::originator].repeated, 0U);
}

TEST(FcExchanges, MissingAndRepeatedFrames) {
    World world;
    FcExchange exchange(world.a, world.b, wire::type_fcvi);
    const Octets data = counting(4 * 512);
    const auto frames = exchange.send({.r_ctl = 0x01, .data = data, .last = true, .frame_size = 512});
    world.send(frames[0]);
    world.send(frames[0]);
    world.send(frames[2]);
    world.send(frames[3]);
    const Exchange& seen = world.finish().exchanges.at(0);
    EXPECT_EQ(seen.state, ExchangeState::closed);
    EXPECT_EQ(seen.incomplete_sequences, 1U);
    EXPECT_EQ(seen.sequences.at(0).missing, 1U);
    EXPECT_EQ(seen.sequences.at(0).repeated, 1U);
    EXPECT_EQ(seen.sent[Party::originator].frames, 3U);
    EXPECT_EQ(seen.sent[Party::originator].repeated, 1U);
}

TEST(FcExchanges, Midstream) {
    World world;
    FcExchange exchange(world.a, world.b, wire::type_fcp);
    (void)exchange.send({.r_ctl = 0x06, .data = counting(32), .passes_initiative = true});  // not captured
    world.send(exchange.send({.r_ctl = 0x07, .data = counting(24), .from_responder = true, .last = true}));
    const Exchange& seen = world.finish().exchanges.at(0);
    EXPECT_FALSE(seen.beginning_seen);
    EXPECT_EQ(seen.originator, world.a.id);
    EXPECT_EQ(seen.state, ExchangeState::closed);
}

TEST(FcExchanges, Class2) {
    World world;
    FcExchange exchange(world.a, world.b, wire::type_fcvi, 2);
    const Octets data = counting(1024);
    const auto frames = exchange.send({.r_ctl = 0x01, .data = data, .last = true, .frame_size = 512});
    for (const FcFrame& frame : frames) {
        world.send(frame);
        world.send(traffic::ack_1(frame));
    }
    const Exchange& seen = world.finish().exchanges.at(0);
    EXPECT_EQ(seen.service_class, 2);
    EXPECT_EQ(seen.sent[Party::responder].acks, 2U);
    EXPECT_EQ(seen.sent[Party::responder].frames, 0U);
    EXPECT_EQ(seen.sent[Party::originator].frames, 2U);
}

TEST(FcExchanges, RejectedAndBusyOnTheLink) {
    World world;
    FcExchange exchange(world.a, world.b, wire::type_fcvi, 2);
    const FcFrame frame = exchange.send({.r_ctl = 0x01, .data = counting(4)})[0];
    world.send(frame);
    world.send(traffic::fc_link_control(frame, wire::r_ctl_p_bsy, 0x01030000));
    world.send(traffic::fc_link_control(frame, wire::r_ctl_f_rjt, 0x02010000));
    const Exchange& seen = world.finish().exchanges.at(0);
    EXPECT_EQ(seen.busies, 1U);
    ASSERT_TRUE(seen.link_reject);
    EXPECT_STREQ(layout::name_of(wire::reject_reason_names, seen.link_reject->reason), "invalid D_ID");
    EXPECT_FALSE(seen.link_reject_by) << "the fabric's";
    EXPECT_EQ(seen.link_reject->step.frame, 3U);
}

TEST(FcExchanges, Abts) {
    World world;
    FcExchange accepted(world.a, world.b, wire::type_fcvi), refused(world.a, world.b, wire::type_fcvi),
        alone(world.a, world.b, wire::type_fcvi), sequence(world.a, world.b, wire::type_fcvi);
    for (FcExchange* exchange : {&accepted, &refused, &alone, &sequence})
        world.send(exchange->send({.r_ctl = 0x06, .data = counting(8), .passes_initiative = true}));
    world.send(accepted.abts(false));
    world.send(accepted.ba_acc(true));
    world.send(refused.abts(false));
    world.send(refused.ba_rjt(true, 0x03, 0x03));
    world.send(alone.abts(true));
    world.send(sequence.abts(false, true));
    world.send(sequence.ba_acc(true));
    const auto& seen = world.finish().exchanges;
    EXPECT_EQ(seen.at(0).state, ExchangeState::aborted);
    EXPECT_EQ(seen[0].abort->by, Party::originator);
    EXPECT_EQ(seen[0].abort->accepted->frame, 6U);
    EXPECT_EQ(seen[1].state, ExchangeState::open);
    EXPECT_STREQ(
        layout::name_of(wire::ba_rjt_explanation_names, seen[1].abort->refused->explanation),
        "invalid OX_ID-RX_ID combination");
    EXPECT_EQ(seen[2].state, ExchangeState::aborted) << "not answered";
    EXPECT_EQ(seen[2].abort->by, Party::responder);
    EXPECT_TRUE(seen[3].abort->sequence_only);
    EXPECT_EQ(seen[3].state, ExchangeState::open) << "one Sequence only";
}

TEST(FcExchanges, DataForThoseWhoWantIt) {
    World world;
    world.keep = true;
    const Octets data = counting(3000), device_header = counting(16);
    FcExchange exchange(world.a, world.b, wire::type_fcvi);
    world.send(exchange.send({.r_ctl = 0x01, .data = data, .device_header = device_header, .frame_size = 512}));
    EXPECT_EQ(world.data, data);
}

TEST(FcExchanges, DamagedFramesAreCountedAndNotFollowed) {
    World world;
    FcExchange exchange(world.a, world.b, wire::type_fcvi);
    FcFrame frame = exchange.send({.r_ctl = 0x01, .data = counting(8)})[0];
    frame.eof = wire::Eof::ni;
    world.send(frame);
    Octets octets = as_fc2_with_delimiters(exchange.send({.r_ctl = 0x01, .data = counting(8)})[0]);
    octets[30] ^= 1;
    capture::Frame captured;
    captured.wire_length = static_cast<std::uint32_t>(octets.size());
    captured.data = octets;
    captured.link = capture::LinkType::fc2_with_delimiters;
    world.tracker.on_packet(decode(captured));
    const Model& model = world.finish();
    EXPECT_EQ(model.damaged_frames, 2U);
    EXPECT_TRUE(model.exchanges.empty());
}

TEST(FcExchanges, OnlyThoseThatDeserveAttentionAreListedIfAskedTo) {
    World world({.only_notable = true});
    FcExchange quiet(world.a, world.b, wire::type_fcvi), troubled(world.a, world.b, wire::type_fcvi);
    world.send(quiet.send({.r_ctl = 0x01, .data = counting(8), .last = true}));
    const Octets data = counting(2 * 512);
    world.send(troubled.send({.r_ctl = 0x01, .data = data, .last = true, .frame_size = 512})[1]);
    const Model& model = world.finish();
    ASSERT_EQ(model.exchanges.size(), 1U);
    EXPECT_EQ(model.exchanges[0].id, 2U);
    EXPECT_EQ(model.exchanges[0].incomplete_sequences, 1U);
    EXPECT_EQ(model.unlisted_exchanges, 0U);
    EXPECT_EQ(world.over.size(), 2U);
}

TEST(FcExchanges, LimitsHold) {
    World world({.limits = {.followed = 4, .exchanges = 8, .sequences = 2}});
    for (int i = 0; i < 20; ++i) {
        FcExchange exchange(world.a, world.b, wire::type_fcvi);
        for (int j = 0; j < 3; ++j) world.send(exchange.send({.r_ctl = 0x01, .data = counting(8)}));
    }
    const Model& model = world.finish();
    EXPECT_EQ(model.exchanges.size(), 8U);
    EXPECT_EQ(model.unlisted_exchanges, 12U);
    EXPECT_EQ(model.exchanges[0].sequences.size(), 2U);
    EXPECT_EQ(model.exchanges[0].sequence_count, 3U);
    EXPECT_EQ(world.over.size(), 20U);
}

// ---- logins ----

/// FLOGI from no address; the answer goes to the new one.
void log_in_to_fabric(World& world, const FcPort& port) {
    FcPort newcomer = port;
    newcomer.id = wire::unidentified;
    FcExchange flogi(newcomer, world.fabric, wire::type_els);
    world.send(flogi.send(
        {.r_ctl = wire::r_ctl_els_request, .data = login_payload(port, wire::els_flogi), .passes_initiative = true}));
    flogi.set_originator(port);
    const Octets accept = flogi_accept_payload(world.fabric, 10'000, 2'000);
    world.send(flogi.send({.r_ctl = wire::r_ctl_els_reply, .data = accept, .from_responder = true, .last = true}));
}

TEST(FcLogins, TwoPortsOfOneFabric) {
    World world;
    log_in_to_fabric(world, world.a);
    log_in_to_fabric(world, world.b);
    const Model& model = world.finish();
    ASSERT_EQ(model.logins.size(), 2U);
    for (const Login& login : model.logins) EXPECT_EQ(login.state, LoginState::accepted) << login.id;
    EXPECT_EQ(model.logins[1].replaces, 0U);
}

class ClearedLinks : public testing::Test {
protected:
    void clear(const std::vector<std::uint32_t>& ports, capture::DecodeState state = capture::DecodeState::ok) {
        const Octets fip = clear_virtual_links(ports);
        capture::Packet packet = next(capture::FipControl::clear_virtual_links, the_switch, station);
        packet.state = state;
        packet.segment = fip;
        world.tracker.on_packet(packet);
    }
    void keep_alive(const Mac& from) {
        world.tracker.on_packet(next(capture::FipControl::keep_alive, from, the_switch));
    }

    static constexpr Mac the_switch{{2, 0, 0, 0, 0, 1}}, station{{2, 0, 0, 0, 0, 2}}, another{{2, 0, 0, 0, 0, 3}};

    World world;

private:
    capture::Packet next(capture::FipControl control, const Mac& from, const Mac& to) {
        capture::Packet packet;
        packet.number = ++world.number;
        packet.time = static_cast<Time>(world.number) * capture::millisecond;
        packet.fip_control = control;
        packet.source_mac = from;
        packet.destination_mac = to;
        return packet;
    }
};

TEST_F(ClearedLinks, EndTheLoginWithTheFabric) {
    log_in_to_fabric(world, world.a);
    log_in_to_fabric(world, world.b);
    clear({world.a.id, 0x010303});
    clear({world.a.id});
    const Model& model = world.finish();
    ASSERT_EQ(model.cleared_links.size(), 2U);
    EXPECT_EQ(model.cleared_links[0].port, (Port{0, world.a.id}));
    EXPECT_EQ(model.cleared_links[0].first.frame, 5U);
    EXPECT_EQ(model.cleared_links[0].frames, 2U);
    EXPECT_EQ(model.cleared_links[0].login, 1U);
    EXPECT_EQ(model.cleared_links[1].port, (Port{0, 0x010303}));
    EXPECT_EQ(model.cleared_links[1].login, 0U) << "of which nothing was captured";
    EXPECT_EQ(model.logins[0].state, LoginState::logged_out);
    EXPECT_EQ(model.logins[0].logout_by, Party::responder);
    EXPECT_EQ(model.logins[1].state, LoginState::accepted);
    EXPECT_EQ(std::ranges::count(world.told, "logout"), 1);
}

TEST_F(ClearedLinks, OfALaterLoginAreToldAnew) {
    for (int i = 0; i < 2; ++i) {
        log_in_to_fabric(world, world.a);
        clear({world.a.id});
    }
    const Model& model = world.finish();
    ASSERT_EQ(model.cleared_links.size(), 2U);
    EXPECT_EQ(model.cleared_links[1].login, 2U);
}

TEST_F(ClearedLinks, OfAWholeStationNameNoPort) {
    clear({}, capture::DecodeState::truncated);
    EXPECT_TRUE(world.tracker.model().cleared_links.empty()) << "the names may have been cut off";
    clear({});
    ASSERT_EQ(world.tracker.model().cleared_links.size(), 1U);
    EXPECT_EQ(world.tracker.model().cleared_links[0].port, std::nullopt);
}

TEST_F(ClearedLinks, SayWhenTheStationWasLastAlive) {
    clear({0x010301});
    for (const Mac& from : {station, station, another}) keep_alive(from);
    clear({0x010302});
    const std::vector<ClearedLink>& links = world.tracker.model().cleared_links;
    EXPECT_EQ(links.at(0).last_keep_alive, std::nullopt);
    EXPECT_EQ(links.at(1).last_keep_alive, 3 * capture::millisecond);
}

TEST_F(ClearedLinks, AreKeptUpToALimit) {
    for (std::uint32_t i = 0; i < 2 * Logins::most_cleared; ++i) clear({0x020000 + i});
    EXPECT_EQ(world.tracker.model().cleared_links.size(), Logins::most_cleared);
}

TEST(FcLogins, FabricPortAndProcess) {
    World world;
    log_in_to_fabric(world, world.a);
    world.log_in();
    world.els(world.a, world.b, prli_payload(wire::type_fcp, 0x32), prli_accept_payload(wire::type_fcp, 0x12));
    EXPECT_EQ(world.tracker.logins().r_a_tov({0, world.a.id}, {0, world.b.id}), 10 * capture::second);
    const Login* between = world.tracker.logins().between({0, world.b.id}, {0, world.a.id});
    ASSERT_NE(between, nullptr);
    EXPECT_EQ(between->state, LoginState::accepted);

    const Model& model = world.finish();
    ASSERT_EQ(model.exchanges.size(), 3U);
    EXPECT_EQ(model.exchanges[0].assigned_id, world.a.id);
    EXPECT_EQ(kind_text(model.exchanges[0]), "FLOGI");
    EXPECT_EQ(model.exchanges[0].accepted, true);
    EXPECT_EQ(world.request_frames[1], 1U) << "the answer knows its request";
    ASSERT_EQ(model.logins.size(), 2U);
    const Login& fabric = model.logins[0];
    EXPECT_EQ(fabric.kind, LoginKind::fabric);
    EXPECT_EQ(fabric.state, LoginState::accepted);
    EXPECT_EQ(fabric.originator, world.a.id);
    EXPECT_TRUE(fabric.parameters[Party::responder]->f_port);
    EXPECT_EQ(fabric.parameters[Party::responder]->e_d_tov, 2 * capture::second);
    const Login& port = model.logins[1];
    EXPECT_EQ(port.parameters[Party::originator]->port_name, world.a.port_name);
    EXPECT_EQ(port.parameters[Party::responder]->port_name, world.b.port_name);
    EXPECT_TRUE(port.parameters[Party::responder]->continuously_increasing_seq_cnt);
    EXPECT_TRUE(port.parameters[Party::originator]->classes[2].preference);
    ASSERT_EQ(port.processes.size(), 1U);
    EXPECT_TRUE(port.processes[0].image_pair);
    EXPECT_EQ(port.processes[0].asked, 0x32U);
    EXPECT_EQ(port.processes[0].answered, 0x12U);
    EXPECT_EQ(port.processes[0].asked_by, Party::originator);
}

TEST(FcLogins, RejectedAndTriedAgain) {
    World world;
    const Octets request = login_payload(world.a, wire::els_plogi);
    world.els(world.a, world.b, request, ls_rjt_payload(0x05, 0x29));
    world.log_in();
    const Model& model = world.finish();
    ASSERT_EQ(model.logins.size(), 2U);
    EXPECT_EQ(model.logins[0].state, LoginState::rejected);
    EXPECT_EQ(model.logins[0].rejected->explanation, 0x29);
    EXPECT_EQ(model.logins[1].state, LoginState::accepted);
    EXPECT_EQ(model.exchanges[0].accepted, false);
    EXPECT_EQ(model.exchanges[0].rejected->reason, 0x05);
}

TEST(FcLogins, AskedForAgainBeforeTheAnswer) {
    World world;
    FcExchange lost(world.a, world.b, wire::type_els);
    world.send(lost.send(
        {.r_ctl = wire::r_ctl_els_request,
         .data = login_payload(world.a, wire::els_plogi),
         .passes_initiative = true}));
    world.log_in();
    const Model& model = world.finish();
    ASSERT_EQ(model.logins.size(), 1U);
    EXPECT_EQ(model.logins[0].requests, 2U);
    EXPECT_EQ(model.logins[0].request->frame, 1U);
}

TEST(FcLogins, LogoutAndReplacement) {
    World world;
    world.log_in();
    Octets logo(16);
    logo[0] = wire::els_logo;
    const Octets accept{wire::els_ls_acc, 0, 0, 0};
    world.els(world.b, world.a, logo, accept);
    world.log_in();
    world.log_in();
    const Model& model = world.finish();
    ASSERT_EQ(model.logins.size(), 3U);
    EXPECT_EQ(model.logins[0].state, LoginState::logged_out);
    EXPECT_EQ(model.logins[0].logout_by, Party::responder);
    EXPECT_EQ(model.logins[0].logout->frame, 3U);
    EXPECT_EQ(model.logins[1].state, LoginState::logged_out);
    EXPECT_FALSE(model.logins[1].logout_by) << "replaced";
    EXPECT_EQ(model.logins[2].replaces, 2U);
    EXPECT_EQ(model.logins[2].state, LoginState::accepted);
}

/// PLOGI, or PRLI, without its answer.
FcExchange ask(World& world, FcPort& from, FcPort& to, const Octets& request) {
    FcExchange exchange(from, to, wire::type_els);
    world.send(exchange.send({.r_ctl = wire::r_ctl_els_request, .data = request, .passes_initiative = true}));
    return exchange;
}
void answer(World& world, FcExchange& exchange, const Octets& answer) {
    world.send(exchange.send({.r_ctl = wire::r_ctl_els_reply, .data = answer, .from_responder = true, .last = true}));
}

TEST(FcLogins, RequestsOfBothSidesCross) {
    World world;
    FcExchange by_a = ask(world, world.a, world.b, login_payload(world.a, wire::els_plogi));
    FcExchange by_b = ask(world, world.b, world.a, login_payload(world.b, wire::els_plogi));
    Octets accept = login_payload(world.b, wire::els_plogi);
    accept[0] = wire::els_ls_acc;
    answer(world, by_a, accept);
    answer(world, by_b, ls_rjt_payload(0x09, 0x00));
    FcExchange process_a = ask(world, world.a, world.b, prli_payload(0x08, 0x32));
    FcExchange process_b = ask(world, world.b, world.a, prli_payload(0x08, 0x32));
    answer(world, process_a, prli_accept_payload(0x08, 0x32));
    answer(world, process_b, prli_accept_payload(0x08, 0x32));
    const Model& model = world.finish();
    ASSERT_EQ(model.logins.size(), 2U);
    EXPECT_EQ(model.logins[0].state, LoginState::accepted);
    EXPECT_EQ(model.logins[1].state, LoginState::rejected);
    EXPECT_EQ(world.tracker.logins().between({0, world.a.id}, {0, world.b.id}), &model.logins[0]);
    ASSERT_EQ(model.logins[0].processes.size(), 2U);
    for (const ProcessLogin& process : model.logins[0].processes) EXPECT_TRUE(process.image_pair);
}

TEST(FcLogins, PortsWithoutAddressesAskForThemAtTheSameTime) {
    World world;
    FcPort newcomer_a = world.a, newcomer_b = world.b;
    newcomer_a.id = newcomer_b.id = wire::unidentified;
    newcomer_b.next_x_id = 0x300;
    FcExchange by_a = ask(world, newcomer_a, world.fabric, login_payload(world.a, wire::els_flogi));
    FcExchange by_b = ask(world, newcomer_b, world.fabric, login_payload(world.b, wire::els_flogi));
    by_a.set_originator(world.a);
    by_b.set_originator(world.b);
    answer(world, by_a, flogi_accept_payload(world.fabric, 10'000, 2'000));
    answer(world, by_b, flogi_accept_payload(world.fabric, 10'000, 2'000));
    const Model& model = world.finish();
    ASSERT_EQ(model.logins.size(), 2U);
    EXPECT_EQ(model.logins[0].originator, world.a.id);
    EXPECT_EQ(model.logins[1].originator, world.b.id);
    for (const Login& login : model.logins) EXPECT_EQ(login.state, LoginState::accepted) << login.id;
}

/// The answer to the one and the request of the other are missing; both have the same OX_ID.
TEST(FcLogins, AnAnswerIsAnothersIfThePortHasAnotherName) {
    for (const bool says_name_when_asked : {false, true}) {
        World world;
        FcPort newcomer = world.a;
        newcomer.id = wire::unidentified;
        FcExchange flogi = ask(world, newcomer, world.fabric, login_payload(world.a, wire::els_flogi));
        flogi.set_originator(world.b);
        answer(world, flogi, flogi_accept_payload(world.fabric, 10'000, 2'000));
        EXPECT_EQ(world.tracker.model().logins[0].originator, world.b.id) << "nothing tells so far";
        FcPort& asker = says_name_when_asked ? world.a : world.b;
        FcPort& asked = says_name_when_asked ? world.b : world.a;
        FcExchange plogi = ask(world, asker, asked, login_payload(asker, wire::els_plogi));
        Octets accept = login_payload(asked, wire::els_plogi);
        accept[0] = wire::els_ls_acc;
        answer(world, plogi, accept);

        const Model& model = world.finish();
        const Login& login = model.logins[0];
        EXPECT_EQ(login.state, LoginState::requested);
        EXPECT_EQ(login.originator, wire::unidentified);
        EXPECT_FALSE(login.answer || login.parameters[Party::responder]);
        ASSERT_EQ(model.exchanges.size(), 3U);
        const Exchange &request = model.exchanges[0], &other = model.exchanges[2];
        EXPECT_FALSE(request.assigned_id || request.rx_id || request.accepted);
        EXPECT_EQ(request.state, ExchangeState::open);
        EXPECT_EQ(request.sequences.size(), 1U);
        EXPECT_EQ(request.sent[Party::responder].frames, 0U);
        EXPECT_EQ(request.last_frame, 1U);
        EXPECT_EQ(other.id, 3U);
        EXPECT_EQ(other.originator, world.b.id);
        EXPECT_FALSE(other.beginning_seen);
        EXPECT_EQ(other.first_frame, 2U);
        EXPECT_EQ(other.sequences.size(), 1U);
        EXPECT_TRUE(other.rx_id.has_value());
    }
}

/// No other port asked under its address, so the answer was its own, whatever its name is now.
TEST(FcLogins, AnAnswerToAnAddressIsNobodyElses) {
    World world;
    FcExchange flogi = ask(world, world.a, world.fabric, login_payload(world.a, wire::els_flogi));
    answer(world, flogi, flogi_accept_payload(world.fabric, 10'000, 2'000));
    FcPort renamed = world.a;
    renamed.port_name = 0x2000'0000'0000'0099;
    ask(world, world.a, world.b, login_payload(renamed, wire::els_plogi));
    const Model& model = world.finish();
    ASSERT_EQ(model.logins.size(), 2U);
    EXPECT_EQ(model.logins[0].state, LoginState::accepted);
    EXPECT_EQ(model.logins[0].originator, world.a.id);
}

/// The port has asked under its old address as well; that is refused when nothing is known of its login any more.
TEST(FcLogins, ARefusalAfterALoginWasFoundToBeAnothers) {
    World world;
    FcPort newcomer = world.b;
    newcomer.id = wire::unidentified;
    newcomer.next_x_id = 0x300;
    FcExchange again = ask(world, world.a, world.fabric, login_payload(world.a, wire::els_flogi));
    FcExchange flogi = ask(world, newcomer, world.fabric, login_payload(world.b, wire::els_flogi));
    flogi.set_originator(world.a);
    answer(world, flogi, flogi_accept_payload(world.fabric, 10'000, 2'000));
    ask(world, world.a, world.b, login_payload(world.a, wire::els_plogi));
    answer(world, again, ls_rjt_payload(0x03, 0));
    ask(world, world.a, world.b, login_payload(world.a, wire::els_plogi));
    const Model& model = world.finish();
    ASSERT_EQ(model.logins.size(), 3U);
    EXPECT_EQ(model.logins[0].state, LoginState::rejected);
    EXPECT_EQ(model.logins[1].state, LoginState::requested);
}

TEST(FcLogins, TheObserverIsToldEachStep) {
    World world;
    world.log_in();
    world.els(world.a, world.b, prli_payload(wire::type_fcp, 0x32), prli_accept_payload(wire::type_fcp, 0x12));
    world.els(world.b, world.a, prli_payload(wire::type_fcp, 0x32), ls_rjt_payload(0x03, 0));
    const Octets request{wire::els_rtv, 0, 0, 0};
    const Octets rtv{wire::els_ls_acc, 0, 0, 0, 0, 0, 0x27, 0x10, 0, 0, 0x07, 0xD0, 0, 0, 0, 0};
    world.els(world.a, world.b, request, rtv);
    Octets prlo = prli_payload(wire::type_fcp, 0), logo(16);
    prlo[0] = wire::els_prlo, logo[0] = wire::els_logo;
    world.els(world.a, world.b, prlo, prli_accept_payload(wire::type_fcp, 0));
    world.els(world.b, world.a, logo);
    const std::vector<std::string> expected{
        "login by originator requested",
        "login by responder accepted",
        "PRLI",
        "PRLI accepted",
        "PRLI",
        "PRLI rejected",
        "timeouts",
        "PRLO",
        "logout"};
    EXPECT_EQ(world.told, expected);
}

TEST(FcLogins, ALoginThatIsRejectedLeavesTheOldOneInForce) {
    World world;
    world.log_in();
    world.els(world.a, world.b, login_payload(world.a, wire::els_plogi), ls_rjt_payload(0x05, 0));
    EXPECT_EQ(world.tracker.logins().between({0, world.a.id}, {0, world.b.id})->id, 1U);
    const Model& model = world.finish();
    ASSERT_EQ(model.logins.size(), 2U);
    EXPECT_EQ(model.logins[0].state, LoginState::accepted);
    EXPECT_EQ(model.logins[1].state, LoginState::rejected);
}

TEST(FcLogins, ProcessLoginWithoutAPortLogin) {
    World world;
    world.els(world.a, world.b, prli_payload(wire::type_fcp, 0x32), prli_accept_payload(wire::type_fcp, 0, 5));
    const Octets request{wire::els_rtv, 0, 0, 0};
    const Octets rtv{wire::els_ls_acc, 0, 0, 0, 0, 0, 0x27, 0x10, 0, 0, 0x07, 0xD0, 0, 0, 0, 0};
    world.els(world.a, world.b, request, rtv);
    EXPECT_EQ(world.tracker.logins().r_a_tov({0, world.a.id}, {0, world.b.id}), 10 * capture::second);
    const Model& model = world.finish();
    ASSERT_EQ(model.logins.size(), 1U);
    EXPECT_EQ(model.logins[0].state, LoginState::midstream);
    EXPECT_FALSE(model.logins[0].processes.at(0).image_pair);
    EXPECT_EQ(model.logins[0].processes[0].response, 5);
    EXPECT_EQ(model.logins[0].e_d_tov, 2 * capture::second);
}

TEST(FcLogins, Prlo) {
    World world;
    world.log_in();
    world.els(world.a, world.b, prli_payload(wire::type_fcp, 0x32), prli_accept_payload(wire::type_fcp, 0x12));
    Octets request = prli_payload(wire::type_fcp, 0), accept = prli_accept_payload(wire::type_fcp, 0);
    request[0] = wire::els_prlo;
    world.els(world.a, world.b, request, accept);
    EXPECT_EQ(world.finish().logins.at(0).processes.at(0).logout->frame, 6U);
}

// ---- addresses ----

const Gid wanted = fc_ip({{192, 0, 2, 20}});

TEST(FcAddresses, Farp) {
    World world;
    world.els(
        world.a, world.everybody,
        farp_payload(wire::els_farp_request, world.a, traffic::fc_ip({{192, 0, 2, 10}}), world.b, wanted));
    world.els(
        world.a, world.everybody,
        farp_payload(wire::els_farp_request, world.a, traffic::fc_ip({{192, 0, 2, 10}}), world.b, wanted));
    world.els(
        world.b, world.a,
        farp_payload(wire::els_farp_reply, world.a, traffic::fc_ip({{192, 0, 2, 10}}), world.b, wanted));
    const Model& model = world.finish();
    ASSERT_EQ(model.resolutions.size(), 1U);
    const Resolution& found = model.resolutions[0];
    EXPECT_EQ(found.kind, ResolutionKind::farp);
    EXPECT_EQ(capture::to_string(found.ip), "192.0.2.20");
    EXPECT_EQ(found.asked_by, world.a.id);
    EXPECT_EQ(found.requests, 2U);
    EXPECT_EQ(found.ports, std::vector<std::uint32_t>{world.b.id});
    EXPECT_EQ(found.answer->frame, 3U);
}

TEST(FcAddresses, NameServer) {
    World world;
    const auto ask = [&](const Octets& answer) {
        FcExchange exchange(world.a, world.name_server, wire::type_ct);
        const Octets request = gid_ipp_payload(wanted);
        world.send(exchange.send({.r_ctl = 0x02, .data = request, .passes_initiative = true}));
        world.send(exchange.send({.r_ctl = 0x03, .data = answer, .from_responder = true, .last = true}));
    };
    ask(gid_ipp_answer_payload({}));
    ask(gid_ipp_answer_payload({world.b.id, 0x010303}));
    const Model& model = world.finish();
    EXPECT_EQ(kind_text(model.exchanges.at(0)), "GID_IPP");
    EXPECT_EQ(model.exchanges[0].accepted, false);
    EXPECT_EQ(model.exchanges[0].rejected->explanation, 0x0B);
    EXPECT_EQ(model.exchanges[1].accepted, true);
    EXPECT_FALSE(model.exchanges[1].rejected);
    ASSERT_EQ(model.resolutions.size(), 2U);
    EXPECT_EQ(model.resolutions[0].rejected->explanation, 0x0B);
    EXPECT_TRUE(model.resolutions[0].ports.empty());
    EXPECT_EQ(model.resolutions[1].ports, (std::vector<std::uint32_t>{world.b.id, 0x010303}));
}

// ---- the real capture ----

TEST(FcReal, OrdinaryFcpOverFcoe) {
    capture::OpenResult opened = capture::open(FABRICSCOPE_SAMPLES "/fcoe_vn2vn.pcap");
    ASSERT_TRUE(opened);
    engine::Engine engine({.fc = true});
    for (capture::Frame frame; opened.source->next(frame);) engine.on_frame(frame);
    engine.finish();
    EXPECT_TRUE(engine.findings().empty());
    const Model& model = engine.fc();
    EXPECT_EQ(model.frames, 584U);
    EXPECT_EQ(model.damaged_frames, 0U);
    std::size_t fcp = 0, octets = 0;
    for (const Exchange& exchange : model.exchanges) {
        EXPECT_TRUE(exchange.beginning_seen) << exchange.id;
        EXPECT_EQ(exchange.incomplete_sequences, 0U) << exchange.id;
        EXPECT_FALSE(exchange.abort) << exchange.id;
        if (exchange.type != wire::type_fcp) continue;
        ++fcp;
        EXPECT_EQ(exchange.state, ExchangeState::closed) << exchange.id;
        for (const Sent& sent : exchange.sent.values) octets += sent.octets;
    }
    EXPECT_EQ(fcp, 99U) << "FCP_CMND IUs";
    EXPECT_GE(octets, 2 * 262'144U) << "what was written and read back";
}

}  // namespace
}  // namespace fabricscope::engine::fibre_channel
