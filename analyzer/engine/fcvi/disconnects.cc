// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/disconnects.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::engine::fcvi {
namespace {

struct Flags {
    bool by_application = false;
    bool aborts_setup = false;
};

Flags flags_of(const wire::DeviceHeader& header) {
    if (const auto* iso = std::get_if<wire::DisconnectHead>(&header.head))
        return {iso->vi_app_discon, iso->conn_setup_abort};
    if (const auto* draft = std::get_if<wire::ConnectRequestHeadRev10>(&header.head))
        return {draft->mode == wire::rev_1_0_application_disconnect, false};
    return {};
}

}  // namespace

/// By the handle that it goes to, or by the setup that it aborts.
std::optional<Connections::Party> Disconnects::originator_of(const Arrival& a) const {
    const Port from = source_of(a.seen), to = destination_of(a.seen);
    if (const auto* party = connections_.receiver_of(a))
        return Connections::Party{party->connection, other(party->side)};
    const auto id = a.header.connection_id();
    if (!id || !flags_of(a.header).aborts_setup) return std::nullopt;
    for (const Port& port : {from, to})
        if (const auto* place = connections_.find_setup(port, *id)) {
            const Connection& connection = connections_.at(place->connection);
            const Side side = connection.end[Side::client].port == from ? Side::client : Side::server;
            if (connection.end[side].port == from && connection.end[other(side)].port == to)
                return Connections::Party{place->connection, side};
        }
    return std::nullopt;
}

std::optional<StatusSeen> Disconnects::status_of(const Arrival& a) {
    const wire::Status* status = a.header.status();
    if (status == nullptr) return std::nullopt;
    return StatusSeen{a.from(), a.iu.type, status->reason, status->explanation, status->vendor_unique, a.step()};
}

void Disconnects::on_request(const Arrival& a) {
    if (!a.exchange.may_serve(Exchange::Use::disconnect)) return;
    const Flags flags = flags_of(a.header);
    a.exchange.use = Exchange::Use::disconnect;
    a.exchange.disconnect_flags_known = true;
    a.exchange.vi_app_discon = flags.by_application;
    a.exchange.conn_setup_abort = flags.aborts_setup;
    const auto originator = originator_of(a);
    if (!originator) return judge_unannounced(a, flags.aborts_setup);
    Connection& connection = connections_.at(originator->connection);
    if (connection.disconnects.size() >= options_.limits.setups) return;
    a.exchange.connection = connection.id;
    a.exchange.originator = originator->side;
    a.exchange.index = connection.disconnects.size();
    a.facts.connection = connection.id;
    connection.disconnects.push_back(
        {.from = originator->side,
         .ox_id = a.frame().header.ox_id,
         .rqst = a.step(),
         .by_application = flags.by_application,
         .aborts_setup = flags.aborts_setup,
         .msg_id = a.header.msg_id(),
         .status = status_of(a)});
    judge_request(a, connection, connection.disconnects.back());
    Sender& sender = connections_.state(connection.id).sender[originator->side];
    if (!sender.disconnect_request) sender.disconnect_request = a.step();
    if (flags.aborts_setup && connection.outcome == Outcome::unknown) connection.outcome = Outcome::aborted;
    const Side peer = other(originator->side);
    if (connection.end[peer].state == State::connected)
        connections_.set_state(connection, peer, State::error, a.step());
    timeouts_.expect_disconnect_response(a);
}

/// The peer will answer that there is no such connection.
void Disconnects::judge_unannounced(const Arrival& a, bool aborts_setup) {
    if (a.header.handle() == wire::unassigned_handle) return;
    const RuleRef rule = a.iso() && !aborts_setup ? RuleRef(rules::disconnect_fields) : rules::right_handle;
    const std::optional<Connections::Meant> meant = connections_.meant_by(a);
    auto lack = connections_.lack_of_setups(a);
    if (meant && meant->certain) lack.reset();
    judge_.broken(rule, lack, {a.seen.number}, meant ? meant->party.connection : 0, unannounced_text(a, meant));
}

void Disconnects::judge_request(const Arrival& a, const Connection& connection, const Disconnect& disconnect) {
    if (!a.iso()) return judge_msg_id(a, connection);
    if (!a.header.connection_id()) {
        judge_.undecided(
            disconnect.aborts_setup ? RuleRef(rules::abort_fields) : rules::disconnect_fields, UndecidedReason::cut);
        return disconnect.aborts_setup ? void() : judge_msg_id(a, connection);
    }
    if (disconnect.aborts_setup) {
        judge_(rules::abort_fields, a.header.msg_id() == 0, a, [&] {
            return fmt::format("a setup is aborted with MSG_ID {}", a.header.msg_id());
        });
        return judge_abort(a, connection, disconnect);
    }
    const std::optional<std::uint32_t>& handle = connection.end[other(disconnect.from)].handle;
    const auto lack = connections_.lack_of_exchanges(a, a.from());
    judge_.unless(lack, rules::disconnect_fields, !handle || a.header.handle() == *handle, a, [&] {
        return fmt::format("a Disconnect goes to handle {:08X}h instead of {:08X}h", a.header.handle(), *handle);
    });
    const std::uint32_t id = *a.header.connection_id();
    // 6.12.2 says 0, annex D and C.5.9 say FFFFFFFFh.
    judge_(rules::disconnect_fields, id == 0 || id == wire::unassigned_connection_id, a, [&] {
        return fmt::format("a Disconnect of a connection has FCVI_CONNECTION_ID {:08X}h", id);
    });
    judge_msg_id(a, connection);
}

