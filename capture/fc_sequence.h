// SPDX-License-Identifier: GPL-2.0-or-later
// Fibre Channel Sequences put together from their frames, in whatever order these come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "capture/packet.h"

namespace fabricscope::capture {

/// Serial arithmetic of SEQ_CNT: b - a in [-2^15, 2^15).
constexpr std::int32_t seq_cnt_distance(std::uint16_t a, std::uint16_t b) {
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(b - a));
}

/// An Exchange as its Originator names it. RX_ID is no part of it: the first frames have none yet.
struct FcExchangeKey {
    std::uint32_t originator = 0;  ///< N_Port_IDs
    std::uint32_t responder = 0;
    std::uint16_t ox_id = 0;
    std::optional<std::uint16_t> fabric;
    bool operator==(const FcExchangeKey&) const = default;

    static FcExchangeKey of(const FcPacket& fc) {
        const fc::FrameHeader& header = fc.frame.header;
        const bool from_responder = header.f_ctl.exchange_responder;
        return {
            from_responder ? header.d_id : header.s_id, from_responder ? header.s_id : header.d_id, header.ox_id,
            fc.fabric};
    }
};

/// What one frame means for its Sequence.
enum class FcFrameOrder : std::uint8_t {
    no_data,          ///< link control or a Basic Link Service: not counted by SEQ_CNT
    next,             ///< behind the one before it, or the first one seen
    ahead_after_gap,  ///< some before it are missing
    late,             ///< comes before one that has been seen
    repeated,         ///< has been seen before
    unplaceable,      ///< too many gaps to remember, or a SEQ_CNT outside the Sequence
};

/// A Sequence, as far as it was seen.
struct FcSequence {
    std::uint64_t first_frame = 0;  ///< in order of capture
    std::uint64_t last_frame = 0;
    Time first_time = 0, last_time = 0;
    fc::FrameHeader header;  ///< of the frame with the lowest SEQ_CNT
    fc::FrameHeader last;    ///< of the frame with the highest SEQ_CNT
    /// The Device_Header of the frame with the lowest SEQ_CNT, 64 octets at most.
    Bytes<64> device_header;
    std::uint8_t device_header_size = 0;
    bool device_headers_differ = false;  ///< some frame has another one

    std::uint32_t frames = 0;        ///< distinct ones
    std::uint32_t repeated = 0;      ///< frames that were seen before
    std::uint64_t octets = 0;        ///< payload of the distinct frames on the wire, without optional headers and fill
    bool beginning_seen = false;     ///< its first frame is known to be the first
    bool beginning_assumed = false;  ///< nothing tells, but nothing before it has been seen
    bool end_seen = false;           ///< the frame with End_Sequence
    bool cut_off = false;            ///< the capture lacks octets of some frame
    std::uint32_t missing = 0;       ///< frames between the lowest and the highest SEQ_CNT that have not been seen

    bool complete() const { return end_seen && missing == 0 && (beginning_seen || beginning_assumed); }
};

struct FcSequenceEvent {
    FcFrameOrder order = FcFrameOrder::no_data;
    std::uint32_t missing = 0;             ///< ahead_after_gap: how many frames right before it have not been seen
    bool completes = false;                ///< with this frame the Sequence is complete
    const FcSequence* sequence = nullptr;  ///< valid until the next call that is not const; nullptr: no data
    /// Where the payload of the frame stands in the data of the Sequence: by the Relative Offset, or by what came
    /// before it.
    std::optional<std::uint64_t> position;
    /// completes, if data was kept: all of it; valid until the next call that is not const.
    ByteView data;
};

/// Puts Sequences together: by Exchange, direction and SEQ_ID. Whoever knows that an Exchange has ended says so;
/// until then frames of a Sequence that is complete are repetitions.
class FcSequences {
public:
    struct Limits {
        std::size_t directions = 65'536;     ///< of Exchanges; the one that was idle longest makes room
        std::size_t data = 4 * 1024 * 1024;  ///< octets kept of one Sequence
        std::size_t runs = 64;               ///< pieces of one Sequence with gaps between them
        std::size_t sequences = 32;          ///< remembered of each direction
    };

    FcSequences() = default;
    explicit FcSequences(Limits limits) : limits_(limits) {}

    /// `keep_data`: whether the data of this frame's Sequence is wanted. Nothing is kept of a Sequence that is longer
    /// than Limits::data, or that was not captured whole.
    FcSequenceEvent receive(const Packet& packet, bool keep_data = false);

    /// The Exchange is over: what comes with its identifiers is another one.
    void end_exchange(const FcExchangeKey& exchange);

private:
    /// Frames [begin, end) that were seen, counted from the one that was seen first.
    struct Run {
        std::int32_t begin = 0, end = 0;
        std::uint64_t octets = 0;        ///< payload on the wire
        std::vector<std::uint8_t> data;  ///< if kept
    };
    struct Sequence {
        FcSequence seen;
        std::vector<Run> runs;  ///< in order, with gaps between them
        bool complete = false;
        bool keeps = true;

        std::int32_t low() const { return runs.front().begin; }
        std::int32_t high() const { return runs.back().end - 1; }
    };
    struct DirectionKey {
        FcExchangeKey exchange;
        bool from_responder = false;
        bool operator==(const DirectionKey&) const = default;
    };
    struct DirectionKeyHash {
        std::size_t operator()(const DirectionKey& key) const noexcept;
    };
    struct Direction {
        DirectionKey key;
        std::list<Sequence> sequences;  ///< the youngest comes first
        /// SEQ_CNT behind the last Sequence, where the next one begins if it increases continuously.
        std::optional<std::uint16_t> next_seq_cnt;
    };

    Direction& direction_of(const DirectionKey& key);
    Sequence& sequence_of(Direction& direction, const Packet& packet) const;
    void take(Direction& direction, Sequence& sequence, const Packet& packet, bool keep_data, FcSequenceEvent& event);
    bool add_to_runs(Sequence& sequence, std::int32_t index, const fc::Frame& frame, FcSequenceEvent& event);
    void keep(Sequence& sequence, Run& run, const fc::Frame& frame) const;

    Limits limits_;
    std::list<Direction> directions_;  ///< the one used last comes first
    std::unordered_map<DirectionKey, std::list<Direction>::iterator, DirectionKeyHash> index_;
    std::vector<std::uint8_t> data_;  ///< of the last event
};

}  // namespace fabricscope::capture
