// SPDX-License-Identifier: GPL-2.0-or-later
// Why a rule cannot be decided: each answer is a reason for Verdicts::undecided(), or nothing.
#pragma once

#include "analyzer/engine/smcr/arrival.h"

namespace fabricscope::engine::smcr::doubt {

/// Of what both sides sent since something began, which has a `step` and took down the `gaps` of that moment.
template <class Begun> std::optional<UndecidedReason> since(const Begun& begun, const GroupHistory& history) {
    if (history.gaps.values == begun.gaps.values) return std::nullopt;
    return UndecidedReason::frames_missing;
}

/// Of the order in which `a` and the begin were sent.
template <class Begun> std::optional<UndecidedReason> since(const Begun& begun, const Arrival& a) {
    if (a.late) return UndecidedReason::out_of_order;
    if (a.packet->interface != begun.step.interface) return UndecidedReason::interface_order;
    return since(begun, *a.history);
}

/// Of everything that both sides sent so far.
inline std::optional<UndecidedReason> from_start(const LinkGroup& group, const GroupHistory& history) {
    if (!group.from_start || !group.roles_known) return UndecidedReason::beginning_not_captured;
    if (history.contact_missing) return UndecidedReason::setup_not_captured;
    if (history.complete()) return std::nullopt;
    return UndecidedReason::frames_missing;
}

}  // namespace fabricscope::engine::smcr::doubt