/// Why the connection may not be up for who aborts it. The responder of a setup knows that it is when it has sent
/// RESP3; that RESP3 got lost on its way to the requester would show only once that one's time is over.
std::optional<UndecidedReason> Disconnects::lack_of_connection(
    const Arrival& a, const Connection& connection, const Disconnect& disconnect) const {
    const auto done = std::ranges::find_if(
        connection.setups, [](const Setup& s) { return s.rqst && s.resp1 && s.resp2 && s.resp3 && !s.status; });
    if (done == connection.setups.end()) return UndecidedReason::setup_not_captured;
    if (done->abts) return UndecidedReason::may_have_crossed;
    if (done->from != disconnect.from) return std::nullopt;
    const std::optional<Time> patience = timeouts_.patience(a.seen);
    if (!patience) return UndecidedReason::r_a_tov_unknown;
    return a.seen.time - done->rqst->time < *patience ? std::nullopt : std::optional(UndecidedReason::may_have_crossed);
}

/// What is up is not aborted as a setup. Of an FCVI_CONNECTION_ID that no setup has, another setup may have been
/// missed, unless the connection is up, or the client's numbers show that there was none.
void Disconnects::judge_abort(const Arrival& a, const Connection& connection, const Disconnect& disconnect) {
    const std::uint32_t id = *a.header.connection_id();
    const auto setup = std::ranges::find_if(connection.setups, [&](const Setup& s) { return s.connection_id == id; });
    std::optional<UndecidedReason> lack = lack_of_connection(a, connection, disconnect);
    if (setup != connection.setups.end()) {
        judge_.satisfied(rules::abort_fields);
        if (setup->resp3 && !setup->status)
            judge_.unless(lack, rules::disconnect_fields, false, a, [] {
                return "a connection that is up is aborted as a setup";
            });
        return;
    }
    const bool by_client = connection.mode == wire::ConnectMode::client_server && a.from() == Side::client;
    if (lack && connection.from_start && by_client) lack = connections_.lack_of_exchanges(a, a.from());
    judge_.unless(lack, rules::abort_fields, false, a, [&] {
        return fmt::format("a setup is aborted with FCVI_CONNECTION_ID {:08X}h, which it has not", id);
    });
}

/// ISO: the last Message that its sender completed. Revision 1.0, 6.10: one more than its last Message.
void Disconnects::judge_msg_id(const Arrival& a, const Connection& connection) {
    const ConnectionState& state = connections_.state(connection.id);
    const Sender& sender = state.sender[a.iso() ? other(a.from()) : a.from()];
    const RuleRef rule = a.iso() ? RuleRef(rules::disconnect_msg_id) : RuleRef(rules::msg_id_sequence);
    if (!connection.from_start || sender.gap || state.reordered)
        return judge_.undecided(rule, UndecidedReason::frames_missing);
    // An end whose answer is missing may have a handle that is not known, under which more was sent.
    if (connection.outcome == Outcome::unknown) return judge_.undecided(rule, UndecidedReason::setup_not_captured);
    const std::uint32_t msg_id = a.header.msg_id();
    if (a.iso()) {
        const std::uint32_t highest = sender.next_message ? *sender.next_message - 1 : 0;
        if (before(highest, msg_id)) {  // what the peer sends next shows whether Messages were missed
            a.exchange.unsent = Unsent{a.seen.number, msg_id, highest};
            return;
        }
        judge_.satisfied(rule);
        return judge_completed(a, connection, msg_id);
    }
    const std::uint32_t next = sender.next_message.value_or(0);
    const auto lack = before(next, msg_id) ? connections_.lack_of_exchanges(a, a.from()) : std::nullopt;
    judge_.unless(lack, rule, msg_id == next, a, [&] {
        return fmt::format("FCVI_DISCONNECT_RQST has MSG_ID {} instead of {}", msg_id, next);
    });
}

/// On Reliable Reception a side has completed what it has answered well; more, if a response got lost. That the peer's
/// Messages are meant, and not the side's own, only annex E tells.
void Disconnects::judge_completed(const Arrival& a, const Connection& connection, std::uint32_t msg_id) {
    const ConnectionState& state = connections_.state(connection.id);
    if (connection.reliability() != wire::Reliability::reliable_reception) return;
    const std::uint32_t completed = state.sender[other(a.from())].last_good();
    const bool less = before(msg_id, completed);
    if (less && !before(state.sender[a.from()].last_good(), msg_id))
        return judge_.undecided(rules::disconnect_msg_id, UndecidedReason::another_sender);
    judge_(rules::disconnect_msg_id, !less, a, [&] {
        return fmt::format("a Disconnect tells MSG_ID {}, its sender has answered Message {} well", msg_id, completed);
    });
}

