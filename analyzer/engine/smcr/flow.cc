// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/flow.h"

#include <bit>

namespace fabricscope::engine::smcr {

// ---- StreamBuffer --------------------------------------------------------------------------------

void StreamBuffer::put(std::uint64_t position, ByteView octets) {
    const std::uint64_t end = position + octets.size();
    if (end <= next_) return;
    if (position < next_) octets = octets.subspan(next_ - position), position = next_;
    if (held_ + entry_cost + octets.size() > most_waiting) return;  // will be missing
    auto [entry, fresh] = waiting_.try_emplace(position);
    if (!fresh && entry->second.size() >= octets.size()) return;
    held_ += (fresh ? entry_cost : 0) + octets.size() - entry->second.size();
    entry->second.assign(octets.begin(), octets.end());
}

void StreamBuffer::mark_urgent(std::uint64_t position) {
    if (position >= next_ && (urgent_.empty() || urgent_.back() < position)) urgent_.push_back(position);
}

void StreamBuffer::restart(std::uint64_t begin) {
    next_ = begin;
    while (!waiting_.empty() && waiting_.begin()->first < begin) drop_first();
}

void StreamBuffer::move_down(std::uint64_t octets) {
    std::map<std::uint64_t, std::vector<std::uint8_t>> moved;
    held_ = 0;
    for (auto& [position, waiting] : waiting_) {
        const std::uint64_t below = octets - std::min(position, octets);
        if (below >= waiting.size()) continue;
        waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(below));
        held_ += entry_cost + waiting.size();
        moved.emplace(position + below - octets, std::move(waiting));
    }
    waiting_ = std::move(moved);
    while (!urgent_.empty() && urgent_.front() < octets) urgent_.pop_front();
    for (std::uint64_t& position : urgent_) position -= octets;
    next_ = 0;
}

void StreamBuffer::drop_first() {
    held_ -= entry_cost + waiting_.begin()->second.size();
    waiting_.erase(waiting_.begin());
}

void StreamBuffer::deliver(std::uint64_t announced, std::uint64_t consumed, std::uint64_t plausible) {
    while (next_ < announced && (deliver_octets(announced) || deliver_hole(announced, consumed, plausible))) {
    }
}

bool StreamBuffer::deliver_octets(std::uint64_t announced) {
    const auto entry = waiting_.begin();
    if (entry == waiting_.end() || entry->first > next_) return false;
    const std::uint64_t end = entry->first + entry->second.size();
    if (end > next_) {
        const bool urgent = !urgent_.empty() && urgent_.front() < std::min(end, announced);
        const std::uint64_t to = urgent ? urgent_.front() + 1 : std::min(end, announced);
        sink_({next_, ByteView(entry->second).subspan(next_ - entry->first, to - next_), 0, urgent});
        if (urgent) urgent_.pop_front();
        next_ = to;
    }
    if (end <= next_) drop_first();
    return true;
}

bool StreamBuffer::deliver_hole(std::uint64_t announced, std::uint64_t consumed, std::uint64_t plausible) {
    const std::uint64_t end = waiting_.empty() ? announced : std::min(announced, waiting_.begin()->first);
    if (consumed < end || end <= next_) return false;
    const std::uint64_t length = end - next_;
    const bool implausible = length > plausible - std::min(plausible, missing_);
    if (!implausible) missing_ += length;
    sink_({next_, {}, length, false, implausible});
    next_ = end;
    while (!urgent_.empty() && urgent_.front() < next_) urgent_.pop_front();
    return true;
}

// ---- Flow ----------------------------------------------------------------------------------------

void Flow::set_base(std::uint8_t base) {
    direction_->cursor_base = base;
    if (!direction_->from_start) return;
    begin_at(base);
    if (base != 0 && frontier_ != 0) move_written(base);
}

/// Both cursors begin at the base, and nothing has been written.
void Flow::begin_at(std::uint8_t base) {
    for (Track* track : {&producer_, &consumer_}) {
        if (!track->seen) track->last = {0, base}, track->seen = true;
        else if (track->last.offset >= base) track->position = position_of(track->wraps, track->last);
    }
    direction_->bytes_announced = producer_.position;
    direction_->bytes_acknowledged = consumer_.position;
    origin_ = 0;
    origin_known_ = true;
}

/// Where the data begin, if WRITEs filled all from there to the producer's first cursor.
std::optional<std::uint8_t> Flow::base_at_start(wire::Cursor producer) const {
    if (producer.offset >= base() && was_written(0, producer.offset - base())) return base();
    const bool eye_catcher = !has_base() && producer.offset > 4 && was_written(4, producer.offset);
    return eye_catcher ? std::optional<std::uint8_t>(4) : std::nullopt;
}

