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
    seen_.push_back({*farp, source_of(seen), seen.number});
}

/// The request of the port that now asks for a connection, and the reply that it got.
void FarpRules::on_connect(const Arrival& a, const Gid& host) {
    const Port from = source_of(a.seen), to = destination_of(a.seen);
    std::erase_if(seen_, [&](const Seen& seen) {
        const bool request = seen.farp.command == fc::els_farp_request;
        const bool used = seen.farp.responding_ip == host && seen.farp.requesting_port_id == from.id &&
                          seen.from == (request ? from : to);
        if (used) judge(a, seen);
        return used;
    });
}

void FarpRules::judge(const Arrival& a, const Seen& seen) {
    const fc::Farp& farp = seen.farp;
    const bool request = farp.command == fc::els_farp_request;
    const char* name = request ? "FARP-REQ" : "FARP-REPLY";
    const char* wrong = nullptr;
    if (farp.match != fc::farp_match_ip) wrong = "does not match on the responder's IP address alone";
    else if (farp.action != fc::farp_reply) wrong = "does not ask for a FARP-REPLY";
    else if (request && farp.responding_port_id != 0) wrong = "names a Responding N_Port Identifier";
    else if (request && (farp.responding_port_name != 0 || farp.responding_node_name != 0))
        wrong = "names the Responding N_Port";
    else if (!request && farp.responding_port_id != seen.from.id) wrong = "names another port than it comes from";
    if (wrong == nullptr) return judge_.satisfied(rules::farp);
    judge_.broken(rules::farp, {seen.frame}, a.exchange.connection, fmt::format("{} {}", name, wrong));
}

}  // namespace fabricscope::engine::fcvi
