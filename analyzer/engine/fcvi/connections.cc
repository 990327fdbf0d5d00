// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/connections.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::engine::fcvi {

namespace {

/// Whether the IU that a connection is met with can be of one version only.
bool tells_version(const Arrival& a) {
    const fc::Frame& frame = a.frame();
    const std::size_t size = frame.header.df_ctl.device_header_octets();
    if (a.iu.payload == wire::Content::connect_info)
        return wire::version_of_connect(size, frame.payload_length, frame.payload).certain;
    return wire::version_of(a.header.opcode(), a.iu.device_header).has_value();
}

}  // namespace

Connection* Connections::create(const Arrival& a, const Port& client, const Port& server) {
    if (model_.connections.size() >= options_.limits.connections) {
        ++model_.dropped_connections;
        return nullptr;
    }
    Connection& connection = model_.connections.emplace_back();
    states_.emplace_back();
    connection.id = static_cast<std::uint32_t>(model_.connections.size());
    connection.version = a.header.version;
    connection.version_known = options_.version || tells_version(a);
    connection.end[Side::client].port = client;
    connection.end[Side::server].port = server;
    connection.first_frame = a.seen.number;
    connection.first_time = a.seen.time;
    between_[pair_key(client, server)].push_back(connection.id);
    return &connection;
}

void Connections::bind(Connection& connection, Side side, std::uint32_t handle) {
    connection.end[side].handle = handle;
    if (handle == wire::unassigned_handle) return;
    const Port& port = connection.end[side].port;
    std::vector<Party>& owners = by_handle_[handle_key(port, handle)];
    std::erase_if(
        owners, [&](const Party& party) { return is_between(party, port, connection.end[other(side)].port); });
    owners.push_back({connection.id, side});
}

void Connections::release(const Connection& connection, Side side, std::uint32_t handle) {
    const auto found = by_handle_.find(handle_key(connection.end[side].port, handle));
    if (found != by_handle_.end())
        std::erase_if(found->second, [&](const Party& party) { return party.connection == connection.id; });
}

bool Connections::is_between(const Party& party, const Port& owner, const Port& peer) const {
    const Connection& connection = model_.connections[party.connection - 1];
    return connection.end[party.side].port == owner && connection.end[other(party.side)].port == peer;
}

std::span<const Connections::Party> Connections::owners_of(const Port& owner, std::uint32_t handle) const {
    const auto found = by_handle_.find(handle_key(owner, handle));
    return found == by_handle_.end() ? std::span<const Party>() : found->second;
}

const Connections::Party* Connections::owner_of(const Port& owner, const Port& peer, std::uint32_t handle) const {
    const std::span<const Party> owners = owners_of(owner, handle);
    const auto found = std::ranges::find_if(owners, [&](const Party& party) { return is_between(party, owner, peer); });
    return found == owners.end() ? nullptr : &*found;
}

