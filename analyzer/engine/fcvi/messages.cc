// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/messages.h"

#include <algorithm>

namespace fabricscope::engine::fcvi {
namespace {

/// Serial arithmetic: how far `a` is behind `b`, negative if it comes before.
std::int32_t distance(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b); }

}  // namespace

// ---- where a Message belongs ---------------------------------------------------------------------

/// Client-server: the client may send once it sent CONNECT_RESP2, the server with the last IU (C.5.5).
bool Messages::may_send(const Connection& connection, Side side) const {
    return std::ranges::any_of(connection.setups, [&](const Setup& setup) {
        if (setup.status) return false;
        return setup.from == side || !connection.is_iso() ? setup.resp2.has_value() : setup.resp3.has_value();
    });
}

/// A Message to a handle that nobody has announced: to whose it was meant, if that shows.
Connection* Messages::misdirected(const Arrival& a, const std::optional<Connections::Meant>& meant) {
    rules_.on_unannounced(a, meant);
    if (!meant) {
        a.exchange.use = Exchange::Use::stray;
        return nullptr;
    }
    a.exchange.originator = a.from_originator() ? other(meant->party.side) : meant->party.side;
    return &connections_.at(meant->party.connection);
}

/// By the handle that it goes to; a connection whose setup was not captured is made up.
Connection* Messages::connection_of(const Arrival& a) {
    const Port from = source_of(a.seen), to = destination_of(a.seen);
    const Connections::Party* party = connections_.receiver_of(a);
    if (party != nullptr) {
        a.exchange.originator = a.from_originator() ? other(party->side) : party->side;
        return &connections_.at(party->connection);
    }
    const std::optional<Connections::Meant> meant = connections_.meant_by(a);
    if ((meant && meant->certain) || !connections_.lack_of_setups(a)) return misdirected(a, meant);
    Connection* connection = connections_.create(a, from, to);
    if (connection == nullptr) return nullptr;
    a.exchange.originator = a.from_originator() ? Side::client : Side::server;
    connections_.bind(*connection, Side::server, a.header.handle());
    return connection;
}

Message* Messages::begin(const Arrival& a, Connection& connection, Side from, Operation operation) {
    if (model_.messages.size() >= options_.limits.messages) {
        ++model_.dropped_messages;
        return nullptr;
    }
    Message& message = model_.messages.open();
    message.id = model_.messages.size();
    message.connection = connection.id;
    message.from = from;
    message.operation = operation;
    message.msg_id = a.header.msg_id();
    message.ox_id = a.frame().header.ox_id;
    message.total_length = a.header.tot_len();
    // Revision 1.0: a field of a Read only, of which 6.5 says that it is zero.
    const bool may_be_rev_1_0 = !a.iso() || !connection.version_known;
    if (may_be_rev_1_0 && message.total_length == 0U) message.total_length.reset();
    message.immediate_data = a.header.immediate_data();
    if (const auto* target = std::get_if<wire::RdmaTarget>(&a.header.target)) {
        message.rmt_va = target->rmt_va;
        message.rmt_va_handle = target->rmt_va_handle;
    }
    message.first = a.step();
    a.exchange.use = Exchange::Use::message;
    a.exchange.connection = connection.id;
    a.exchange.index = message.id;
    a.exchange.msg_id = message.msg_id;
    return &message;
}

Message* Messages::begin_request(const Arrival& a) {
    if (a.header.handle() == wire::unassigned_handle) return nullptr;
    Connection* connection = connection_of(a);
    if (connection == nullptr) return nullptr;
    const Side side = a.exchange.originator;
    Message* message = begin(a, *connection, side, operation_of(a.iu.type));
    if (message == nullptr) return nullptr;
    Traffic& traffic = connection->from[side];
    ++traffic.messages;
    ++(message->operation == Operation::send    ? traffic.sends
       : message->operation == Operation::write ? traffic.writes
                                                : traffic.reads);
    Sender& sender = connections_.state(connection->id).sender[side];
    const bool undecided_setup = connection->from_start && connection->outcome == Outcome::unknown;
    const bool setup_has_gaps = std::ranges::any_of(connection->setups, &Setup::has_gaps);
    if (undecided_setup && !may_send(*connection, side)) {
        if (!sender.begun_early) sender.begun_early = a.step();
    } else if (connection->outcome == Outcome::unknown && (!connection->from_start || setup_has_gaps)) {
        connection->outcome = Outcome::connected;
        for (const Side end : {Side::client, Side::server})
            connections_.set_state(*connection, end, State::connected, a.step());
    }
    rules_.on_begin(a, *connection, *message);
    number(a, *connection, *message);
    return message;
}

/// A response whose request was not captured.
Message* Messages::begin_with_response(const Arrival& a) {
    if (a.header.handle() == wire::unassigned_handle) return nullptr;
    Connection* connection = connection_of(a);
    if (connection == nullptr) return nullptr;
    connections_.state(connection->id).lossy = true;
    return begin(a, *connection, a.exchange.originator, operation_of(a.iu.type));
}

// ---- annex B: which Message was expected -----------------------------------------------------------

