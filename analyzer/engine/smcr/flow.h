// SPDX-License-Identifier: GPL-2.0-or-later
// One direction of a connection: cursors as positions, RDMA WRITEs placed in the stream, the stream
// itself (RFC 7609, 4.3 to 4.7).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "analyzer/engine/intervals.h"
#include "analyzer/engine/smcr/model.h"
#include "analyzer/engine/smcr/observer.h"

namespace fabricscope::engine::smcr {

/// Collects what WRITEs put at stream positions and hands it out in order, once it is announced.
class StreamBuffer {
public:
    /// What is handed out; see StreamPiece.
    struct Piece {
        std::uint64_t position;
        ByteView octets;
        std::uint64_t missing = 0;
        bool urgent_last = false;
        bool implausible = false;
    };
    using Sink = std::function<void(const Piece&)>;

    StreamBuffer(std::uint64_t begin, Sink sink) : next_(begin), sink_(std::move(sink)) {}

    void put(std::uint64_t position, ByteView octets);
    void mark_urgent(std::uint64_t position);
    /// Hands out what is there up to `announced`. A hole waits until the receiver has consumed what
    /// stood there (`consumed`): nobody will write it any more. Of all holes together `plausible` octets are
    /// believed.
    void deliver(std::uint64_t announced, std::uint64_t consumed, std::uint64_t plausible);
    void restart(std::uint64_t begin);
    /// The stream begins at 0, and everything that waits was put so many octets too far back.
    void move_down(std::uint64_t octets);

private:
    void drop_first();
    bool deliver_octets(std::uint64_t announced);
    bool deliver_hole(std::uint64_t announced, std::uint64_t consumed, std::uint64_t plausible);

    std::uint64_t next_;
    Sink sink_;
    /// What waits for ever must not grow for ever; the largest element there is may be full of data.
    static constexpr std::size_t most_waiting = std::size_t{600} << 20;
    static constexpr std::size_t entry_cost = 96;  // what an entry costs besides its octets

    std::map<std::uint64_t, std::vector<std::uint8_t>> waiting_;  // by position; may overlap, the first copy wins
    std::size_t held_ = 0;                                        // octets that it takes, about
    std::deque<std::uint64_t> urgent_;
    std::uint64_t missing_ = 0;  ///< octets of the holes that were believed
};

/// How a cursor stands to the one before it.
struct Motion {
    enum class Kind : std::uint8_t {
        first,    ///< nothing to compare it with
        forward,  ///< or not moved
        back,
        outside,  ///< before the data area
        unknown,  ///< it has wrapped, and the size of the RMB element is not known
    };
    Kind kind;
    std::uint64_t wraps = 0;     ///< first, forward
    std::uint64_t position = 0;  ///< first, forward
    std::uint64_t moved = 0;     ///< forward
};

/// Positions: P = wraps * (size - base) + (offset - base), with a base of 0 as long as none is known. A direction that
/// was not captured from its start counts wraps from the first cursor seen, and reports positions relative to its first
/// octet.
class Flow {
public:
    struct Write {
        std::uint64_t offset;  ///< in the RMB element
        std::uint32_t length;  ///< on the wire
        ByteView octets;       ///< captured
        bool first;            ///< begins an RDMA WRITE operation
        bool late;             ///< fills a gap of packets
        Time time;
        std::uint32_t operation = 0;  ///< octets of the whole RDMA WRITE
        bool left_link = false;       ///< on a link that its sender leaves: no repetition yet
        bool lap_unsure = false;      ///< packets are missing: in which lap it was written is a guess
    };

    /// `direction` outlives the flow.
    /// `room`: how many samples all timelines together may still take; it outlives the flow, too.
    Flow(Direction& direction, std::size_t& room) : direction_(&direction), room_(&room) {}
    void keep_no_timeline() { timeline_ = false; }

    void set_size(std::uint64_t octets) { direction_->rmbe_size = octets; }
    /// Cursor base 0 or 4; must be known before the first cursor counts. WRITEs may have been met before.
    void set_base(std::uint8_t base);
    bool has_base() const { return direction_->cursor_base.has_value(); }
    /// The sender's first message, of a direction that may have been captured from its start: it was, if all that the
    /// message announces was seen being written.
    void on_first_message(wire::Cursor producer);
    void attach_stream(StreamBuffer::Sink sink);

    /// Returns where in the stream the WRITE goes; nullopt if that cannot be known.
    std::optional<std::uint64_t> on_write(const Write& write);

