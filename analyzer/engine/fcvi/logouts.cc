// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/logouts.h"

#include <utility>

#include "analyzer/engine/fc/logins.h"

namespace fabricscope::engine::fcvi {

using fibre_channel::Party;

void Logouts::on_els(const fibre_channel::FrameFacts& facts) {
    if (!facts.exchange.els || (facts.from == Party::responder && !facts.accepts())) return;
    const FrameSeen seen = facts.seen();
    switch (*facts.exchange.els) {
        // Who sends LOGO, and who accepts it, sends nothing more.
        case fc::els_logo:
            if (facts.exchange.responder == fc::f_port_server) {
                if (facts.accepts()) lose_address(facts.exchange.port(Party::originator), seen.step());
                return;
            }
            return log_out(source_of(seen), destination_of(seen), seen.step(), seen.number);
        case fc::els_plogi:
            if (facts.from == Party::originator) return note_asked(source_of(seen), destination_of(seen));
            if (facts.closes) on_port_login(facts);
            return;
        case fc::els_adisc: return on_adisc(facts);
        case fc::els_fan: return on_fan(facts);
        default: return;
    }
}

/// That a PLOGI was accepted may not have been captured.
void Logouts::note_asked(const Port& a, const Port& b) {
    connections_.for_each_between(
        a, b, [](const Connection&, ConnectionState& state, Side) { state.login_asked = true; });
}

/// Once a PLOGI is accepted, the ports have logged out implicitly (8.4.2). A connection that was asked for behind it
/// belongs to the new login, though it was captured before the accept.
void Logouts::on_port_login(const fibre_channel::FrameFacts& facts) {
    const FrameSeen seen = facts.seen();
    const Port from = source_of(seen), to = destination_of(seen);
    const std::uint64_t asked = facts.exchange.beginning_seen ? facts.exchange.first_frame : seen.number;
    log_out(to, from, seen.step(), asked);
    log_out(from, to, seen.step(), asked);
}

/// With ADISC, and with its accept, a port says who it is. If that is not who logged in, the two are logged out
/// (7.7.3).
void Logouts::on_adisc(const fibre_channel::FrameFacts& facts) {
    const FrameSeen seen = facts.seen();
    const Port one = source_of(seen), other = destination_of(seen);
    const fibre_channel::Login* login = facts.logins.between(one, other);
    fc::Adisc adisc;
    if (login == nullptr || layout::parse_into(adisc, seen.frame.payload)) return;
    const auto& known = login->parameters[login->originator == one.id ? Party::originator : Party::responder];
    if (!known) return;
    if (adisc.port_name == known->port_name && adisc.node_name == known->node_name && adisc.port_id == one.id) return;
    log_out(one, other, seen.step(), seen.number);
    log_out(other, one, seen.step(), seen.number);
}

/// FAN, after the initialisation of a loop: the port goes on only if that is its Fabric (7.7.4).
void Logouts::on_fan(const fibre_channel::FrameFacts& facts) {
    const FrameSeen seen = facts.seen();
    fc::Fan fan;
    if (layout::parse_into(fan, seen.frame.payload)) return;
    const Port port = destination_of(seen);
    for (const auto& [key, address] : addresses_) {
        if (key.first != port.fabric || address.id != port.id) continue;
        if (address.port_name == fan.fabric_port_name && address.fabric_name == fan.fabric_name) return;
        return lose_address(port, seen.step());
    }
}

/// With another address, or from another Fabric, a port's mappings hold no longer (7.7.5).
void Logouts::on_login(const fibre_channel::Login& login) {
    const auto& port = login.parameters[Party::originator];
    const auto& fabric = login.parameters[Party::responder];
    if (!port || !fabric || !fabric->f_port || !login.answer) return;
    const std::uint16_t number = login.fabric.value_or(0);
    const std::pair key{number, port->port_name};
    if (addresses_.size() >= most_addresses && !addresses_.contains(key)) return;
    const FabricAddress now{login.originator, fabric->port_name, fabric->node_name};
    const auto [place, is_new] = addresses_.try_emplace(key, now);
    const FabricAddress before = std::exchange(place->second, now);
    if (!is_new && before != now) lose_address({number, before.id}, *login.answer);
}

void Logouts::on_wrong_answer(const fibre_channel::Login& login) {
    if (const auto& port = login.parameters[Party::originator])
        addresses_.erase({login.fabric.value_or(0), port->port_name});
}

/// Ends connections that began before that frame.
void Logouts::log_out(const Port& from, const Port& to, const FrameStamp& step, std::uint64_t before) {
    connections_.for_each_between(from, to, [&](Connection& connection, ConnectionState& state, Side side) {
        if (connection.first_frame > before) return;
        if (!state.sender[side].logout) state.sender[side].logout = step;
        for (const Side end : {Side::client, Side::server}) connections_.set_state(connection, end, State::idle, step);
    });
}

/// As if it had logged out everywhere; the others may not know yet.
void Logouts::lose_address(const Port& port, const FrameStamp& step) {
    for (std::uint32_t id = 1; id <= connections_.size(); ++id) {
        Connection& connection = connections_.at(id);
        for (const Side side : {Side::client, Side::server}) {
            std::optional<FrameStamp>& logout = connections_.state(id).sender[side].logout;
            if (connection.end[side].port != port || logout) continue;
            logout = step;
            connections_.set_state(connection, side, State::idle, step);
        }
    }
}

}  // namespace fabricscope::engine::fcvi