void Messages::note_gap(
    Sender& sender, Reception& reception, std::uint32_t from, std::uint32_t to, const FrameStamp& step) {
    reception.missing_messages += to - from;
    for (std::uint32_t id = from; id != to && sender.missing.size() < ConnectionState::most; ++id)
        sender.missing.insert(id);
    if (!sender.gap) sender.gap = step;
}

void Messages::number(const Arrival& a, Connection& connection, const Message& message) {
    ConnectionState& state = connections_.state(connection.id);
    Sender& sender = state.sender[message.from];
    Reception& reception = connection.from[message.from].at_peer;
    if (!sender.next_message && connection.from_start) sender.next_message = connection.is_iso() ? 1 : 0;
    const std::uint32_t id = message.msg_id;
    if (!sender.next_message) {
        sender.next_message = id + 1;
    } else if (const std::int32_t ahead = distance(id, *sender.next_message); ahead >= 0) {
        if (ahead > 0) note_gap(sender, reception, *sender.next_message, id, a.step());
        if (ahead > 0 && ahead <= sender.misnumbered) sender.misnumbered -= ahead;
        else if (rules_.on_number(a, ahead > 0 ? MessageRules::Number::gap : MessageRules::Number::expected))
            sender.misnumbered -= ahead;
        sender.next_message = id + 1;
    } else if (sender.missing.erase(id) != 0) {
        --reception.missing_messages;
        ++reception.late_messages;
        state.reordered = true;
        if (sender.missing.empty()) sender.gap.reset();
        rules_.on_number(a, MessageRules::Number::late);
    } else {
        if (sender.misnumbered >= 0)
            rules_.on_number(a, connection.from_start ? MessageRules::Number::again : MessageRules::Number::late);
        ++sender.misnumbered;
    }
    reception.expected_message = sender.next_message;
    reception.expected_seq_cnt = 0;
}

// ---- frames ----------------------------------------------------------------------------------------

void Messages::take_frame(const Arrival& a, Message& message) {
    Connection& connection = connections_.at(message.connection);
    const Continuation& c = a.continuation;
    Traffic& traffic = connection.from[a.from()];
    const Direction& direction = a.exchange.by(a.from_originator());
    a.facts.connection = connection.id;
    a.facts.message = message.id;
    message.last = a.seen.time;
    std::optional<FrameStamp>& begin = a.from_originator() ? message.request_begin : message.response_begin;
    // An IU with another MSG_ID may be of the next Exchange with this OX_ID, whose beginning is missing.
    if (!begin && a.frame().header.seq_cnt == 0 && a.header.msg_id() == message.msg_id) begin = a.step();
    ++message.frames;
    message.sequences += c.first_of_iu;
    model_.dropped_details += c.left_out;
    const bool has_data = a.iu.payload == wire::Content::message_data;
    if (has_data) {
        message.bytes += c.new_bytes;
        traffic.bytes += c.new_bytes;
    }
    if (c.late) {
        connections_.state(connection.id).reordered = true;
        ++traffic.at_peer.late_frames;
    }
    if (message.reads() != a.from_originator()) message.missing_frames = direction.missing();
    traffic.at_peer.expected_seq_cnt = static_cast<std::uint16_t>(a.frame().header.seq_cnt + 1);
    if (has_data && !a.frame().payload.empty())
        observer_.on_data({message, a.from(), c.offset, a.frame().payload, model_.messages});
}

void Messages::on_request(const Arrival& a) {
    Message* message = a.exchange.use == Exchange::Use::message   ? &message_of(a.exchange)
                       : a.exchange.use == Exchange::Use::unknown ? begin_request(a)
                                                                  : nullptr;
    if (message == nullptr || message->msg_id != a.header.msg_id())
        connections_.note_uncounted(source_of(a.seen), destination_of(a.seen));
    if (message == nullptr) return;
    take_frame(a, *message);
    rules_.on_request_frame(a, connections_.at(message->connection), *message);
    if (a.ends_exchange() || a.passes_initiative()) {
        message->request_end = a.step();
        if (!a.ends_exchange()) {
            Sender& sender = connections_.state(message->connection).sender[message->from];
            if (sender.awaiting.size() < ConnectionState::most && !message->response)
                sender.awaiting[message->msg_id] = {message->id, message->first};
            timeouts_.expect_message_response(a);
        }
    }
    settle(a, *message);
}

