// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/connections.h"

#include <algorithm>

#include "analyzer/engine/fc/given_ids.h"

namespace fabricscope::engine::fcvi {

Connection* Connections::create(const Arrival& a, const Port& client, const Port& server) {
    if (model_.connections.size() >= options_.limits.connections) {
        ++model_.dropped_connections;
        return nullptr;
    }
    Connection& connection = model_.connections.emplace_back();
    states_.emplace_back();
    connection.id = static_cast<std::uint32_t>(model_.connections.size());
    connection.version = a.header.version;
    connection.version_known = options_.version || a.iu.payload == wire::Content::connect_info ||
                               wire::version_of(a.header.opcode(), a.iu.device_header);
    connection.end[Side::client].port = client;
    connection.end[Side::server].port = server;
    connection.first_frame = a.seen.number;
    connection.first_time = a.seen.time;
    between_[pair_key(client, server)].push_back(connection.id);
    return &connection;
}

void Connections::bind(Connection& connection, Side side, std::uint32_t handle) {
    connection.end[side].handle = handle;
    if (handle != wire::unassigned_handle)
        by_handle_[handle_key(connection.end[side].port, handle)] = {connection.id, side};
}

const Connections::Party* Connections::owner_of(const Port& owner, const Port& peer, std::uint32_t handle) const {
    const auto found = by_handle_.find(handle_key(owner, handle));
    if (found == by_handle_.end()) return nullptr;
    const Party& party = found->second;
    const Connection& connection = model_.connections[party.connection - 1];
    return connection.end[party.side].port == owner && connection.end[other(party.side)].port == peer ? &party
                                                                                                      : nullptr;
}

void Connections::name_setup(const Port& originator, std::uint32_t connection_id, SetupPlace place) {
    by_connection_id_[handle_key(originator, connection_id)] = place;
}

const Connections::SetupPlace* Connections::find_setup(const Port& originator, std::uint32_t connection_id) const {
    const auto found = by_connection_id_.find(handle_key(originator, connection_id));
    return found == by_connection_id_.end() ? nullptr : &found->second;
}

std::vector<std::uint32_t>& Connections::waiting_peers(const Port& a, const Port& b) {
    return waiting_[pair_key(a, b)];
}

std::optional<UndecidedReason> Connections::lack_of_exchanges(
    const Arrival& a, std::uint32_t connection, Side side, std::optional<std::uint16_t> id) const {
    const Connection& of = model_.connections[connection - 1];
    const Port &port = of.end[side].port, &peer = of.end[other(side)].port;
    if (unread_.contains(pair_key(port, peer))) return UndecidedReason::cut;
    // An end whose answer is missing may have a handle that is not known, under which more was sent.
    if (std::ranges::any_of(of.setups, &Setup::has_gaps)) return UndecidedReason::setup_not_captured;
    const std::optional<std::uint16_t>& first = states_[connection - 1].sender[side].first_id;
    const bool all = first && id && a.below.given_ids.has_all(port, *first, *id);
    return all ? std::nullopt : std::optional(UndecidedReason::frames_missing);
}

void Connections::set_state(Connection& connection, Side side, State state, const FrameStamp& step) const {
    End& end = connection.end[side];
    if (end.state == state) return;
    end.state = state;
    if (end.states.size() < options_.limits.setups) end.states.push_back({step, state});
}

}  // namespace fabricscope::engine::fcvi
