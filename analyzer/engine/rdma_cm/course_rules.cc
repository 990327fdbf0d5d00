// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/course_rules.h"

#include <algorithm>

#include "analyzer/engine/rdma_cm/tracker.h"

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
    if (c.reject) return has_timed_out(c);
    return c.service != Service::ud && c.max_cm_retries && c.req_transmissions > *c.max_cm_retries &&
           c.answer_timeout != 0 && now - c.last_req.time > c.answer_timeout;
}

/// The frame from which on the server's MADs tell whether it has sent a REP: it sends none before the REQ, nor
/// before it asks to wait for it.
std::uint64_t begin_of_answer(const Connection& c) {
    const MessageOfMany* mra = mra_for_req(c);
    if (mra != nullptr && mra->about) return mra->first.frame;
    return c.req ? c.req->frame : 0;
}

}  // namespace

void CourseRules::on_mad(const capture::Packet& packet) {
    const std::uint32_t psn = packet.ib.bth.psn;
    const auto found = senders_.find(packet.source);
    if (found != senders_.end()) {
        Sender& sender = found->second;
        if (psn != ((sender.psn + 1) & psn_mask) || is_unread(packet)) sender.gap = packet.number;
        sender.psn = psn;
        sender.several_interfaces |= sender.interface != packet.interface;
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
void CourseRules::after_mad(const capture::Packet& packet) {
    const auto [begin, end] = early_.equal_range(packet.source);
    if (begin == end) return;
    const Sender* server = find(packet.source);
    if (server == nullptr) return;
    for (auto early = begin; early != end; ++early) decide(early->second, *server);
    early_.erase(begin, end);
}

/// That the server had not sent REP.
Doubt CourseRules::doubt_of(const Early& early, const Sender& server) {
    const Connection& connection = *early.connection;
    if (connection.rep) return UndecidedReason::may_have_crossed;
    if (server.several_interfaces || server.interface != early.interface) return UndecidedReason::interface_order;
    // What the capture has begun with may have had something before it.
    const bool complete = connection.req && server.gap <= begin_of_answer(connection);
    return doubt_if(!complete, UndecidedReason::frames_missing);
}

void CourseRules::decide(const Early& early, const Sender& server) {
    verdicts_.broken(
        early.rule, doubt_of(early, server), {early.frame}, {early.connection->id},
        std::string(early.what) + ", but the server had not sent REP");
}

void CourseRules::await_proof(const Arrival& a, const Connection& connection, RuleRef rule, const char* what) {
    const Address& server = connection.end[Side::server].address;
    if (find(server) == nullptr || !connection.roles_known || early_.size() >= most_kept)
        return verdicts_.undecided(rule, UndecidedReason::frames_missing);
    early_.insert({server, {&connection, rule, what, a.packet.number, a.packet.interface}});
}

void CourseRules::on_rep(const Arrival& a, const Connection& connection) {
    if (!connection.roles_known) return verdicts_.undecided(rules::sequence, UndecidedReason::setup_not_captured);
    if (a.facts.from == Side::client) return broken(a, connection, "REP from the side that sent REQ");
    if (has_rejected(connection, Side::server)) return broken(a, connection, "REP after the server's REJ");
    if (connection.req) verdicts_.satisfied(rules::sequence);
    else verdicts_.undecided(rules::sequence, UndecidedReason::request_not_captured);
}

void CourseRules::on_rtu(const Arrival& a, const Connection& connection) {
    if (!connection.roles_known) return verdicts_.undecided(rules::sequence, UndecidedReason::setup_not_captured);
    if (a.facts.from == Side::server) return broken(a, connection, "RTU from the side that sent REP");
    if (has_rejected(connection, Side::client)) return broken(a, connection, "RTU after the client's REJ");
    if (has_rejected(connection, Side::server)) return broken(a, connection, "RTU after the server's REJ");
    if (connection.rep) return verdicts_.satisfied(rules::sequence);
    await_proof(a, connection, rules::sequence, "RTU");
}

void CourseRules::on_repetition(
    const Arrival& a, const Connection& connection, const Sent& before, std::optional<std::uint64_t> content) {
    if (!content || !before.content) return verdicts_.undecided(rules::sequence, UndecidedReason::cut);
    if (*content == *before.content) return verdicts_.satisfied(rules::sequence);
    const char* name = layout::name_of(ib::cm_attribute_names, a.message.mad.attribute_id);
    verdicts_.broken(
        rules::sequence, {before.frame, a.packet.number}, {connection.id},
        std::string(name) + " is repeated with another content");
}

/// Whether the count begins anew with an MRA is not certain.
void CourseRules::on_transmission(const Arrival& a, const Connection& c, const Sent& sent, const char* what) {
    if (sent.times < 2 || c.mra) return;
    if (!c.max_cm_retries) return verdicts_.undecided(rules::limited_repetition, UndecidedReason::request_not_captured);
    if (sent.times <= *c.max_cm_retries + 1U) return verdicts_.satisfied(rules::limited_repetition);
    verdicts_.broken(
        rules::limited_repetition, {c.req->frame, a.packet.number}, {c.id},
        std::string(what) + " is sent " + std::to_string(sent.times) + " times, Max CM Retries is " +
            std::to_string(*c.max_cm_retries));
}

/// As long as nobody has sent REP, either side may have asked (peer to peer).
void CourseRules::on_mra(const Arrival& a, const Connection& c, std::uint8_t about) {
    const auto judge = [&](bool holds, const char* text) {
        if (holds) return verdicts_.satisfied(rules::received_message);
        verdicts_.broken(rules::received_message, {a.packet.number}, {c.id}, text);
    };
    if (about > ib::mra_lap) return judge(false, "MRA for a message that does not exist");
    if (!c.roles_known) return verdicts_.undecided(rules::received_message, UndecidedReason::setup_not_captured);
    const bool by_server = a.facts.from == Side::server;
    if (about == ib::mra_lap) {
        const auto is_lap = [&](const MessageOfMany& m) {
            return m.attribute == ib::CmAttribute::lap && m.from != a.facts.from;
        };
        if (std::ranges::any_of(c.of_many, is_lap)) return judge(true, "");
        return verdicts_.undecided(rules::received_message, UndecidedReason::frames_missing);
    }
    if (by_server == (about == ib::mra_req)) {
        if (by_server || c.rep) return judge(true, "");
        return await_proof(a, c, rules::received_message, "MRA for REP");
    }
    if (!c.rep || !c.req || c.peer_to_peer)
        return verdicts_.undecided(rules::received_message, UndecidedReason::may_have_crossed);
    judge(false, by_server ? "MRA for REP from the side that sent REP" : "MRA for REQ from the side that sent REQ");
}

/// Reliable datagrams have an EE context there.
void CourseRules::on_dreq(const Arrival& a, const Connection& c, const ib::CmDreq& dreq) {
    const std::optional<std::uint32_t>& qpn = c.end[other(a.facts.from)].qpn;
    const bool has_qpn = c.service == Service::rc || c.service == Service::uc || c.service == Service::xrc;
    if (!has_qpn || !qpn) return verdicts_.undecided(rules::receivers_queue_pair, UndecidedReason::setup_not_captured);
    if (dreq.remote_qpn == *qpn) return verdicts_.satisfied(rules::receivers_queue_pair);
    verdicts_.broken(
        rules::receivers_queue_pair, {a.packet.number}, {c.id},
        "DREQ is for queue pair " + std::to_string(dreq.remote_qpn) + ", the receiver's is " + std::to_string(*qpn));
}

void CourseRules::on_information(const Arrival& a, const Connection& connection, unsigned length) {
    if (length <= ib::ari_size) return verdicts_.satisfied(rules::information_length);
    verdicts_.broken(
        rules::information_length, {a.packet.number}, {connection.id},
        "the length of the additional information is " + std::to_string(length));
}

void CourseRules::on_unknown_resolution(const Arrival& a, const Connection& connection) {
    verdicts_.broken(
        rules::known_resolution, {connection.req->frame, a.packet.number}, {connection.id},
        "the reply's request id is another one: the client does not know it");
}

// ---- at the end ------------------------------------------------------------------------------------

void CourseRules::unanswered(
    const Connection& c, const Doubt& doubt, const Sent& last, const char* what, std::uint32_t count) {
    verdicts_.unanswered(
        rules::answered, doubt, {last.frame}, {c.id},
        std::string(what) + (count == 1 ? " is" : ", sent " + std::to_string(count) + " times, is") + " not answered");
}

void CourseRules::finish(const Connection& c, Time now) {
    for (const MessageOfMany& message : c.of_many)
        if (message.attribute == ib::CmAttribute::dreq) finish_disconnect(c, message, now);
    if (!c.req) return;
    const bool refused = c.unread_reject || (c.reject && (c.reject->by == Side::server || c.reject->sidr));
    if (c.rep || c.rtu || refused) return verdicts_.satisfied(rules::answered);
    const Doubt doubt = doubt_if(!gave_up_connecting(c, now), UndecidedReason::capture_ended);
    unanswered(c, doubt, c.last_req, c.service == Service::ud ? "SIDR_REQ" : "REQ", c.req_transmissions);
}

void CourseRules::finish_disconnect(const Connection& c, const MessageOfMany& dreq, Time now) {
    if (dreq.answered || c.both_disconnect) return verdicts_.satisfied(rules::answered);
    const bool gave_up = c.max_cm_retries && dreq.last.times > *c.max_cm_retries && c.dreq_timeout != 0 &&
                         now - dreq.last.time > c.dreq_timeout;
    const Doubt doubt = c.drep ? UndecidedReason::another_request : doubt_if(!gave_up, UndecidedReason::capture_ended);
    unanswered(c, doubt, dreq.last, "DREQ", dreq.last.times);
}

void CourseRules::finish() {
    for (const auto& [server, early] : early_) verdicts_.undecided(early.rule, UndecidedReason::capture_ended);
    early_.clear();
}

}  // namespace fabricscope::engine::rdma_cm
