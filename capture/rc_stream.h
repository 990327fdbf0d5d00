// SPDX-License-Identifier: GPL-2.0-or-later
// What arrives at one queue pair of a reliable connection, as a capture shows it: in any order, with gaps, and again.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "capture/rc_message_assembler.h"

namespace fabricscope::capture {

using ib::psn_after;
using ib::psn_distance;

enum class PsnOrder : std::uint8_t {
    next,             ///< the one expected, or the first one seen
    ahead_after_gap,  ///< some before it are missing
    late,             ///< fills a gap, or comes again after it could not be used
    duplicate,        ///< has been used before
    stale,            ///< further back than is remembered: a very old copy, or a queue pair made anew
};

/// Which request PSNs a receiver has used.
class PsnWindow {
public:
    static constexpr std::uint32_t size = 16'384;

    struct Place {
        PsnOrder order;
        std::uint32_t missing;  ///< ahead_after_gap: how many PSNs before it have not been seen
    };
    Place classify(std::uint32_t psn) const;

    /// It has been seen, but a copy of it may still be used.
    void mark_seen(std::uint32_t psn);
    /// It has been used: a copy of it will be a duplicate.
    void mark_used(std::uint32_t psn);
    /// Behind `psn`, if it is the last one seen, up to `count` PSNs may be left out without being missing.
    void allow_slack(std::uint32_t psn, std::uint32_t count);

private:
    void advance(std::uint32_t count);

    std::bitset<size> used_;  ///< by PSN modulo size, for the PSNs before expected_
    std::uint32_t expected_ = 0;
    std::uint32_t slack_ = 0;
    bool started_ = false;
};

/// A READ request repeated from where its responses got lost (IBA 9.7.5) has the same end and a PSN of the earlier
/// one's responses, `packets` behind it. Returns what each of those that are not asked for again carried; nullopt: it
/// is another READ.
std::optional<std::uint32_t> mtu_of_rest(const ib::Reth& whole, std::int32_t packets, const ib::Reth& rest);

/// What one packet means for the receiver.
struct RcEvent {
    enum class Kind : std::uint8_t {
        send_part,     ///< belongs to a SEND that is not complete yet
        send_message,  ///< completes a SEND: `message`
        write,         ///< a piece of an RDMA WRITE, its place in memory known
        read_request,
        read_response,
        acknowledge,  ///< see `packet.ib.aeth`
        atomic_request,
        atomic_response,
        unplaceable,  ///< a SEND or WRITE whose beginning is not known, or cut off before its address
        other,        ///< not a reliable connection's packet
    };
    Kind kind = Kind::other;
    /// Of requests, and of READ and atomic responses, which have the PSNs of the other direction. A READ request that
    /// asks again for the rest of an earlier one is a duplicate.
    PsnOrder order = PsnOrder::next;
    std::uint32_t missing = 0;  ///< ahead_after_gap: how many PSNs before it have not been seen
    bool first = false;         ///< first or only packet of its message
    bool last = false;          ///< last or only packet of its message

    ByteView message;                  ///< send_message: the octets; valid until the next receive()
    std::uint32_t message_length = 0;  ///< send_message: on the wire; more than in `message` if some were cut off
    std::uint64_t first_frame = 0;     ///< send_message, write: the frame the message began in

    std::uint32_t r_key = 0;             ///< write, read_request
    std::uint64_t address = 0;           ///< write: where this packet's payload goes; read_request: from where
    std::uint32_t length = 0;            ///< write: payload of this packet on the wire; read_request: octets asked for
    std::uint32_t operation_length = 0;  ///< write: of the whole RDMA WRITE
    std::optional<std::uint32_t> immediate;

    /// Whether the packet has been used before: its effect must not be counted again.
    bool repeated() const { return order == PsnOrder::duplicate || order == PsnOrder::stale; }
};

/// One per destination address, destination QPN and source address. Packets that could not be used
/// (a middle whose first was lost) are not marked, so that their retransmission is.
class RcReceiver {
public:
    static constexpr std::size_t message_limit = 64 * 1024;  ///< a longer SEND is not put together

    RcEvent receive(const Packet& packet);

private:
    struct Write {  ///< an RDMA WRITE, as its first packet describes it
        std::uint32_t first_psn;
        std::uint32_t packets;
        std::uint32_t path_mtu;  ///< payload of every packet but the last
        ib::Reth reth;
        std::uint64_t first_frame;
    };

    struct Read {  ///< an RDMA READ request
        std::uint32_t psn;
        ib::Reth reth;
    };

    void use(std::uint32_t psn, const RcEvent& event);
    void receive_response(std::uint32_t psn, RcEvent& event);
    bool asks_for_rest(const IbPacket& ib) const;
    void pass_over(std::uint32_t psn, RcEvent& event);
    void remember(const Read& read);
    void receive_read_request(const IbPacket& ib, RcEvent& event);

    void receive_send(const Packet& packet, RcEvent& event);
    void receive_write(const Packet& packet, RcEvent& event);
    static std::optional<Write> write_begun_by(const Packet& packet);
    std::optional<Write> write_covering(std::uint32_t psn) const;

    PsnWindow window_;
    std::unique_ptr<PsnWindow> responses_;  ///< once there was one with data
    // More than one of each, because what follows a lost packet is seen before its retransmission.
    MessageAssembler sends_{{.messages = 4, .bytes = message_limit}};
    std::array<std::optional<Write>, 16> writes_;
    std::vector<Read> reads_;  // many queue pairs never send one
    std::size_t next_write_ = 0;
    std::size_t next_read_ = 0;
};

}  // namespace fabricscope::capture
