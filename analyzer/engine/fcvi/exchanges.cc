// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/exchanges.h"

#include <algorithm>

#include "capture/hash.h"

namespace fabricscope::engine::fcvi {

RawHeader raw_header_of(const fc::Frame& frame) {
    RawHeader raw;
    const ByteView octets = frame.device_header().first(std::min(frame.device_header().size(), raw.octets.size()));
    std::ranges::copy(octets, raw.octets.begin());
    raw.size = static_cast<std::uint8_t>(octets.size());
    return raw;
}

std::uint32_t handle_of(ByteView device_header) {
    std::uint32_t handle = 0;
    for (const std::uint8_t octet : device_header.first(4)) handle = handle << 8 | octet;
    return handle;
}

bool same_header(const RawHeader& a, const RawHeader& b, wire::Version version) {
    const std::size_t size = std::min(a.size, b.size);
    constexpr auto may_differ = [](std::size_t at) {  // ISO: flags, reserved octets, parameter
        return (at >= 5 && at < 8) || (at >= 12 && at < 16);
    };
    for (std::size_t at = 0; at < size; ++at)
        if (a.octets[at] != b.octets[at] && !(version == wire::Version::iso && may_differ(at))) return false;
    return true;
}

/// The count nearest to what is expected. SEQ_CNT has 16 bits and wraps within long Exchanges.
std::uint64_t Direction::unwrapped(std::uint16_t seq_cnt) const {
    const auto ahead = static_cast<std::int16_t>(seq_cnt - static_cast<std::uint16_t>(next_));
    if (ahead < 0 && next_ < static_cast<std::uint64_t>(-std::int32_t{ahead})) return seq_cnt;
    return next_ + static_cast<std::uint64_t>(std::int64_t{ahead});
}

void Direction::clear() {
    constexpr std::size_t few = 64;
    if (marks_.capacity() > few) marks_ = {};
    Direction fresh;
    for (RangeSet Direction::*set : {&Direction::counts_, &Direction::data_}) {
        (this->*set).clear();
        fresh.*set = std::move(this->*set);
    }
    fresh.marks_ = std::move(marks_);
    fresh.marks_.clear();
    *this = std::move(fresh);
}

void Direction::begin_sequence(const fc::Frame& frame, std::uint64_t count) {
    sequence_ = {frame.header.seq_id, count, false, {}, raw_header_of(frame)};
    marks_.clear();
}

Direction::Mark Direction::mark_of(const fc::Frame& frame) {
    return {
        frame.header.parameter, static_cast<std::uint32_t>(frame.payload_length), frame.header.f_ctl.end_sequence,
        frame.header.f_ctl.relative_offset_present, true};
}

bool Direction::is_of_latest(const fc::Frame& frame, std::uint64_t count) const {
    return started_ && frame.header.seq_id == sequence_.id && count >= sequence_.first_count &&
           (!sequence_.last_count || count <= *sequence_.last_count);
}

/// Of what tells a frame from that of another Exchange; 0 if not so much was captured.
std::uint64_t Direction::digest_of(const fc::Frame& frame) {
    constexpr std::size_t most = 64;
    const ByteView device_header = frame.device_header();
    const std::size_t payload = std::min<std::size_t>(frame.payload_length, most);
    if (device_header.size() < frame.header.df_ctl.device_header_octets() || frame.payload.size() < payload) return 0;
    const std::uint64_t ids = std::uint64_t{frame.header.rx_id} << 8 | frame.header.seq_id;
    const std::uint64_t contents = capture::combine(
        capture::hash_of(device_header), capture::hash_of(frame.payload.first(payload)));
    return std::max<std::uint64_t>(capture::combine(contents, ids), 1);
}

bool Direction::repeats(const fc::Frame& frame) const {
    const std::uint64_t count = unwrapped(frame.header.seq_cnt);
    return started_ && counts_.covers(count, count + 1) && is_copy(frame, count);
}

/// Of a frame whose count has been used: whether it is the one that has used it.
bool Direction::is_copy(const fc::Frame& frame, std::uint64_t count) const {
    if (count < first_frames && digests_[count] != 0)
        if (const std::uint64_t digest = digest_of(frame); digest != 0) return digest == digests_[count];
    if (is_of_latest(frame, count)) {
        const std::uint64_t place = count - sequence_.first_count;
        if (place < marks_.size() && marks_[place].known) return marks_[place] == mark_of(frame);
    }
    // The latest Sequence has used that count, and its SEQ_ID is another one.
    if (frame.payload_length == 0 && frame.header.seq_id != sequence_.id && count >= sequence_.first_count)
        return false;
    const std::uint64_t offset = frame.header.parameter;
    return frame.payload_length == 0 || !frame.header.f_ctl.relative_offset_present ||
           data_.covers(offset, offset + frame.payload_length);
}

void Direction::remember(const fc::Frame& frame, std::uint64_t count) {
    if (!is_of_latest(frame, count)) return;
    if (frame.header.f_ctl.end_sequence) sequence_.last_count = count;
    const std::uint64_t place = count - sequence_.first_count;
    if (place >= most_marks) return;
    if (place >= marks_.size()) marks_.resize(place + 1);
    marks_[place] = mark_of(frame);
}

bool Direction::goes_on_with(const fc::Frame& frame) const {
    return frame.header.seq_cnt != 0 && !sequence_.last_count && unwrapped(frame.header.seq_cnt) == next_ &&
           is_of_latest(frame, next_);
}

Continuation Direction::take(const fc::Frame& frame, wire::Version version) {
    Continuation seen;
    std::uint64_t count = unwrapped(frame.header.seq_cnt);
    if (started_ && counts_.covers(count, count + 1)) {
        if (is_copy(frame, count)) {
            seen.repeated = true;
            return seen;
        }
        // A SEQ_ID may be used again once its Sequence is closed (5.5).
        const bool of_open_one = is_of_latest(frame, count) && !sequence_.last_count;
        (of_open_one ? seen.count_repeats : seen.count_restarts) = true;
        count = next_;  // what follows is compared with this frame
    }
    seen.in_order = count == next_;
    seen.late = count < next_;
    const bool of_latest = is_of_latest(frame, count) || seen.count_repeats;
    seen.first_of_iu = !started_ || (!of_latest && !seen.late);
    if (seen.first_of_iu) begin_sequence(frame, count);
    else if (of_latest) seen.header_differs = !same_header(sequence_.header, raw_header_of(frame), version);
    constexpr std::uint64_t most_frames = 0x1'0000;
    if (of_latest && !sequence_.overflown && count - sequence_.first_count >= most_frames)
        seen.count_repeats = sequence_.overflown = true;
    const std::uint64_t left_out = counts_.left_out() + data_.left_out();
    take_data(frame, seen);
    if (count < first_frames && !counts_.covers(count, count + 1)) digests_[count] = digest_of(frame);
    counts_.add(count, count + 1);
    seen.left_out = counts_.left_out() + data_.left_out() != left_out;
    next_ = std::max(next_, count + 1);
    started_ = true;
    remember(frame, count);
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
    std::uint64_t seen = counts_.left_out();
    for (const RangeSet::Range& range : counts_.ranges()) seen += range.end - range.begin;
    return next_ - std::min(next_, seen);
}

}  // namespace fabricscope::engine::fcvi
