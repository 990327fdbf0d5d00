// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/exchanges.h"

#include <algorithm>

namespace fabricscope::engine::fcvi {

RawHeader raw_header_of(const fc::Frame& frame) {
    RawHeader raw;
    const ByteView octets = frame.device_header().first(std::min(frame.device_header().size(), raw.octets.size()));
    std::ranges::copy(octets, raw.octets.begin());
    raw.size = static_cast<std::uint8_t>(octets.size());
    return raw;
}

/// The count nearest to what is expected. SEQ_CNT has 16 bits and wraps within long Exchanges.
std::uint64_t Direction::unwrapped(std::uint16_t seq_cnt) const {
    const auto ahead = static_cast<std::int16_t>(seq_cnt - static_cast<std::uint16_t>(next_));
    if (ahead < 0 && next_ < static_cast<std::uint64_t>(-std::int32_t{ahead})) return seq_cnt;
    return next_ + static_cast<std::uint64_t>(std::int64_t{ahead});
}

void Direction::begin_sequence(const fc::Frame& frame, std::uint64_t count) {
    sequence_ = {frame.header.seq_id, count, raw_header_of(frame)};
}

Continuation Direction::take(const fc::Frame& frame) {
    Continuation seen;
    std::uint64_t count = unwrapped(frame.header.seq_cnt);
    const bool same_sequence = started_ && frame.header.seq_id == sequence_.id && count >= sequence_.first_count;
    if (started_ && counts_.covers(count, count + 1)) {
        const std::uint64_t offset = frame.header.parameter;
        const bool new_data = frame.payload_length != 0 && frame.header.f_ctl.relative_offset_present &&
                              !data_.covers(offset, offset + frame.payload_length);
        if (!new_data) {
            seen.repeated = true;
            return seen;
        }
        (same_sequence ? seen.count_repeats : seen.count_restarts) = true;
        count = next_;  // what follows is compared with this frame
    }
    seen.in_order = count == next_;
    seen.late = count < next_;
    seen.first_of_iu = !started_ || (frame.header.seq_id != sequence_.id && !seen.late);
    if (seen.first_of_iu) begin_sequence(frame, count);
    else if (frame.header.seq_id == sequence_.id) seen.header_differs = sequence_.header != raw_header_of(frame);
    take_data(frame, seen);
    counts_.add(count, count + 1);
    next_ = std::max(next_, count + 1);
    started_ = true;
    return seen;
}

void Direction::take_data(const fc::Frame& frame, Continuation& seen) {
    if (frame.payload_length == 0) return;
    const bool told = frame.header.f_ctl.relative_offset_present;
    seen.offset = told ? frame.header.parameter : end_of_data_;
    seen.offset_continues = seen.offset == end_of_data_;
    seen.new_bytes = data_.add(seen.offset, seen.offset + frame.payload_length);
    bytes_ += seen.new_bytes;
    end_of_data_ = std::max(end_of_data_, seen.offset + frame.payload_length);
}

std::uint64_t Direction::missing() const {
    std::uint64_t seen = 0;
    for (const RangeSet::Range& range : counts_.ranges()) seen += range.end - range.begin;
    return next_ - std::min(next_, seen);
}

}  // namespace fabricscope::engine::fcvi
