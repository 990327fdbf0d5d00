// SPDX-License-Identifier: GPL-2.0-or-later
// Finds frames that were captured twice: a hub shows a frame on two interfaces, and the captures of
// two hosts both hold what went between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "capture/packet.h"

namespace fabricscope::capture {

/// Two packets are copies if addresses, IP identification and transport octets agree; MAC addresses,
/// hop limits and checksums may differ. A copy must come from another interface, and an interface
/// contributes at most one copy of each original, so that real retransmissions stay.
class DuplicateFilter {
public:
    /// `interface_count` as the source tells it: with one interface nothing is ever a copy, and
    /// nothing is stored. Originals are remembered for `window`, the youngest `capacity` of them.
    explicit DuplicateFilter(std::uint32_t interface_count, Time window = second, std::size_t capacity = 16'384);

    /// The number of the earlier frame that this packet is a copy of. To be asked once for each packet.
    std::optional<std::uint64_t> original_of(const Packet& packet) {
        return originals_.empty() ? std::nullopt : original_among_several(packet);
    }

private:
    struct Original {
        std::uint64_t fingerprint;
        std::uint64_t frame;
        std::uint64_t interfaces;  ///< bit i: seen on interface i
        Time time;
        std::uint64_t previous;  ///< serial number of the one before in the same bucket; 0 = none
    };

    std::optional<std::uint64_t> original_among_several(const Packet& packet);
    Original* find(std::uint64_t fingerprint, const Packet& packet);
    void remember(std::uint64_t fingerprint, const Packet& packet);
    bool held(std::uint64_t serial) const { return serial != 0 && serial + originals_.size() >= next_; }

    Time window_;
    std::vector<Original> originals_;     ///< ring, by serial number; empty = inactive
    std::vector<std::uint64_t> buckets_;  ///< serial number of the youngest original
    std::uint64_t next_ = 1;              ///< serial number of the next original
};

}  // namespace fabricscope::capture
