// SPDX-License-Identifier: GPL-2.0-or-later
// Finds frames that were captured twice: a hub shows a frame on two interfaces, the captures of two hosts both hold
// what went between them, and a mirror of several switch ports shows a frame where it comes in and where it goes out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "capture/packet.h"

namespace fabricscope::capture {

/// Two packets are copies if addresses, IP identification and transport octets agree; MAC addresses, hop limits and
/// checksums may differ, and so may what was cut off; but not VLANs of FCoE, which are fabrics. Of another interface an
/// interface contributes at most one copy of each original. On the same interface a copy follows within 100 ms if IP
/// identifies it, as it does where senders are seen to count; within a millisecond if they may have one identification
/// for all; and if they have none it is soon there, before anything has gone the opposite way: so retransmissions stay,
/// which a timer or an answer brings about. There, InfiniBand packets have none unless their senders are seen to count
/// otherwise than by PSNs. A file that begins when another one has ended, as those of a ring buffer do, holds no copies
/// of it but those that IP identifies.
///
/// Interfaces whose clocks differ by more than the window hold copies that are not recognised: by how much their first
/// frames differ tells that.
class DuplicateFilter {
public:
    /// Two interfaces that both hold the same frames, at other times.
    struct ClockOffset {
        Time by = 0;  ///< the second one is behind, or ahead where that is negative
        std::uint64_t frame = 0, copy = 0;
    };

    /// `interface_count` as the source tells it. Originals are remembered for `window`, the youngest `capacity` of
    /// them (a power of two, so that no packet costs a division), fewer if there is but one interface.
    explicit DuplicateFilter(std::uint32_t interface_count, Time window = second, std::size_t capacity = 16'384);

    /// The number of the earlier frame that this packet is a copy of. To be asked once for each packet.
    std::optional<std::uint64_t> original_of(const Packet& packet);

    /// Nothing if the clocks do not differ by more than the window, as far as is known by now.
    const std::optional<ClockOffset>& clock_offset() const { return clock_offset_; }

private:
    struct Fingerprint {
        std::uint64_t key;  ///< what was captured of a packet wherever it is recognised, and its length on the wire
        std::uint64_t rest;
        std::uint32_t captured;  ///< octets
        std::uint16_t vlan;      ///< of FCoE

        /// Of what one interface has cut, the rest tells nothing. A tag may be missing.
        bool may_be(const Fingerprint& other) const {
            return key == other.key && (captured != other.captured || rest == other.rest) &&
                   (vlan == other.vlan || vlan == 0 || other.vlan == 0);
        }
    };
    struct Original {
        Fingerprint fingerprint;
        std::uint64_t frame;
        std::uint64_t interfaces;  ///< bit i: seen on interface i; all, of a copy
        std::uint32_t interface;   ///< by which it came itself
        Time time;
        std::uint64_t previous;  ///< serial number of the one before in the same bucket; 0 = none
    };

    /// When an interface was heard.
    struct Heard {
        std::optional<Time> first;
        Time latest = 0;
    };

    /// What went one way between two addresses, by one transport: an adapter counts otherwise than its host does.
    struct Way {
        std::uint64_t youngest = 0;        ///< serial number of the original
        std::uint32_t identification = 0;  ///< its IP identification
        std::uint16_t less_psn = 0;        ///< that, without the PSN of an InfiniBand packet
        bool counts = false;  ///< originals one after the other have had different identifications, not by their PSNs
    };
    struct Pair {
        std::uint64_t addresses = 0;
        std::array<Way, 2> ways{};
    };

    /// One of the first frames of an interface.
    struct First {
        std::uint64_t frame;
        std::uint32_t interface;
        Time time;
    };

    struct Direction {
        Way &way, &opposite;
        std::uint64_t ends;  ///< a hash of both addresses, another one for the other way
    };

    Direction direction_of(const Packet& packet);
    Original* find(const Fingerprint& fingerprint, const Packet& packet, const Direction& direction);
    void hear(const Packet& packet);
    bool were_heard_together(const Original& original, const Packet& packet) const;
    bool is_copy(
        const Original& original, std::uint64_t serial, const Packet& packet, const Direction& direction) const;
    void remember(const Fingerprint& fingerprint, const Packet& packet, std::uint64_t frame, std::uint64_t interfaces);
    void compare_clocks(const Fingerprint& fingerprint, const Packet& packet);
    Original& original(std::uint64_t serial) { return originals_[serial & (originals_.size() - 1)]; }
    bool held(std::uint64_t serial) const { return serial != 0 && serial + originals_.size() >= next_; }

    Time window_;
    std::vector<Original> originals_;     ///< ring, by serial number
    std::vector<std::uint64_t> buckets_;  ///< serial number of the youngest original
    std::vector<Pair> pairs_;             ///< by a hash of the addresses; one takes another's place
    std::uint64_t next_ = 1;              ///< serial number of the next original
    std::vector<Heard> heard_;            ///< by interface
    bool is_one_interface_;
    std::unordered_map<std::uint64_t, First> first_;  ///< by the keys of their fingerprints
    std::vector<std::uint32_t> first_of_;             ///< how many of them, by interface
    Time latest_offset_ = 0;
    std::uint32_t equal_offsets_ = 0;  ///< one after the other
    std::optional<ClockOffset> clock_offset_;
};

}  // namespace fabricscope::capture