void Flow::on_first_message(wire::Cursor producer) {
    const bool wrapped = producer.wrap != 0 || (consumer_.seen && consumer_.last.wrap != 0);
    if (direction_->from_start || producer_.seen || wrapped) return;
    const auto base = base_at_start(producer);
    if (!base) return;
    direction_->from_start = true;
    const Track consumer = consumer_;  // of which the receiver's messages tell: nobody may have seen them
    if (has_base()) begin_at(*base);
    else set_base(*base);
    if (!consumer.seen) consumer_ = {};
}

/// Their places in the RMB element were taken for positions.
void Flow::move_written(std::uint8_t base) {
    const auto without = [base](std::uint64_t place) { return place - std::min<std::uint64_t>(place, base); };
    RangeSet moved;
    for (const auto& [begin, end] : written_.ranges()) moved.add(without(begin), without(end));
    written_ = std::move(moved);
    frontier_ = without(frontier_);
    if (stream_) stream_->move_down(base);
}

void Flow::attach_stream(StreamBuffer::Sink sink) {
    stream_ = std::make_unique<StreamBuffer>(origin_, std::move(sink));
}

std::optional<std::uint64_t> Flow::produced() const {
    return producer_.seen && direction_->positions_known ? std::optional(relative(producer_.position)) : std::nullopt;
}

std::optional<std::uint64_t> Flow::consumed() const {
    return consumer_.seen && direction_->positions_known ? std::optional(relative(consumer_.position)) : std::nullopt;
}

std::optional<std::uint64_t> Flow::in_flight() const {
    const auto p = produced();
    const auto c = consumed();
    if (!p || !c) return std::nullopt;
    return *p > *c ? *p - *c : 0;  // a consumer that is ahead: the producer's CDC was captured later, or not at all
}

/// The octet that is reported as position 0, in a direction whose start was not captured.
void Flow::settle_origin(std::uint64_t position) {
    if (origin_known_ || direction_->from_start) return;
    origin_known_ = true;
    origin_ = position;
    if (frontier_ == 0) frontier_ = position;
    if (stream_) stream_->restart(position);
}

bool Flow::in_data_area(wire::Cursor cursor) const {
    const bool too_far = direction_->rmbe_size && !direction_->rmbe_size_inferred &&
                         cursor.offset >= *direction_->rmbe_size;
    return cursor.offset >= base() && !too_far;
}

std::optional<std::uint64_t> Flow::unconsumed_behind(wire::Cursor earlier) const {
    const auto cap = capacity();
    const auto wraps = static_cast<std::uint16_t>(producer_.last.wrap - earlier.wrap);
    if (!cap || !producer_.seen || earlier.offset < base()) return std::nullopt;
    const std::uint64_t announced = wraps * *cap + producer_.last.offset - earlier.offset;
    const std::uint64_t consumed = std::min(consumer_.position, producer_.position);
    return std::min(announced, producer_.position - consumed);
}

std::uint64_t Flow::position_of(std::uint64_t wraps, wire::Cursor cursor) const {
    return (wraps == 0 ? 0 : wraps * capacity().value_or(0)) + (cursor.offset - base());
}

Motion Flow::motion(const Track& track, wire::Cursor cursor) const {
    if (cursor.offset < base()) return {Motion::Kind::outside};
    if (!track.seen) {
        const std::uint64_t wraps = direction_->from_start ? cursor.wrap : 0;
        if (wraps != 0 && !capacity()) return {Motion::Kind::unknown};
        return {Motion::Kind::first, wraps, position_of(wraps, cursor)};
    }
    const auto wraps = static_cast<std::int16_t>(cursor.wrap - track.last.wrap);
    if (wraps < 0) return {Motion::Kind::back};
    if (wraps != 0 && !capacity()) return {Motion::Kind::unknown};
    const std::uint64_t total = track.wraps + static_cast<std::uint64_t>(wraps);
    const std::uint64_t position = position_of(total, cursor);
    if (position < track.position) return {Motion::Kind::back};
    return {Motion::Kind::forward, total, position, position - track.position};
}

std::optional<std::int64_t> Flow::follow(Track& track, wire::Cursor cursor) {
    const Motion m = motion(track, cursor);
    switch (m.kind) {
        case Motion::Kind::outside:
        case Motion::Kind::back: return 0;  // no valid cursor, or an old one: do not move
        case Motion::Kind::unknown: direction_->positions_known = false; return 0;
        case Motion::Kind::first:
        case Motion::Kind::forward: break;
    }
    track = {true, cursor, m.wraps, m.position};
    if (m.kind == Motion::Kind::forward) return static_cast<std::int64_t>(m.moved);
    settle_origin(track.position);
    return std::nullopt;
}

