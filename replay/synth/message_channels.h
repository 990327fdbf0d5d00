// SPDX-License-Identifier: GPL-2.0-or-later
// What follows of itself in TCP connections and between queue pairs: sequence numbers, acknowledgments, PSNs, and
// identifications of IP. The composer of messages fills them in, and whoever writes a script leaves out what they give
// anyway.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "analyzer/engine/sides.h"
#include "protocols/ib/headers.h"

namespace fabricscope::synth {

using engine::PerSide;
using engine::Side;

/// Numbers of one segment.
struct TcpNumbers {
    std::uint32_t sequence = 0, acknowledgment = 0;
    std::uint16_t window = 0;
};

/// IPv4 identifications: each side counts its packets, from wherever it is.
class IpCounter {
public:
    std::uint16_t next(Side from) const { return static_cast<std::uint16_t>(latest_[from] + 1); }
    void sent(Side from, std::uint16_t identification) { latest_[from] = identification; }

private:
    PerSide<std::uint16_t> latest_{};
};

class TcpChannel {
public:
    /// At which each side begins.
    explicit TcpChannel(PerSide<std::uint32_t> first) : next_(first) {}

    /// Of the side's next segment, in order and with all acknowledged that has come.
    TcpNumbers next(Side from, std::uint8_t flags) const;
    /// It has been sent, with whatever numbers it has.
    void sent(Side from, const TcpNumbers& numbers, std::uint8_t flags, std::size_t payload);

private:
    PerSide<std::uint32_t> next_;
    PerSide<std::uint32_t> acknowledged_{};
    PerSide<std::uint16_t> window_{64'240, 64'240};
};

class PairChannel {
public:
    PairChannel(PerSide<std::uint32_t> first, std::uint32_t mtu) : next_(first), mtu_(mtu) {}

    /// Of a request: the next one; of an answer: that of the latest request which it can be about.
    std::uint32_t next_psn(Side from, std::uint8_t opcode) const;
    /// Of an answer: requests that have come.
    std::uint32_t next_msn(Side from) const { return messages_[engine::other(from)]; }
    /// `read_length`: of a READ request.
    void sent(Side from, std::uint8_t opcode, std::uint32_t psn, std::uint32_t read_length);
    std::uint32_t mtu() const { return mtu_; }

private:
    struct Read {
        std::uint32_t next = 0, end = 0;  ///< PSNs of its response
    };

    PerSide<std::uint32_t> next_;
    PerSide<std::uint32_t> latest_{};    ///< PSN of the latest request
    PerSide<std::uint32_t> messages_{};  ///< requests that are complete
    PerSide<std::deque<Read>> reads_;    ///< whose response is not complete, by who asked
    std::uint32_t mtu_;
};

}  // namespace fabricscope::synth
