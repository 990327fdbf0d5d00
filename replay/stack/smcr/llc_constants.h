// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers in LLC messages (RFC 7609, A.3).
#pragma once

#include <cstdint>

namespace fabricscope::stack::smcr {

inline constexpr std::uint8_t no_alternate_path = 1, invalid_mtu = 2;  // reasons of a rejected ADD LINK
/// Of links in a link group, and of its devices (2.2.2).
inline constexpr std::uint8_t most_links = 8;

enum DeleteReason : std::uint32_t {
    lost_path = 0x0001'0000,
    operator_initiated = 0x0002'0000,
    program_initiated = 0x0003'0000,
    protocol_violation = 0x0004'0000,
    asymmetric_not_needed = 0x0005'0000,
    unknown_link = 0x0010'0000,
};

}  // namespace fabricscope::stack::smcr
