// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/message_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::engine::fcvi {
namespace {

using wire::IuType;
using wire::Reliability;

const char* name_of(Reliability level) { return wire::iso_reliability_names[static_cast<std::size_t>(level)].name; }

/// Whether the level has the receiver answer this operation.
bool is_answered(Reliability level, Operation operation) {
    return operation == Operation::read || level == Reliability::reliable_reception;
}

/// A setup was refused since the peer's own stands, which the answer tells.
bool stands_by_other_setup(const Connection& connection) {
    return std::ranges::any_of(connection.setups, [&](const Setup& s) {
        return s.status &&
               wire::reason_of(connection.version, s.status->reason) == wire::Reason::concurrent_peer_requests;
    });
}

}  // namespace

// ---- a new Message -------------------------------------------------------------------------------

void MessageRules::on_begin(const Arrival& a, const Connection& connection, const Message& message) {
    judge_silence(a, connection, message.from);
    judge_rdma(a, connection, message);
    judge_pipeline(a, connection, message.from);
    if (a.iso() && message.total_length) judge_size(a, connection, *message.total_length);
}

void MessageRules::on_unannounced(const Arrival& a, const std::optional<Connections::Meant>& meant) {
    judge_.broken(
        rules::right_handle, {a.seen.number}, meant ? meant->party.connection : 0, unannounced_text(a, meant));
}

bool MessageRules::on_number(const Arrival& a, Number number) {
    const Doubt lack = number == Number::gap ? Doubt(connections_.lack_of_numbers(a))
                                             : doubt_if(number == Number::late, UndecidedReason::out_of_order);
    judge_.unless(lack, rules::msg_id_sequence, number == Number::expected, a, [&] {
        return fmt::format("MSG_ID {} does not follow the ones before, or was used already", a.header.msg_id());
    });
    return number != Number::expected && !lack;
}

/// What may still be sent once a side is about to leave, has left, or never came in.
void MessageRules::judge_silence(const Arrival& a, const Connection& connection, Side side) {
    const ConnectionState& state = connections_.state(connection.id);
    const Sender& sender = state.sender[side];
    if (state.reordered) return judge_.undecided(rules::silence_after_end, UndecidedReason::out_of_order);
    // Of two peers' setups one may be refused.
    const bool refused = connection.outcome == Outcome::rejected && !stands_by_other_setup(connection) &&
                         std::ranges::all_of(connection.setups, [](const Setup& s) { return s.status.has_value(); });
    const std::optional<UndecidedReason> lack = connections_.lack_of_exchanges(a, side);
    if (connection.from_start && refused)
        judge_.unless(
            lack ? lack : connections_.lack_of_answers(a), rules::silence_after_reject, false, a,
            [] { return "a Message, though the setup was refused"; }, {connection.reject->step.frame});
    else judge_.satisfied(rules::silence_after_reject);
    const bool own_done = has_disconnected(connection, side);
    const std::optional<FrameStamp> end = sender.disconnect_response ? sender.disconnect_response
                                          : own_done                 ? sender.disconnect_request
                                                                     : std::nullopt;
    if (end)
        return judge_.unless(
            lack, rules::silence_after_end, false, a,
            [] { return "a Message after the connection has been disconnected"; }, {end->frame});
    judge_.satisfied(rules::silence_after_end);
    judge_.unless(
        lack, rules::silence_after_request, !sender.disconnect_request, a,
        [] { return "a Message after the same side's Disconnect Request"; },
        sender.disconnect_request ? std::vector{sender.disconnect_request->frame} : std::vector<std::uint64_t>{});
    judge_patience(a, connection, side);
    if (!sender.failed || sender.disconnect_request) return judge_.satisfied(rules::end_after_error);
    const std::optional<Time> patience = logins_.r_a_tov(a.seen);
    if (!patience) return judge_.undecided(rules::end_after_error, UndecidedReason::r_a_tov_unknown);
    judge_.unless(
        lack, rules::end_after_error, a.seen.time - sender.failed->time < *patience, a,
        [&] { return fmt::format("a new Message long after Message {} failed", *sender.failed_message); },
        {sender.failed->frame});
}

