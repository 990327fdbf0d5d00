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

void FarpRules::judge(const Arrival& a, const Seen& seen, const std::vector<Seen>& asked) {
    const char* wrong = fault(seen, asked);
    if (wrong == nullptr) return judge_.satisfied(rules::farp);
    const char* name = seen.asks() ? "FARP-REQ" : "FARP-REPLY";
    judge_.broken(rules::farp, {seen.frame}, a.exchange.connection, fmt::format("{} {}", name, wrong));
}

/// Which item of 7.5 is not kept; nullptr: none.
const char* FarpRules::fault(const Seen& seen, const std::vector<Seen>& asked) const {
    const fc::Farp& farp = seen.farp;
    const Port& requester = seen.asks() ? seen.from : seen.to;
    const auto asks_as = logins_.names_of(requester), answers_as = logins_.names_of(seen.from);
    if (farp.match != fc::farp_match_ip) return "does not match on the responder's IP address alone";
    if (farp.action != fc::farp_reply) return "does not ask for a FARP-REPLY";
    if (farp.requesting_port_id != requester.id) return "has another Requesting N_Port Identifier than who asked";
    if (asks_as && farp.requesting_port_name != asks_as->port) return "has another Requesting Port_Name than who asked";
    if (asks_as && farp.requesting_node_name != asks_as->node) return "has another Requesting Node_Name than who asked";
    if (seen.asks()) {
        if (farp.responding_port_id != 0) return "names a Responding N_Port Identifier";
        const bool names = farp.responding_port_name != 0 || farp.responding_node_name != 0;
        return names ? "names the Responding N_Port" : nullptr;
    }
    if (farp.responding_port_id != seen.from.id) return "names another port than it comes from";
    if (answers_as && farp.responding_port_name != answers_as->port)
        return "has another Responding Port_Name than its sender";
    if (answers_as && farp.responding_node_name != answers_as->node)
        return "has another Responding Node_Name than its sender";
    const auto is_repeated = [&](const Seen& request) { return request.farp.requesting_ip == farp.requesting_ip; };
    if (!asked.empty() && std::ranges::none_of(asked, is_repeated))
        return "has another Requesting IP address than the request";
    return nullptr;
}

}  // namespace fabricscope::engine::fcvi
