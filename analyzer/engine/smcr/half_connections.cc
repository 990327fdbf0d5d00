// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/half_connections.h"

namespace fabricscope::engine::smcr {

Session* HalfConnections::match(Sessions& sessions, Side from, const wire::Cdc& cdc, const Session* except) const {
    if (cdc.flags.failover_validation || cdc.consumer == wire::Cursor{}) return nullptr;
    Session* match = nullptr;
    for (const std::uint32_t id : ids_) {
        Session& candidate = sessions.at(id);
        const Connection& c = *candidate.connection;
        if (&candidate == except || c.alert_token[other(from)] || !c.alert_token[from]) continue;
        if (c.from[other(from)].producer != cdc.consumer) continue;
        if (match != nullptr) return nullptr;  // could be either
        match = &candidate;
    }
    return match;
}

}  // namespace fabricscope::engine::smcr
