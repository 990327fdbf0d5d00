// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/fc_sequence.h"

#include <algorithm>

namespace fabricscope::capture {
namespace {

/// Where a frame stands among those of its Sequence: its SEQ_CNT as a distance from the highest one seen.
std::int32_t index_of(const fc::FrameHeader& header, const FcSequence& seen, std::int32_t high) {
    return high + seq_cnt_distance(seen.last.seq_cnt, header.seq_cnt);
}

bool same_kind(const fc::FrameHeader& a, const fc::FrameHeader& b) { return a.r_ctl == b.r_ctl && a.type == b.type; }

/// Whether the frame is known to be the first of its Sequence. `nothing_before`: no frame before it has been seen.
bool begins(const FcPacket& fc, const std::optional<std::uint16_t>& next_seq_cnt, bool nothing_before) {
    if (fc.sof != fc::Sof::none && fc.sof != fc::Sof::f) return fc::initiates(fc.sof);
    const fc::FrameHeader& header = fc.frame.header;
    if (!nothing_before) return false;
    return header.seq_cnt == 0 || header.seq_cnt == next_seq_cnt ||
           (header.f_ctl.relative_offset_present && header.parameter == 0);
}

/// Whether the carrier would have told that the frame is a first one.
bool tells_beginning(const FcPacket& fc) { return fc.sof != fc::Sof::none && fc.sof != fc::Sof::f; }

void note_device_header(FcSequence& seen, ByteView device_header, bool lowest) {
    const ByteView known = ByteView(seen.device_header.octets).first(seen.device_header_size);
    if (seen.frames != 0 && !std::ranges::equal(known, device_header)) seen.device_headers_differ = true;
    if (!lowest) return;
    std::ranges::copy(device_header, seen.device_header.octets.begin());
    seen.device_header_size = static_cast<std::uint8_t>(device_header.size());
}

}  // namespace

bool FcSequences::has(const Sequence& sequence, const fc::FrameHeader& header) {
    const FcSequence& seen = sequence.seen;
    if (seen.header.seq_id != header.seq_id) return false;
    const std::int32_t index = index_of(header, seen, sequence.high);
    const bool within = index >= sequence.low && index <= sequence.high;
    if (!sequence.complete) return same_kind(seen.header, header) && (!seen.end_seen || index <= sequence.high);
    if (!within) return false;
    // A SEQ_ID may be used again: the same place in another Sequence has another header.
    if (index == sequence.low) return header == seen.header;
    return index == sequence.high ? header == seen.last : same_kind(seen.header, header);
}

const FcSequence* FcSequences::repeated_by(const fc::FrameHeader& header) const {
    for (std::uint32_t i = count_; i != 0; --i)
        if (sequences_[i - 1].complete && has(sequences_[i - 1], header)) return &sequences_[i - 1].seen;
    return nullptr;
}

void FcSequences::clear(Sequence& sequence) {
    constexpr std::size_t few = 4;
    std::vector<Run> runs = std::move(sequence.runs);
    if (runs.capacity() > few) runs = {};
    runs.clear();
    sequence = {};
    sequence.runs = std::move(runs);
}

void FcSequences::clear() {
    for (; count_ != 0; --count_) clear(sequences_[count_ - 1]);
    next_seq_cnt_.reset();
}

void FcSequences::forget_oldest() {
    clear(sequences_.front());
    std::rotate(sequences_.begin(), sequences_.begin() + 1, sequences_.end());
    --count_;
}

/// The Sequence that the frame belongs to; one without frames if it is the first.
FcSequences::Sequence& FcSequences::sequence_of(const Packet& packet) {
    const fc::FrameHeader& header = packet.fc->frame.header;
    for (std::uint32_t i = count_; i != 0; --i)
        if (has(sequences_[i - 1], header)) return sequences_[i - 1];
    if (count_ >= limits_.sequences) forget_oldest();
    if (count_ == sequences_.size()) sequences_.emplace_back();
    Sequence& sequence = sequences_[count_++];
    sequence.seen.first_frame = packet.number;
    sequence.seen.first_time = packet.time;
    sequence.seen.header = sequence.seen.last = header;
    return sequence;
}

FcSequenceEvent FcSequences::receive(const Packet& packet, bool keep_data) {
    FcSequenceEvent event;
    if (!packet.fc->frame.header.is_data()) return event;
    Sequence& sequence = sequence_of(packet);
    event.sequence = &sequence.seen;
    if (sequence.complete) {
        event.order = FcFrameOrder::repeated;
        ++sequence.seen.repeated;
        return event;
    }
    take(sequence, packet, keep_data, event);
    if (!sequence.seen.complete()) return event;
    sequence.complete = true;
    event.completes = true;
    if (sequence.keeps && !sequence.seen.cut_off) event.data = std::move(sequence.runs.front().data);
    sequence.runs.clear();
    return event;
}

void FcSequences::take(Sequence& sequence, const Packet& packet, bool keep_data, FcSequenceEvent& event) {
    const FcPacket& fc = *packet.fc;
    const fc::FrameHeader& header = fc.frame.header;
    FcSequence& seen = sequence.seen;
    const bool first = sequence.runs.empty();
    const std::int32_t index = first ? 0 : index_of(header, seen, sequence.high);
    const bool lowest = first || index < sequence.low;
    const bool highest = first || index > sequence.high;
    if (lowest && seen.beginning_seen) {  // before the first frame there is none
        event.order = FcFrameOrder::unplaceable;
        return;
    }
    if (!keep_data) sequence.keeps = false;
    if (!add_to_runs(sequence, index, fc.frame, event)) {
        if (event.order == FcFrameOrder::repeated) ++seen.repeated;
        return;
    }
    note_device_header(seen, fc.frame.device_header(), lowest);
    if (lowest) seen.header = header, sequence.low = index;
    if (highest) seen.last = header, sequence.high = index;
    seen.beginning_seen = seen.beginning_seen || begins(fc, next_seq_cnt_, lowest);
    // An Exchange's first Sequence begins with 0, and those behind it where the last one ended, or with 0.
    seen.beginning_assumed = !tells_beginning(fc) && !next_seq_cnt_ && !seen.header.f_ctl.first_sequence;
    if (header.f_ctl.end_sequence) {
        seen.end_seen = true;
        next_seq_cnt_ = static_cast<std::uint16_t>(header.seq_cnt + 1);
    }
    seen.cut_off = seen.cut_off || fc.frame.payload.size() < fc.frame.payload_length;
    seen.last_frame = packet.number;
    seen.last_time = packet.time;
    ++seen.frames;
    const std::uint64_t before = seen.octets;
    seen.octets += fc.frame.payload_length;
    seen.missing = static_cast<std::uint32_t>(sequence.high - sequence.low + 1) - seen.frames;
    const bool beginning_known = seen.beginning_seen || seen.beginning_assumed;
    if (header.f_ctl.relative_offset_present && seen.header.f_ctl.relative_offset_present && beginning_known)
        event.position = header.parameter - seen.header.parameter;
    else if (highest && seen.missing == 0 && beginning_known) event.position = before;
}

/// False if the frame is not taken: `event` says why.
bool FcSequences::add_to_runs(
    Sequence& sequence, std::int32_t index, const fc::Frame& frame, FcSequenceEvent& event) const {
    std::vector<Run>& runs = sequence.runs;
    const auto behind = std::ranges::upper_bound(runs, index, {}, &Run::begin);  // the first run that begins later
    const auto before = behind == runs.begin() ? runs.end() : std::prev(behind);
    if (before != runs.end() && index < before->end) {
        event.order = FcFrameOrder::repeated;
        return false;
    }
    const bool late = behind != runs.end();
    const bool follows = before != runs.end() && index == before->end;
    event.order = late                      ? FcFrameOrder::late
                  : follows || runs.empty() ? FcFrameOrder::next
                                            : FcFrameOrder::ahead_after_gap;
    if (event.order == FcFrameOrder::ahead_after_gap) event.missing = static_cast<std::uint32_t>(index - before->end);
    auto run = before;
    if (!follows) {
        if (runs.size() >= limits_.runs) {
            event.order = FcFrameOrder::unplaceable;
            return false;
        }
        run = runs.insert(behind, Run{index, index, {}});
    }
    ++run->end;
    keep(sequence, *run, frame);
    const auto next = std::next(run);
    if (next == runs.end() || next->begin != run->end) return true;
    run->end = next->end;
    run->data.insert(run->data.end(), next->data.begin(), next->data.end());
    runs.erase(next);
    return true;
}

void FcSequences::keep(Sequence& sequence, Run& run, const fc::Frame& frame) const {
    if (!sequence.keeps) return;
    if (sequence.seen.octets + frame.payload.size() <= limits_.data) {
        run.data.insert(run.data.end(), frame.payload.begin(), frame.payload.end());
        return;
    }
    sequence.keeps = false;
    for (Run& other : sequence.runs) other.data = {};
}

}  // namespace fabricscope::capture
