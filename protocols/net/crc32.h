// SPDX-License-Identifier: GPL-2.0-or-later
// The CRC of Ethernet, Fibre Channel and InfiniBand's ICRC: polynomial 04C11DB7h, least significant bit first.
#pragma once

#include <cstdint>

#include "protocols/layout/types.h"

namespace fabricscope::net {

/// `before` is the CRC of what stands before `octets`; 0 if nothing does.
std::uint32_t crc32(std::uint32_t before, ByteView octets);

}  // namespace fabricscope::net
