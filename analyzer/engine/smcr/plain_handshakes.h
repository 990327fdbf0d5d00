// SPDX-License-Identifier: GPL-2.0-or-later
// The latest SYNs and SYN-ACKs without the SMC option: such connections are not followed, and yet
// their handshake matters if CLC messages come after all.
#pragma once

#include <array>
#include <optional>

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::engine::smcr {

class PlainHandshakes {
public:
    struct Syn {
        SocketAddress from, to;
        std::uint32_t first = 0;   ///< sequence number behind it
        std::uint64_t frame = 0;   ///< 0 = none
        bool is_followed = false;  ///< its connection used SMC after all
    };

    /// Returns whether it is a new one, as far as is known.
    bool remember(const Syn& syn) {
        if (find(syn.from, syn.to, syn.first) != nullptr) return false;
        syns_[slot(syn.from, syn.to)] = syn;
        return true;
    }

    /// The one behind which a stream begins with this sequence number, or nullptr.
    Syn* find(const SocketAddress& from, const SocketAddress& to, std::uint32_t first) {
        Syn& syn = syns_[slot(from, to)];
        return syn.frame != 0 && syn.from == from && syn.to == to && syn.first == first ? &syn : nullptr;
    }

private:
    static constexpr std::size_t slot_count = 1024;  // a younger one in the same slot replaces the older one
    static std::size_t slot(const SocketAddress& from, const SocketAddress& to) {
        const std::hash<Address> hash;
        const std::size_t mixed = hash(from.address) * 31 + hash(to.address) + (std::size_t{from.port} << 16 ^ to.port);
        return (mixed * 0x9E3779B97F4A7C15u >> 32) % slot_count;
    }

    std::array<Syn, slot_count> syns_{};
};

}  // namespace fabricscope::engine::smcr
