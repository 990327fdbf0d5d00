// SPDX-License-Identifier: GPL-2.0-or-later
// Why a rule cannot be decided: each answer is a reason for Verdicts::undecided(), or
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
inline constexpr const char* missing = "packets are missing from the capture";
inline constexpr const char* not_captured = "packets were not captured";
inline constexpr const char* llc_cut = "an LLC message was cut by the snap length";
inline constexpr const char* no_begin = "the begin of a connection was not captured";
inline constexpr const char* no_tcp_handshake = "the TCP handshake was not captured";
inline constexpr const char* no_link_setup = "the link's set-up was not captured";
inline constexpr const char* no_link_packets = "the link's packets were not captured";
inline constexpr const char* began_before = "the connection began before the capture";
inline constexpr const char* out_of_order = "packets were captured out of order";
inline constexpr const char* unsure_order = "packets of several interfaces have no sure order";
inline constexpr const char* other_interface = "TCP and RoCE were captured on different interfaces";
inline constexpr const char* other_link = "the connection has moved to another link";
inline constexpr const char* no_element_size = "the RMB element's size is not known";
inline constexpr const char* several_requests = "several requests were under way";
inline constexpr const char* link_failed = "the link may have failed";

/// Of what both sides sent since something began, which has a `step` and took down the `gaps` of that moment.
template <class Begun> const char* since(const Begun& begun, const GroupHistory& history) {
    return history.gaps.values == begun.gaps.values ? nullptr : gap;
}

/// Of the order in which `a` and the begin were sent.
template <class Begun> const char* since(const Begun& begun, const Arrival& a) {
    if (a.late) return order;
    if (a.packet->interface != begun.step.interface) return interfaces;
    return since(begun, *a.history);
}

/// Of everything that both sides sent so far.
inline const char* from_start(const LinkGroup& group, const GroupHistory& history) {
    if (!group.from_start || !group.roles_known) return midway;
    return history.gaps.values == std::array<std::uint32_t, 2>{} ? nullptr : gap;
}

}  // namespace fabricscope::engine::smcr::doubt
