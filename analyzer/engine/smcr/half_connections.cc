// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/half_connections.h"

#include <algorithm>

namespace fabricscope::engine::smcr {

namespace {

/// Whether the RMB in which this half's data arrive was announced when the other half had begun already: a connection
/// is not used before both of its RMBs are known (RFC 7609, 3.5.5.2.1).
bool is_announced_after(std::span<const Rmb> rmbs, const Connection& half, Side receiver, const Connection& begun) {
    const auto& element = half.element[receiver];
    if (!element || element->rmb >= rmbs.size()) return false;
    const Rmb& rmb = rmbs[element->rmb];
    const bool told = std::ranges::none_of(rmb.rtokens, &Rtoken::inferred);
    return told && rmb.first_frame > begun.first_frame;
}

}  // namespace

Session* HalfConnections::match(
    Sessions& sessions, Side from, const wire::Cdc& cdc, const Session* of, std::span<const Rmb> rmbs) const {
    if (cdc.flags.failover_validation || cdc.consumer == wire::Cursor{}) return nullptr;
    Session* match = nullptr;
    for (const std::uint32_t id : ids_) {
        Session& candidate = sessions.at(id);
        const Connection& c = *candidate.connection;
        if (&candidate == of || c.alert_token[other(from)] || !c.alert_token[from]) continue;
        if (c.from[other(from)].producer != cdc.consumer) continue;
        if (of != nullptr && (is_announced_after(rmbs, c, from, *of->connection) ||
                              is_announced_after(rmbs, *of->connection, other(from), c)))
            continue;
        if (match != nullptr) return nullptr;  // could be either
        match = &candidate;
    }
    return match;
}

}  // namespace fabricscope::engine::smcr