/// A WRITE that starts over at the base after one that ended at a possible size: that was the end.
void Flow::infer_size(std::uint64_t offset) {
    const std::uint64_t end = frontier_ + base();
    if (direction_->rmbe_size || producer_.wraps != 0 || offset != base() || !std::has_single_bit(end) ||
        end < wire::buffer_size(0))
        return;
    direction_->rmbe_size = end;
    direction_->rmbe_size_inferred = true;
}

/// How far a place in the RMB element is ahead of where the last WRITE ended.
std::uint64_t Flow::ahead_of_frontier(std::uint64_t place, std::uint64_t cap) const {
    return (place + cap - frontier_ % cap) % cap;
}

/// A place in the RMB element stands for one position in each lap. In order, that is where the last
/// WRITE ended; otherwise WRITEs before it are missing, or it comes late, or it is being repeated.
std::uint64_t Flow::locate(const Write& write) const {
    const auto cap = lap();
    const std::uint64_t place = write.offset - base();
    if (!cap) return place;
    const std::uint64_t ahead = ahead_of_frontier(place, *cap);
    const std::uint64_t forward = frontier_ + ahead;
    if (forward < *cap) return forward;  // the first lap has no earlier one
    const std::uint64_t back = forward - *cap;
    // Of the two places one is within the window, unless consumer cursors are missing from the capture.
    const bool fits = forward + write.length <= consumer_.position + *cap;
    // What is repeated may go on with new data (RFC 7609, 4.6.2).
    if (replay_expected_ && !write.left_link) return ahead == 0 && fits ? forward : back;
    if (back + write.length > frontier_) return forward;
    const bool nearer_back = ahead > *cap - ahead;
    if (fits) return write.late && nearer_back ? back : forward;
    return write.late || nearer_back ? back : forward;
}

/// Whether the WRITE seems to be new, and yet its place was left out in one of the two laps before: it may have come
/// late to fill that.
bool Flow::may_fill_gap(const Write& write, std::uint64_t cap) const {
    const std::uint64_t position = locate(write);
    if (position < frontier_) return false;
    const auto is_gap = [&](std::uint64_t laps) {
        const std::uint64_t back = laps * cap;
        return position >= origin_ + back && !was_written(position - back, position - back + write.length);
    };
    return is_gap(1) || is_gap(2);
}

/// Packets are missing, and the WRITE is no nearer to where the last one ended than to where one of the lap before did:
/// it may be either.
bool Flow::is_doubtful(const Write& write) const {
    if (!write.lap_unsure || replay_expected_ || write.offset < base()) return false;
    const auto cap = lap();
    if (!cap) return false;
    if (write.late) return may_fill_gap(write, *cap);
    const std::uint64_t ahead = ahead_of_frontier(write.offset - base(), *cap);
    return frontier_ + ahead >= *cap && ahead > *cap - ahead;
}

std::optional<std::uint64_t> Flow::on_write(const Write& write) {
    if (write.first) ++direction_->writes;
    if (!direction_->first_data) direction_->first_data = write.time;
    direction_->last_data = write.time;
    if (!has_base() && (write.offset == 0 || write.offset == 4) && direction_->from_start)
        set_base(static_cast<std::uint8_t>(write.offset));
    if (write.offset < base()) return std::nullopt;
    infer_size(write.offset);
    if (is_doubtful(write)) return std::nullopt;
    const std::uint64_t position = locate(write);
    settle_origin(position);
    if (position < origin_) return std::nullopt;  // the rest of what was under way when the capture began
    const std::uint64_t fresh = written_.add(position, position + write.length);
    direction_->bytes_written += fresh;
    direction_->bytes_replayed += write.length - fresh;
    if (fresh != write.length && write.lap_unsure) direction_->replays_known = false;
    if (position + write.length > frontier_) {
        frontier_ = position + write.length;
        if (!write.left_link) replay_expected_ = false;
    }
    if (stream_) stream_->put(position, write.octets);
    return relative(position);
}

std::optional<std::int64_t> Flow::on_producer(
    wire::Cursor cursor, const wire::CdcProducerFlags& flags, Time time, std::uint64_t frame) {
    if (!has_base() && cursor.wrap == 0 && cursor.offset < 4) set_base(0);
    const std::uint64_t before = producer_.wraps;
    const auto moved = follow(producer_, cursor);
    if (!origin_known_) settle_origin(producer_.position);
    frontier_ = std::max(frontier_, producer_.position);
    direction_->producer = cursor;
    direction_->wraps += producer_.wraps - before;
    direction_->bytes_announced = relative(producer_.position);
    if (moved.value_or(0) > 0) {
        if (!direction_->first_data) direction_->first_data = time;
        direction_->last_data = time;
    }
    if (flags.urgent_present) note_urgent();
    open_or_close(blocked_since_, flags.writer_blocked, direction_->blocked, {time, frame});
    after_cursor(time, frame);
    return moved;
}