/// Who had waited too long, and noticed, would have aborted the Exchange, and be in Error. That the ABTS was not
/// captured explains no further Message.
void MessageRules::judge_patience(const Arrival& a, const Connection& connection, Side side) {
    std::optional<FrameStamp>& late = connections_.state(connection.id).sender[side].answered_late;
    const std::optional<Reliability> level = connection.reliability();
    if (!late || !level || *level == Reliability::unreliable_delivery) return;
    judge_.unless(
        connections_.lack_of_exchanges(a, side), rules::abort_after_timeout, false, a,
        [] { return "a new Message, though the response to an earlier one has come too late and without ABTS"; },
        {late->frame});
    late.reset();
}

void MessageRules::judge_rdma(const Arrival& a, const Connection& connection, const Message& message) {
    if (message.operation == Operation::send) return;
    const std::optional<Reliability> level = connection.reliability();
    if (message.reads()) {
        if (!level) judge_.undecided(rules::read_allowed, UndecidedReason::setup_not_captured);
        else
            judge_(rules::read_allowed, *level != Reliability::unreliable_delivery, a, [] {
                return "an RDMA Read on Unreliable Delivery";
            });
    }
    if (message.rmt_va && message.total_length) {
        const std::uint64_t address = *message.rmt_va, octets = *message.total_length;
        judge_(rules::within_memory, octets == 0 || octets - 1 <= UINT64_MAX - address, a, [&] {
            return fmt::format("{} octets at {:016X}h", octets, address);
        });
    }
}

/// VI-ARCH 3.2.2.2: the target has to refuse. To ask for what it does not permit breaks nothing.
void MessageRules::judge_permission(
    const Arrival& a, const Connection& connection, const Message& message, bool failed) {
    if (message.operation == Operation::send) return;
    const auto& attributes = connection.end[a.from()].attributes;
    if (!attributes) return judge_.undecided(rules::rdma_enabled, UndecidedReason::setup_not_captured);
    const bool enabled = message.reads() ? attributes->en_rdma_rd : attributes->en_rdma_wr;
    judge_.unless(
        connections_.lack_of_ends(connection.id), rules::rdma_enabled,
        enabled || (failed && a.frame().payload_length == 0), a, [&] {
            return fmt::format(
                "an {} is {}, but its target has not enabled it", name_of(message.operation),
                failed ? "answered with data" : "answered well");
        });
}

/// Responses pass every point of the way before their receiver sends more. Those that were not captured leave Messages
/// open that were not: too many are open only if so many end later.
void MessageRules::judge_pipeline(const Arrival& a, const Connection& connection, Side side) {
    const auto& own = connection.end[side].attributes;
    const auto& peer = connection.end[other(side)].attributes;
    if (!a.iso() || !own || !peer) return;
    Sender& sender = connections_.state(connection.id).sender[side];
    const std::size_t most = std::max(own->qos.pipeline_depth, peer->qos.pipeline_depth);
    if (sender.awaiting.size() <= most) return judge_.satisfied(rules::pipeline_depth);
    if (sender.excesses.size() >= ConnectionState::most)
        return judge_.undecided(rules::pipeline_depth, UndecidedReason::not_remembered);
    Excess& excess = sender.excesses.emplace_back(Excess{a.seen.number, most, 0, {}});
    for (const auto& [msg_id, message] : sender.awaiting) excess.waiting.push_back(msg_id);
}

void MessageRules::on_end(const Message& message) {
    std::vector<Excess>& excesses = connections_.state(message.connection).sender[message.from].excesses;
    for (Excess& excess : excesses) excess.open += std::erase(excess.waiting, message.msg_id);
    std::erase_if(excesses, [&](const Excess& excess) {
        if (excess.waiting.empty()) settle(excess, message.connection);
        return excess.waiting.empty();
    });
}

