// SPDX-License-Identifier: GPL-2.0-or-later
// The invariant CRC of InfiniBand packets, native and over Ethernet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "protocols/layout/types.h"

namespace fabricscope::ib {

/// What a packet begins with.
enum class IcrcStart : std::uint8_t { lrh, grh, ipv4, ipv6 };

/// The ICRC of a packet from the header that `start` names up to, not including, the ICRC (IBA 7.8.1;
/// annex A16.5.1 for a GRH without LRH, annex A17.3.3 for IP and UDP). Fields that may change on the
/// way count as all ones, and so does the LRH that RoCE lacks. `bth` is the offset of the BTH in
/// `packet`. Nothing when the headers are longer than RoCE or InfiniBand can have them.
std::optional<std::uint32_t> icrc(IcrcStart start, ByteView packet, std::size_t bth);

/// Whether the last four octets of `packet` are its ICRC. They are little-endian, as nothing else is.
bool icrc_is_good(IcrcStart start, ByteView packet, std::size_t bth);

}  // namespace fabricscope::ib