const Connections::Party* Connections::receiver_of(const Arrival& a) const {
    const Party* party = owner_of(destination_of(a.seen), source_of(a.seen), a.header.handle());
    if (party == nullptr) return nullptr;
    const ConnectionState& state = states_[party->connection - 1];
    const bool may_be_over = state.login_asked || state.sender[Side::client].logout ||
                             state.sender[Side::server].logout;
    return may_be_over && lack_of_setups(a) ? nullptr : party;
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

/// An end whose answer is missing may have a handle that is not known, under which more was sent.
std::optional<UndecidedReason> Connections::lack_of_ends(std::uint32_t connection) const {
    const ConnectionState& state = states_[connection - 1];
    const bool has_gaps = std::ranges::any_of(model_.connections[connection - 1].setups, &Setup::has_gaps);
    const bool are_known = !has_gaps && (!state.several_ask || state.ends_known);
    return are_known ? std::nullopt : std::optional(UndecidedReason::setup_not_captured);
}

std::optional<UndecidedReason> Connections::lack_of_exchanges(
    const Arrival& a, std::uint32_t connection, Side side, std::optional<std::uint16_t> id) const {
    const Connection& of = model_.connections[connection - 1];
    const Port &port = of.end[side].port, &peer = of.end[other(side)].port;
    if (const auto unread = unread_.find(pair_key(port, peer)); unread != unread_.end()) return unread->second;
    if (const auto lack = lack_of_ends(connection)) return lack;
    const std::optional<std::uint16_t>& first = states_[connection - 1].sender[side].first_id;
    const bool all = first && id && a.below.given_ids.has_all(port, *first, *id);
    return all ? std::nullopt : std::optional(UndecidedReason::frames_missing);
}

std::optional<UndecidedReason> Connections::lack_of_numbers(const Arrival& a) const {
    if (const auto lack = states_[a.exchange.connection - 1].lack_of_order()) return lack;
    if (forgot_messages()) return UndecidedReason::not_remembered;
    if (uncounted_.contains(pair_key(source_of(a.seen), destination_of(a.seen))))
        return UndecidedReason::connection_unknown;
    return lack_of_exchanges(a, a.from());
}

std::optional<UndecidedReason> Connections::lack_of_answers(const Arrival& a) const {
    const auto between = between_.find(pair_key(source_of(a.seen), destination_of(a.seen)));
    if (between == between_.end()) return std::nullopt;
    const auto has_gaps = [&](std::uint32_t id) {
        return std::ranges::any_of(model_.connections[id - 1].setups, &Setup::has_gaps);
    };
    if (std::ranges::none_of(between->second, has_gaps)) return std::nullopt;
    return UndecidedReason::setup_not_captured;
}

void Connections::note_login(
    const Port& a, std::uint16_t id_of_a, const Port& b, std::optional<std::uint16_t> id_of_b) {
    if (login_ids_.size() >= most_logins) return;
    login_ids_[{handle_key(a, 0), handle_key(b, 0)}] = id_of_a;
    if (id_of_b) login_ids_[{handle_key(b, 0), handle_key(a, 0)}] = *id_of_b;
}

std::optional<UndecidedReason> Connections::lack_of_setups(const Arrival& a) const {
    const Port from = source_of(a.seen), to = destination_of(a.seen);
    if (const auto unread = unread_.find(pair_key(from, to)); unread != unread_.end()) return unread->second;
    if (unknown_setups_.contains(pair_key(from, to))) return UndecidedReason::setup_not_captured;
    if (model_.dropped_connections != 0) return UndecidedReason::not_remembered;
    const auto login = login_ids_.find({handle_key(from, 0), handle_key(to, 0)});
    if (login == login_ids_.end()) return UndecidedReason::login_not_captured;
    const auto& id = a.from_originator() ? a.below.exchange.ox_id : a.below.exchange.rx_id;
    // A setup that the other port has begun shows in the RX_IDs that this one gives.
    if (!id || !a.below.given_ids.has_all_of_both(from, login->second, *id)) return UndecidedReason::frames_missing;
    const auto between = between_.find(pair_key(from, to));
    if (between == between_.end()) return std::nullopt;
    for (const std::uint32_t connection : between->second) {
        if (states_[connection - 1].reordered) return UndecidedReason::out_of_order;
        const std::vector<Setup>& setups = model_.connections[connection - 1].setups;
        const auto is_whole = [](const Setup& s) { return s.rqst && s.resp1; };
        if (setups.size() >= options_.limits.setups) return UndecidedReason::not_remembered;
        if (!std::ranges::all_of(setups, is_whole)) return UndecidedReason::setup_not_captured;
    }
    return std::nullopt;
}

std::optional<Connections::Meant> Connections::meant_by(const Arrival& a) const {
    const Port from = source_of(a.seen), to = destination_of(a.seen);
    const std::uint32_t handle = a.header.handle();
    if (const Party* receiver = owner_of(to, from, __builtin_bswap32(handle)))
        return Meant{*receiver, "its octets in the wrong order", true};
    if (const Party* sender = owner_of(from, to, handle))
        return Meant{{sender->connection, other(sender->side)}, "the sender's own", false};
    return std::nullopt;
}

std::string unannounced_text(const Arrival& a, const std::optional<Connections::Meant>& meant) {
    return fmt::format(
        "{} goes to handle {:08X}h, which nobody has announced{}{}", a.iu.name, a.header.handle(), meant ? ": " : "",
        meant ? meant->mistake : "");
}

void Connections::set_state(Connection& connection, Side side, State state, const FrameStamp& step) const {
    End& end = connection.end[side];
    if (end.state == state) return;
    end.state = state;
    if (end.states.size() < options_.limits.setups) end.states.push_back({step, state});
}

}  // namespace fabricscope::engine::fcvi
