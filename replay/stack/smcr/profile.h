// SPDX-License-Identifier: GPL-2.0-or-later
// Habits of SMC-R implementations: what RFC 7609 leaves open, and where Linux differs from it.
#pragma once

#include <algorithm>

#include "replay/stack/core/endpoint.h"
#include "replay/stack/smcr/llc_constants.h"

namespace fabricscope::stack::smcr {

/// What both sides offer, in CLC and in CONFIRM LINK.
inline constexpr std::uint8_t advertised_connections = 255;

struct Profile {
    const char* name = "linux";
    std::uint8_t version = 2;      ///< highest one that is offered
    std::uint8_t release = 1;      ///< of version 2
    std::uint8_t cursor_base = 0;  ///< 4: there are eye catchers (RFC 7609, 4.2)
    bool proposal_grown = true;    ///< PROPOSAL is of version 2, with a growth area, even if it offers 1 only
    bool confirm_repeats_first_contact = true;  ///< the F flag in CONFIRM, too
    bool rkeys_with_connections = true;         ///< CONFIRM RKEY and DELETE RKEY for each connection, not each RMB
    std::uint8_t elements_per_rmb = 1;
    std::uint8_t max_links = 2;         ///< symmetric ones in a link group, as CONFIRM LINK says
    std::uint8_t added_link_mtu = 3;    ///< coded, as ADD LINK says
    Time rmb_idle = never;              ///< an RMB that no connection has used for so long is withdrawn
    bool full_recovery = false;         ///< all that RFC 7609, C.7.1, wants to follow failures, not what Linux does
    bool lost_link_orderly = true;      ///< a client asks orderly even for the end of a link that it has lost
    bool host_order_lengths = true;     ///< version 2 LLC, on a little-endian CPU
    bool reject_reasons = false;        ///< version 2 ADD LINK rejections name the reason
    bool asymmetric_links_idle = true;  ///< new connections are not put on them
    bool newest_rmb_first = true;       ///< in lists of RTokens
    bool always_ends_orderly = true;    ///< the server's DELETE LINK for all links, however a client asked
    bool ends_once_more = true;         ///< a server that was asked to end the group does so of itself after that, too
    bool deletes_failed_group = true;   ///< a server without confirmation ends the group before it falls back
    bool repeats_reason = false;        ///< a client that lets a link go answers why the server wanted that
    bool rejects_unconfirmed = true;    ///< both ask for the end of a link that nobody confirms; the client rejects it
    bool retries_for_ever = false;      ///< a soft-RoCE device repeats without an end what is not acknowledged
    bool fin_with_closed = true;        ///< TCP is shut down right after "closed" was sent
    bool blocked_when_filled = true;    ///< B also when what is queued just fits; stays until the next WRITE
    /// A message for the consumer cursor alone, if more than this is unreported and the window is less than half (with
    /// `linux_updates` at most half).
    std::uint64_t update_limit(std::uint64_t element) const {
        return linux_updates ? std::max<std::uint64_t>(element / 10, 2304) : element / 10;
    }
    bool urgent_told_once = true;    ///< P and U stand in the message that brings the octet, not until it is consumed
    bool linux_updates = true;       ///< B does not make every consumption worth a message
    bool ends_with_tcp = false;      ///< a reset of TCP aborts the connection over RDMA, too; Linux does not look
    bool decline_on_timeout = true;  ///< of CONFIRM LINK at first contact: fall back instead of resetting TCP
    Time confirm_link_server = 3 * second;
    Time confirm_link_client = 4 * second;
    Time confirm_added_link = 5 * second;
    Time link_clearing = 20 * millisecond;  ///< so long a client is busy with a link that it has given up
    Time decline_wait = second;  ///< a client whose first link goes again; by then the server may have fallen back
    Time llc_wait = 2 * second;
    Time clc_wait = 6 * second;
    Time abort_wait = 5 * second;  ///< for the peer's answer to an abort
};

/// Linux 6.12 on x86.
inline Profile linux_profile() { return {}; }

/// The words of RFC 7609: version 1, eye catchers, RMBs of several elements.
inline Profile rfc7609_profile() {
    Profile profile;
    profile.name = "rfc7609";
    profile.version = 1;
    profile.cursor_base = 4;
    profile.proposal_grown = false;
    profile.confirm_repeats_first_contact = false;
    profile.rkeys_with_connections = false;
    profile.elements_per_rmb = 8;
    profile.max_links = most_links;
    profile.full_recovery = true;
    profile.lost_link_orderly = false;
    profile.host_order_lengths = false;
    profile.reject_reasons = true;
    profile.asymmetric_links_idle = false;
    profile.newest_rmb_first = false;
    profile.always_ends_orderly = false;
    profile.ends_once_more = false;
    profile.deletes_failed_group = false;
    profile.repeats_reason = true;
    profile.rejects_unconfirmed = false;
    profile.confirm_added_link = profile.llc_wait;
    profile.fin_with_closed = false;
    profile.blocked_when_filled = false;
    profile.urgent_told_once = false;
    profile.linux_updates = false;
    profile.ends_with_tcp = true;
    profile.decline_on_timeout = false;
    return profile;
}

}  // namespace fabricscope::stack::smcr
