// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/setup_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocols/fc/frame_header.h"

namespace fabricscope::engine::fcvi {
namespace {

using wire::Reason;
using wire::Version;

/// What a setup's RESP1 said; nothing if it accepted.
std::optional<Reason> answer_of(const Setup& setup, Version version) {
    if (!setup.status || setup.status->iu != wire::IuType::connect_resp1) return std::nullopt;
    return wire::reason_of(version, setup.status->reason);
}

/// Its own request has timed out, and waits no longer (VI-DG 6.7), or never was for the same peer.
bool says_nobody_waits(std::optional<Reason> answer) {
    return answer == Reason::no_discriminator_match || answer == Reason::no_waiting_connectionpoint ||
           answer == Reason::connect_timeout;
}

std::string answer_text(const Setup& setup, Version version) {
    return answer_of(setup, version) ? wire::reason_name(version, setup.status->reason) : "Connect Accept";
}

/// The latest setup that a side has asked for, if there is one.
const Setup* latest_of(const Connection& connection, Side side) {
    const auto latest = std::ranges::find_if(
        connection.setups.rbegin(), connection.setups.rend(), [&](const Setup& s) { return s.from == side && s.rqst; });
    return latest == connection.setups.rend() ? nullptr : &*latest;
}

/// The endpoint that has asked for it may go on waiting for the peer's own request.
bool may_wait(const Setup& setup, Version version) { return says_nobody_waits(answer_of(setup, version)); }

/// RESP2 goes to a handle that only RESP1 can have told its sender.
bool is_told_by_resp1(const Setup& setup) {
    return setup.response_handle && *setup.response_handle != wire::unassigned_handle &&
           setup.resp2_handle == setup.response_handle;
}

}  // namespace

// ---- what all setup IUs keep ---------------------------------------------------------------------

void SetupRules::judge_fields(const Arrival& a) {
    judge_(rules::msg_id_sequence, a.header.msg_id() == 0, a, [&] {
        return fmt::format("{} has MSG_ID {}; setups have 0", a.iu.name, a.header.msg_id());
    });
}

void SetupRules::judge_handle(const Arrival& a, std::optional<std::uint32_t> wanted) {
    // Revision 1.0 says it of the request (6.7), but not which handle its responses have.
    if (!a.iso() && a.iu.type != wire::IuType::connect_rqst) return;
    if (!wanted) return judge_.undecided(rules::right_handle, UndecidedReason::handle_unknown);
    judge_(rules::right_handle, a.header.handle() == *wanted, a, [&] {
        return fmt::format("{} goes to handle {:08X}h instead of {:08X}h", a.iu.name, a.header.handle(), *wanted);
    });
}

void SetupRules::judge_echo(const Arrival& a, const Setup& setup) {
    const std::uint64_t request = setup.rqst ? setup.rqst->frame : 0;
    if (!a.iso() || request == 0) return;
    if (!a.header.connection_id() || !setup.connection_id) judge_.undecided(rules::connection_id, UndecidedReason::cut);
    else
        judge_(
            rules::connection_id, a.header.connection_id() == setup.connection_id, a,
            [&] {
                return fmt::format(
                    "{} has FCVI_CONNECTION_ID {:08X}h, the request {:08X}h", a.iu.name,
                    a.header.connection_id().value_or(0), setup.connection_id.value_or(0));
            },
            {request});
    judge_(
        rules::retry, a.header.retry() == setup.retry, a,
        [&] { return fmt::format("{} has RETRY {:d}, the request {:d}", a.iu.name, a.header.retry(), setup.retry); },
        {request});
}

// ---- the request ---------------------------------------------------------------------------------

void SetupRules::on_request(
    const Arrival& a, const Connection& connection, const wire::ConnectPayload& payload, bool fresh) {
    const Side side = a.exchange.originator;
    const std::optional<PortLogin> login = logins_.login(source_of(a.seen), destination_of(a.seen));
    ConnectionState& state = connections_.state(connection.id);
    if (login) state.order_known = true;
    if (login && !login->sequential_delivery) state.reordered = true;
    if (const auto handle = payload.captured_handle(); handle && connection.end[side].handle != handle) {
        const Setup* former = latest_of(connection, side);
        if (former != nullptr && may_wait(*former, connection.version)) state.sender[side].others_wait = true;
    }
    judge_fields(a);
    judge_handle(a, wire::unassigned_handle);
    if (!a.iso()) return;
    judge_connection_id(a);
    judge_retry(a, connection, side);
    if (const auto handle = payload.captured_handle(); fresh && handle)
        judge_handle_reuse(a, side, *handle, connection);
    judge_login(a, destination_of(a.seen), source_of(a.seen), "asks to be connected with");
}

void SetupRules::judge_connection_id(const Arrival& a) {
    const auto id = a.header.connection_id();
    if (!id) return;
    if (*id == wire::unassigned_connection_id)
        return judge_(
            rules::connection_id, false, a, [] { return "a Connect Request with FCVI_CONNECTION_ID FFFFFFFFh"; });
    const Connections::SetupPlace* place = connections_.find_setup(source_of(a.seen), *id);
    if (place == nullptr) return judge_.satisfied(rules::connection_id);
    const Setup& former = connections_.at(place->connection).setups[place->setup];
    const bool complete = former.resp3.has_value();
    const bool logged_out = connections_.state(place->connection).sender[former.from].logout.has_value();
    const bool disconnected = std::ranges::any_of(
        connections_.at(place->connection).disconnects, [](const Disconnect& d) { return d.resp.has_value(); });
    if (!complete && disconnected) {  // 8.5.3: and R_A_TOV has elapsed since its last use
        const std::optional<Time> r_a_tov = logins_.r_a_tov(a.seen);
        if (!r_a_tov) return judge_.undecided(rules::connection_id, UndecidedReason::r_a_tov_unknown);
        if (a.seen.time - former.rqst->time >= *r_a_tov) return judge_.satisfied(rules::connection_id);
    }
    judge_(
        rules::connection_id, complete || logged_out, a,
        [&] {
            return fmt::format("FCVI_CONNECTION_ID {:08X}h is that of another setup, which has not completed", *id);
        },
        {former.rqst ? former.rqst->frame : 0});
}

void SetupRules::judge_retry(const Arrival& a, const Connection& connection, Side side) {
    Sender& sender = connections_.state(connection.id).sender[side];
    if (!a.header.retry()) {
        sender.retries = 0;
        return;
    }
    ++sender.retries;
    const auto same_id = std::ranges::find_if(connection.setups, [&](const Setup& s) {
        return s.from == side && s.connection_id == a.header.connection_id();
    });
    judge_(rules::retry, sender.retries == 1, a, [] { return "a setup is retried a second time"; });
    if (sender.retries != 1) return;
    if (!a.header.connection_id()) return judge_.undecided(rules::retry, UndecidedReason::cut);
    judge_(rules::retry, same_id == connection.setups.end(), a, [] {
        return "a retried setup has the FCVI_CONNECTION_ID of the one before";
    });
}

void SetupRules::judge_handle_reuse(const Arrival& a, Side side, std::uint32_t handle, const Connection& now) {
    bool is_free = true;
    for (const Connections::Party& party : connections_.owners_of(now.end[side].port, handle)) {
        if (party.connection == now.id || connections_.state(party.connection).sender[party.side].logout) continue;
        is_free = false;
        judge_former(a, party, handle);
    }
    if (is_free) judge_.satisfied(rules::handle_reuse);
}

void SetupRules::judge_former(const Arrival& a, const Connections::Party& party, std::uint32_t handle) {
    const Connection& former = connections_.at(party.connection);
    const State state = former.end[party.side].state;
    const std::optional<UndecidedReason> lack = lack_of_disconnect(a, party);
    if (state == State::error)
        return judge_.unless(lack, rules::error_before_setup, false, a, [&] {
            return fmt::format("the endpoint of handle {:08X}h is in Error, and has not disconnected", handle);
        });
    judge_.satisfied(rules::error_before_setup);
    const PerSide<Sender>& sender = connections_.state(former.id).sender;
    const std::optional<FrameStamp>&of_client = sender[Side::client].failed, &of_server = sender[Side::server].failed;
    const std::optional<FrameStamp>& failed = of_client ? of_client : of_server;
    if (state == State::connected || !failed)
        return judge_.unless(lack, rules::handle_reuse, state != State::connected, a, [&] {
            return fmt::format("handle {:08X}h still belongs to fcvi-{}", handle, former.id);
        });
    // 8.4.2 f) does not say since when: it is not within R_A_TOV of the error in any case.
    const std::optional<Time> r_a_tov = logins_.r_a_tov(a.seen);
    if (!r_a_tov) return judge_.undecided(rules::handle_reuse, UndecidedReason::r_a_tov_unknown);
    judge_.unless(
        lack, rules::handle_reuse, a.seen.time - failed->time >= *r_a_tov, a,
        [&] {
            return fmt::format(
                "handle {:08X}h is used again within R_A_TOV of the error of fcvi-{}", handle, former.id);
        },
        {failed->frame});
}

/// Why the former connection may have ended without the capture showing it.
std::optional<UndecidedReason> SetupRules::lack_of_disconnect(const Arrival& a, const Connections::Party& former) {
    const auto unanswered = [&](const Disconnect& d) { return d.from == former.side && !d.resp; };
    if (std::ranges::any_of(connections_.at(former.connection).disconnects, unanswered))
        return UndecidedReason::response_not_captured;
    return connections_.lack_of_exchanges(a, former.connection, former.side, a.id_given_by(a.from()));
}

void SetupRules::judge_login(const Arrival& a, const Port& port, const Port& peer, const char* what) {
    const std::optional<PortLogin> login = logins_.login(port, peer);
    if (!login) return judge_.undecided(rules::login_parameters, UndecidedReason::login_not_captured);
    judge_(rules::login_parameters, login->increasing_seq_cnt && login->increasing_relative_offset, a, [&] {
        return fmt::format(
            "{} {} {}, whose login lacks continuously increasing {}", to_string(peer), what, to_string(port),
            login->increasing_seq_cnt ? "Relative Offset" : "SEQ_CNT");
    });
}

// ---- the first response --------------------------------------------------------------------------

void SetupRules::on_response1(
    const Arrival& a, const Connection& connection, const Setup& setup, const wire::ConnectPayload& payload,
    ByteView octets) {
    const Side side = a.from();
    judge_fields(a);
    judge_handle(a, wire::unassigned_handle);
    judge_echo(a, setup);
    judge_overtaken(a, setup.resp2, a.iso() && is_told_by_resp1(setup));
    judge_no_handle(a, connection, setup);
    Sender& sender = connections_.state(connection.id).sender[side];
    const bool cut = payload.error.fault == layout::Fault::truncated || sender.answer_cut;
    if (setup.retry && sender.answer_frame != 0)
        judge_.unless(
            cut ? std::optional(UndecidedReason::cut) : std::nullopt, rules::same_answer_to_retry,
            std::ranges::equal(sender.answer, octets), a,
            [] { return "the answer to the retried request differs from the one before"; }, {sender.answer_frame});
    sender.answer.assign(octets.begin(), octets.end());
    sender.answer_frame = a.seen.number;
    sender.answer_cut = payload.error.fault == layout::Fault::truncated;
    if (setup.rqst) judge_arbitration(a, connection, setup);
    if (setup.status || !setup.rqst || payload.error) return;
    judge_attributes(a, connection, payload);
    judge_addresses(a, connection, payload);
    if (!a.iso()) return;
    if (const auto handle = payload.captured_handle(); handle && connection.end[side].handle != handle)
        judge_handle_reuse(a, side, *handle, connection);
    judge_login(a, destination_of(a.seen), source_of(a.seen), "accepts");
}

/// 5.3.3: nobody waits, so there is no endpoint whose handle it could be.
void SetupRules::judge_no_handle(const Arrival& a, const Connection& connection, const Setup& setup) {
    const bool nobody = answer_of(setup, connection.version) == Reason::no_waiting_connectionpoint;
    if (!a.iso() || !nobody || connection.mode != wire::ConnectMode::peer_to_peer || !setup.response_handle) return;
    judge_(rules::no_handle_without_peer, *setup.response_handle == wire::unassigned_handle, a, [&] {
        return fmt::format("nobody waits, but FCVI_RESP_HANDLE is {:08X}h", *setup.response_handle);
    });
}

/// A CONNECT_RESP1 in another Exchange than the setup of its FCVI_CONNECTION_ID. If it is not the first of its
/// Exchange, that may be another setup, whose request was not captured; but not so soon (8.5.3).
bool SetupRules::is_misplaced(const Arrival& a, const Setup& setup) const {
    if (setup.resp1 || setup.resp2 || setup.resp3 || setup.abts || !setup.rqst) return false;
    if (a.from_originator()) return true;
    const std::optional<Time> patience = logins_.r_a_tov(a.seen);
    return patience && a.seen.time - setup.rqst->time < *patience;
}

void SetupRules::on_misplaced(const Arrival& a, const Setup& setup) {
    if (!a.from_originator())  // else that says enough
        judge_(
            rules::place_in_exchange, false, a,
            [&] { return fmt::format("{} in another Exchange than its request", a.iu.name); }, {setup.rqst->frame});
}

void SetupRules::judge_attributes(const Arrival& a, const Connection& connection, const wire::ConnectPayload& payload) {
    const auto& asked = connection.end[other(a.from())].attributes;
    if (!asked) return;
    const wire::CommonAttributes& given = payload.attributes();
    judge_(rules::matching_attributes, asked->reliability_level == given.reliability_level, a, [&] {
        return fmt::format(
            "accepted with Reliability Level {}, asked for {}", given.reliability_level, asked->reliability_level);
    });
    judge_(rules::matching_attributes, asked->max_trans_size == given.max_trans_size, a, [&] {
        return fmt::format(
            "accepted with FCVI_MAX_TRANS_SIZE {}, asked for {}", given.max_trans_size, asked->max_trans_size);
    });
    const auto qos = [](const wire::CommonAttributes& attributes) {
        const wire::Qos& q = attributes.qos;
        return std::tuple(q.max_bandwidth, q.min_bandwidth, q.max_delay, q.pipeline_depth);
    };
    judge_(
        rules::matching_qos, qos(*asked) == qos(given), a, [] { return "accepted with another quality of service"; });
}

void SetupRules::judge_addresses(const Arrival& a, const Connection& connection, const wire::ConnectPayload& payload) {
    const Side asking = other(a.from());
    const auto& local = connection.end[asking].address;
    const auto& remote = connections_.state(connection.id).sender[asking].asked_for;
    if (!local || !remote) return;
    const auto same = [](const wire::NetAddress& x, const wire::NetAddress& y) {
        return x.host == y.host && same_discriminator(x, y);
    };
    judge_(rules::mirrored_addresses, same(payload.local(), *remote), a, [&] {
        return fmt::format("{} answers for {}", wire::to_string(payload.local()), wire::to_string(*remote));
    });
    judge_(rules::mirrored_addresses, same(payload.remote(), *local), a, [&] {
        return fmt::format(
            "the answer is for {}, the request came from {}", wire::to_string(payload.remote()),
            wire::to_string(*local));
    });
}

// ---- concurrent peers ----------------------------------------------------------------------------

/// Both requests were under way when `setup` was answered: 5.3.4 tells who gives in.
void SetupRules::judge_arbitration(const Arrival& a, const Connection& connection, const Setup& setup) {
    judge_early_answer(a, setup);
    const Setup* own = latest_of(connection, a.from());
    if (own == nullptr || own->retry || setup.retry || own->abts) return;
    // Concurrent are requests that both were sent before an answer: who has answered first, and asked then, is none.
    if (own->resp1 && own->resp1->frame < setup.rqst->frame) return;
    const bool by_itself = setup.response_handle.value_or(wire::unassigned_handle) == wire::unassigned_handle ||
                           setup.response_handle == own->request_handle;
    if (!setup.status && !by_itself) return;  // another endpoint accepts
    const ConnectionState& state = connections_.state(connection.id);
    if (setup.status && state.sender[a.from()].others_wait)  // it may be one of them that refuses at once
        return judge_.undecided(rules::arbitration, UndecidedReason::another_reason);
    if (state.reordered) return judge_.undecided(rules::arbitration, UndecidedReason::out_of_order);
    const auto &mine_wanted = state.sender[a.from()].asked_for,
               &theirs_wanted = state.sender[other(a.from())].asked_for;
    if (mine_wanted && theirs_wanted && !same_discriminator(*mine_wanted, *theirs_wanted))
        return judge_.undecided(rules::arbitration, UndecidedReason::discriminators_differ);
    if (!a.iso()) {
        // The answerer's own request must still be without an answer.
        if (!own->resp1 || own->resp1->frame == a.seen.number) judge_draft_arbitration(a, connection, setup, *own);
        return;
    }
    const auto mine = logins_.name_of(connection.end[a.from()].port);
    const auto theirs = logins_.name_of(connection.end[other(a.from())].port);
    if (!mine || !theirs) return judge_.undecided(rules::arbitration, UndecidedReason::login_not_captured);
    if (*mine > *theirs) judge_higher(a, setup, *own);
    else if (*mine < *theirs) judge_lower(a, connection, setup, *own);
    else
        judge_concurrent(
            a, setup, *own, answer_of(setup, Version::iso) == Reason::reject_protocol_error,
            "peers of the same Port_Name: the answer is not Protocol Error");
}

/// The own request's answer shows that the two were concurrent: it comes behind the peer's request.
void SetupRules::judge_concurrent(
    const Arrival& a, const Setup& setup, const Setup& own, bool right, std::string text) {
    if (!right && says_nobody_waits(answer_of(setup, a.header.version)))
        return judge_.undecided(rules::arbitration, UndecidedReason::another_reason);
    std::vector<std::uint64_t> frames{own.rqst->frame, setup.rqst->frame};
    if (right || own.resp1) {
        if (own.resp1 && own.resp1->frame != a.seen.number) frames.push_back(own.resp1->frame);
        return judge_(
            rules::arbitration, right, a, [&] { return std::move(text); }, std::move(frames));
    }
    frames.push_back(a.seen.number);
    connections_.state(a.exchange.connection).early_answer = {own.rqst->frame, std::move(frames), std::move(text)};
}

/// The answer to the request of a peer that has not waited for it.
void SetupRules::judge_early_answer(const Arrival& a, const Setup& setup) {
    std::optional<EarlyAnswer>& early = connections_.state(a.exchange.connection).early_answer;
    if (!early || early->own_rqst != setup.rqst->frame) return;
    judge_.broken(rules::arbitration, std::move(early->frames), a.exchange.connection, std::move(early->text));
    early.reset();
}

void SetupRules::finish() {
    for (std::uint32_t id = 1; id <= connections_.size(); ++id)
        if (connections_.state(id).early_answer)
            judge_.undecided(rules::arbitration, UndecidedReason::response_not_captured);
}

/// Rule a): the higher Port_Name accepts. A reason of its own is no matter of arbitration.
void SetupRules::judge_higher(const Arrival& a, const Setup& setup, const Setup& own) {
    judge_concurrent(
        a, setup, own, answer_of(setup, Version::iso) != Reason::concurrent_peer_requests,
        "the peer with the higher Port_Name refuses the concurrent request instead of accepting it");
}

namespace {

/// Level, transfer size and QoS; but for preference, which is each side's own.
bool agree(const wire::CommonAttributes& a, const wire::CommonAttributes& b) {
    const auto compared = [](const wire::CommonAttributes& one) {
        const wire::Qos& q = one.qos;
        return std::tuple(
            one.reliability_level, one.max_trans_size, q.max_bandwidth, q.min_bandwidth, q.max_delay, q.pipeline_depth);
    };
    return compared(a) == compared(b);
}

}  // namespace

/// Rule b) and table 2: the lower Port_Name waits for the other's answer, and answers by it.
void SetupRules::judge_lower(const Arrival& a, const Connection& connection, const Setup& setup, const Setup& own) {
    const auto answer = answer_of(setup, Version::iso);
    if (!own.resp1)  // it comes later, or was not captured
        return judge_concurrent(
            a, setup, own, false, "the peer with the lower Port_Name does not wait for the answer to its own request");
    const auto got = answer_of(own, connection.version);
    const bool nobody = got == Reason::no_discriminator_match || got == Reason::no_waiting_connectionpoint;
    bool right = false;
    if (!got) right = answer == Reason::concurrent_peer_requests;
    else if (nobody && answer == Reason::connect_reject) {
        const auto &client = connection.end[Side::client].attributes, &server = connection.end[Side::server].attributes;
        if (!client || !server) return judge_.undecided(rules::arbitration, UndecidedReason::another_reason);
        right = !agree(*client, *server);  // and that is what it refuses (VI-DG 3.3.7)
    } else if (nobody) right = !answer;
    else  // table 2 says Connect Reject for most of them, table A.1 Protocol Error, and A.5 the other way round
        right = answer == Reason::connect_reject || answer == Reason::reject_protocol_error;
    judge_concurrent(
        a, setup, own, right,
        fmt::format(
            "the peer with the lower Port_Name was told {}, and answers {}", answer_text(own, Version::iso),
            answer_text(setup, Version::iso)));
}

/// Revision 1.0, 5.3.4: the higher host address accepts.
void SetupRules::judge_draft_arbitration(
    const Arrival& a, const Connection& connection, const Setup& setup, const Setup& own) {
    const auto& mine = connection.end[a.from()].address;
    const auto& theirs = connection.end[other(a.from())].address;
    if (!mine || !theirs) return judge_.undecided(rules::arbitration, UndecidedReason::addresses_not_captured);
    const auto answer = answer_of(setup, Version::rev_1_0);
    std::optional<Reason> wanted;
    if (mine->host < theirs->host) wanted = Reason::concurrent_peer_requests;
    else if (mine->host == theirs->host) wanted = Reason::duplicate_addresses;
    // A reason of its own is no matter of arbitration.
    const bool right = answer == wanted || (!wanted && answer == Reason::connect_reject);
    judge_concurrent(
        a, setup, own, right,
        fmt::format(
            "the peer with the {} host address answers {}", wanted ? "lower or same" : "higher",
            answer_text(setup, Version::rev_1_0)));
}

// ---- the other responses -------------------------------------------------------------------------

/// A side that sent Messages before it could know that it may.
void SetupRules::judge_early_messages(const Arrival& a, Side side) {
    const ConnectionState& state = connections_.state(a.exchange.connection);
    if (const std::optional<FrameStamp>& early = state.sender[side].begun_early)
        judge_.unless(
            state.lack_of_order(), rules::setup_order, false, a,
            [&] { return fmt::format("a Message of the {} came before its {}", name_of(side), a.iu.name); },
            {early->frame});
}

/// An IU after the one that answers it: each passes every point of the way before its answer does. At an end of the way
/// the capture may see the answer first, since the two directions are captured by different processors.
void SetupRules::judge_overtaken(const Arrival& a, const std::optional<FrameStamp>& answer, bool shows_it_came) {
    if (!answer) return;
    if (shows_it_came || a.seen.time - answer->time < capture::millisecond)
        return judge_.undecided(rules::setup_order, UndecidedReason::out_of_order);
    judge_.unless(
        connections_.state(a.exchange.connection).lack_of_order(), rules::setup_order, false, a,
        [&] { return fmt::format("{} comes after its answer", a.iu.name); }, {answer->frame});
}

/// With a setup's last IU: whether all before it were seen.
void SetupRules::judge_course(const Setup& setup, bool answered) {
    if (!setup.rqst) judge_.undecided(rules::setup_order, UndecidedReason::beginning_not_captured);
    else if (!answered) judge_.undecided(rules::setup_order, UndecidedReason::response_not_captured);
    else judge_.satisfied(rules::setup_order);
}

void SetupRules::on_response2(const Arrival& a, const Setup& setup) {
    judge_fields(a);
    judge_echo(a, setup);
    judge_handle(a, setup.response_handle);  // even of a refusal (6.10.2)
    judge_overtaken(a, setup.resp3, false);
    if (!setup.status) judge_early_messages(a, a.from());
    if (a.iso()) return;
    if (!setup.status) judge_early_messages(a, other(a.from()));
    judge_course(setup, setup.resp1.has_value());
}

void SetupRules::on_response3(const Arrival& a, const Connection& connection, const Setup& setup) {
    judge_fields(a);
    judge_echo(a, setup);
    const std::optional<std::uint32_t>& handle = setup.request_handle ? setup.request_handle
                                                                      : connection.end[other(a.from())].handle;
    // A setup that made no connection may leave the handle unassigned (5.3.3, against 6.11.2).
    if (a.header.handle() != wire::unassigned_handle) judge_handle(a, handle);
    else if (!setup.status && !(setup.resp1 && setup.resp2))
        judge_.undecided(rules::right_handle, UndecidedReason::response_not_captured);
    else if (!setup.status) judge_handle(a, handle);
    const ConnectionState& state = connections_.state(connection.id);
    const std::optional<FrameStamp>& answered = state.sender[other(a.from())].answered_early;
    if (state.reordered) return judge_.undecided(rules::setup_order, UndecidedReason::out_of_order);
    judge_.unless(
        state.lack_of_order(), rules::response_before_resp3, !answered, a,
        [] { return "the client answered a Message before this CONNECT_RESP3"; },
        answered ? std::vector{answered->frame} : std::vector<std::uint64_t>{});
    if (!setup.status) judge_early_messages(a, a.from());
    judge_course(setup, setup.resp1 && setup.resp2);
}

}  // namespace fabricscope::engine::fcvi
