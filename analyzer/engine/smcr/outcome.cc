// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/outcome.h"

namespace fabricscope::engine::smcr {

namespace {

bool has_data(const Connection& connection) {
    return connection.from[Side::client].cdcs + connection.from[Side::client].writes +
               connection.from[Side::server].cdcs + connection.from[Side::server].writes !=
           0;
}

bool closed_in_order(const Connection& connection) {
    return connection.fin[Side::client] && connection.fin[Side::server];
}

Close tcp_close(const Connection& c) {
    if (c.reset) return Close::abnormal;
    if (closed_in_order(c)) return Close::orderly;
    return c.fin[Side::client] || c.fin[Side::server] ? Close::half : Close::open;
}

/// A DECLINE that comes when its receiver has given up finds nobody who would go on.
bool came_too_late(const std::optional<FrameStamp>& decline, const Connection& c) {
    return decline && c.end && *c.end < decline->time && c.decline->by != c.ended_by;
}

}  // namespace

Outcome final_outcome(const Connection& c, const Seen& seen) {
    if (c.outcome == Outcome::fallback && came_too_late(c.setup.decline, c)) return Outcome::failed;
    if (c.outcome != Outcome::unknown) return c.outcome;
    if (has_data(c) || c.setup.confirm_link) return Outcome::smc_r;
    if (c.setup.plain[Side::client])
        return c.reset_by == Side::server && !c.setup.plain[Side::server] ? Outcome::failed : Outcome::plain_tcp;
    if (c.setup.confirm) {
        if (c.reset) return seen.setup && seen.link && seen.to_tcps_end ? Outcome::failed : Outcome::unknown;
        const bool subsequent = c.first_contact && !*c.first_contact;
        return subsequent || closed_in_order(c) ? Outcome::smc_r : Outcome::unknown;
    }
    const bool clc_begun = c.setup.proposal || c.setup.accept;
    const bool ended_without = c.setup.syn && c.setup.syn_ack && c.end;  // before the PROPOSAL
    return (clc_begun || ended_without) && seen.setup ? Outcome::failed : Outcome::unknown;
}

Close final_close(const Connection& c, const Seen& seen) {
    const Direction& client = c.from[Side::client];
    const Direction& server = c.from[Side::server];
    if (c.outcome == Outcome::unknown) return c.reset ? Close::abnormal : Close::unknown;
    if (c.outcome != Outcome::smc_r) return tcp_close(c);
    if (client.aborted || server.aborted || c.reset_in_use) return Close::abnormal;
    if (client.closed && server.closed) return Close::orderly;
    if (!c.client) return Close::unknown;  // how TCP ended is not known
    for (const Side side : {Side::client, Side::server})
        if (!c.from[side].closed && !seen.last_message[side]) return Close::unknown;
    if (c.reset) return seen.to_tcps_end ? Close::abnormal : Close::unknown;
    return client.closed || server.closed || client.sending_done || server.sending_done ? Close::half : Close::open;
}

bool tells_of(Side side, const Connection& connection, const Seen& seen) {
    switch (connection.outcome) {
        case Outcome::fallback:
        case Outcome::failed:
        case Outcome::plain_tcp: return true;
        default: return seen.side[side];
    }
}

}  // namespace fabricscope::engine::smcr