void MessageRules::settle(const Excess& excess, std::uint32_t connection) {
    const bool may_be_answered = excess.open <= excess.most;
    judge_.broken(
        rules::pipeline_depth, doubt_if(may_be_answered, UndecidedReason::response_not_captured), {excess.frame},
        connection, fmt::format("{} Messages are open, FCVI_PIPELINE_DEPTH is {}", excess.open + 1, excess.most));
}

void MessageRules::finish() {
    for (std::uint32_t id = 1; id <= connections_.size(); ++id)
        for (const Side side : {Side::client, Side::server})
            for (const Excess& excess : connections_.state(id).sender[side].excesses) settle(excess, id);
}

void MessageRules::judge_size(const Arrival& a, const Connection& connection, std::uint64_t octets) {
    std::uint32_t most = 0;
    for (const Side side : {Side::client, Side::server})
        if (const auto& attributes = connection.end[side].attributes) most = std::max(most, attributes->max_trans_size);
    if (most == 0) return judge_.undecided(rules::transfer_size, UndecidedReason::setup_not_captured);
    judge_(rules::transfer_size, octets <= most, a, [&] {
        return fmt::format("a Message of {} octets, FCVI_MAX_TRANS_SIZE is {}", octets, most);
    });
}

// ---- every frame ---------------------------------------------------------------------------------

void MessageRules::judge_offset(const Arrival& a) {
    const Continuation& c = a.continuation;
    if (c.count_repeats || c.count_restarts || !c.in_order || a.frame().payload_length == 0) return;
    const Direction& direction = a.exchange.by(a.from_originator());
    const Doubt lack = doubt_if(direction.missing() != 0, UndecidedReason::frames_missing);
    if (lack) return judge_.undecided(rules::offset_increases, *lack);
    judge_.unless(lack, rules::offset_increases, c.offset_continues, a, [&] {
        return fmt::format("Relative Offset {} does not follow the data before it", c.offset);
    });
}

/// 5.8.2, and FCVI_PREF of 7.3; revision 1.0, 5.6.2.
void MessageRules::judge_preference(const Arrival& a, const Connection& connection) {
    const fc::FrameHeader& header = a.frame().header;
    if (header.f_ctl.priority_enable) return;
    Sender& sender = connections_.state(connection.id).sender[a.from()];
    if (!sender.preference) {
        const auto& attributes = connection.end[a.from()].attributes;
        const auto wanted = attributes ? wire::wants_preference(connection.version, attributes->qos) : std::nullopt;
        sender.preference = wanted.value_or(header.preference);
        sender.preference_frame = a.seen.number;
    }
    judge_(rules::preference, header.preference == *sender.preference, a, [&] {
        return fmt::format("a frame with PREF {:d} on a connection with {:d}", header.preference, *sender.preference);
    });
}

/// The same in all IUs; within an IU a rule of its own watches the header. Revision 1.0 demands it within IUs only.
void MessageRules::judge_target(const Arrival& a, const Message& message) {
    if (!a.continuation.first_of_iu || !a.iso() || a.header.msg_id() != message.msg_id) return;
    const auto* target = std::get_if<wire::RdmaTarget>(&a.header.target);
    const bool same_place = target == nullptr ||
                            (target->rmt_va == message.rmt_va && target->rmt_va_handle == message.rmt_va_handle);
    const bool lacks_place = message.operation != Operation::send && !message.rmt_va;
    judge_.unless(
        doubt_if(lacks_place, UndecidedReason::cut), rules::constant_target, same_place, a,
        [&] { return fmt::format("{} is for another place in memory than the first IU", a.iu.name); },
        {message.first.frame});
    if (!a.header.tot_len()) return;
    judge_.unless(
        doubt_if(!message.total_length, UndecidedReason::cut), rules::constant_target,
        *a.header.tot_len() == message.total_length.value_or(0), a,
        [&] {
            return fmt::format(
                "{} has FCVI_TOT_LEN {}, the first IU {}", a.iu.name, *a.header.tot_len(),
                message.total_length.value_or(0));
        },
        {message.first.frame});
}