/// The urgent octet is the one before the producer cursor. U stays set until it has been consumed.
void Flow::note_urgent() {
    if (producer_.position == 0 || urgent_end_ == producer_.position) return;
    urgent_end_ = producer_.position;
    ++direction_->urgent;
    if (stream_) stream_->mark_urgent(producer_.position - 1);
}

std::optional<std::int64_t> Flow::on_consumer(wire::Cursor cursor, Time time, std::uint64_t frame) {
    if (!has_base() && cursor.wrap == 0 &&
        (cursor.offset == 0 || (cursor.offset == 4 && !producer_.seen && direction_->from_start)))
        set_base(static_cast<std::uint8_t>(cursor.offset));
    prove_peak();
    const auto moved = follow(consumer_, cursor);
    direction_->consumer = cursor;
    direction_->bytes_acknowledged = relative(consumer_.position);
    written_.forget_below(consumer_.position);
    after_cursor(time, frame);
    return moved;
}

void Flow::prove_peak() {
    direction_->peak_in_flight = std::max(direction_->peak_in_flight, unproven_peak_);
    unproven_peak_ = 0;
}

void Flow::take_consumer(const Flow& half) {
    if (!half.consumer_.seen) return;
    Track taken = half.consumer_;
    if (direction_->from_start) {  // the half counted from its first cursor on, and may not have known the base
        const wire::Cursor last = taken.last;
        if (last.offset < base() || (last.wrap != 0 && !capacity())) return;
        taken.wraps = last.wrap;
        taken.position = position_of(last.wrap, last);
    }
    if (consumer_.seen && taken.position < consumer_.position) return;
    consumer_ = taken;
    direction_->consumer = consumer_.last;
    direction_->bytes_acknowledged = relative(consumer_.position);
}

void Flow::deliver_stream(std::uint64_t consumed) {
    if (stream_)
        stream_->deliver(producer_.position, consumed, direction_->bytes_written + direction_->rmbe_size.value_or(0));
}

void Flow::after_cursor(Time time, std::uint64_t frame) {
    if (!direction_->positions_known) return;
    // Until it is known where the RMB element's data begin, positions may still move.
    const bool settled = has_base() || !direction_->from_start;
    if (settled) deliver_stream(consumer_.position);
    const auto flight = in_flight();
    if (!flight) return;
    unproven_peak_ = std::max(unproven_peak_, *flight);
    const auto cap = capacity();
    open_or_close(full_since_, cap && *flight >= *cap, direction_->stalls, {time, frame});
    if (!timeline_ || *room_ == 0 || !settled) return;
    const CursorSample sample{
        time, frame, relative(producer_.position), relative(std::min(consumer_.position, producer_.position))};
    auto& rows = direction_->timeline;
    if (!rows.empty() && rows.back().produced == sample.produced && rows.back().consumed == sample.consumed) return;
    rows.push_back(sample);
    --*room_;
}

void Flow::open_or_close(std::optional<FrameStamp>& since, bool holds, Intervals& intervals, FrameStamp now) {
    if (holds && !since) since = now;
    if (holds || !since) return;
    const Time length = now.time - since->time;
    ++intervals.count;
    intervals.total += length;
    if (length >= intervals.longest) intervals.longest_frame = since->frame;
    intervals.longest = std::max(intervals.longest, length);
    since.reset();
}

void Flow::finish(Time last, bool goes_on) {
    prove_peak();
    // What the sender said last is missing, if more was consumed than it has announced.
    if (producer_.seen && consumer_.seen && consumer_.position > producer_.position) miss_producer();
    direction_->waits_at_end = goes_on && (full_since_ || blocked_since_);
    open_or_close(full_since_, false, direction_->stalls, {last});
    open_or_close(blocked_since_, false, direction_->blocked, {blocked_until(last)});
    end_stream();
}

/// Who writes what no message announces is not blocked any more: the message that says so is missing.
Time Flow::blocked_until(Time last) const {
    const Time written = direction_->last_data.value_or(last);
    return blocked_since_ && frontier_ > producer_.position && written > blocked_since_->time ? written : last;
}

void Flow::end_stream() { deliver_stream(producer_.position); }

}  // namespace fabricscope::engine::smcr
