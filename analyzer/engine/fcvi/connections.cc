// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/connections.h"

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

void Connections::set_state(Connection& connection, Side side, State state, const FrameStamp& step) const {
    End& end = connection.end[side];
    if (end.state == state) return;
    end.state = state;
    if (end.states.size() < options_.limits.setups) end.states.push_back({step, state});
}

}  // namespace fabricscope::engine::fcvi
