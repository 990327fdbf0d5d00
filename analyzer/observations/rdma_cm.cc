// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/observations/rdma_cm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/engine/rdma_cm/tracker.h"
#include "analyzer/engine/rdma_cm/verdicts.h"
#include "analyzer/observations/shared.h"
#include "analyzer/observations/words.h"

namespace fabricscope::observations {

using namespace engine::rdma_cm;

namespace {

namespace kinds {
constexpr Kind timeout{
    "CM-O-timeout",
    Severity::error,
    "A connection request was never answered",
    "The client sent REQ as often as it may, or said that it waited too long (REJ with reason 4), and no REP or REJ "
    "came; if an MRA did, that is said, and so is a REP with which the server meanwhile answered the same client for "
    "the same service. Told only where the client gave up, not where the capture ended before.",
    "Does UDP port 4791 (RoCEv2) reach the server: `nft list ruleset`, ACLs, VLAN and MTU of switches, `ping` "
    "between the same addresses; is the server's RDMA device up (`rdma link`), and does it have the GID of that "
    "address?",
    "no answer to 16 REQs in 97.5 s"};
constexpr Kind rejected{
    "CM-O-rejected",
    Severity::warning,
    "A connection was rejected",
    "The peer answered with REJ (or SIDR_REP with another status than 0). The reason says who refused: communication "
    "management, because nobody listens or something is missing, or the consumer, which is the application.",
    "The log of the side that rejected; `rdma res show cm_id` there lists who listens on which port.",
    "the server rejected the connection: reason 8, invalid service id"};
constexpr Kind retried{
    "CM-O-retried",
    Severity::note,
    "A message was sent more than once before it was answered",
    "REQ, REP or DREQ was repeated: it or its answer was lost, or the peer took longer than the timeout that the REQ "
    "names. If it came again although its answer had been captured, the answer did not get through from there.",
    "The time from REQ to REP in the summary: a slow server, a busy accept queue (backlog of rdma_listen), or loss.",
    "REQ was sent 3 times before it was answered"};
constexpr Kind disconnect_unanswered{
    "CM-O-disconnect-unanswered",
    Severity::warning,
    "A disconnect was not answered",
    "DREQ was sent as often as it may be, and no DREP came: the peer was gone. Its queue pair may still be there. A "
    "note "
    "where it was sent less often, so that a DREP may have come that was not captured.",
    "The peer's process and device at that time; `rdma res show qp` there for queue pairs that were left.",
    "DREQ was sent 8 times and not answered"};
constexpr Kind unanswered{
    "CM-O-unanswered",
    Severity::warning,
    "A REP or a SIDR_REQ was repeated, and nothing answered it",
    "The server sent its REP as often as it may, and no RTU, REJ or packet of the client followed; or a client asked "
    "for a queue pair number (SIDR_REQ) as often as Linux does, 16 times, and was not told one. A note where it was "
    "sent less often, so that an answer may have come that was not captured.",
    "The process and the device of the side that is silent at that time; UDP port 4791 (RoCEv2) in that direction.",
    "REP was sent 16 times, and no RTU came"};
}  // namespace kinds

constexpr std::array all_kinds{
    &kinds::timeout, &kinds::rejected, &kinds::disconnect_unanswered, &kinds::retried, &kinds::unanswered};

/// SIDR_REQ does not say how often it may be repeated; so often Linux does.
constexpr std::uint8_t sidr_retries = 15;

std::string session_of(const Connection& connection) { return to_string(Subject{connection.id}); }

std::string server_text(const Connection& connection) {
    return connection.server ? to_string(*connection.server) : "the server";
}

/// Whether the RDMA IP CM service refused, before any application saw the request (IBA A11.7).
bool is_of_service(const RejectSeen& reject) {
    constexpr std::uint8_t service_layer = 0;
    return reject.reason == ib::consumer_reject && reject.information && reject.information->layer == service_layer;
}

/// What the reason means; empty if the peer alone knows.
std::string cause_of(const Connection& connection) {
    const RejectSeen& reject = *connection.reject;
    if (reject.sidr) return "";
    const std::string who = name_of(reject.by);
    switch (reject.reason) {
        case ib::invalid_service_id:
            return fmt::format("Nobody listens on {} for RDMA connections.", server_text(connection));
        case ib::reject_timeout:
            if (reject.by == Side::server && connection.rep) return "No RTU answered the server's REP in time.";
            return fmt::format("The {} waited too long for the next message of the set-up.", who);
        case 1:
        case 3: return fmt::format("The {} is out of queue pairs or memory.", who);
        case 10: return fmt::format("The {} still has an old connection with the same queue pair.", who);
        case ib::consumer_reject:
            if (is_of_service(reject))
                return fmt::format(
                    "The RDMA IP CM service of the {} refused, not its application: it objects to the header in the "
                    "private data of the REQ.",
                    who);
            return fmt::format(
                "The application on the {} refused{}.", who,
                reject.information ? ", and says why in its private data" : "");
        default: return "";
    }
}

std::string where_to_look(const Connection& connection) {
    const RejectSeen& reject = *connection.reject;
    if (!reject.sidr && reject.reason == ib::invalid_service_id)
        return fmt::format(
            "On the server: is the program up, and does it listen on that address and port (`rdma res show cm_id`, "
            "{})? Same port space (TCP, UDP, IB) on both sides?",
            connection.server ? fmt::format("port {}", connection.server->port) : "service id");
    if (!reject.sidr && is_of_service(reject))
        return fmt::format(
            "Addresses and version in the REQ{}: does a device of the {} have that address (`ip addr`, `rdma link`), "
            "and do both sides speak the same version of IP and of the service?",
            connection.req ? fmt::format(" in frame {}", connection.req->frame) : "", name_of(reject.by));
    if (!reject.sidr && reject.reason == ib::consumer_reject)
        return fmt::format(
            "The log of the application on the {}, and the private data of the REJ in frame {}.", name_of(reject.by),
            reject.frame);
    return kinds::rejected.look;
}

/// What was repeated although an answer came, one observation for each message.
void add_retried(
    const Connection& connection, std::string_view message, Side from, const FrameStamp& first, const Sent& sent,
    Observations& observations) {
    if (sent.times < 2) return;
    const std::string times = counted(sent.times, "time");
    Observation& o = observations.add(
        kinds::retried, session_of(connection), frames_of({first.frame, sent.frame}),
        sent.times_answered == 0
            ? fmt::format("{} was sent {} before it was answered", message, times)
            : fmt::format("{} was sent {}, {} of them after its answer", message, times, sent.times_answered));
    o.count = sent.times;
    if (sent.times_answered != 0)
        o.cause = fmt::format(
            "The answer is lost between the point of capture and {}, or comes later than the {} waits for it.",
            to_string(connection.end[from].address), name_of(from));
}

void observe_retried(const Connection& connection, Observations& observations) {
    if (connection.req)
        add_retried(connection, "REQ", Side::client, *connection.req, connection.last_req, observations);
    if (connection.rep)
        add_retried(connection, "REP", Side::server, *connection.rep, connection.last_rep, observations);
    for (const MessageOfMany& message : connection.of_many)
        if (message.attribute == ib::CmAttribute::dreq && message.answered)
            add_retried(connection, "DREQ", message.from, message.first, message.last, observations);
}

/// The connections that were answered, by who asked whom for what: a REQ that the same client sends for the same at
/// that time reaches the server as well.
class Answered {
public:
    explicit Answered(const Model& model) : model_(model) {}

