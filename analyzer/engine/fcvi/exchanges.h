// SPDX-License-Identifier: GPL-2.0-or-later
// Exchanges that carry FC-VI, and what SEQ_CNT and Relative Offset say of their frames (5.4 to 5.6).
#pragma once

#include <array>
#include <vector>

#include "analyzer/engine/fcvi/tracker.h"
#include "analyzer/engine/intervals.h"

namespace fabricscope::engine::fcvi {

using fibre_channel::FrameSeen;

inline bool is_message(const wire::IuInfo& iu) {
    return iu.category == wire::Category::message_request || iu.category == wire::Category::message_response;
}

/// The Device_Header as it stands, for comparing.
struct RawHeader {
    std::array<std::uint8_t, wire::long_device_header> octets{};
    std::uint8_t size = 0;
    bool operator==(const RawHeader&) const = default;
};
RawHeader raw_header_of(const fc::Frame& frame);
/// Of a Device_Header with at least its first word.
std::uint32_t handle_of(ByteView device_header);
/// Whether what all frames of an IU have in common is the same, as far as it was captured.
bool same_header(const RawHeader& a, const RawHeader& b, wire::Version version);

/// How a frame continues what its sender sent before on the Exchange.
struct Continuation {
    bool repeated = false;         ///< seen before; nothing of the below is told
    bool first_of_iu = false;      ///< the first frame that was seen of its Sequence
    bool in_order = false;         ///< it follows the frame before it, or is the first of all
    bool late = false;             ///< fills a gap
    bool left_out = false;         ///< there was no room to remember that it was seen
    bool count_repeats = false;    ///< its SEQ_CNT has been used by another frame of the same Sequence
    bool count_restarts = false;   ///< ... of an earlier Sequence
    bool header_differs = false;   ///< from the first frame of its Sequence
    std::uint64_t offset = 0;      ///< of its payload in the Message
    std::uint64_t new_bytes = 0;   ///< of the payload, octets not seen before
    bool offset_continues = true;  ///< the offset is where the data before it ended; known if in_order
};

/// What one side of an Exchange sent.
class Direction {
public:
    Continuation take(const fc::Frame& frame, wire::Version version);
    /// It is the next frame of a Sequence that has not ended.
    bool goes_on_with(const fc::Frame& frame) const;
    /// It has been seen before.
    bool repeats(const fc::Frame& frame) const;

    /// As new; what was short keeps its memory.
    void clear();
    bool any() const { return started_; }
    /// Frames between the first and the last one that were not seen, those before the first one included; at least so
    /// many, if not all that were seen had room.
    std::uint64_t missing() const;
    bool had_room() const { return counts_.left_out() == 0 && data_.left_out() == 0; }
    std::uint64_t bytes() const { return bytes_; }
    std::uint8_t latest_seq_id() const { return sequence_.id; }
    /// That its latest IU went to.
    std::optional<std::uint32_t> handle() const {
        return started_ ? std::optional(handle_of(sequence_.header.octets)) : std::nullopt;
    }
    std::uint64_t end_of_data() const { return end_of_data_; }

private:
    struct Sequence {
        std::uint8_t id = 0;
        std::uint64_t first_count = 0;
        bool overflown = false;                   ///< it has more frames than SEQ_CNT has numbers
        std::optional<std::uint64_t> last_count;  ///< once its end was seen: the SEQ_ID may be used again (5.5)
        RawHeader header;
    };
    /// What tells a frame from another one with its SEQ_CNT.
    struct Mark {
        std::uint32_t parameter = 0, payload_length = 0;
        bool ends_sequence = false, offset_present = false, known = false;
        bool operator==(const Mark&) const = default;
    };
    static constexpr std::size_t most_marks = 4096;
    /// Frames with which another Exchange of the same OX_ID might begin.
    static constexpr std::size_t first_frames = 4;