    /// The sender's producer cursor; returns how far it moved, nullopt for the first one seen of a
    /// direction that was not captured from its start.
    std::optional<std::int64_t> on_producer(
        wire::Cursor cursor, const wire::CdcProducerFlags& flags, Time time, std::uint64_t frame);
    /// The receiver's consumer cursor.
    std::optional<std::int64_t> on_consumer(wire::Cursor cursor, Time time, std::uint64_t frame);
    /// Messages of the sender, or of the receiver, are missing before the next one: what may have begun or ended with
    /// them is not counted.
    void miss_producer() { blocked_since_.reset(); }
    void miss_consumer() {
        full_since_.reset();
        unproven_peak_ = 0;
    }
    /// Failover validation: what follows may repeat what was written before.
    void expect_replay() { replay_expected_ = true; }

    /// The direction has moved in memory.
    void rebind(Direction& direction) { direction_ = &direction; }
    /// Takes over what `half` knows of the consumer: it followed the same direction by the other side's messages.
    void take_consumer(const Flow& half);

    /// Nothing more is to come: hands out what is left of the stream, holes included.
    void end_stream();
    /// Open intervals end with the capture, or go on behind it.
    void finish(Time last, bool goes_on = false);

    std::optional<std::uint64_t> produced() const;
    std::optional<std::uint64_t> consumed() const;
    std::optional<std::uint64_t> in_flight() const;
    /// Nothing, too, if the size was learned when the cursors had wrapped already: their positions are not known.
    std::optional<std::uint64_t> capacity() const { return direction_->positions_known ? lap() : std::nullopt; }

    // What rules ask before a message is taken in. Positions count from where the flow began to be followed.
    bool in_data_area(wire::Cursor cursor) const;
    Motion producer_motion(wire::Cursor cursor) const { return motion(producer_, cursor); }
    Motion consumer_motion(wire::Cursor cursor) const { return motion(consumer_, cursor); }
    /// How many octets were announced since the producer was there, and have not been consumed yet; nothing if that
    /// cannot be known.
    std::optional<std::uint64_t> unconsumed_behind(wire::Cursor earlier) const;
    std::uint64_t producer_position() const { return producer_.position; }
    std::uint64_t consumer_position() const { return consumer_.position; }
    std::uint64_t frontier() const { return frontier_; }
    std::uint64_t urgent_end() const { return urgent_end_; }
    bool replay_expected() const { return replay_expected_; }
    bool was_written(std::uint64_t begin, std::uint64_t end) const { return written_.covers(begin, end); }
    std::uint64_t locate(const Write& write) const;
    bool is_doubtful(const Write& write) const;
    /// Octets written that were not counted, for want of room.
    std::uint64_t left_out() const { return written_.left_out(); }

private:
    struct Track {  ///< a cursor followed over its wraps
        bool seen = false;
        wire::Cursor last;
        std::uint64_t wraps = 0;
        std::uint64_t position = 0;
    };

    std::uint8_t base() const { return direction_->cursor_base.value_or(0); }
    /// Octets from one pass of a place in the RMB element to the next.
    std::optional<std::uint64_t> lap() const {
        const auto& size = direction_->rmbe_size;
        return size && *size > base() ? std::optional(*size - base()) : std::nullopt;
    }
    bool may_fill_gap(const Write& write, std::uint64_t cap) const;
    std::uint64_t ahead_of_frontier(std::uint64_t place, std::uint64_t cap) const;
    /// Of a cursor in the data area.
    std::uint64_t position_of(std::uint64_t wraps, wire::Cursor cursor) const;
    Motion motion(const Track& track, wire::Cursor cursor) const;
    std::optional<std::int64_t> follow(Track& track, wire::Cursor cursor);
    std::optional<std::uint8_t> base_at_start(wire::Cursor producer) const;
    void begin_at(std::uint8_t base);
    void move_written(std::uint8_t base);
    void infer_size(std::uint64_t offset);
    void settle_origin(std::uint64_t position);
    std::uint64_t relative(std::uint64_t position) const { return position - std::min(position, origin_); }
    void note_urgent();
    void deliver_stream(std::uint64_t consumed);
    void prove_peak();
    Time blocked_until(Time last) const;
    void after_cursor(Time time, std::uint64_t frame);
    static void open_or_close(std::optional<FrameStamp>& since, bool holds, Intervals& intervals, FrameStamp now);

    Direction* direction_;
    std::size_t* room_;
    bool timeline_ = true;
    Track producer_, consumer_;
    std::uint64_t frontier_ = 0;  ///< end of what has been written
    std::uint64_t origin_ = 0;    ///< position that is reported as 0
    bool origin_known_ = false;
    std::uint64_t urgent_end_ = 0;  ///< position after the latest urgent octet
    bool replay_expected_ = false;
    RangeSet written_;
    std::uint64_t unproven_peak_ = 0;  ///< most octets in flight, unless a consumer cursor is missing
    std::optional<FrameStamp> full_since_, blocked_since_;
    std::unique_ptr<StreamBuffer> stream_;
};

}  // namespace fabricscope::engine::smcr