    /// The first that was answered between this one's REQ and `until`; nullptr: none.
    const Connection* meanwhile(const Connection& in_vain, Time until) {
        const std::optional<Request> request = request_of(in_vain);
        if (!request) return nullptr;
        if (!std::exchange(is_filled_, true)) fill();
        const auto found = by_request_.find(*request);
        if (found == by_request_.end()) return nullptr;
        const auto next = std::ranges::upper_bound(found->second, in_vain.req->time, {}, time_of_answer);
        return next != found->second.end() && time_of_answer(*next) < until ? *next : nullptr;
    }

private:
    struct Request {
        Address client, server;
        std::uint64_t service_id = 0;
        bool operator==(const Request&) const = default;
    };
    struct RequestHash {
        std::size_t operator()(const Request& request) const noexcept {
            const std::hash<Address> hash;
            return hash(request.client) ^ (hash(request.server) + request.service_id) * 0x9E37'79B9'7F4A'7C15;
        }
    };

    /// nullopt: not all of that is known.
    static std::optional<Request> request_of(const Connection& connection) {
        const Address& server = connection.end[Side::server].address;
        if (server.kind == Address::Kind::none || !connection.service_id) return std::nullopt;
        return Request{connection.end[Side::client].address, server, *connection.service_id};
    }
    static Time time_of_answer(const Connection* connection) { return connection->rep->time; }

    void fill() {
        for (const Connection& each : model_.connections) {
            const std::optional<Request> request = request_of(each);
            if (each.rep && !each.merged && request) by_request_[*request].push_back(&each);
        }
        for (auto& [request, answered] : by_request_) std::ranges::sort(answered, {}, time_of_answer);
    }

