// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tcp_stream.h"

#include <algorithm>
#include <utility>

namespace fabricscope::capture {

void TcpStream::start(std::uint32_t sequence) {
    if (!first_sequence_) first_sequence_ = sequence;
}

std::int64_t TcpStream::position_of(std::uint32_t sequence) const {
    const std::uint32_t end_sequence = *first_sequence_ + static_cast<std::uint32_t>(end());
    return static_cast<std::int64_t>(end()) + static_cast<std::int32_t>(sequence - end_sequence);
}

void TcpStream::insert(std::uint32_t sequence, ByteView captured, std::uint32_t wire_length, std::uint64_t frame) {
    if (stopped_ || wire_length == 0) return;
    start(sequence);
    const std::int64_t begin = position_of(sequence);
    // Octets before end() are retransmissions, or the garbage octet of a keep-alive.
    const std::int64_t old = std::max<std::int64_t>(0, static_cast<std::int64_t>(end()) - begin);
    if (old >= wire_length) return;
    known_end_ = std::max(known_end_, static_cast<std::uint64_t>(begin + wire_length));
    captured = captured.first(std::min<std::size_t>(captured.size(), wire_length));
    if (old < static_cast<std::int64_t>(captured.size()))
        keep(static_cast<std::uint64_t>(begin + old), captured.subspan(static_cast<std::size_t>(old)), frame);
}

/// `position` is not before end().
void TcpStream::keep(std::uint64_t position, ByteView octets, std::uint64_t frame) {
    const std::uint64_t limit = this->position() + limit_;
    const std::uint64_t room = limit - std::min(limit, position);
    if (octets.size() > room) {
        lost_ += octets.size() - room;
        octets = octets.first(room);
    }
    // The pieces that are there already stay; the new octets fill the gaps between them.
    auto piece = waiting_.upper_bound(position);
    if (piece != waiting_.begin()) --piece;
    for (; piece != waiting_.end() && piece->first < position + octets.size(); ++piece) {
        const std::uint64_t piece_end = piece->first + piece->second.octets.size();
        if (piece_end <= position) continue;
        if (piece->first > position) keep_piece(position, octets.first(piece->first - position), frame);
        const std::uint64_t covered = std::min<std::uint64_t>(octets.size(), piece_end - position);
        octets = octets.subspan(covered);
        position += covered;
    }
    if (!octets.empty()) keep_piece(position, octets, frame);
    append_waiting(frame);
}

void TcpStream::keep_piece(std::uint64_t position, ByteView octets, std::uint64_t frame) {
    if (position == end()) append(octets, frame, frame);
    else if (waiting_.size() < most_pieces) waiting_.emplace(position, Piece{{octets.begin(), octets.end()}, frame});
    else lost_ += octets.size();
}

void TcpStream::append(ByteView octets, std::uint64_t carrier, std::uint64_t completer) {
    buffer_.insert(buffer_.end(), octets.begin(), octets.end());
    runs_.push_back({end(), carrier, completer});
}

void TcpStream::append_waiting(std::uint64_t completer) {
    for (auto piece = waiting_.begin(); piece != waiting_.end() && piece->first == end(); piece = waiting_.erase(piece))
        append(piece->second.octets, piece->second.frame, completer);
}

void TcpStream::consume(std::size_t count) {
    read_ += std::min(count, buffer_.size() - read_);
    runs_.erase(runs_.begin(), std::ranges::upper_bound(runs_, position(), {}, &Run::end));
    if (read_ < buffer_.size() / 2) return;  // moving the rest costs less than what has been read
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(read_));
    base_ += std::exchange(read_, 0);
    if (buffer_.empty()) buffer_.shrink_to_fit();  // many streams stay open with nothing to read
}

void TcpStream::skip(std::uint64_t count) {
    const std::uint64_t target = position() + count;
    if (target <= end()) return consume(static_cast<std::size_t>(count));
    buffer_.clear();
    runs_.clear();
    read_ = 0;
    base_ = target;
    known_end_ = std::max(known_end_, target);
    const auto behind = waiting_.upper_bound(target);
    if (behind != waiting_.begin()) {  // the last piece that begins before the target may reach beyond it
        auto [begin, piece] = *std::prev(behind);
        waiting_.erase(waiting_.begin(), behind);
        if (begin + piece.octets.size() > target)
            append(ByteView(piece.octets).subspan(target - begin), piece.frame, piece.frame);
    }
    append_waiting(runs_.empty() ? 0 : runs_.back().completer);
}

void TcpStream::skip_hole() {
    const std::uint64_t next = waiting_.empty() ? known_end_ : waiting_.begin()->first;
    skip(std::max(next, end()) - position());
}

const TcpStream::Run* TcpStream::run_of(std::uint64_t position) const {
    if (position < this->position()) return nullptr;
    const auto run = std::ranges::upper_bound(runs_, position, {}, &Run::end);
    return run == runs_.end() ? nullptr : &*run;
}

std::uint64_t TcpStream::frame_carrying(std::uint64_t position) const {
    const Run* run = run_of(position);
    return run == nullptr ? 0 : run->carrier;
}

std::uint64_t TcpStream::frame_completing(std::uint64_t position) const {
    const Run* run = run_of(position);
    return run == nullptr ? 0 : run->completer;
}

void TcpStream::stop() {
    *this = TcpStream(limit_);
    stopped_ = true;
}

}  // namespace fabricscope::capture
