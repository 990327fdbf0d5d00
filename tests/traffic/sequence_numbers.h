// SPDX-License-Identifier: GPL-2.0-or-later
// What frames are numbered by: the octets of a TCP stream, the packets to a queue pair (PSN). When something is sent
// besides, or is not sent, the numbers behind it move, and with them what the other side acknowledges.
#pragma once

#include <optional>

#include "capture/packet.h"
#include "tests/traffic/recording.h"

namespace fabricscope::traffic {

/// Where a frame stands among what its sender sends: a TCP segment in its stream, a packet among those to a queue pair.
struct Numbered {
    capture::Transport transport = capture::Transport::none;
    capture::Address source, destination;
    std::uint32_t from = 0, to = 0;  ///< ports of TCP; the queue pair that is sent to, and for UD that of the sender
    std::uint32_t number = 0;        ///< TCP: sequence number of the first octet; PSN
    std::uint32_t size = 0;          ///< how far it is to the next number
    std::optional<std::uint32_t> reply{};     ///< the other side's number that is acknowledged or answered
    std::optional<std::uint32_t> messages{};  ///< of the other side, that an AETH counts
    bool ends_message = false;                ///< a request of InfiniBand

    /// Responses of InfiniBand have no numbers of their own.
    bool is_request() const { return transport == capture::Transport::tcp || !reply; }
    bool same_sender(const Numbered& other) const {
        return transport == other.transport && source == other.source && destination == other.destination &&
               from == other.from && to == other.to;
    }
    /// RC packets do not tell the queue pair that sends them: that PSNs are close has to do.
    bool replies_to(const Numbered& other) const {
        return reply && transport == other.transport && source == other.destination && destination == other.source &&
               (transport == capture::Transport::ib || (from == other.to && to == other.from));
    }
    const char* number_field() const {
        return transport == capture::Transport::tcp ? "tcp.seq_raw" : "infiniband.bth.psn";
    }
    const char* reply_field() const {
        return transport == capture::Transport::tcp ? "tcp.ack_raw" : "infiniband.bth.psn";
    }
    /// How far number `b` is behind `a`; serial arithmetic.
    std::int32_t distance(std::uint32_t a, std::uint32_t b) const {
        const int bits = transport == capture::Transport::tcp ? 32 : 24;
        return static_cast<std::int32_t>((b - a) << (32 - bits)) >> (32 - bits);
    }
};

Numbered numbered(const Recording& recording, std::size_t index);
/// The number of what the sender of `frame` sends next, at `index`; of TCP, it knows then what it knew last.
Numbered next_at(const Recording& recording, std::size_t index, Numbered frame);
/// Sets the number of a frame; checksums are repaired.
void set_number(Recording& recording, std::size_t index, const char* field, std::uint32_t number);
/// What the sender of `where` numbers from `first` on, in frames from `index` on, and what is said of it, moves on.
void renumber(Recording& recording, std::size_t index, const Numbered& where, std::uint32_t first, std::int32_t by);

}  // namespace fabricscope::traffic
