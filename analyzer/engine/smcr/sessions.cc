// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/sessions.h"

#include <utility>

namespace fabricscope::engine::smcr {

Session* Sessions::create(std::uint64_t frame, Time time) {
    if (model_.connections.size() >= options_.limits.connections) {
        ++model_.dropped_connections;
        return nullptr;
    }
    Connection& connection = model_.connections.emplace_back();
    connection.id = static_cast<std::uint32_t>(model_.connections.size());
    connection.first_frame = frame;
    connection.first_time = connection.last_time = time;
    return by_id_.emplace_back(&sessions_.emplace_back(connection, timeline_room_));
}

void Sessions::finish(Session& session, std::optional<Time> heard_until) {
    const Time last = std::max(session.connection->last_time, heard_until.value_or(0));
    for (Flow& flow : session.flow.values) {
        flow.finish(last, heard_until.has_value());
        if (flow.left_out() != 0) ++model_.dropped_details;
    }
}

void Sessions::finish() {
    if (options_.timelines && timeline_room_ == 0) ++model_.dropped_details;
}

bool Sessions::any_without_group() const {
    constexpr std::size_t most = 256;
    const auto youngest = model_.connections.end() -
                          static_cast<std::ptrdiff_t>(std::min(most, model_.connections.size()));
    return std::any_of(youngest, model_.connections.end(), [](const Connection& c) {
        return c.link_group == 0 && c.outcome == Outcome::unknown && !c.decline;
    });
}

void Sessions::open(Session& session, std::optional<std::uint8_t> base) {
    if (std::exchange(session.opened, true)) return;
    if (options_.timelines && !observer_.wants_timeline(*session.connection))
        for (Flow& flow : session.flow.values) flow.keep_no_timeline();
    for (const Side side : {Side::client, Side::server}) {
        const FirstName name{session.connection->id, side};
        session.connection->from[side].first_name = name;
        if (!observer_.wants_stream(*session.connection, side)) continue;
        session.flow[side].attach_stream([this, name](const StreamBuffer::Piece& piece) {
            observer_.on_stream(
                {name, piece.position, piece.octets, piece.missing, piece.implausible, piece.urgent_last});
        });
    }
    if (base) set_base(session, *base);
}

void Sessions::set_base(Session& session, std::uint8_t base) {
    for (Flow& flow : session.flow.values)
        if (!flow.has_base()) flow.set_base(base);
}

void Sessions::share_base(Session& session) {
    for (const Direction& direction : session.connection->from.values)
        if (direction.cursor_base) return set_base(session, *direction.cursor_base);
}

void Sessions::swap_sides(Session& session) {
    Connection& c = *session.connection;
    std::swap(c.client, c.server);
    c.from.swap_sides();
    c.alert_token.swap_sides();
    c.element.swap_sides();
    c.link.swap_sides();
    c.fin.swap_sides();
    session.sequence.swap_sides();
    session.sent.swap_sides();
    session.flow.swap_sides();
    session.fin_sent.swap_sides();
    for (const Side side : {Side::client, Side::server}) session.flow[side].rebind(c.from[side]);
}

void Sessions::join(Session& kept, Session& gone, Side sender) {
    Connection& c = *kept.connection;
    c.from[sender] = std::move(gone.connection->from[sender]);
    gone.flow[sender].take_consumer(kept.flow[sender]);
    kept.flow[sender] = std::move(gone.flow[sender]);
    kept.flow[sender].rebind(c.from[sender]);
    kept.flow[other(sender)].take_consumer(gone.flow[other(sender)]);
    kept.sequence[sender] = gone.sequence[sender];
    kept.sent[sender] = gone.sent[sender];
    const Side receiver = other(sender);
    c.alert_token[receiver] = gone.connection->alert_token[receiver];
    c.element[receiver] = gone.connection->element[receiver];
    c.link[sender] = gone.connection->link[sender];
    c.first_frame = std::min(c.first_frame, gone.connection->first_frame);
    c.first_time = std::min(c.first_time, gone.connection->first_time);
    gone.connection->merged = true;
    gone.connection->merged_into = c.id;
}

void Sessions::note_data(Connection& connection, const FrameFacts& facts) {
    if (!connection.setup.first_data) connection.setup.first_data = {facts.time, facts.frame};
    connection.last_time = std::max(connection.last_time, facts.time);
    connection.link[*facts.from] = facts.link;
}

void Sessions::on_write(Session& session, Side from, const Flow::Write& write, FrameFacts& facts) {
    note_data(*session.connection, facts);
    facts.connection = session.connection->id;
    facts.rmbe_offset = write.offset;
    facts.position = session.flow[from].on_write(write);
    share_base(session);
}

void Sessions::on_cdc(Session& session, Side from, const wire::Cdc& cdc, FrameFacts& facts) {
    Connection& connection = *session.connection;
    Direction& direction = connection.from[from];
    if (cdc.flags.failover_validation && connection.link[from] != facts.link)
        direction.move = {connection.link[from], facts.link, facts.frame};
    note_data(connection, facts);
    facts.connection = connection.id;
    ++direction.cdcs;
    if (cdc.flags.failover_validation) {
        // Only type, length, sequence and token mean something (RFC 7609, 4.6.1).
        ++direction.failover_cdcs;
        session.flow[from].expect_replay();
        return;
    }
    if (session.overtaken(from, cdc)) return;  // says nothing new
    if (sequence_distance(session.sequence[from].value_or(0), cdc.sequence) > 1) session.miss(from);
    session.sequence[from] = cdc.sequence;
    direction.sending_done |= cdc.state.sending_done;
    direction.closed |= cdc.state.connection_closed;
    if (cdc.state.abnormal_close && !direction.aborted) direction.abort_frame = facts.frame;
    direction.aborted |= cdc.state.abnormal_close;
    Flow& sent = session.flow[from];
    const Intervals& stalls = connection.from[other(from)].stalls;
    const Intervals before = stalls;
    facts.consumer_delta = session.flow[other(from)].on_consumer(cdc.consumer, facts.time, facts.frame);
    if (stalls.count != before.count) facts.stall_time = stalls.total - before.total;
    share_base(session);
    facts.producer_delta = sent.on_producer(cdc.producer, cdc.flags, facts.time, facts.frame);
    share_base(session);
    facts.produced = sent.produced();
    facts.consumed_by_peer = sent.consumed();
    facts.in_flight = sent.in_flight();
    const auto capacity = sent.capacity();
    if (capacity && facts.in_flight) facts.window = *capacity - std::min(*capacity, *facts.in_flight);
}

}  // namespace fabricscope::engine::smcr
