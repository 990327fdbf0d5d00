// SPDX-License-Identifier: GPL-2.0-or-later
// One direction of a TCP connection put back together, as far as a handshake at its start needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocols/layout/types.h"

namespace fabricscope::capture {

/// Segments in, contiguous octets out: in whatever order, pieces and copies they come. The first copy
/// of an octet wins. Memory is bounded: what lies further than `limit` behind the read position, or in
/// too many pieces, is dropped and counted.
///
/// Positions are octets from the start of the stream (the octet after the SYN, or the first one seen
/// when there was no SYN), 64 bits wide, so that sequence numbers may wrap.
class TcpStream {
public:
    static constexpr std::size_t default_limit = 64 * 1024;
    static constexpr std::size_t most_pieces = 256;  ///< segments that may wait behind a hole

    explicit TcpStream(std::size_t limit = default_limit) : limit_(limit) {}

    /// The octet with this sequence number is position 0 (a SYN's sequence number plus one). Without
    /// it the first segment inserted sets the start. Only the first start counts.
    void start(std::uint32_t sequence);

    /// A segment's payload: `captured` is the part that was captured of `wire_length` octets; what was
    /// cut off is a hole that only a retransmission can fill.
    void insert(std::uint32_t sequence, ByteView captured, std::uint32_t wire_length, std::uint64_t frame);

    /// The contiguous octets from position() on. Valid until the next call that is not const.
    ByteView readable() const { return ByteView(buffer_).subspan(read_); }
    std::uint64_t position() const { return base_ + read_; }
    /// The first `count` readable octets have been dealt with.
    void consume(std::size_t count);

    /// How far behind the readable octets a sequence number is; negative: before their end. Needs a start.
    std::int64_t offset_of(std::uint32_t sequence) const {
        return position_of(sequence) - static_cast<std::int64_t>(end());
    }

    /// Passes `count` octets, whether they are there or not; what comes of them later is ignored.
    void skip(std::uint64_t count);
    /// The missing octets will not come: what is readable is dropped, and reading goes on behind them.
    void skip_hole();
    /// Segments that wait behind a hole.
    std::size_t waiting_pieces() const { return waiting_.size(); }

    /// The frame that carried a readable octet, and the frame whose arrival made it readable: a later
    /// one if the octet had to wait for those before it. 0 when the octet is not readable.
    std::uint64_t frame_carrying(std::uint64_t position) const;
    std::uint64_t frame_completing(std::uint64_t position) const;

    /// Whether the stream is known to go on behind the readable octets, with the next one missing.
    bool has_hole() const { return known_end_ > end(); }
    /// Octets dropped because of the limits.
    std::uint64_t lost() const { return lost_; }

    /// Frees all memory; later segments are ignored.
    void stop();
    bool stopped() const { return stopped_; }

private:
    struct Piece {
        std::vector<std::uint8_t> octets;
        std::uint64_t frame;
    };
    struct Run {  ///< octets up to `end` that came in one frame
        std::uint64_t end;
        std::uint64_t carrier;
        std::uint64_t completer;
    };

    std::uint64_t end() const { return base_ + buffer_.size(); }
    /// Behind end() or before it, whichever is nearer; negative: before the start.
    std::int64_t position_of(std::uint32_t sequence) const;
    void append(ByteView octets, std::uint64_t carrier, std::uint64_t completer);
    void keep(std::uint64_t position, ByteView octets, std::uint64_t frame);
    void keep_piece(std::uint64_t position, ByteView octets, std::uint64_t frame);
    void append_waiting(std::uint64_t completer);
    const Run* run_of(std::uint64_t position) const;

    std::size_t limit_;
    std::optional<std::uint32_t> first_sequence_;
    std::vector<std::uint8_t> buffer_;  ///< contiguous octets from position base_ on
    std::size_t read_ = 0;              ///< how many of them have been consumed
    std::uint64_t base_ = 0;
    std::vector<Run> runs_;                   ///< of the readable octets
    std::map<std::uint64_t, Piece> waiting_;  ///< by position, disjoint, all behind end()
    std::uint64_t known_end_ = 0;
    std::uint64_t lost_ = 0;
    bool stopped_ = false;
};

}  // namespace fabricscope::capture
