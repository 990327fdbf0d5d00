// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/setups.h"

#include <algorithm>

namespace fabricscope::engine::fcvi {
namespace {

using wire::IuType;

constexpr std::size_t most_payload = 1024;  // a connect payload has 596 octets at most
constexpr std::size_t most_waiting_peers = 64;

wire::ConnectMode mode_of(const wire::DeviceHeader& header) {
    std::uint8_t mode = 0;
    if (const auto* iso = std::get_if<wire::ConnectRequestHead>(&header.head)) mode = iso->mode;
    if (const auto* draft = std::get_if<wire::ConnectRequestHeadRev10>(&header.head)) mode = draft->mode;
    return static_cast<wire::ConnectMode>(mode);
}

}  // namespace

/// Where the numbers of the ports' Exchanges begin that belong to the connection.
void Setups::note_ids(const Arrival& a) {
    if (a.exchange.use != Exchange::Use::setup || a.exchange.connection == 0) return;
    for (const Side side : {Side::client, Side::server})
        if (std::optional<std::uint16_t>& first = connections_.state(a.exchange.connection).sender[side].first_id;
            !first)
            first = a.id_given_by(side);
}

void Setups::on_frame(const Arrival& a) {
    receive(a);
    note_ids(a);
}

void Setups::receive(const Arrival& a) {
    if (a.iu.payload == wire::Content::connect_info) {
        const std::optional<Payload> payload = whole_payload(a);
        if (!payload) return;
        if (a.iu.type == IuType::connect_rqst) on_request(a, *payload);
        else on_response1(a, *payload);
    } else if (a.iu.type == IuType::connect_resp2) {
        on_response2(a);
    } else {
        on_response3(a);
    }
}

/// Most IUs have one frame; of others the payload is gathered until the last one.
std::optional<Setups::Payload> Setups::whole_payload(const Arrival& a) {
    const fc::Frame& frame = a.frame();
    GatheredPayload& gathered = a.exchange.payload;
    if (a.continuation.first_of_iu) gathered = {};
    const capture::FcSequence* sequence = a.below.sequence.sequence;
    const bool alone = sequence != nullptr && sequence->frames == 1 && sequence->complete();
    if (alone) return Payload{frame.payload, frame.payload_length};
    gathered.has_gaps |= !a.continuation.in_order;
    const bool joins = !gathered.has_gaps && gathered.octets.size() == gathered.length;  // what was cut ends it
    if (joins && gathered.length + frame.payload_length <= most_payload)
        gathered.octets.insert(gathered.octets.end(), frame.payload.begin(), frame.payload.end());
    gathered.length += frame.payload_length;
    if (!a.ends_iu() || gathered.has_gaps) return std::nullopt;
    return Payload{gathered.octets, gathered.length};
}

// ---- FCVI_CONNECT_RQST ---------------------------------------------------------------------------

/// A retried setup, and the request of the other one of two peers, belong to what is there already.
Connection* Setups::joined(const Arrival& a, const wire::ConnectPayload& payload) {
    const Port from = source_of(a.seen), to = destination_of(a.seen);
    const bool peer = mode_of(a.header) == wire::ConnectMode::peer_to_peer;
    const auto handle = payload.captured_handle();
    const Connections::Party* party = handle ? connections_.owner_of(from, to, *handle) : nullptr;
    const bool gone = party != nullptr && connections_.state(party->connection).sender[party->side].logout;
    if (party != nullptr && !gone && (a.header.retry() || peer)) {
        Connection& connection = connections_.at(party->connection);
        if (a.header.retry() || connection.outcome != Outcome::connected) return &connection;
    }
    return peer ? waiting_peer(a, payload) : nullptr;
}

/// Another endpoint of `side` has asked and has no answer, or one of either side is being connected: one that asks now
/// begins a connection of its own.
bool Setups::is_taken(const Connection& connection, Side side) {
    return std::ranges::any_of(connection.setups, [&](const Setup& setup) {
        return setup.rqst && !setup.abts && !setup.status && (setup.resp1 || setup.from == side);
    });
}

/// Hosts match crosswise, and the discriminators that both ask for (VI-DG 6.7). Each asking for the other's own is
/// taken for a match, too, if they treat it as one; whether the answers are right is not decided then.
Connection* Setups::waiting_peer(const Arrival& a, const wire::ConnectPayload& payload) {
    const Port from = source_of(a.seen), to = destination_of(a.seen);
    std::vector<std::uint32_t>& waiting = connections_.waiting_peers(from, to);
    std::erase_if(waiting, [&](std::uint32_t id) { return connections_.at(id).outcome == Outcome::connected; });
    for (const std::uint32_t id : waiting) {
        Connection& connection = connections_.at(id);
        const Side other_side = connection.end[Side::client].port == from ? Side::server : Side::client;
        const auto& asked = connections_.state(id).sender[other_side].asked_for;
        const auto& address = connection.end[other_side].address;
        if (!asked || !address || (payload.captured_handle() && is_taken(connection, other(other_side)))) continue;
        const bool hosts = asked->host == payload.local().host && address->host == payload.remote().host;
        const bool mirrored = same_discriminator(*asked, payload.local()) &&
                              same_discriminator(*address, payload.remote());
        if (hosts && (mirrored || same_discriminator(*asked, payload.remote()))) return &connection;
    }
    return nullptr;
}

void Setups::learn_end(Connection& connection, Side side, const wire::ConnectPayload& payload) {
    End& end = connection.end[side];
    const auto handle = payload.captured_handle();
    if (!handle) connections_.note_unread(connection.end[Side::client].port, connection.end[Side::server].port);
    else if (handle != wire::unassigned_handle) connections_.bind(connection, side, *handle);
    if (payload.error) return;
    end.address = payload.local();
    if (handle == wire::unassigned_handle) return;  // a refusal by nobody, who wants nothing
    end.attributes = payload.attributes();
    end.reliability = payload.reliability();
}

void Setups::note_end(const Connection& connection, std::size_t setup, Side side) {
    if (connection.mode != wire::ConnectMode::peer_to_peer) return;
    ConnectionState& state = connections_.state(connection.id);
    if (state.announced.size() <= setup) state.announced.resize(setup + 1);
    state.several_ask |= std::ranges::any_of(state.announced, [&](const PerSide<Announcement>& former) {
        return former[side].handle && former[side].handle != connection.end[side].handle;
    });
    state.announced[setup][side] = connection.end[side];
}

/// As long as another setup has not decided it, an end of a connection is the one that takes part in this one.
void Setups::take_end(Connection& connection, std::size_t setup, Side side) {
    const ConnectionState& state = connections_.state(connection.id);
    const auto& announced = state.announced;
    if (connection.outcome == Outcome::connected || state.ends_known || setup >= announced.size()) return;
    if (announced[setup][side].handle) static_cast<Announcement&>(connection.end[side]) = announced[setup][side];
}

/// With a good CONNECT_RESP2: no other setup will make the connection.
void Setups::take_ends(Connection& connection, std::size_t setup) {
    if (connection.setups[setup].status || !connections_.state(connection.id).several_ask) return;
    for (const Side side : {Side::client, Side::server}) {
        take_end(connection, setup, side);
        for (const PerSide<Announcement>& other : connections_.state(connection.id).announced)
            if (other[side].handle && other[side].handle != connection.end[side].handle)
                connections_.release(connection, side, *other[side].handle);
    }
    connections_.state(connection.id).ends_known = true;
}

void Setups::on_request(const Arrival& a, const Payload& octets) {
    if (!a.exchange.may_serve(Exchange::Use::setup)) return;
    const wire::ConnectPayload payload = wire::parse_connect(octets.octets, octets.length, a.header.version);
    const Port from = source_of(a.seen), to = destination_of(a.seen);
    Connection* connection = joined(a, payload);
    const bool fresh = connection == nullptr;
    if (fresh) connection = connections_.create(a, from, to);
    if (connection == nullptr || connection->setups.size() >= options_.limits.setups) return;
    const Side side = connection->end[Side::client].port == from ? Side::client : Side::server;

    a.exchange.use = Exchange::Use::setup;
    a.exchange.connection = connection->id;
    a.exchange.originator = side;
    a.exchange.index = connection->setups.size();
    a.facts.connection = connection->id;
    iu_rules_.on_connect(a, payload, octets.length);
    rules_.on_request(a, *connection, payload, fresh);

    connection->setups.push_back(
        {.from = side,
         .ox_id = a.frame().header.ox_id,
         .connection_id = a.header.connection_id(),
         .retry = a.header.retry(),
         .rqst = a.step(),
         .request_handle = payload.captured_handle()});
    if (const auto id = a.header.connection_id())
        connections_.name_setup(from, *id, {connection->id, connection->setups.size() - 1});
    if (fresh) {
        connection->from_start = true;
        connection->mode = mode_of(a.header);
        if (connection->mode == wire::ConnectMode::peer_to_peer) {
            auto& waiting = connections_.waiting_peers(from, to);
            if (waiting.size() < most_waiting_peers) waiting.push_back(connection->id);
        }
    }
    if (connection->outcome == Outcome::aborted) connection->outcome = Outcome::unknown;  // it is tried again
    learn_end(*connection, side, payload);
    note_end(*connection, a.exchange.index, side);
    if (!payload.error) {
        connections_.state(connection->id).sender[side].asked_for = payload.remote();
        farp_rules_.on_connect(a, payload.remote().host);
    }
    connections_.set_state(
        *connection, side, a.header.retry() ? State::pending_connect_retry : State::pending_connect, a.step());
    timeouts_.expect_setup(a);
}

// ---- FCVI_CONNECT_RESP1 --------------------------------------------------------------------------

Setup* Setups::setup_of(const Arrival& a) {
    if (a.exchange.use != Exchange::Use::setup || a.exchange.connection == 0) return nullptr;
    a.facts.connection = a.exchange.connection;
    return &connections_.at(a.exchange.connection).setups[a.exchange.index];
}

/// The setup that has its FCVI_CONNECTION_ID, if the response is in an Exchange where it should not be.
Setup* Setups::named_setup(const Arrival& a) {
    const auto id = a.header.connection_id();
    if (!id || !a.exchange.may_serve(Exchange::Use::setup)) return nullptr;
    const Connections::SetupPlace* place = connections_.find_setup(destination_of(a.seen), *id);
    if (place == nullptr) return nullptr;
    Connection& connection = connections_.at(place->connection);
    Setup& setup = connection.setups[place->setup];
    if (connection.end[other(setup.from)].port != source_of(a.seen) || !rules_.is_misplaced(a, setup)) return nullptr;
    a.exchange.use = Exchange::Use::setup;
    a.exchange.connection = connection.id;
    a.exchange.index = place->setup;
    a.exchange.originator = a.from_originator() ? other(setup.from) : setup.from;
    a.facts.connection = connection.id;
    rules_.on_misplaced(a, setup);
    return &setup;
}

/// A setup whose request was not captured: what the response says of it is kept.
Connection* Setups::met_midway(const Arrival& a, const wire::ConnectPayload& payload) {
    if (!a.exchange.may_serve(Exchange::Use::setup)) return nullptr;
    const Port client = destination_of(a.seen), server = source_of(a.seen);
    Connection* connection = connections_.create(a, client, server);
    if (connection == nullptr) return nullptr;
    a.exchange.use = Exchange::Use::setup;
    a.exchange.connection = connection->id;
    a.exchange.originator = Side::client;
    a.exchange.index = 0;
    connection->setups.push_back(
        {.from = Side::client, .ox_id = a.frame().header.ox_id, .connection_id = a.header.connection_id()});
    connection->setups.back().retry = a.header.retry();
    if (!payload.error) connection->end[Side::client].address = payload.remote();
    return connection;
}

void Setups::note_status(const Arrival& a, Connection& connection, Setup& setup) {
    const wire::Status* status = a.header.status();
    if (status == nullptr || setup.status) return;
    setup.status = StatusSeen{a.from(), a.iu.type, status->reason, status->explanation, status->vendor_unique,
                              a.step()};
    if (connection.outcome != Outcome::connected) {
        connection.outcome = Outcome::rejected;
        connection.reject = setup.status;
    }
}

/// 8.2: after a non-error reason endpoints are Idle, after a transport error the setup is retried, else Error.
void Setups::refuse(const Arrival& a, Connection& connection, const Setup& setup) {
    if (connection.outcome == Outcome::connected) return;
    const wire::Reason reason = wire::reason_of(connection.version, setup.status->reason);
    const bool harmless = wire::class_of(connection.version, setup.status->reason) ==
                          wire::ReasonClass::connect_non_error;
    const State requester = harmless                                         ? State::idle
                            : reason == wire::Reason::reject_transport_error ? State::pending_connect_retry
                                                                             : State::error;
    // A peer goes on waiting for the other one's request.
    const bool waits = connection.mode == wire::ConnectMode::peer_to_peer && harmless;
    if (!waits) connections_.set_state(connection, setup.from, requester, a.step());
    // A peer that was refused behind its acceptance waits for others.
    if (waits && a.iu.type == IuType::connect_resp2 && setup.response_handle)
        connections_.release(connection, other(setup.from), *setup.response_handle);
    if (connection.mode == wire::ConnectMode::client_server)
        connections_.set_state(connection, other(setup.from), State::idle, a.step());
}

void Setups::on_response1(const Arrival& a, const Payload& octets) {
    const wire::ConnectPayload payload = wire::parse_connect(octets.octets, octets.length, a.header.version);
    Setup* setup = setup_of(a);
    if (setup == nullptr) setup = named_setup(a);
    if (setup == nullptr) {
        Connection* midway = met_midway(a, payload);
        if (midway == nullptr) return;
        setup = &midway->setups.front();
        a.facts.connection = midway->id;
    }
    Connection& connection = connections_.at(a.exchange.connection);
    iu_rules_.on_connect(a, payload, octets.length);
    setup->resp1 = a.step();
    setup->response_handle = payload.captured_handle();
    a.answers(setup->rqst);
    note_status(a, connection, *setup);
    take_end(connection, a.exchange.index, setup->from);
    rules_.on_response1(a, connection, *setup, payload, octets.octets);
    // A refusal may come from nobody: what it says must not hide what the end has said of itself.
    if (!setup->status || !connection.end[a.from()].attributes) learn_end(connection, a.from(), payload);
    if (setup->status) {
        refuse(a, connection, *setup);
    } else {
        note_end(connection, a.exchange.index, a.from());
        connections_.set_state(connection, a.from(), State::pending_connect, a.step());
    }
    timeouts_.expect_response2(a);
}

// ---- FCVI_CONNECT_RESP2 and RESP3 ----------------------------------------------------------------

void Setups::complete(const Arrival& a, Connection& connection) {
    connection.outcome = Outcome::connected;
    connection.reject.reset();
    for (const Side side : {Side::client, Side::server})
        if (connection.end[side].state != State::error)
            connections_.set_state(connection, side, State::connected, a.step());
}

void Setups::without_setup(const Arrival& a) {
    connections_.note_unknown_setup(source_of(a.seen), destination_of(a.seen));
    rules_.without_setup();
}

void Setups::on_response2(const Arrival& a) {
    Setup* setup = setup_of(a);
    if (setup == nullptr) return without_setup(a);
    Connection& connection = connections_.at(a.exchange.connection);
    setup->resp2 = a.step();
    setup->resp2_handle = a.header.handle();
    a.answers(setup->resp1);
    note_status(a, connection, *setup);
    take_ends(connection, a.exchange.index);
    // A good one goes to the handle that RESP1 gave, which was not captured then.
    const Side peer = other(a.from());
    if (!setup->resp1 && !setup->status && !connection.end[peer].handle && a.header.handle() != wire::unassigned_handle)
        connections_.bind(connection, peer, a.header.handle());
    rules_.on_response2(a, *setup);
    if (setup->status) refuse(a, connection, *setup);
    else if (!connection.is_iso() && setup->resp1) complete(a, connection);
    else if (connection.is_iso()) connections_.set_state(connection, a.from(), State::connected, a.step());
}

void Setups::on_response3(const Arrival& a) {
    Setup* setup = setup_of(a);
    if (setup == nullptr) return without_setup(a);
    Connection& connection = connections_.at(a.exchange.connection);
    setup->resp3 = a.step();
    a.answers(setup->resp2);
    note_status(a, connection, *setup);
    rules_.on_response3(a, connection, *setup);
    if (setup->status) refuse(a, connection, *setup);
    else if (setup->resp1 && setup->resp2) complete(a, connection);  // else one of them may have refused
}

/// 8.5.3 of the requester: Pending Connect is retried, Connected and a retried setup end in Error.
void Setups::on_abts(Exchange& exchange, Side by, const FrameStamp& step) {
    Connection& connection = connections_.at(exchange.connection);
    Setup& setup = connection.setups[exchange.index];
    setup.abts = step;
    if (setup.resp3 || (setup.resp2 && !connection.is_iso())) return;
    if (connection.outcome == Outcome::unknown) connection.outcome = Outcome::aborted;
    if (by != setup.from) return;
    const State state = connection.end[by].state;
    if (state == State::pending_connect) connections_.set_state(connection, by, State::pending_connect_retry, step);
    else if (state == State::pending_connect_retry || state == State::connected)
        connections_.set_state(connection, by, State::error, step);
}

}  // namespace fabricscope::engine::fcvi
