// SPDX-License-Identifier: GPL-2.0-or-later
// Fibre Channel Sequences put together from their frames, in whatever order these come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "capture/packet.h"

namespace fabricscope::capture {

/// Serial arithmetic of SEQ_CNT: b - a in [-2^15, 2^15).
constexpr std::int32_t seq_cnt_distance(std::uint16_t a, std::uint16_t b) {
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(b - a));
}

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
    std::vector<std::uint8_t> data;  ///< completes, if data was kept: all of it
};

/// Bounds on what is remembered of one direction of an Exchange.
struct FcSequenceLimits {
    std::uint32_t data = 4 * 1024 * 1024;  ///< octets kept of one Sequence
    std::uint32_t runs = 64;               ///< pieces of one Sequence with gaps between them
    std::uint32_t sequences = 32;
};

/// Puts the Sequences together that one party of an Exchange sends: by SEQ_ID. Frames of a Sequence that is complete
/// are repetitions.
class FcSequences {
public:
    FcSequences() = default;
    explicit FcSequences(const FcSequenceLimits& limits) : limits_(limits) {}

    /// `keep_data`: whether the data of this frame's Sequence is wanted. Nothing is kept of a Sequence that is longer
    /// than FcSequenceLimits::data, or that was not captured whole.
    FcSequenceEvent receive(const Packet& packet, bool keep_data = false);
    /// As new, but for limits and memory.
    void clear();
    /// The complete Sequence that has such a frame; nullptr if there is none.
    const FcSequence* repeated_by(const fc::FrameHeader& header) const;

private:
    /// Frames [begin, end) that were seen, counted from the one that was seen first.
    struct Run {
        std::int32_t begin = 0, end = 0;
        std::vector<std::uint8_t> data;  ///< if kept
    };
    struct Sequence {
        FcSequence seen;
        std::vector<Run> runs;           ///< in order, with gaps between them; none once it is complete
        std::int32_t low = 0, high = 0;  ///< of the frames that were seen
        bool complete = false;
        bool keeps = true;
    };

    static void clear(Sequence& sequence);
    void forget_oldest();
    static bool has(const Sequence& sequence, const fc::FrameHeader& header);
    Sequence& sequence_of(const Packet& packet);
    void take(Sequence& sequence, const Packet& packet, bool keep_data, FcSequenceEvent& event);
    bool add_to_runs(Sequence& sequence, std::int32_t index, const fc::Frame& frame, FcSequenceEvent& event) const;
    void keep(Sequence& sequence, Run& run, const fc::Frame& frame) const;

    FcSequenceLimits limits_;
    /// SEQ_CNT behind the last Sequence, where the next one begins if it increases continuously.
    std::optional<std::uint16_t> next_seq_cnt_;
    std::vector<Sequence> sequences_;  ///< the youngest comes last, and behind it what is as new
    std::uint32_t count_ = 0;          ///< of them
};

}  // namespace fabricscope::capture
