// SPDX-License-Identifier: GPL-2.0-or-later
// The life of a link: the only place where LinkState changes (RFC 7609, 3.5.1 and 3.5.5.1).
//
//     pending --confirmed, used--> active        pending --deleted, declined--> failed
//     active --deleted--> deleted                active --declined, unanswered--> failed
//
// A capture is never complete, so each event is defined in each state: CONFIRM LINK may be met on a link that was
// deleted in the part that is missing.
#pragma once

#include <algorithm>

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::engine::smcr {

/// What changes the state of a link.
enum class LinkEvent : std::uint8_t {
    negotiated,  ///< CLC CONFIRM of a first contact names the link; CONFIRM LINK is still to come
    met_in_use,  ///< the first that was captured of it shows that it had been set up before
    confirmed,   ///< the response of CONFIRM LINK (A.3.1)
    used,        ///< a WRITE or a CDC message
    deleted,     ///< DELETE LINK, by who may decide (3.5.5.1.4)
    declined,    ///< CLC DECLINE ended the first contact, and with it the link group (3.5.1)
    unanswered,  ///< the capture ends with a request repeated as often as a queue pair may (IBA 9.9.2.1.3)
};

/// next_state() returns the state of a link after `event`.
constexpr LinkState next_state(LinkState state, LinkEvent event) {
    switch (event) {
        case LinkEvent::negotiated: return LinkState::pending;
        case LinkEvent::met_in_use:
        case LinkEvent::confirmed: return LinkState::active;
        case LinkEvent::used: return state == LinkState::pending ? LinkState::active : state;
        case LinkEvent::deleted:  // a link that is deleted before it was confirmed never came up
            return state == LinkState::active || state == LinkState::deleted ? LinkState::deleted : LinkState::failed;
        case LinkEvent::declined: return LinkState::failed;
        case LinkEvent::unanswered: return state == LinkState::active ? LinkState::failed : state;
    }
    return state;
}

/// happen() lets `event` happen to `link`.
inline void happen(Link& link, LinkEvent event) { link.state = next_state(link.state, event); }

/// Whether the link may have carried packets although none was captured. What passes between two ports that both have
/// been heard, on other links, is captured.
inline bool is_unheard(const LinkGroup& group, const Link& link) {
    const auto hears_port = [&](Side side) {
        return std::ranges::any_of(group.links, [&](const Link& other) {
            return other.is_heard(side) && other.end[side].gid == link.end[side].gid;
        });
    };
    const bool may_be_used = link.state == LinkState::pending || link.state == LinkState::active;
    return link.packets == 0 && may_be_used && !(hears_port(Side::client) && hears_port(Side::server));
}

/// The side whose last packets on the link are repetitions that nothing came back for; nothing if neither's are.
inline std::optional<Side> repeats_in_vain(const Link& link) {
    for (const Side side : {Side::client, Side::server}) {
        const Repetitions& repeated = link.repeated[side];
        if (repeated.count != 0 && repeated.last.time > link.heard[other(side)]) return side;
    }
    return std::nullopt;
}

}  // namespace fabricscope::engine::smcr