/// 5.8.4: requests that are answered pass the Initiative, what ends the Exchange says so.
void MessageRules::judge_initiative(const Arrival& a, const Connection& connection, const Message& message) {
    if (!a.ends_iu()) return;
    const bool last = a.f_ctl().last_sequence, passed = a.f_ctl().sequence_initiative;
    const std::optional<Reliability> level = connection.reliability();
    const bool response = a.iu.category == wire::Category::message_response;
    const Direction& direction = a.exchange.by(a.from_originator());
    const bool whole = a.iso() && message.total_length && direction.missing() == 0 &&
                       a.continuation.offset + a.frame().payload_length >= *message.total_length;
    if (!response && a.iu.type != IuType::read_rqst && !level)
        return judge_.undecided(rules::sequence_initiative, UndecidedReason::setup_not_captured);
    const bool passes = !response && is_answered(level.value_or(Reliability::reliable_delivery), message.operation);
    const bool must_end = a.iu.ends_exchange || a.iu.type == IuType::read_rqst || whole;
    judge_(rules::sequence_initiative, passes ? !last : last || !passed, a, [&] {
        return fmt::format(
            "{} {}", a.iu.name, passes ? "ends the Exchange, though a response is due" : "passes Sequence Initiative");
    });
    if ((passes && last) || (!passes && passed && !last) || !must_end) return;
    judge_(rules::sequence_initiative, passes ? passed : last, a, [&] {
        return fmt::format(
            "{} ends without {}", a.iu.name, passes ? "passing Sequence Initiative" : "ending the Exchange");
    });
}

void MessageRules::on_request_frame(const Arrival& a, const Connection& connection, const Message& message) {
    judge_offset(a);
    judge_preference(a, connection);
    judge_target(a, message);
    judge_initiative(a, connection, message);
    if (!a.continuation.first_of_iu || a.seen.number == message.first.frame) return;
    judge_.unless(a.lack_of_identity(), rules::msg_id_echo, a.header.msg_id() == message.msg_id, a, [&] {
        return fmt::format("an IU of Message {} has MSG_ID {}", message.msg_id, a.header.msg_id());
    });
    if (a.header.msg_id() != message.msg_id) return;
    judge_(
        rules::one_kind_of_request, operation_of(a.iu.type) == message.operation, a,
        [&] { return fmt::format("{} in a Message that began as {}", a.iu.name, name_of(message.operation)); },
        {message.first.frame});
}

// ---- responses -----------------------------------------------------------------------------------

void MessageRules::on_response_frame(
    const Arrival& a, const Connection& connection, const Message& message, bool failed) {
    judge_offset(a);
    judge_preference(a, connection);
    if (!failed) judge_target(a, message);
    judge_initiative(a, connection, message);
    if (!a.continuation.first_of_iu) return;
    judge_.unless(
        a.lack_of_identity(), rules::msg_id_echo, a.header.msg_id() == message.msg_id, a,
        [&] { return fmt::format("{} has MSG_ID {}, its request {}", a.iu.name, a.header.msg_id(), message.msg_id); },
        {message.first.frame});
    if (a.header.msg_id() == message.msg_id)  // else it may be the response to another request
        judge_(
            rules::right_response, operation_of(a.iu.type) == message.operation, a,
            [&] {
                return fmt::format("a Message of the kind {} is answered by {}", name_of(message.operation), a.iu.name);
            },
            {message.first.frame});
    const std::optional<std::uint32_t>& handle = connection.end[message.from].handle;
    judge_.unless(
        connections_.lack_of_exchanges(a, a.from()), rules::right_handle, !handle || a.header.handle() == *handle, a,
        [&] {
            return fmt::format("{} goes to handle {:08X}h instead of {:08X}h", a.iu.name, a.header.handle(), *handle);
        });
    if (!message.response) judge_permission(a, connection, message, failed);
    if (a.iu.type == IuType::read_resp) return;
    const std::optional<Reliability> level = connection.reliability();
    if (message.response)
        return judge_(rules::response_allowed, false, a, [&] { return fmt::format("a second {}", a.iu.name); });
    if (!level) return judge_.undecided(rules::response_allowed, UndecidedReason::setup_not_captured);
    judge_(rules::response_allowed, *level == Reliability::reliable_reception, a, [&] {
        return fmt::format("{} on {}", a.iu.name, name_of(*level));
    });
}

