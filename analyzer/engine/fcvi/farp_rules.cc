// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/farp_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::engine::fcvi {

void FarpRules::on_els(const FrameSeen& seen) {
    const ByteView payload = seen.frame.payload;
    if (payload.empty() || (payload[0] != fc::els_farp_request && payload[0] != fc::els_farp_reply)) return;
    const fc::ElsMessage message = fc::parse_els(payload, seen.frame.payload_length);
    const auto* farp = std::get_if<fc::Farp>(&message.body);
    if (farp == nullptr || message.error) return;
    if (seen_.size() == most) seen_.pop_front();
    seen_.push_back({*farp, source_of(seen), destination_of(seen), seen.number});
}

/// The request of the port that now asks for a connection, and the reply that it got.
void FarpRules::on_connect(const Arrival& a, const Gid& host) {
    const Port from = source_of(a.seen), to = destination_of(a.seen);
    std::vector<Seen> asked;
    std::erase_if(seen_, [&](const Seen& seen) {
        const bool answers = !seen.asks() && seen.from == to && seen.to == from;
        const bool used = seen.farp.responding_ip == host && (seen.asks() ? seen.from == from : answers);
        if (used) judge(a, seen, asked);
        if (used && seen.asks()) asked.push_back(seen);
        return used;
    });
}

/// 7.5
void FarpRules::judge(const Arrival& a, const Seen& seen, const std::vector<Seen>& asked) {
    const fc::Farp& farp = seen.farp;
    const bool same_ip = std::ranges::any_of(
        asked, [&](const Seen& request) { return request.farp.requesting_ip == farp.requesting_ip; });
    const Port& requester = seen.asks() ? seen.from : seen.to;
    const char* wrong = nullptr;
    if (farp.match != fc::farp_match_ip) wrong = "does not match on the responder's IP address alone";
    else if (farp.action != fc::farp_reply) wrong = "does not ask for a FARP-REPLY";
    else if (farp.requesting_port_id != requester.id) wrong = "has another Requesting N_Port Identifier than who asked";
    else if (seen.asks() && farp.responding_port_id != 0) wrong = "names a Responding N_Port Identifier";
    else if (seen.asks() && (farp.responding_port_name != 0 || farp.responding_node_name != 0))
        wrong = "names the Responding N_Port";
    else if (!seen.asks() && farp.responding_port_id != seen.from.id) wrong = "names another port than it comes from";
    else if (!seen.asks() && !asked.empty() && !same_ip) wrong = "has another Requesting IP address than the request";
    if (wrong == nullptr) return judge_.satisfied(rules::farp);
    const char* name = seen.asks() ? "FARP-REQ" : "FARP-REPLY";
    judge_.broken(rules::farp, {seen.frame}, a.exchange.connection, fmt::format("{} {}", name, wrong));
}

}  // namespace fabricscope::engine::fcvi
