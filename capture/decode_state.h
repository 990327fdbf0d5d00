// SPDX-License-Identifier: GPL-2.0-or-later
// How far the decoding of a frame came, and where it stopped.
#pragma once

#include <cstdint>

namespace fabricscope::capture {

/// How far decoding came. Anything but `ok` speaks of a frame that should have been decodable.
enum class DecodeState : std::uint8_t {
    ok,           ///< decoded, or traffic that is none of our business
    truncated,    ///< the capture holds fewer octets than the wire had; used as far as they go
    malformed,    ///< a header contradicts itself or the frame
    unsupported,  ///< an IP fragment or an unknown link type
};

/// The layer that `DecodeState` speaks of.
enum class Layer : std::uint8_t { none, link, ip, tcp, udp, grh, bth, fc, payload };

}  // namespace fabricscope::capture
