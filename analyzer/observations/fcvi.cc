// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/fcvi.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "analyzer/engine/fcvi/verdicts.h"
#include "analyzer/observations/latencies.h"
#include "analyzer/observations/shared.h"
#include "analyzer/observations/words.h"

namespace fabricscope::observations {

using namespace engine::fcvi;

namespace {

namespace kinds {
constexpr Kind message_failed{
    "FCVI-O-message-failed",
    Severity::error,
    "A Message failed",
    "The response to a Message says that it was not done: a protection error (the memory handle, the addresses, or the "
    "right to them), a transport error (frames were lost or spoilt), or a descriptor error (no buffer, or too small a "
    "one). On the reliable levels the connection ends with it.",
    "Protection: the registration of that memory on the responding side, with its handle, range and RDMA attributes. "
    "Transport: the fabric's error counters. Descriptor: the receives that the application posted.",
    "RDMA Read of 400 bytes failed: protection error"};
constexpr Kind message_aborted{
    "FCVI-O-message-aborted",
    Severity::warning,
    "A Message was aborted",
    "ABTS ended the Message's Exchange before it was complete.",
    "The side that sent ABTS: its timers (E_D_TOV, ULP_TOV), and why the other side did not answer in time.",
    "RDMA Write was aborted by ABTS"};
constexpr Kind message_incomplete{
    "FCVI-O-message-incomplete",
    Severity::note,
    "Frames of a Message are missing from the capture",
    "The Message ended, but SEQ_CNT and lengths tell of frames that were not captured. Whether they were lost on the "
    "fabric, the response tells, where there is one.",
    "Drops of the capture; both directions and all paths captured?",
    "frames of a Send were not captured"};
constexpr Kind rejected{
    "FCVI-O-rejected",
    Severity::warning,
    "A connection was refused",
    "A Connect Response or the client itself ended the set-up with a reason code. A note between peers, who may ask "
    "again, and where a connection of the same ports and discriminators came up later.",
    "The reason: no waiting endpoint means that no application listens at that discriminator; attributes that do not "
    "match are compared in the two Connect IUs.",
    "the connection was refused by the server: No Waiting Remote Endpoint"};
constexpr Kind set_up_aborted{
    "FCVI-O-set-up-aborted",
    Severity::warning,
    "A connection was given up during its set-up",
    "ABTS, or a Disconnect Request that aborts the set-up, came before the connection was established.",
    "Who was waited for: the last IU of the set-up in `fabricscope timeline --connection ID`.",
    "the connection was given up during its set-up"};
constexpr Kind broken{
    "FCVI-O-broken",
    Severity::error,
    "An error broke a connection",
    "A Disconnect Request or Response of an established connection gives an error as its reason: frames were lost or "
    "spoilt, memory was protected, or a Message found no descriptor. On Reliable Delivery Sends and RDMA Writes have "
    "no "
    "responses, and this is the only sign of it. A note on other levels, where the response may not have been "
    "captured. "
    "Where a failed Message tells of the error, it stands there.",
    "The reason (5.9.7.3), and what was sent before: MSG_ID in the Disconnect IU is the last Message that its sender "
    "completed. Transport: the fabric's error counters. Protection: the registration of the memory. Descriptor: the "
    "receives that the application posted.",
    "the server broke the connection: Remote RDMA Write Protection Error"};
constexpr Kind retried{
    "FCVI-O-retried",
    Severity::note,
    "A connection came up at the second attempt",
    "The first Connect Request was answered too late, or not at all, and the client tried again.",
    "The time from FCVI_CONNECT_RQST to the first response, against the client's timer (8.3).",
    "the connection was set up at the second attempt only"};
constexpr Kind in_error{
    "FCVI-O-error-state",
    Severity::note,
    "An endpoint was left in Error",
    "What was captured put an end of the connection into the Error state (8.2): an error, or the peer's Disconnect. "
    "That "
    "it disconnected in its turn, which takes it out of Error, was not captured.",
    "The frame that broke the connection: findings and failed Messages of the same connection.",
    "the connection was left with the server in Error"};
constexpr Kind no_response{
    "FCVI-O-no-response",
    Severity::note,
    "A Message, a Connect or a Disconnect Request got no response",
    "No response was captured for 10 s (R_A_TOV, as most have it) or longer after the request; its sender gives up by "
    "then (8.3). Where the capture ends earlier, nothing is told, unless the connection has ended by then: the ports "
    "have logged out, or both ends have disconnected.",
    "Whether the capture has the other port's direction; then that port and its log.",
    "no response to an RDMA Read of 400 bytes was captured"};
constexpr Kind latency_outlier{
    "FCVI-O-latency-outlier",
    Severity::note,
    "Messages of a connection took far longer than others",
    "From its first frame to the end of its response a Message took 20 times as long as the median of its like, and a "
    "millisecond more: the same operation from the same side, of like size, 20 of them at least. Messages that failed "
    "or were repeated are left out.",
    "The port that answered, and credit on the way (buffer-to-buffer credit at zero in the switch's port counters).",
    "1 of 64 Messages took far longer than others of their kind: up to 40.1 ms, with a median of 310 us"};
}  // namespace kinds

constexpr std::array all_kinds{&kinds::message_failed, &kinds::message_aborted, &kinds::rejected,
                               &kinds::set_up_aborted, &kinds::broken,          &kinds::in_error,
                               &kinds::no_response,    &kinds::retried,         &kinds::message_incomplete,
                               &kinds::latency_outlier};

std::string session_of(const Connection& connection) { return to_string(Subject{connection.id}); }

/// "RDMA Read of 400 bytes"
std::string operation_text(const Message& message) {
    const char* name = message.operation == Operation::send    ? "Send"
                       : message.operation == Operation::write ? "RDMA Write"
                                                               : "RDMA Read";
    return message.total_length ? fmt::format("{} of {}", name, counted(*message.total_length, "byte")) : name;
}

/// The Disconnect that a failed Message brought about: it gives the reason in more words.
const Disconnect* disconnect_after(const Connection& connection, const Message& message) {
    const auto found = std::ranges::find_if(connection.disconnects, [&](const Disconnect& d) {
        return d.rqst && d.status && message.response && d.rqst->time >= message.response->time;
    });
    return found != connection.disconnects.end() ? &*found : nullptr;
}

/// What of the memory was wrong, as far as the set-up tells what is right.
std::string protection_text(const Connection& connection, const Message& message) {
    if (message.operation == Operation::send || !message.rmt_va_handle) return "";
    const Side owner = engine::other(message.from);
    const auto& attributes = connection.end[owner].attributes;
    const bool reads = message.reads();
    if (!attributes) return "";
    if (!(reads ? attributes->en_rdma_rd : attributes->en_rdma_wr))
        return fmt::format(
            "The {} did not enable RDMA {} when the connection was set up.", name_of(owner),
            reads ? "Reads" : "Writes");
    return fmt::format(
        "The {} enabled RDMA {} for the connection, so memory handle {:08X}h or its addresses do not allow this one.",
        name_of(owner), reads ? "Reads" : "Writes", *message.rmt_va_handle);
}

void observe_failure(const Connection& connection, const Message& message, Observations& observations) {
    const Disconnect* disconnect = disconnect_after(connection, message);
    Observation& o = observations.add(
        kinds::message_failed, session_of(connection),
        frames_of({message.first.frame, frame_of(message.response), disconnect ? disconnect->rqst->frame : 0}),
        operation_text(message) + " " + trouble_of(message));
    if (message.rmt_va && message.rmt_va_handle)
        o.text += fmt::format(" (handle {:08X}h, address 0x{:016x})", *message.rmt_va_handle, *message.rmt_va);
    if (disconnect != nullptr)
        o.cause = fmt::format(
            "The {} then disconnected with \"{}\". ", name_of(disconnect->from),
            wire::reason_name(connection.version, disconnect->status->reason));
    if (message.prot_err) o.cause += protection_text(connection, message);
    while (o.cause.ends_with(' ')) o.cause.pop_back();
}

constexpr Time longest_wait = 10 * capture::second;

/// Whether a Disconnect with this reason tells of an error: with none it is the application's, and with the others it
/// accepts or ends what has not come up.
bool is_error(const Connection& connection, const StatusSeen& status) {
    const wire::Reason reason = wire::reason_of(connection.version, status.reason);
    return reason >= wire::Reason::transport_error && reason <= wire::Reason::protocol_error;
}

/// The first error that a Disconnect tells of; nullptr if none does.
const StatusSeen* breaking_status(const Connection& connection) {
    for (const Disconnect& disconnect : connection.disconnects)
        for (const auto* status : {&disconnect.status, &disconnect.resp_status})
            if (*status && !disconnect.aborts_setup && is_error(connection, **status)) return &**status;
    return nullptr;
}

/// Both ends have left, so that no answer can come any more. Behind an error none was due.
bool is_over(const Connection& connection) {
    return connection.outcome == Outcome::connected && connection.end[Side::client].state == State::idle &&
           connection.end[Side::server].state == State::idle && breaking_status(connection) == nullptr;
}

/// A Message on which nothing is due, or the rest of whose request was not captured, waits for nothing.
bool is_unanswered(const Connection& connection, const Message& message, Time end) {
    return message.state == MessageState::open && message.request_end && !message.response &&
           (end - message.last > longest_wait || is_over(connection));
}

bool is_troubled(const Connection& connection, const Message& message, Time end) {
    return message.state == MessageState::open ? is_unanswered(connection, message, end)
                                               : message.state != MessageState::complete;
}

void observe(const Connection& connection, const Message& message, Observations& observations) {
    switch (message.state) {
        case MessageState::failed: observe_failure(connection, message, observations); return;
        case MessageState::aborted:
            observations.add(
                kinds::message_aborted, session_of(connection), frames_of({message.first.frame}),
                operation_text(message) + " was " + trouble_of(message));
            return;
        case MessageState::incomplete: {
            Observation& o = observations.add(
                kinds::message_incomplete, session_of(connection), frames_of({message.first.frame}),
                "frames of a " + operation_text(message) + " were not captured");
            o.count = std::max<std::uint64_t>(1, message.missing_frames);
            return;
        }
        case MessageState::open:
            observations.add(
                kinds::no_response, session_of(connection), frames_of({message.first.frame}),
                fmt::format(
                    "no response to {} {} was captured{}", message.reads() ? "an" : "a", operation_text(message),
                    is_over(connection) ? " before the connection ended" : ""));
            return;
        case MessageState::complete: return;
    }
}

/// The first Disconnect Request that nothing answers, not even ABTS; nullptr if there is none.
const Disconnect* unanswered_disconnect(const Connection& connection, Time end) {
    if (!connection.aborts.empty()) return nullptr;
    const auto found = std::ranges::find_if(connection.disconnects, [&](const Disconnect& disconnect) {
        return disconnect.rqst && !disconnect.resp && end - disconnect.rqst->time > longest_wait;
    });
    return found != connection.disconnects.end() ? &*found : nullptr;
}

bool is_unanswered_setup(const Connection& connection, Time end) {
    return !connection.setups.empty() && connection.aborts.empty() && end - connection.last_time > longest_wait &&
           std::ranges::all_of(
               connection.setups, [](const Setup& setup) { return setup.rqst && !setup.resp1 && !setup.resp2; });
}

/// Whether two connections may be for the same endpoints, as far as they say.
bool may_be_for_the_same(const Connection& a, const Connection& b) {
    const auto fits = [&](Side of_a, Side of_b) {
        const auto &one = a.end[of_a].address, &another = b.end[of_b].address;
        return a.end[of_a].port == b.end[of_b].port &&
               (!one || !another || std::ranges::equal(one->used_discriminator(), another->used_discriminator()));
    };
    return (fits(Side::client, Side::client) && fits(Side::server, Side::server)) ||
           (fits(Side::client, Side::server) && fits(Side::server, Side::client));
}

/// What was refused at first, or to one of two peers, may be granted all the same: a peer asks as long as the other one
/// does not.
bool may_come_up_otherwise(const Model& model, const Connection& connection) {
    if (connection.mode == wire::ConnectMode::peer_to_peer) return true;
    const wire::Reason reason = wire::reason_of(connection.version, connection.reject->reason);
    if (reason == wire::Reason::concurrent_peer_requests) return true;
    if (std::ranges::any_of(connection.setups, [](const Setup& setup) { return !setup.status && !setup.abts; }))
        return true;
    return std::ranges::any_of(model.connections, [&](const Connection& each) {
        const bool is_up = each.outcome == Outcome::connected || each.outcome == Outcome::unknown;
        return &each != &connection && is_up && each.last_time > connection.reject->step.time &&
               may_be_for_the_same(each, connection);
    });
}

/// `failed`: a Message of it failed, and the connection ended with it, as it should.
void observe(
    const Model& model, const Connection& connection, bool failed, Time end_of_capture, Observations& observations) {
    const std::string why = why_not(connection);
    if (connection.outcome == Outcome::rejected) {
        Observation& o = observations.add(
            kinds::rejected, session_of(connection), frames_of({connection.first_frame, connection.reject->step.frame}),
            "the connection was " + why);
        if (may_come_up_otherwise(model, connection)) o.severity = Severity::note;
        o.cause = fmt::format(
            "The {} says: {}.", name_of(connection.reject->by),
            wire::reason_name(connection.version, connection.reject->reason));
    } else if (connection.outcome == Outcome::aborted) {
        observations.add(
            kinds::set_up_aborted, session_of(connection),
            frames_of({connection.first_frame, connection.aborts.empty() ? 0 : connection.aborts.front().step.frame}),
            "the connection was " + why);
    } else if (connection.outcome == Outcome::connected) {
        const StatusSeen* const breaking = failed ? nullptr : breaking_status(connection);
        if (breaking != nullptr) {
            Observation& o = observations.add(
                kinds::broken, session_of(connection), frames_of({breaking->step.frame}),
                fmt::format(
                    "the {} broke the connection: {}", name_of(breaking->by),
                    wire::reason_name(connection.version, breaking->reason)));
            // Else the response of the Message that failed may only not have been captured, and would tell of it.
            if (connection.reliability() != wire::Reliability::reliable_delivery) o.severity = Severity::note;
        }
        std::string ends;
        std::vector<std::uint64_t> frames;
        for (const Side side : {Side::client, Side::server}) {
            const End& end = connection.end[side];
            if (end.state != State::error) continue;
            ends += std::string(ends.empty() ? "" : " and ") + name_of(side);
            if (!end.states.empty()) frames.push_back(end.states.back().step.frame);
        }
        const Disconnect* const unanswered = unanswered_disconnect(connection, end_of_capture);
        if (unanswered != nullptr)
            observations.add(
                kinds::no_response, session_of(connection), frames_of({unanswered->rqst->frame}),
                fmt::format("no response to the Disconnect Request of the {} was captured", name_of(unanswered->from)));
        else if (!ends.empty() && !failed && breaking == nullptr)
            observations.add(
                kinds::in_error, session_of(connection), std::move(frames),
                "the connection was left with the " + ends + " in Error");
    }
    if (connection.outcome == Outcome::unknown && is_unanswered_setup(connection, end_of_capture))
        observations.add(
            kinds::no_response, session_of(connection), frames_of({connection.first_frame}),
            "no response to the Connect Request was captured");
    if (connection.outcome == Outcome::connected && std::ranges::any_of(connection.setups, &Setup::retry)) {
        const auto retries = std::ranges::count_if(connection.setups, &Setup::retry);
        observations.add(
            kinds::retried, session_of(connection), frames_of({connection.first_frame}),
            retries == 1 ? "the connection was set up at the second attempt only"
                         : fmt::format("the connection was set up after {} retries", retries));
    }
}

void observe_latencies(const Model& model, Observations& observations) {
    ComparedTimes latencies(model.messages, [](const Message& one) -> std::optional<Timed> {
        if (one.state != MessageState::complete || one.repeated_frames != 0) return std::nullopt;
        if (!one.request_begin || !one.response_begin || !one.response_end) return std::nullopt;
        return Timed{
            one.connection,
            static_cast<unsigned>(one.from),
            static_cast<unsigned>(one.operation),
            one.bytes,
            one.response_end->time - one.request_begin->time,
            one.request_begin->frame,
            one.response_end->frame};
    });
    const auto name = [](std::uint32_t connection) { return to_string(Subject{connection}); };
    std::move(latencies).observe(kinds::latency_outlier, "Message", name, observations);
}

}  // namespace

std::string why_not(const Connection& connection) {
    if (connection.outcome == Outcome::rejected)
        return fmt::format(
            "refused by the {}: {}", name_of(connection.reject->by),
            wire::reason_name(connection.version, connection.reject->reason));
    return connection.outcome == Outcome::aborted ? "given up during setup" : "";
}

std::string trouble_of(const Message& message) {
    std::vector<const char*> errors;
    if (message.trans_err) errors.push_back("transport error");
    if (message.prot_err) errors.push_back("protection error");
    if (message.desc_err) errors.push_back("descriptor error");
    switch (message.state) {
        case MessageState::failed:
            return errors.empty() ? "failed" : fmt::format("failed: {}", fmt::join(errors, ", "));
        case MessageState::aborted: return "aborted by ABTS";
        case MessageState::incomplete: return "with frames that were not captured";
        default: return "";
    }
}

constinit const Source fcvi_source{
    .kinds = all_kinds, .observe = [](const Evidence& evidence, Observations& observations) {
        if (evidence.models.fcvi == nullptr) return;
        const Model& model = *evidence.models.fcvi;
        const Time end = evidence.end_of_capture();
        std::set<std::uint32_t> failed;
        std::vector<Message> troubled;
        for (const Message& message : model.messages) {
            if (message.state == MessageState::failed) failed.insert(message.connection);
            if (message.connection != 0 && is_troubled(model.connections[message.connection - 1], message, end))
                troubled.push_back(message);
        }
        for (const Connection& connection : model.connections)
            observe(model, connection, failed.contains(connection.id), end, observations);
        for (const Message& message : troubled)
            observe(model.connections[message.connection - 1], message, observations);
        observe_latencies(model, observations);
        observe_limits(
            observations, {{model.dropped_connections, "FC-VI connection", "fcvi.connections"},
                           {model.dropped_messages, "FC-VI Message", "fcvi.messages"},
                           {model.dropped_exchanges, "FC-VI Exchange"},
                           {model.dropped_details, "detail of FC-VI Messages"},
                           {model.lost_findings(), "FC-VI finding"}});
    }};

}  // namespace fabricscope::observations
