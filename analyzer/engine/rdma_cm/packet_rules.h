// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the packets that carry messages: what breaks them, the receiver drops without a word.
#pragma once

#include <unordered_map>
#include <vector>

#include "analyzer/engine/rdma_cm/verdicts.h"

namespace fabricscope::engine::rdma_cm {

class PacketRules {
public:
    explicit PacketRules(Verdicts& verdicts) : verdicts_(verdicts) {}

    /// Whether a MAD of Communication Management has the length and the class version whose format is known.
    static bool is_readable(const capture::Packet& packet);
    /// Each MAD of Communication Management; `connection` is 0 if it belongs to none.
    void judge(const capture::Packet& packet, std::uint32_t connection);
    /// That alone, of a packet of which nothing else is to be believed.
    void judge_icrc(const capture::Packet& packet, std::uint32_t connection);
    void finish();

private:
    /// A packet with a wrong ICRC.
    struct Doubtful {
        std::uint64_t frame;
        std::uint32_t connection;
    };
    /// Where a sender's packets were captured. Adapters fill in the ICRC behind a capture on the sending host.
    struct Tap {
        Address sender;
        std::uint32_t interface;
        bool operator==(const Tap&) const = default;
    };
    struct TapHash {
        std::size_t operator()(const Tap& tap) const noexcept {
            return std::hash<Address>{}(tap.sender) ^ std::size_t{tap.interface} * 0x9E3779B97F4A7C15u;
        }
    };
    struct Sender {
        bool fills_in = false;  ///< an ICRC of its packets was right
        std::vector<Doubtful> doubtful;
    };

    void judge_q_key(const capture::Packet& packet, std::uint32_t connection);
    void judge_length(const capture::Packet& packet);
    void judge_class_version(const capture::Packet& packet);
    void broken_icrc(const Doubtful& packet);

    Verdicts& verdicts_;
    std::unordered_map<Tap, Sender, TapHash> senders_;
};

}  // namespace fabricscope::engine::rdma_cm