void MessageRules::on_good_response(const Arrival& a, const Connection& connection, const Message& message) {
    judge_order(a, connection, message);
    judge_after_loss(a, connection, message);
    Sender& sender = connections_.state(connection.id).sender[message.from];
    std::optional<std::uint32_t>& latest = message.reads() ? sender.read_answered : sender.good_response_to;
    if (!latest || before(*latest, message.msg_id)) latest = message.msg_id;
}

/// Of the two answers the one that comes too late shows it: that one was not seen before the other proves nothing.
void MessageRules::judge_order(const Arrival& a, const Connection& connection, const Message& message) {
    const ConnectionState& state = connections_.state(connection.id);
    const Sender& sender = state.sender[message.from];
    const Doubt disorder = doubt_if(state.reordered, UndecidedReason::out_of_order);
    if (disorder) return judge_.undecided(rules::responses_in_order, *disorder);
    const std::optional<std::uint32_t>& latest = message.reads() ? sender.read_answered : sender.good_response_to;
    judge_.unless(disorder, rules::responses_in_order, !latest || !before(message.msg_id, *latest), a, [&] {
        return fmt::format(
            "{0} {1} is answered after {0} {2}", message.reads() ? "Read" : "Message", message.msg_id, *latest);
    });
    if (connection.reliability() != Reliability::reliable_reception) return;
    if (message.reads()) {
        const bool first = !sender.good_response_to || !before(message.msg_id, *sender.good_response_to);
        judge_.unless(disorder, rules::read_first, first, a, [&] {
            return fmt::format(
                "Message {} has succeeded before Read {} is answered", *sender.good_response_to, message.msg_id);
        });
        return;
    }
    const bool good = !sender.failed_message || before(message.msg_id, *sender.failed_message);
    judge_.unless(disorder, rules::nothing_good_after_error, good, a, [&] {
        return fmt::format("Message {} succeeds though Message {} has failed", message.msg_id, *sender.failed_message);
    });
}

/// 8.4.1 c): the receiver has to notice that a Message is missing. That it answers a later one may also mean that
/// the capture, not the receiver, missed it: it did, too, if it has given no Exchange a number that was not seen.
void MessageRules::judge_after_loss(const Arrival& a, const Connection& connection, const Message& message) {
    if (connection.reliability() != Reliability::reliable_reception) return;
    const ConnectionState& state = connections_.state(connection.id);
    const Sender& sender = state.sender[message.from];
    const auto missing = std::ranges::find_if(
        sender.missing, [&](std::uint32_t id) { return before(id, message.msg_id); });
    if (missing == sender.missing.end()) return judge_.satisfied(rules::error_after_loss);
    if (state.reordered || state.lossy)
        return judge_.undecided(rules::error_after_loss, UndecidedReason::frames_missing);
    judge_.unless(
        connections_.lack_of_exchanges(a, a.from()), rules::error_after_loss, false, a,
        [&] {
            return fmt::format(
                "Message {} is answered, but neither Message {} nor an answer to it was seen", message.msg_id,
                *missing);
        },
        {sender.gap->frame});
}

// ---- the end of a Message ------------------------------------------------------------------------

void MessageRules::on_complete(
    const Arrival& a, const Connection& connection, const Message& message, std::uint64_t end) {
    if (!a.iso()) return judge_size(a, connection, end);
    if (!message.total_length) return;
    const bool lacks_some = a.exchange.by(!message.reads()).missing() != 0;
    judge_.unless(
        doubt_if(lacks_some, UndecidedReason::frames_missing), rules::whole_message, end == *message.total_length, a,
        [&] { return fmt::format("a Message of {} octets, FCVI_TOT_LEN is {}", end, *message.total_length); },
        {message.first.frame});
}

void MessageRules::on_incomplete() { judge_.undecided(rules::whole_message, UndecidedReason::frames_missing); }

}  // namespace fabricscope::engine::fcvi