    static Mark mark_of(const fc::Frame& frame);
    static std::uint64_t digest_of(const fc::Frame& frame);
    std::uint64_t unwrapped(std::uint16_t seq_cnt) const;
    bool is_of_latest(const fc::Frame& frame, std::uint64_t count) const;
    bool is_copy(const fc::Frame& frame, std::uint64_t count) const;
    void remember(const fc::Frame& frame, std::uint64_t count);
    void begin_sequence(const fc::Frame& frame, std::uint64_t count);
    void take_data(const fc::Frame& frame, Continuation& seen);

    bool started_ = false;
    Sequence sequence_;        ///< the latest
    std::vector<Mark> marks_;  ///< of its frames, from its first one on
    /// Of the frames that were seen of the first ones: what is in them; 0: nothing is known of it.
    std::array<std::uint64_t, first_frames> digests_{};
    std::uint64_t next_ = 0;  ///< count behind the highest one
    RangeSet counts_;
    RangeSet data_;
    std::uint64_t bytes_ = 0;
    std::uint64_t end_of_data_ = 0;
};

/// Payload of a connect IU in several frames, so far.
struct GatheredPayload {
    std::vector<std::uint8_t> octets;  ///< up to what was not captured
    std::size_t length = 0;            ///< on the wire, of the frames that were seen
    bool has_gaps = false;             ///< frames were not seen
};

/// A Disconnect that tells a MSG_ID which the peer was not seen to use.
struct Unsent {
    std::uint64_t frame = 0;
    std::uint32_t msg_id = 0;
    std::uint32_t highest = 0;  ///< that was seen
};

/// What is kept of an Exchange.
struct Exchange {
    enum class Use : std::uint8_t {
        unknown,
        setup,
        disconnect,
        message,
        stray,  ///< a Message to a handle that nobody has announced
    };

    std::uint32_t number = 0;  ///< that it is kept under
    Use use{};
    wire::Version version{};
    std::uint32_t connection = 0;  ///< 0 = not known
    std::uint64_t index = 0;       ///< setup or disconnect in the connection; id of the Message
    Side originator{};
    std::uint8_t opcode = 0;  ///< of its first IU
    std::uint32_t msg_id = 0;
    std::optional<std::uint32_t> connection_id;  ///< of its first IU
    bool disconnect_flags_known = false;
    bool conn_setup_abort = false, vi_app_discon = false;  ///< of a Disconnect Request
    bool closed = false;                                   ///< its last Sequence has ended
    bool closed_by_request = false;                        ///< ... and was the originator's
    std::optional<Unsent> unsent;                          ///< of a Disconnect Request
    bool aborted = false;
    /// By whom; by the Originator with the SEQ_ID of the last Sequence that was seen of it.
    bool aborted_by_originator = false, aborted_by_responder = false, aborted_behind_last = false;
    std::uint8_t awaited = 0;  ///< responses that Timeouts looks for, a bit each
    Direction by_originator, by_responder;
    GatheredPayload payload;
    std::optional<FrameStamp> request;  ///< its first frame

    /// It serves one purpose only: what it is kept as, index and awaited responses depend on it.
    bool may_serve(Use purpose) const { return use == Use::unknown || use == purpose; }

    /// Where the connection's list has the latest IU, if it does.
    std::optional<std::size_t> iu_of_originator, iu_of_responder;

    /// As new, but for the memory of both directions.
    void clear() {
        Direction from_originator = std::move(by_originator), from_responder = std::move(by_responder);
        *this = {};
        from_originator.clear();
        from_responder.clear();
        by_originator = std::move(from_originator);
        by_responder = std::move(from_responder);
    }

    Direction& by(bool from_originator) { return from_originator ? by_originator : by_responder; }
    const Direction& by(bool from_originator) const { return from_originator ? by_originator : by_responder; }
};

using Exchanges = fibre_channel::Kept<Exchange>;

}  // namespace fabricscope::engine::fcvi
