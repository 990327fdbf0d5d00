// SPDX-License-Identifier: GPL-2.0-or-later
// Why a rule cannot be decided: each answer is a reason for Verdicts::undecided(), or nothing.
#pragma once

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/link_life.h"

namespace fabricscope::engine::smcr::doubt {

/// Of what both sides sent since something began, which has a `step` and took down the `gaps` of that moment.
template <class Begun> std::optional<UndecidedReason> since(const Begun& begun, const GroupHistory& history) {
    if (history.gaps.values == begun.gaps.values) return std::nullopt;
    return UndecidedReason::frames_missing;
}

/// What a reply answers is not known of a request that was cut.
inline std::optional<UndecidedReason> since(const OpenRequest& request, const GroupHistory& history) {
    return request.cut ? UndecidedReason::cut : since<OpenRequest>(request, history);
}

/// Of the order in which `a` and the begin were sent.
template <class Begun> std::optional<UndecidedReason> since(const Begun& begun, const Arrival& a) {
    if (a.late) return UndecidedReason::out_of_order;
    if (a.packet->interface != begun.step.interface) return UndecidedReason::interface_order;
    return since(begun, *a.history);
}

/// Of everything that both sides sent so far. Nothing was to be heard yet on a number of links, `being_added`.
inline std::optional<UndecidedReason> from_start(
    const LinkGroup& group, const GroupHistory& history, std::uint32_t being_added = 0) {
    if (!group.from_start || !group.roles_known) return UndecidedReason::beginning_not_captured;
    if (history.contact_missing) return UndecidedReason::setup_not_captured;
    if (history.all_gaps() != 0) return UndecidedReason::frames_missing;
    if (history.unheard_links > being_added) return UndecidedReason::link_not_captured;
    return std::nullopt;
}

/// The same, while the link that was agreed to last may be one on which no packet has been sent yet.
inline std::optional<UndecidedReason> while_adding(const LinkGroup& group, const GroupHistory& history) {
    return from_start(group, history, is_unheard(group, group.links.back()) ? 1 : 0);
}

}  // namespace fabricscope::engine::smcr::doubt
