// SPDX-License-Identifier: GPL-2.0-or-later
// Why a rule of a link group cannot be decided: each answer is a reason for Verdicts::undecided(), or
// nullptr if there is none.
#pragma once

#include "analyzer/engine/smcr/arrival.h"

namespace fabricscope::engine::smcr::doubt {

inline constexpr const char* midway = "the link group was made before the capture began";
inline constexpr const char* gap = "packets of the link group were not captured";
inline constexpr const char* order = "packets came out of order";
inline constexpr const char* interfaces = "frames of several interfaces are in no certain order";
inline constexpr const char* crossing = "messages may have crossed on their way";
inline constexpr const char* end = "the capture ended before";

/// Of what both sides sent since the request.
inline const char* since(const OpenRequest& request, const GroupHistory& history) {
    return history.gaps.values == request.gaps.values ? nullptr : gap;
}

/// Of the order in which `a` and the request were sent.
inline const char* since(const OpenRequest& request, const Arrival& a) {
    if (a.late) return order;
    if (a.packet->interface != request.interface) return interfaces;
    return since(request, *a.history);
}

/// Of everything that both sides sent so far.
inline const char* from_start(const LinkGroup& group, const GroupHistory& history) {
    if (!group.from_start || !group.roles_known) return midway;
    return history.gaps.values == std::array<std::uint32_t, 2>{} ? nullptr : gap;
}

}  // namespace fabricscope::engine::smcr::doubt