void Messages::on_response(const Arrival& a) {
    const bool known = a.exchange.use == Exchange::Use::message;
    Message* message = known                                      ? &message_of(a.exchange)
                       : a.exchange.use == Exchange::Use::unknown ? begin_with_response(a)
                                                                  : nullptr;
    if (message == nullptr) return;
    take_frame(a, *message);
    Connection& connection = connections_.at(message->connection);
    if (known) a.answers(message->request_begin);
    // The first response tells the handle of an originator whose setup was not captured.
    End& originator = connection.end[message->from];
    if (!originator.handle) {
        originator.handle = a.header.handle();
        if (connections_.owner_of(originator.port, source_of(a.seen), a.header.handle()) == nullptr)
            connections_.bind(connection, message->from, a.header.handle());
    }
    const auto& flags = std::get<wire::MessageResponseHead>(a.header.head);
    rules_.on_response_frame(a, connection, *message, flags.resp_err);
    if (!message->response) {
        message->response = a.step();
        ++connection.from[a.from()].responses;
        Sender& answerer = connections_.state(connection.id).sender[a.from()];
        if (connection.is_iso() && connection.from_start && connection.outcome == Outcome::unknown &&
            !answerer.answered_early && a.from() == Side::client)
            answerer.answered_early = a.step();
    }
    if (flags.resp_err) fail(a, *message);
    if (!message->response_end && (a.ends_exchange() || !message->reads())) {
        message->response_end = a.step();
        if (!flags.resp_err) rules_.on_good_response(a, connection, *message);
        connections_.state(connection.id).sender[message->from].awaiting.erase(message->msg_id);
        rules_.on_end(*message);
    }
    settle(a, *message);
}

/// On a reliable level both ends enter Error (8.4.2).
void Messages::fail(const Arrival& a, Message& message) {
    Connection& connection = connections_.at(message.connection);
    const auto& flags = std::get<wire::MessageResponseHead>(a.header.head);
    if (message.state != MessageState::failed) ++connection.from[a.from()].failed_responses;
    message.state = MessageState::failed;
    message.trans_err |= flags.trans_err;
    message.prot_err |= flags.prot_err;
    message.desc_err |= flags.desc_err;
    const auto level = connection.reliability();
    if (!level || *level == wire::Reliability::unreliable_delivery) return;
    Sender& sender = connections_.state(connection.id).sender[message.from];
    if (!sender.failed) {
        sender.failed = a.step();
        sender.failed_message = message.msg_id;
    }
    for (const Side side : {Side::client, Side::server})
        if (connection.end[side].state == State::connected)
            connections_.set_state(connection, side, State::error, a.step());
}

/// A Message is complete when its last frame and all before it were seen, and a response that is due.
void Messages::settle(const Arrival& a, Message& message) {
    if (message.state == MessageState::failed || message.state == MessageState::complete) return;
    const bool ended = message.reads()    ? message.response_end.has_value()
                       : message.response ? message.response_end.has_value()
                                          : message.request_end && a.exchange.closed_by_request;
    if (!ended) return;
    const Direction& data = a.exchange.by(!message.reads());
    message.missing_frames = data.missing();
    if (message.missing_frames == 0 && !data.had_room()) return;  // nothing tells whether it was seen whole
    if (message.missing_frames == 0 && (message.reads() || message.request_end)) {
        message.state = MessageState::complete;
        rules_.on_complete(a, connections_.at(message.connection), message, data.end_of_data());
        return;
    }
    message.state = MessageState::incomplete;
    if (message.response && !message.reads()) connections_.state(message.connection).lossy = true;
}

void Messages::on_abts(const Exchange& exchange) {
    Message& message = message_of(exchange);
    // That all of it was seen does not say that its receiver took it.
    if (message.state != MessageState::failed && !message.response_end) message.state = MessageState::aborted;
    Sender& sender = connections_.state(message.connection).sender[message.from];
    sender.awaiting.erase(message.msg_id);
    rules_.on_end(message);
    if (exchange.aborted_by_originator && (!sender.given_up || before(message.msg_id, *sender.given_up)))
        sender.given_up = message.msg_id;
}

/// A later Message of the same side says that this one's end is missing, if frames keep their order.
bool Messages::was_left(const Message& message) {
    const ConnectionState& state = connections_.state(message.connection);
    const std::optional<std::uint32_t>& next = state.sender[message.from].next_message;
    return message.state == MessageState::open && !message.request_end && !state.reordered && next &&
           distance(*next, message.msg_id) > 1;
}

/// The capture has ended. Whether that changes the Message.
bool Messages::leave(Message& message) {
    Connection& connection = connections_.at(message.connection);
    Reception& reception = connection.from[message.reads() ? other(message.from) : message.from].at_peer;
    reception.missing_frames += message.missing_frames;
    const bool left = was_left(message);
    const bool ends = left ||
                      (message.state == MessageState::open && message.request_end && message.missing_frames != 0);
    if (ends) message.state = MessageState::incomplete;
    if (left || message.missing_frames != 0) {
        ++reception.message_errors;
        rules_.on_incomplete();
    } else if (message.state == MessageState::incomplete) {
        rules_.on_incomplete();
    }
    return ends;
}

void Messages::forget(const Exchange& exchange) {
    if (exchange.use == Exchange::Use::message) model_.messages.close(exchange.index - 1);
}

void Messages::finish() {
    for (std::size_t i = 0; i < model_.messages.size(); ++i)
        model_.messages.change(i, [this](Message& message) { return leave(message); });
    rules_.finish();
    for (Connection& connection : model_.connections)
        for (const Side side : {Side::client, Side::server}) {
            Reception& reception = connection.from[side].at_peer;
            reception.message_errors += reception.missing_messages;
            const auto level = connection.reliability();
            if (level && *level != wire::Reliability::unreliable_delivery)
                reception.handle_error = connections_.state(connection.id).sender[side].gap;
        }
}

}  // namespace fabricscope::engine::fcvi
