// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/rendezvous.h"

#include <cstdlib>

#include "analyzer/engine/smcr/outcome.h"
#include "protocols/smcr/tcp_option.h"

namespace fabricscope::engine::smcr {

namespace {

bool less(const SocketAddress& a, const SocketAddress& b) {
    return a.address.bytes != b.address.bytes ? a.address.bytes < b.address.bytes : a.port < b.port;
}

SocketAddress source_of(const capture::Packet& packet) { return {packet.source, packet.tcp.source_port}; }
SocketAddress destination_of(const capture::Packet& packet) {
    return {packet.destination, packet.tcp.destination_port};
}

bool is_syn(const capture::TcpSegment& tcp) { return tcp.has(capture::syn) && !tcp.has(capture::ack); }
bool is_syn_ack(const capture::TcpSegment& tcp) { return tcp.has(capture::syn) && tcp.has(capture::ack); }

/// nullopt: cut off by the snap length before the end of the options.
std::optional<bool> has_option(const capture::TcpSegment& tcp) {
    constexpr std::uint32_t fixed_header = 20;
    if (wire::find_tcp_option(tcp.options)) return true;
    if (tcp.payload_offset - tcp.header_offset > fixed_header + tcp.options.size()) return std::nullopt;
    return false;
}

/// Whether the SYN is no retransmission of that in `earlier`, but was captured twice on its way: TCP waits for a second
/// at first.
bool is_copy(const capture::Packet& syn, const FrameStamp& earlier) {
    constexpr Time shortest_wait = capture::second / 2;
    return syn.time < earlier.time + shortest_wait && earlier.time < syn.time + shortest_wait;
}

/// A whole PROPOSAL, ACCEPT or CONFIRM at the start of a segment of a connection whose SYN was not
/// captured: nothing else begins and ends like that.
bool is_whole_clc(ByteView payload) {
    const std::size_t length = wire::clc_length(payload);
    if (length <= wire::clc_header_size || payload.size() < length) return false;
    const wire::ClcMessage message = wire::parse_clc(payload.first(length));
    return !message.error && message.header.type != wire::ClcType::decline;
}

}  // namespace

std::size_t Rendezvous::KeyHash::operator()(const Key& key) const noexcept {
    const std::hash<Address> hash;
    return hash(key.low.address) * 31 + hash(key.high.address) +
           (std::size_t{key.low.port} << 16 ^ key.high.port) * 0x9E3779B97F4A7C15u;
}

Rendezvous::Key Rendezvous::key_of(const capture::Packet& packet) {
    const SocketAddress source = source_of(packet);
    const SocketAddress destination = destination_of(packet);
    return less(source, destination) ? Key{source, destination} : Key{destination, source};
}

void Rendezvous::on_tcp(const capture::Packet& packet) {
    const capture::TcpSegment& tcp = packet.tcp;
    const bool opens = tcp.has(capture::syn);
    const bool may_be_clc = tcp.payload.size() >= wire::clc_header_size && tcp.payload[0] == 0xE2;
    if (conversations_.empty() && !opens && !may_be_clc) return;
    const Key key = key_of(packet);
    Conversation* conversation = conversation_of(packet, key);
    if (conversation == nullptr && may_be_clc && is_whole_clc(tcp.payload)) conversation = begin_midway(key, packet);
    if (conversation == nullptr) return;
    const Segment segment{
        packet, *conversation, source_of(packet) == conversation->client ? Side::client : Side::server};
    Connection& connection = *sessions_.at(conversation->session).connection;
    connection.last_time = std::max(connection.last_time, packet.time);
    if (opens) on_syn(segment);
    connection.setup.beyond_syn |= !is_syn(tcp);
    note_acknowledgment(segment);
    if (may_be_clc && connection.outcome == Outcome::plain_tcp) resume(segment);
    if (tcp.payload_length != 0 && connection.setup.plain[Side::client]) connection.setup.plain[segment.from] = true;
    const bool takes_part = tcp.payload_length != 0 && conversation->negotiating && !opens;
    if (takes_part) on_payload(segment);
    if (tcp.has(capture::fin)) on_fin(segment);
    else if (tcp.payload_length == 0) note_fins_before(segment);
    if (tcp.has(capture::rst) && is_in_window(segment)) on_reset(segment);
    FrameFacts facts;
    facts.what = FrameFacts::What::tcp;
    facts.packet = &packet;
    facts.frame = packet.number;
    facts.time = packet.time;
    facts.connection = conversation->session;
    facts.link_group = connection.link_group;
    facts.from = segment.from;
    if (takes_part) facts.clc_pending = pending(segment);
    observer_.on_facts(facts);
}

/// Whether it is a CLC message of a younger connection between the same sockets, whose SYNs were not captured: it lies
/// nowhere near what its sender sent in this one.
bool Rendezvous::is_of_another(const capture::Packet& packet, const Conversation& known) {
    constexpr std::int64_t farthest = stream_limit;
    const capture::TcpSegment& tcp = packet.tcp;
    const auto& start = known.start[source_of(packet) == known.client ? Side::client : Side::server];
    if (!start || std::abs(std::int64_t{static_cast<std::int32_t>(tcp.sequence - *start)}) <= farthest) return false;
    return is_whole_clc(tcp.payload);
}

/// The conversation of a segment; SYN and SYN-ACK with the option begin one, a SYN with another
/// sequence number ends the one before.
Rendezvous::Conversation* Rendezvous::conversation_of(const capture::Packet& packet, const Key& key) {
    const capture::TcpSegment& tcp = packet.tcp;
    const auto found = conversations_.find(key);
    Conversation* known = found == conversations_.end() ? nullptr : &found->second;
    if (!tcp.has(capture::syn)) {
        if (known == nullptr || !is_of_another(packet, *known)) return known;
        conversations_.erase(found);
        return nullptr;
    }
    const Side sender = is_syn(tcp) ? Side::client : Side::server;
    if (known != nullptr) {
        const auto start = known->start[sender];
        if (!start || *start == tcp.sequence + 1) return known;
        conversations_.erase(found);
    }
    if (wire::find_tcp_option(tcp.options)) return begin(key, packet, sender);
    if (has_option(tcp)) note_plain_syn(packet);
    return nullptr;
}

/// A SYN or SYN-ACK without the option.
void Rendezvous::note_plain_syn(const capture::Packet& packet) {
    const capture::TcpSegment& tcp = packet.tcp;
    const bool is_new = plain_.remember({source_of(packet), destination_of(packet), tcp.sequence + 1, packet.number});
    if (is_new && is_syn(tcp)) ++model_.not_offered;
}

Rendezvous::Conversation* Rendezvous::begin(const Key& key, const capture::Packet& packet, Side sender) {
    Session* session = sessions_.create(packet.number, packet.time);
    if (session == nullptr) return nullptr;
    Conversation& conversation = conversations_[key];
    conversation.session = session->connection->id;
    conversation.client = sender == Side::client ? source_of(packet) : destination_of(packet);
    session->connection->interface = packet.interface;
    session->connection->vlan = packet.vlan;
    session->connection->client = conversation.client;
    session->connection->server = sender == Side::client ? destination_of(packet) : source_of(packet);
    if (packet.tcp.has(capture::ack)) recall(conversation, other(sender), packet.tcp.acknowledgment);
    return &conversation;
}

/// A SYN without the option, behind which the side's stream begins with `first`.
void Rendezvous::recall(Conversation& conversation, Side side, std::uint32_t first) {
    const Connection& connection = *sessions_.at(conversation.session).connection;
    const SocketAddress& from = side == Side::client ? *connection.client : *connection.server;
    const SocketAddress& to = side == Side::client ? *connection.server : *connection.client;
    PlainHandshakes::Syn* syn = plain_.find(from, to, first);
    if (syn == nullptr) return;
    if (side == Side::client && !std::exchange(syn->is_followed, true)) --model_.not_offered;
    conversation.handshake.option[side] = false;
    conversation.handshake.frame[side] = syn->frame;
    conversation.first[side] = conversation.start[side] = first;
}

Rendezvous::Conversation* Rendezvous::begin_midway(const Key& key, const capture::Packet& packet) {
    const auto type = wire::parse_clc(packet.tcp.payload).header.type;
    const Side sender = type == wire::ClcType::accept ? Side::server : Side::client;
    Conversation* conversation = begin(key, packet, sender);
    if (conversation != nullptr) recall(*conversation, sender, packet.tcp.sequence);
    return conversation;
}

/// The handshake ruled SMC out, and yet a stream begins with a CLC message.
void Rendezvous::resume(const Segment& segment) {
    const auto& [packet, conversation, from] = segment;
    if (packet.tcp.sequence != conversation.start[from] || !is_whole_clc(packet.tcp.payload)) return;
    sessions_.at(conversation.session).connection->outcome = Outcome::unknown;
    conversation.negotiating = true;
}

void Rendezvous::on_syn(const Segment& segment) {
    const auto& [packet, conversation, from] = segment;
    const capture::TcpSegment& tcp = packet.tcp;
    Connection& connection = *sessions_.at(conversation.session).connection;
    conversation.start[from] = conversation.first[from] = tcp.sequence + 1;
    auto& step = is_syn_ack(tcp) ? connection.setup.syn_ack : connection.setup.syn;
    if (!step) step = step_of(packet);
    auto& option = conversation.handshake.option[from];
    const auto seen = has_option(tcp);
    connection.setup.option_removed[from] |= seen && option && *seen != *option && is_copy(packet, *step);
    if (seen && !option.value_or(false)) option = seen;
    if (conversation.handshake.frame[from] == 0) conversation.handshake.frame[from] = packet.number;
    if (!is_syn_ack(tcp) || option != false) return;
    connection.outcome = Outcome::plain_tcp;
    stop(conversation);
}

void Rendezvous::on_fin(const Segment& segment) {
    const auto& [packet, conversation, from] = segment;
    Connection& connection = *sessions_.at(conversation.session).connection;
    if (connection.fin[from]) return;
    on_end(segment);
    connection.fin[from] = true;
    const TcpArrival arrival = arrival_of(segment);
    rules_.close.on_fin(arrival, groups_.is_complete(connection.link_group));
    const auto end = next(conversation, from);
    if (!conversation.negotiating || !end) return;
    const std::uint32_t sent = packet.tcp.sequence + packet.tcp.payload_length;
    rules_.tcp.on_end(arrival, static_cast<std::int32_t>(sent - *end));
}

void Rendezvous::on_reset(const Segment& segment) {
    Connection& connection = *sessions_.at(segment.conversation.session).connection;
    if (connection.reset) return;
    on_end(segment);
    connection.reset = true;
    connection.reset_by = segment.from;
    connection.reset_frame = segment.packet.number;
    if (!connection.setup.syn_ack && refuses(segment)) {
        connection.outcome = Outcome::failed;
        stop(segment.conversation);
    }
    const bool over = connection.from[Side::client].ended() && connection.from[Side::server].ended();
    connection.reset_in_use = !over && groups_.is_complete(connection.link_group);
    rules_.close.on_reset(arrival_of(segment), groups_.history(connection.link_group));
}

/// What has been acknowledged, or is further off than any window, no reset can be about (RFC 9293, 3.10.7.4).
bool Rendezvous::is_in_window(const Segment& segment) {
    constexpr std::int32_t largest_window = 1 << 30;
    const auto& acknowledged = segment.conversation.acknowledged[segment.from];
    if (!acknowledged) return true;
    const auto ahead = static_cast<std::int32_t>(segment.packet.tcp.sequence - *acknowledged);
    return (ahead >= 0 && ahead <= largest_window) || refuses(segment);
}

void Rendezvous::note_acknowledgment(const Segment& segment) {
    const auto& [packet, conversation, from] = segment;
    if (!packet.tcp.has(capture::ack)) return;
    const std::uint32_t sequence = packet.tcp.acknowledgment;
    auto& latest = conversation.acknowledged[other(from)];
    if (!latest || static_cast<std::int32_t>(sequence - *latest) > 0) latest = sequence;
    if (!conversation.negotiating || from == Side::client) return;
    Setup& setup = sessions_.at(conversation.session).connection->setup;
    if (!setup.proposal || setup.proposal_acknowledged) return;
    setup.proposal_acknowledged = static_cast<std::int32_t>(sequence - *next(conversation, Side::client)) >= 0;
}

/// Whether this answers a SYN where nobody listens: a host that knew of a connection would send a sequence number of
/// it (RFC 9293, 3.10.7.1).
bool Rendezvous::refuses(const Segment& segment) {
    const capture::TcpSegment& tcp = segment.packet.tcp;
    return segment.from == Side::server && tcp.has(capture::ack) && tcp.sequence == 0 &&
           tcp.acknowledgment == segment.conversation.first[Side::client];
}

/// The first that is seen of the connection's end.
void Rendezvous::on_end(const Segment& segment) {
    const auto& [packet, conversation, from] = segment;
    Session& session = sessions_.at(conversation.session);
    Connection& connection = *session.connection;
    if (connection.end) return;
    connection.end = packet.time;
    connection.ended_by = from;
    rules_.decline.on_end(connection);
    const bool all_sent = packet.tcp.sequence == next(conversation, from);
    const bool all_arrived = packet.tcp.has(capture::ack) &&
                             packet.tcp.acknowledgment == next(conversation, other(from));
    session.setup_seen = !conversation.other_data && (!conversation.negotiating || (all_sent && all_arrived));
}

/// A FIN takes one sequence number, and behind the last CLC message of SMC-R nothing else does.
void Rendezvous::note_fins_before(const Segment& segment) {
    const capture::Packet& packet = segment.packet;
    const Conversation& conversation = segment.conversation;
    const Side from = segment.from;
    if (!conversation.negotiating) return;
    PerSide<bool>& sent = sessions_.at(conversation.session).fin_sent;
    const auto is_behind = [&](std::uint32_t sequence, Side side) {
        const auto end = next(conversation, side);
        return end && sequence - *end == 1;
    };
    sent[from] |= is_behind(packet.tcp.sequence, from);
    sent[other(from)] |= packet.tcp.has(capture::ack) && is_behind(packet.tcp.acknowledgment, other(from));
}

TcpArrival Rendezvous::arrival_of(const Segment& segment) const {
    const capture::Packet& packet = segment.packet;
    const Conversation& conversation = segment.conversation;
    const auto behind = [&](const std::optional<std::uint32_t>& sequence) -> std::optional<std::int32_t> {
        if (!sequence || !packet.tcp.has(capture::ack)) return std::nullopt;
        return static_cast<std::int32_t>(packet.tcp.acknowledgment - *sequence);
    };
    return {
        *sessions_.at(conversation.session).connection,
        segment.from,
        step_of(packet),
        conversation.handshake,
        behind(conversation.first[other(segment.from)]),
        behind(next(conversation, other(segment.from)))};
}

/// Of what ends at that position of its sender's stream. If that is behind the segment, it came before, and waited for
/// what this one holds: what its sender knew by then, its own segment told.
TcpArrival Rendezvous::arrival_of(const Segment& segment, std::uint64_t end) const {
    const capture::TcpSegment& tcp = segment.packet.tcp;
    const auto begin = static_cast<std::int32_t>(tcp.sequence - *segment.conversation.start[segment.from]);
    TcpArrival arrival = arrival_of(segment);
    if (static_cast<std::int64_t>(end) > std::int64_t{begin} + tcp.payload_length)
        arrival.received = arrival.unseen = {};
    return arrival;
}

void Rendezvous::make_room_for_stream(const Segment& segment) {
    streams_.push_back({key_of(segment.packet), segment.conversation.session});
    if (streams_.size() <= most_streams) return;
    const auto oldest = conversations_.find(streams_.front().key);
    if (oldest != conversations_.end() && oldest->second.session == streams_.front().session &&
        oldest->second.negotiating) {
        stop(oldest->second);
        sessions_.leave_out_detail();
    }
    streams_.pop_front();
}

void Rendezvous::on_payload(const Segment& segment) {
    const auto& [packet, conversation, from] = segment;
    if (!conversation.start[from]) conversation.start[from] = packet.tcp.sequence;
    auto& stream = conversation.stream[from];
    if (!stream) {
        make_room_for_stream(segment);
        stream = std::make_unique<capture::TcpStream>(stream_limit);
        stream->start(*conversation.start[from]);
    }
    if (from == Side::client && packet.tcp.sequence == conversation.start[from])
        ++sessions_.at(conversation.session).connection->setup.proposals;
    stream->insert(packet.tcp.sequence, packet.tcp.payload, packet.tcp.payload_length, packet.number);
    while (conversation.negotiating && on_stream(segment)) {
    }
    if (conversation.negotiating && packet.tcp.payload.size() < packet.tcp.payload_length) on_cut_message(segment);
}

/// Takes one message from the stream; false when there is none (yet).
bool Rendezvous::on_stream(const Segment& segment) {
    auto& stream = segment.conversation.stream[segment.from];
    const ByteView readable = stream->readable();
    if (readable.empty()) return false;
    const std::size_t length = wire::clc_length(readable);
    if (length == 0) {
        const TcpArrival arrival = arrival_of(segment, stream->position() + 1);
        rules_.tcp.on_other_data(arrival);
        segment.conversation.other_data = true;  // the application's own
        const bool is_first = next(segment.conversation, segment.from) == segment.conversation.first[Side::client];
        if (segment.from == Side::client && is_first && arrival.handshake.agreed())
            sessions_.at(segment.conversation.session).connection->setup.plain[Side::client] = true;
        stop(segment.conversation);
        return false;
    }
    if (readable.size() < length || length <= wire::clc_header_size) return false;
    const std::uint64_t position = stream->position();
    const bool more = on_message(segment, readable.first(length), position);
    if (more) stream->consume(length);
    return more;
}

/// A message whose segment was cut by the snap length: used as far as it goes, and the stream goes
/// on behind it.
void Rendezvous::on_cut_message(const Segment& segment) {
    const auto& [packet, conversation, from] = segment;
    const auto& stream = conversation.stream[from];
    const ByteView readable = stream->readable();
    const std::size_t length = wire::clc_length(readable);
    const std::uint32_t end = packet.tcp.sequence + packet.tcp.payload_length;
    const auto position = static_cast<std::uint32_t>(stream->position());
    if (length <= wire::clc_header_size || *conversation.start[from] + position + length != end) return;
    on_message(segment, readable, position);
    if (!conversation.negotiating) return;
    conversation.stream[from].reset();
    conversation.start[from] = end;
}

/// The sequence number behind a side's last whole CLC message.
std::optional<std::uint32_t> Rendezvous::next(const Conversation& conversation, Side side) {
    const auto& stream = conversation.stream[side];
    if (!conversation.start[side] || !stream) return conversation.start[side];
    return *conversation.start[side] + static_cast<std::uint32_t>(stream->position());
}

/// While CLC goes on, whatever stands behind the last whole message begins the next one.
std::uint32_t Rendezvous::pending(const Segment& segment) {
    const auto& [packet, conversation, from] = segment;
    if (!conversation.negotiating || !conversation.stream[from]) return 0;
    const std::uint32_t behind = packet.tcp.sequence + packet.tcp.payload_length - *next(conversation, from);
    return static_cast<std::int32_t>(behind) <= 0 ? 0 : std::min(behind, packet.tcp.payload_length);
}

bool Rendezvous::on_message(const Segment& segment, ByteView octets, std::uint64_t position) {
    const auto& [packet, conversation, from] = segment;
    const wire::ClcMessage message = wire::parse_clc(octets);
    ClcSeen seen;
    seen.frame = packet.number;
    seen.time = packet.time;
    seen.connection = conversation.session;
    seen.from = from;
    seen.octets = octets;
    const auto segment_position = static_cast<std::int32_t>(packet.tcp.sequence - *conversation.start[from]);
    seen.payload_offset = static_cast<std::int64_t>(position) - segment_position;
    if (conversation.last_message) {
        seen.request_frame = conversation.last_message->frame;
        seen.request_time = conversation.last_message->time;
    }
    observer_.on_clc(seen);
    if (seen.request_frame != 0) observer_.on_response(seen.request_frame, seen.frame, seen.time - seen.request_time);
    conversation.last_message = step_of(packet);
    TcpArrival arrival = arrival_of(segment, position + octets.size());
    rules_.on_clc(arrival, message);
    if (on_clc(segment, message, arrival)) return true;
    stop(conversation);
    return false;
}

/// Whether further CLC messages may follow. Nothing behind one that its sender may not send can be
/// trusted to be CLC.
bool Rendezvous::on_clc(const Segment& segment, const wire::ClcMessage& message, TcpArrival& arrival) {
    const auto& [packet, conversation, from] = segment;
    Session& session = sessions_.at(conversation.session);
    Connection& connection = *session.connection;
    const FrameStamp step = step_of(packet);
    const bool from_client = from == Side::client;
    if (std::holds_alternative<wire::Proposal>(message.body)) {
        if (!from_client) return false;
        if (!connection.setup.proposal) connection.setup.proposal = step;
        return true;
    }
    if (std::holds_alternative<wire::Decline>(message.body)) return on_decline(session, message, from, step);
    const bool is_accept = message.header.type == wire::ClcType::accept;
    if (is_accept == from_client) return false;
    const bool tells_version = !connection.version || (is_accept && !connection.setup.accept);
    if (tells_version && message.version() != 0) connection.version = message.version();  // 0: it was cut
    if (const auto* smcd = std::get_if<wire::SmcdAcceptConfirm>(&message.body))
        return on_smcd(connection, *smcd, message.header.type, step);
    const auto* body = std::get_if<wire::SmcrAcceptConfirm>(&message.body);
    // Cut off before the end of the RMB's address: the message was there, but its link and RMB are not known.
    constexpr std::size_t address_end = 60, body_end = layout::layout_of<wire::SmcrAcceptConfirmBody>.extent.end;
    const std::size_t known = message.error ? message.error.offset : body_end;
    if (body == nullptr || known < address_end) {
        (is_accept ? connection.setup.accept : connection.setup.confirm) = step;
        return true;
    }
    arrival.psn_captured = known >= body_end;
    return is_accept ? on_accept(arrival, session, *body) : on_confirm(arrival, session, *body);
}

bool Rendezvous::on_accept(const TcpArrival& arrival, Session& session, const wire::SmcrAcceptConfirm& message) {
    Connection& connection = *session.connection;
    if (connection.setup.accept) return true;
    connection.setup.accept = arrival.step;
    connection.first_contact = message.body.first_contact;
    if (message.first_contact) connection.release = message.first_contact->release;
    groups_.on_accept(session, message, arrival);
    return true;
}

bool Rendezvous::on_confirm(const TcpArrival& arrival, Session& session, const wire::SmcrAcceptConfirm& message) {
    Connection& connection = *session.connection;
    if (connection.setup.confirm) return true;
    connection.setup.confirm = arrival.step;
    if (!connection.setup.accept && !connection.first_contact && message.body.first_contact)
        connection.first_contact = true;
    groups_.on_confirm(session, message, arrival);
    return true;
}

bool Rendezvous::on_smcd(
    Connection& connection, const wire::SmcdAcceptConfirm& message, wire::ClcType type, FrameStamp step) {
    const bool is_accept = type == wire::ClcType::accept;
    (is_accept ? connection.setup.accept : connection.setup.confirm) = step;
    connection.first_contact = message.body.first_contact;
    if (!is_accept) connection.outcome = Outcome::smc_d;
    return true;
}

bool Rendezvous::on_decline(Session& session, const wire::ClcMessage& message, Side from, FrameStamp step) {
    constexpr std::size_t code_end = 20;
    Connection& connection = *session.connection;
    const auto& body = std::get<wire::Decline>(message.body).body;
    connection.setup.decline = step;
    connection.decline = DeclineSeen{from, std::nullopt, step.frame, body.out_of_sync};
    if (!message.error || message.error.offset >= code_end) connection.decline->code = body.diagnosis;
    connection.outcome = Outcome::fallback;
    groups_.on_decline(session);
    return false;
}

void Rendezvous::stop(Conversation& conversation) {
    conversation.negotiating = false;
    for (auto& stream : conversation.stream.values) stream.reset();
}

namespace {

/// Where a FIN is missing, so may be what was sent before it.
bool lacks_fin(const Session& session) {
    const auto lacks = [&](Side one) { return session.fin_sent[one] && !session.connection->fin[one]; };
    return lacks(Side::client) || lacks(Side::server);
}

/// Whether anything has ended it, on whichever way.
bool is_over(const Connection& connection) {
    const auto ends = [&](Side side) { return connection.from[side].ended() || connection.fin[side]; };
    return connection.reset || ends(Side::client) || ends(Side::server);
}

/// TCP ends in order behind what closes the connection over the link group. Where the peer's close is missing, or it
/// was not heard to the end, so may be this side's.
bool may_lack_its_close(const Connection& connection, Side side, const Seen& seen) {
    const auto lacks = [&](Side one) { return connection.fin[one] && !connection.from[one].ended(); };
    if (connection.from[side].ended()) return false;
    return lacks(other(side)) || (lacks(side) && !seen.last_message[other(side)]);
}

}  // namespace

void Rendezvous::finish() {
    for (Session& session : sessions_.all()) {
        Connection& connection = *session.connection;
        Seen seen = groups_.seen(session);
        if (lacks_fin(session)) seen.last_message = {};
        connection.reset_in_use = connection.reset_in_use && groups_.is_complete(connection.link_group) &&
                                  seen.to_tcps_end;
        for (const Side side : {Side::client, Side::server})
            if (!seen.last_message[side] || may_lack_its_close(connection, side, seen)) session.miss(side);
        connection.outcome = final_outcome(connection, seen);
        connection.close = final_close(connection, seen);
        for (const Side side : {Side::client, Side::server}) {
            const bool heard = tells_of(side, connection, seen);
            connection.from[side].sender_heard = connection.from[other(side)].receiver_heard = heard;
        }
        const bool may_wait = seen.last_message[Side::client] && seen.last_message[Side::server] &&
                              !is_over(connection);
        sessions_.finish(session, may_wait ? std::optional(seen.heard_until) : std::nullopt);
    }
    sessions_.finish();
}

}  // namespace fabricscope::engine::smcr
