// SPDX-License-Identifier: GPL-2.0-or-later
// Which packets were damaged on their way, so that whoever receives them takes no notice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/packet.h"

namespace fabricscope::capture {

/// To be shown a capture from its beginning to its end. The ICRC or the TCP checksum of a damaged packet is wrong,
/// which alone does not tell: adapters fill both in behind a capture on their own host, tunnels and NAT rewrite
/// addresses, and who edits a capture may leave them as they were. So what the packet was has to come again, and right,
/// by the same interface: once of a host, for all that is wrong of what it sends or receives; and a sender of which
/// less is right than wrong has no damaged packets, unless that are few enough to bear an address that is itself
/// damaged.
class DamagedPackets {
public:
    static constexpr std::size_t most = 100'000;  ///< wrong packets, and senders, that are remembered

    void on_packet(const Packet& packet);

    /// Of the damaged ones, sorted.
    std::vector<std::uint64_t> frames() const;

private:
    /// By an interface.
    struct Sender {
        Address address;
        std::uint32_t interface = 0;
        bool operator==(const Sender&) const = default;
    };
    /// What would come again with the same number.
    struct Sent {
        Sender sender;
        Address destination;
        std::uint32_t ends = 0;      ///< the destination's queue pair, or both ports
        std::uint32_t sequence = 0;  ///< PSN, or TCP's
        std::uint8_t kind = 0;       ///< opcode, or TCP's flags
        bool operator==(const Sent&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Sender& sender) const noexcept;
        std::size_t operator()(const Sent& sent) const noexcept;
    };
    struct Checked {
        std::uint64_t right = 0, wrong = 0;
    };
    struct Wrong {
        std::uint64_t frame;
        Sender sender;
        Address destination;
    };

    static std::optional<Sent> sent_in(const Packet& packet, const Sender& sender);
    bool may_be_damaged(const Sender& sender) const;
    bool comes_again(const Wrong& wrong) const;

    std::unordered_map<Sender, Checked, Hash> checked_;
    std::vector<Wrong> wrong_;
    std::unordered_set<Sent, Hash> awaited_;  ///< the wrong ones, as far as they would come again
    std::unordered_set<Address> repeating_;   ///< hosts between which one did
};

}  // namespace fabricscope::capture
