// SPDX-License-Identifier: GPL-2.0-or-later
// What SMC-R traffic must keep to, as far as the tracker decides it.
//
// The rules here follow from single messages, so that a capture with gaps decides them as well as a
// whole one; a message that was cut by the snap length decides nothing.
#pragma once

#include <array>
#include <span>

#include "analyzer/engine/finding.h"

namespace fabricscope::engine::smcr {

/// Positions in kRules.
enum class RuleName : std::uint8_t {
    clc_format,
    clc_order,
    prefix_count,
    rmb_index,
    max_links,
    llc_format,
    test_link_echo,
    immediate_data,
};

inline constexpr std::array kRules{
    Rule{
        "SMCR-R02", Severity::error, "RFC 7609, A.2",
        "A CLC message has the length of its type and an eye catcher at both ends."},
    Rule{
        "SMCR-R03", Severity::error, "RFC 7609, 3.2",
        "The client sends PROPOSAL and CONFIRM, the server ACCEPT; only DECLINE may stand in their place."},
    Rule{"SMCR-R05", Severity::error, "RFC 7609, A.2.2", "A PROPOSAL lists at most 8 IPv6 prefixes."},
    Rule{"SMCR-R07", Severity::error, "RFC 7609, 2.1", "RMB elements are counted from 1."},
    Rule{"SMCR-R16", Severity::error, "RFC 7609, 2.2.2", "The server allows 2 to 8 links, in version 2 from 1 on."},
    Rule{
        "SMCR-R20", Severity::error, "RFC 7609, A.3", "An LLC message has a known type and the length of its payload."},
    Rule{"SMCR-R31", Severity::error, "RFC 7609, A.3.8", "The reply to TEST LINK echoes the request's user data."},
    Rule{"SMCR-R38", Severity::error, "RFC 7609, 4.7.1", "An RDMA WRITE carries no immediate data."},
};
static_assert(kRules.size() == static_cast<std::size_t>(RuleName::immediate_data) + 1);

constexpr const Rule& rule(RuleName name) { return kRules[static_cast<std::size_t>(name)]; }

}  // namespace fabricscope::engine::smcr
