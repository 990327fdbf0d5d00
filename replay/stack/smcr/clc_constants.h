// SPDX-License-Identifier: GPL-2.0-or-later
// Why Linux declines: the diagnosis codes of a DECLINE that hosts of this stack send (RFC 7609, A.2.4, leaves them to
// the sender).
#pragma once

#include <cstdint>

namespace fabricscope::stack::smcr {

enum DeclineCode : std::uint32_t {
    timeout_confirm_link = 0x0201'0000,
    no_device = 0x0303'0000,
    no_smcr_device = 0x0303'0002,
    prefix_differs = 0x0307'0000,
    version_mismatch = 0x030C'0000,
    out_of_synchronization = 0x0400'0000,
    rkey_not_registered = 0x0999'0003,
};
/// What a PROPOSAL offers.
enum SmcType : std::uint8_t { smc_r = 0, nothing = 2, both = 3 };

}  // namespace fabricscope::stack::smcr