/// 8.6.3 a). Nothing shows that the peer has got the request.
void Disconnects::on_abts(const Exchange& exchange, const FrameStamp& step) {
    Connection& connection = connections_.at(exchange.connection);
    if (connection.disconnects[exchange.index].resp) return;
    connections_.set_state(connection, exchange.originator, State::error, step);
    connections_.set_state(connection, other(exchange.originator), State::unknown, step);
}

Doubt Disconnects::lack_of_messages(const Arrival& a) const {
    if (const auto lack = connections_.lack_of_exchanges(a, a.from())) return lack;
    if (const auto lack = connections_.lack_of_answers(a)) return lack;
    return doubt_if(connections_.forgot_messages(), UndecidedReason::not_remembered);
}

/// If the responder has given this Exchange the number behind those of its Messages, there were no more of them.
void Disconnects::judge_unsent(const Arrival& a) {
    const std::optional<Unsent> unsent = std::exchange(a.exchange.unsent, std::nullopt);
    if (!unsent) return;
    judge_.broken(
        rules::disconnect_msg_id, lack_of_messages(a), {unsent->frame}, a.exchange.connection,
        fmt::format("a Disconnect tells MSG_ID {}, the peer's last Message was {}", unsent->msg_id, unsent->highest));
}

void Disconnects::settle(const Exchange& exchange) {
    if (exchange.unsent) judge_.undecided(rules::disconnect_msg_id, UndecidedReason::response_not_captured);
}

void Disconnects::on_response(const Arrival& a) {
    if (a.exchange.use == Exchange::Use::setup && a.exchange.request)
        return judge_(
            rules::place_in_exchange, false, a, [] { return "FCVI_DISCONNECT_RESP in the Exchange of a setup"; },
            {a.exchange.request->frame});
    if (a.exchange.use != Exchange::Use::disconnect)
        return judge_.undecided(rules::disconnect_echo, UndecidedReason::request_not_captured);
    judge_response(a);
    if (a.exchange.connection == 0) return;
    Connection& connection = connections_.at(a.exchange.connection);
    Disconnect& disconnect = connection.disconnects[a.exchange.index];
    judge_unsent(a);
    judge_response_handle(a);
    a.facts.connection = connection.id;
    disconnect.resp = a.step();
    a.answers(disconnect.rqst);
    disconnect.resp_msg_id = a.header.msg_id();
    disconnect.resp_status = status_of(a);
    Sender& sender = connections_.state(connection.id).sender[a.from()];
    if (!sender.disconnect_response) sender.disconnect_response = a.step();
    connections_.set_state(connection, disconnect.from, State::idle, a.step());
}

void Disconnects::judge_response(const Arrival& a) {
    const std::vector<std::uint64_t> request = a.exchange.request ? std::vector{a.exchange.request->frame}
                                                                  : std::vector<std::uint64_t>{};
    if (!a.iso()) {
        judge_(
            rules::msg_id_echo, a.header.msg_id() == a.exchange.msg_id, a,
            [&] {
                return fmt::format(
                    "FCVI_DISCONNECT_RESP has MSG_ID {}, its request {}", a.header.msg_id(), a.exchange.msg_id);
            },
            request);
        return;
    }
    const Flags flags = flags_of(a.header);
    judge_(
        rules::disconnect_echo,
        flags.by_application == a.exchange.vi_app_discon && flags.aborts_setup == a.exchange.conn_setup_abort, a,
        [] { return "the flags of FCVI_DISCONNECT_RESP are not those of its request"; }, request);
    if (!a.header.connection_id() || !a.exchange.connection_id)
        return judge_.undecided(rules::disconnect_echo, UndecidedReason::cut);
    const std::uint32_t id = *a.header.connection_id();
    // D.1, rule 3: unassigned if the connection is not known.
    judge_(
        rules::disconnect_echo, id == a.exchange.connection_id || id == wire::unassigned_connection_id, a,
        [&] {
            return fmt::format(
                "FCVI_DISCONNECT_RESP has FCVI_CONNECTION_ID {:08X}h, its request {:08X}h", id,
                *a.exchange.connection_id);
        },
        request);
}

void Disconnects::judge_response_handle(const Arrival& a) {
    const Connection& connection = connections_.at(a.exchange.connection);
    const std::optional<std::uint32_t>& handle = connection.end[a.exchange.originator].handle;
    if (!handle) return judge_.undecided(rules::right_handle, UndecidedReason::handle_unknown);
    // What is disconnected had been connected, perhaps by a setup of another end, which is missing.
    if (connection.outcome != Outcome::connected && !a.exchange.conn_setup_abort)
        return judge_.undecided(rules::right_handle, UndecidedReason::setup_not_captured);
    const bool unassigned = a.header.handle() == wire::unassigned_handle;
    judge_.unless(
        connections_.lack_of_ends(connection.id), rules::right_handle, a.header.handle() == *handle || unassigned, a,
        [&] {
            return fmt::format(
                "FCVI_DISCONNECT_RESP goes to handle {:08X}h instead of {:08X}h", a.header.handle(), *handle);
        });
}

}  // namespace fabricscope::engine::fcvi