    const Model& model_;
    bool is_filled_ = false;
    /// In the order of their REPs.
    std::unordered_map<Request, std::vector<const Connection*>, RequestHash> by_request_;
};

/// The client gave up: after its last REQ, or when it said so.
void observe_timeout(const Connection& connection, Answered& answered, Observations& observations) {
    const auto& reject = connection.reject;
    const Time waited = (reject ? reject->time : connection.last_req.time) - connection.req->time;
    const std::string requests = counted(connection.req_transmissions, "REQ");
    Observation& o = observations.add(
        kinds::timeout, session_of(connection),
        frames_of({connection.req->frame, reject ? reject->frame : connection.last_req.frame}),
        fmt::format("no answer to {} in {}", requests, duration_text(waited)));
    o.count = connection.req_transmissions;
    o.cause = fmt::format(
        "Nothing came back from {}: the REQs do not reach it, or its answers are lost.", server_text(connection));
    if (const Connection* other = answered.meanwhile(connection, connection.req->time + waited)) {
        o.text += fmt::format(", while {} was answered", session_of(*other));
        o.cause = fmt::format(
            "REQs get through: to {}, for the same service, the server sent its REP in frame {}. Linux drops those for "
            "which the queue of the application has no room.",
            session_of(*other), other->rep->frame);
        o.look = "The application on the server: how fast it accepts, and the backlog that it gives to rdma_listen.";
    }
    const MessageOfMany* mra = mra_for_req(connection);
    if (mra == nullptr) return;
    o.text += ": the server asked for time, and then sent nothing";
    o.cause = fmt::format(
        "The application on the server took longer than its MRA in frame {} asked for, or its answer was lost.",
        mra->first.frame);
    o.look = "The log of the application on the server at that time: why it neither accepted nor rejected.";
}

/// The set-up goes no further, although somebody asks again and again.
void observe_unanswered(const Connection& connection, Observations& observations) {
    const bool sidr = connection.service == Service::ud;
    const Sent& last = sidr ? connection.last_req : connection.last_rep;
    const auto& first = sidr ? connection.req : connection.rep;
    if (!first || last.times < 2 || connection.unread_reject || (sidr && connection.rep)) return;
    Observation& o = observations.add(
        kinds::unanswered, session_of(connection), frames_of({first->frame, last.frame}),
        fmt::format(
            "{} was sent {}, and no {} came", sidr ? "SIDR_REQ" : "REP", counted(last.times, "time"),
            sidr ? "SIDR_REP" : "RTU"));
    o.count = last.times;
    const std::optional<std::uint8_t> retries = sidr ? sidr_retries : connection.max_cm_retries;
    if (!retries || last.times <= *retries) o.severity = Severity::note;
}

void observe_set_up(const Connection& connection, Answered& answered, Observations& observations) {
    // A live capture need not wait for its end to tell of a rejection.
    const Outcome outcome = connection.reject ? outcome_so_far(connection) : connection.outcome;
    if (outcome == Outcome::rejected) {
        Observation& o = observations.add(
            kinds::rejected, session_of(connection), frames_of({frame_of(connection.req), connection.reject->frame}),
            fmt::format(
                "the {} rejected the connection: {}", name_of(connection.reject->by), reason_text(*connection.reject)));
        o.cause = cause_of(connection);
        o.look = where_to_look(connection);
    } else if (outcome == Outcome::timeout) observe_timeout(connection, answered, observations);
    else if (outcome == Outcome::connected) observe_retried(connection, observations);
    else observe_unanswered(connection, observations);
}

void observe_ending(const Connection& connection, Observations& observations) {
    if (!connection.dreq || connection.drep || connection.both_disconnect || connection.dreq_transmissions < 2) return;
    // Of a peer that took part in the set-up and was never heard, the answer was not captured either.
    if (connection.req && !is_heard(connection, other(*connection.disconnected_by))) return;
    Observation& o = observations.add(
        kinds::disconnect_unanswered, session_of(connection), frames_of({connection.dreq->frame}),
        fmt::format("DREQ was sent {} and not answered", counted(connection.dreq_transmissions, "time")));
    o.count = connection.dreq_transmissions;
    if (!connection.max_cm_retries || connection.dreq_transmissions <= *connection.max_cm_retries)
        o.severity = Severity::note;
}

}  // namespace

std::string reason_text(const RejectSeen& reject) {
    const char* name = reject.name();
    std::string text = fmt::format("{} {}", reject.sidr ? "status" : "reason", reject.reason);
    if (name != nullptr) text += fmt::format(", {}", name);
    if (!reject.information) return text;
    const char* layer = reject.information->layer_name();
    const char* code = reject.information->code_name();
    text += fmt::format(": {}", layer != nullptr ? layer : "unknown layer");
    if (code != nullptr) return text + ", " + code;
    return reject.information->code ? text + fmt::format(", code {}", *reject.information->code) : text;
}

std::string why_not(const Connection& connection) {
    if (connection.outcome == Outcome::rejected)
        return fmt::format(
            "rejected by the {} with {}", name_of(connection.reject->by), reason_text(*connection.reject));
    if (connection.outcome == Outcome::timeout)
        return fmt::format("without an answer to {}", counted(connection.req_transmissions, "REQ"));
    return "";
}

constinit const Source rdma_cm_source{
    .kinds = all_kinds, .observe = [](const Evidence& evidence, Observations& observations) {
        if (evidence.models.rdma_cm == nullptr) return;
        const Model& model = *evidence.models.rdma_cm;
        Answered answered(model);
        for (const Connection& connection : model.connections) {
            if (connection.merged) continue;
            observe_set_up(connection, answered, observations);
            observe_ending(connection, observations);
        }
        observe_limits(
            observations, {{model.dropped_connections, "RDMA CM connection", "rdma-cm.connections"},
                           {model.lost_findings(), "RDMA CM finding"}});
    }};

}  // namespace fabricscope::observations
