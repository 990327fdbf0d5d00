// SPDX-License-Identifier: GPL-2.0-or-later
// One captured frame as it lies in a capture file: octets, time and where it was caught.
#pragma once

#include <algorithm>
#include <cstdint>

#include "protocols/layout/types.h"

namespace fabricscope::capture {

/// What the first octet of a frame belongs to.
enum class LinkType : std::uint8_t {
    unknown,
    ethernet,
    linux_cooked_v1,
    linux_cooked_v2,
    raw_ip,               ///< begins with an IPv4 or IPv6 header
    infiniband,           ///< begins with an LRH
    fc2,                  ///< begins with a Fibre Channel frame header
    fc2_with_delimiters,  ///< SOF, frame header ... CRC, EOF
};

/// Nanoseconds since 1970-01-01T00:00:00Z.
using Time = std::int64_t;

inline constexpr Time microsecond = 1'000;
inline constexpr Time millisecond = 1'000'000;
inline constexpr Time second = 1'000'000'000;

/// Files can hold any 64-bit number of seconds. Held within 2^32 around the epoch (to the year 2106),
/// the difference of two times never overflows.
constexpr Time time_of(std::int64_t seconds, std::int64_t nanoseconds) {
    constexpr std::int64_t limit = std::int64_t{1} << 32;
    return std::clamp(seconds, -limit, limit) * second + std::clamp<std::int64_t>(nanoseconds, 0, second - 1);
}

/// Where a frame of a merged timeline comes from.
struct Origin {
    std::uint32_t source = 0;  ///< place in the list that was merged
    std::uint64_t number = 0;  ///< of the frame in that source, from 1
    bool operator==(const Origin&) const = default;
};

/// The longest snap length: what a frame may have of octets in libpcap and Wireshark.
inline constexpr std::uint32_t unlimited_snap_length = 262'144;

struct Frame {
    std::uint64_t number = 0;  ///< from 1, as Wireshark counts
    Time time = 0;
    std::uint32_t wire_length = 0;  ///< octets it had on the wire; data may hold fewer (snap length)
    ByteView data;                  ///< the captured octets; owned by the source
    LinkType link = LinkType::unknown;
    std::uint32_t interface = 0;  ///< from 0, unique over all files of a timeline
    Origin origin{};              ///< set by merge()
};

/// One of which all octets are there.
inline Frame whole_frame(std::uint32_t interface, Time time, ByteView octets) {
    return {
        .time = time, .wire_length = static_cast<std::uint32_t>(octets.size()), .data = octets, .interface = interface};
}

}  // namespace fabricscope::capture
