// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/course_rules.h"

namespace fabricscope::engine::rdma_cm {

namespace {

constexpr std::size_t most_kept = 65'536;  // senders, and RTUs that wait for proof
constexpr std::uint32_t psn_mask = 0xFF'FFFF;

/// Some reasons speak of a message or an attempt, and leave the connection as it is (IBA 12.6.7.2).
bool is_final(const RejectSeen& reject) {
    switch (reject.reason) {
        case 4:   // timeout
        case 6:   // invalid communication id
        case 7:   // invalid communication instance
        case 10:  // stale connection
        case 30:  // duplicate local communication id
            return false;
        default: return true;
    }
}

bool has_rejected(const Connection& connection, Side side) {
    return connection.reject && connection.reject->by == side && is_final(*connection.reject);
}

bool gave_up_connecting(const Connection& c, Time now) {
    if (c.reject) return c.reject->by == Side::client && c.reject->reason == ib::reject_timeout;
    return c.service != Service::ud && c.req_transmissions > c.max_cm_retries && c.answer_timeout != 0 &&
           now - c.last_req.time > c.answer_timeout;
}

bool gave_up_disconnecting(const Connection& c, Time now) {
    return c.req && c.dreq_transmissions > c.max_cm_retries && c.answer_timeout != 0 &&
           now - c.last_dreq.time > c.answer_timeout;
}

}  // namespace

void CourseRules::on_mad(const capture::Packet& packet) {
    const std::uint32_t psn = packet.ib.bth.psn;
    const auto found = senders_.find(packet.source);
    if (found != senders_.end()) {
        if (psn != ((found->second.psn + 1) & psn_mask)) found->second.gap = packet.number;
        found->second.psn = psn;
        found->second.interface = packet.interface;
    } else if (senders_.size() < most_kept) senders_[packet.source] = {psn, packet.number, packet.interface};
}

const CourseRules::Sender* CourseRules::find(const Address& address) const {
    const auto found = senders_.find(address);
    return found == senders_.end() ? nullptr : &found->second;
}

void CourseRules::broken(const Arrival& a, const Connection& connection, std::string text) {
    verdicts_.broken(rules::sequence, {a.packet.number}, {connection.id}, std::move(text));
}

/// The server's next MAD tells whether an earlier one, perhaps the REP, is missing.
void CourseRules::on_message(const Arrival& a, const Connection& connection) {
    if (a.facts.from != Side::server) return;
    const auto early = early_.find(connection.id);
    if (early == early_.end()) return;
    const Sender* server = find(a.packet.source);
    // What the capture has begun with may have had something before it.
    const bool complete = server != nullptr && connection.req && server->gap < connection.req->frame;
    if (server != nullptr && server->interface != early->second.interface)
        verdicts_.undecided(rules::sequence, UndecidedReason::interface_order);
    else if (complete)
        verdicts_.broken(
            rules::sequence, {early->second.frame}, {connection.id}, "RTU, but the server had not sent REP");
    else verdicts_.undecided(rules::sequence, UndecidedReason::frames_missing);
    early_.erase(early);
}

void CourseRules::on_rep(const Arrival& a, const Connection& connection) {
    if (a.facts.from == Side::client) return broken(a, connection, "REP from the side that sent REQ");
    if (has_rejected(connection, Side::server)) return broken(a, connection, "REP after the server's REJ");
    if (connection.req) verdicts_.satisfied(rules::sequence);
    else verdicts_.undecided(rules::sequence, UndecidedReason::request_not_captured);
}

void CourseRules::on_rtu(const Arrival& a, const Connection& connection) {
    if (a.facts.from == Side::server) return broken(a, connection, "RTU from the side that sent REP");
    if (has_rejected(connection, Side::client)) return broken(a, connection, "RTU after the client's REJ");
    if (has_rejected(connection, Side::server)) return broken(a, connection, "RTU after the server's REJ");
    if (connection.rep) return verdicts_.satisfied(rules::sequence);
    const Sender* server = find(connection.end[Side::server].address);
    if (server == nullptr || early_.size() >= most_kept)
        return verdicts_.undecided(rules::sequence, UndecidedReason::frames_missing);
    early_[connection.id] = {a.packet.number, a.packet.interface};
}

void CourseRules::finish(const Connection& c, Time now) {
    const auto judge = [&](bool asked, bool is_answered, bool gave_up, const Sent& last, const char* what,
                           std::uint32_t count) {
        if (!asked) return;
        if (is_answered) return verdicts_.satisfied(rules::answered);
        if (!gave_up) return verdicts_.undecided(rules::answered, UndecidedReason::capture_ended);
        verdicts_.broken(
            rules::answered, {last.frame}, {c.id},
            std::string(what) + (count == 1 ? " is" : ", sent " + std::to_string(count) + " times, is") +
                " not answered");
    };
    const bool refused = c.reject && (c.reject->by == Side::server || c.reject->sidr);
    judge(
        c.req.has_value(), c.rep || refused || c.rtu, gave_up_connecting(c, now), c.last_req,
        c.service == Service::ud ? "SIDR_REQ" : "REQ", c.req_transmissions);
    judge(
        c.dreq.has_value(), c.drep || c.both_disconnect, gave_up_disconnecting(c, now), c.last_dreq, "DREQ",
        c.dreq_transmissions);
}

void CourseRules::finish() {
    for (std::size_t i = 0; i < early_.size(); ++i)
        verdicts_.undecided(rules::sequence, UndecidedReason::capture_ended);
    early_.clear();
}

}  // namespace fabricscope::engine::rdma_cm
