// SPDX-License-Identifier: GPL-2.0-or-later
// A link group as long as it is followed: what is reported of it, and beside it the state of each part.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "analyzer/engine/smcr/half_connections.h"
#include "analyzer/engine/smcr/link_offers.h"
#include "analyzer/engine/smcr/queue_pairs.h"
#include "analyzer/engine/smcr/rmb_table.h"
#include "analyzer/engine/smcr/stray_writes.h"

namespace fabricscope::engine::smcr {

struct TrackedGroup {
    TrackedGroup(LinkGroup& reported, RmbBudget& budget) : group(reported), rmbs(reported, history, budget) {}
    TrackedGroup(const TrackedGroup&) = delete;  // its parts refer to each other
    TrackedGroup& operator=(const TrackedGroup&) = delete;

    LinkGroup& group;
    GroupHistory history;
    RmbTable rmbs;
    std::vector<std::unique_ptr<QueuePairs>> queue_pairs;  ///< of each of LinkGroup::links
    LinkOffers offers;
    PerSide<std::optional<std::size_t>> continued_rmb;  ///< of this side's latest CONFIRM RKEY
    PerSide<std::optional<bool>> no_eye_catcher;        ///< what the CONFIRM LINK of this side said
    std::uint32_t first_connection = 0;                 ///< that made it; 0 = made before the capture began
    std::optional<std::uint32_t> interface;             ///< by which the first packet came
    bool llc_cut = false;                               ///< an LLC message was cut by the snap length

    // Of a group whose set-up was not captured.
    PerSide<Address> address;  ///< of both ends of its links
    HalfConnections halves;
    PerSide<StrayWrites> strays;  ///< from this side

    /// half_of() returns the connection whose other half a message of `from` shows; see HalfConnections::match().
    Session* half_of(Sessions& sessions, Side from, const wire::Cdc& cdc, const Session* of) const {
        const std::span<const Rmb> all = group.rmbs;
        return halves.match(sessions, from, cdc, of, history.one_interface ? all : all.first(0));
    }

    /// Which of the links that ADD LINK has added have been heard, or have gone, has changed.
    void count_unheard_links();

    /// Its set-up was not captured.
    void began_before() {
        group.from_start = false;
        history.contact_missing = true;
    }

    /// swap_sides() exchanges client and server in all of it, but for the connections.
    void swap_sides();
};

/// The connections that are looked through where nothing tells which one is meant.
inline std::span<const std::uint32_t> youngest_connections(const LinkGroup& group) {
    constexpr std::size_t most = 256;
    const std::span<const std::uint32_t> all = group.connections;
    return all.last(std::min(most, all.size()));
}

}  // namespace fabricscope::engine::smcr
