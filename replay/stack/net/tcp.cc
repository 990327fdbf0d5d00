// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/net/tcp.h"

#include <algorithm>
#include <utility>

namespace fabricscope::stack {
namespace {

using capture::ack;
using capture::fin;
using capture::psh;
using capture::rst;
using capture::syn;

enum OptionKind : std::uint8_t { end_of_list = 0, no_operation = 1, timestamps = 8 };
constexpr std::uint16_t syn_window = 64240;  // as Linux begins
constexpr std::uint16_t window = 502;        // the same, scaled by 2^7
constexpr Time time_wait_lasts = 60 * second;
constexpr std::size_t most_early_segments = 256;
constexpr std::size_t most_unread_octets = std::size_t{1} << 24;

bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

void put_u32(Octets& octets, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) octets.push_back(static_cast<std::uint8_t>(value >> shift));
}

/// The option of that kind, its kind and length octets left out; empty if there is none.
ByteView find_option(ByteView options, std::uint8_t kind) {
    while (!options.empty() && options[0] != end_of_list) {
        if (options[0] == no_operation) {
            options = options.subspan(1);
            continue;
        }
        if (options.size() < 2 || options[1] < 2 || options[1] > options.size()) break;
        if (options[0] == kind) return options.subspan(2, options[1] - 2U);
        options = options.subspan(options[1]);
    }
    return {};
}

bool contains(ByteView octets, ByteView part) {
    return std::search(octets.begin(), octets.end(), part.begin(), part.end()) != octets.end();
}

}  // namespace

bool is_damaged(const capture::Packet& packet) { return capture::tcp_checksum_is_good(packet) == false; }

std::uint32_t TcpConnection::Sent::end() const {
    return sequence + static_cast<std::uint32_t>(payload.size()) + ((flags & (syn | fin)) != 0 ? 1 : 0);
}

void TcpConnection::connect(Time now) {
    begun_ = true;
    state_ = TcpState::syn_sent;
    send(now, syn, {});
}

void TcpConnection::accept(Time now, const capture::TcpSegment& request) {
    begun_ = true;
    state_ = TcpState::syn_received;
    receive_next_ = request.sequence + 1;
    read_options(request);
    send(now, syn | ack, {});
}

void TcpConnection::write(Time now, ByteView octets) {
    while (!octets.empty() && established()) {
        const ByteView part = octets.first(std::min<std::size_t>(octets.size(), config_.maximum_segment));
        octets = octets.subspan(part.size());
        send(now, ack | (octets.empty() ? psh : 0), {part.begin(), part.end()});
    }
}

void TcpConnection::close(Time now) {
    switch (state_) {
        case TcpState::established: state_ = TcpState::fin_wait_1; break;
        case TcpState::close_wait: state_ = TcpState::last_ack; break;
        case TcpState::syn_sent:
        case TcpState::syn_received: abort(now); return;
        default: return;
    }
    send(now, fin | ack, {});
}

void TcpConnection::abort(Time now) {
    if (state_ == TcpState::closed || state_ == TcpState::time_wait) return;
    emit(now, send_next_, rst | ack, {});
    end(false);
}

void TcpConnection::end(bool reset) {
    state_ = TcpState::closed;
    reset_ = reset_ || reset;
    unacknowledged_.clear();
    deadline_ = never;
}

void TcpConnection::send(Time now, std::uint8_t flags, Octets payload) {
    unacknowledged_.push_back({send_next_, flags, std::move(payload)});
    const Sent& sent = unacknowledged_.back();
    send_next_ = sent.end();
    emit(now, sent.sequence, sent.flags, sent.payload);
    if (unacknowledged_.size() == 1) arm(now);
}

void TcpConnection::emit(Time now, std::uint32_t sequence, std::uint8_t flags, const Octets& payload) {
    const bool opening = (flags & syn) != 0;
    out_.push_back(
        {{config_.local_port, config_.remote_port, sequence, (flags & ack) != 0 ? receive_next_ : 0, flags,
          opening ? syn_window : window},
         options(now, flags),
         payload});
}

/// In Linux's order: MSS, SACK permitted, timestamps, window scale, and what the application adds.
Octets TcpConnection::options(Time now, std::uint8_t flags) const {
    const auto stamp = static_cast<std::uint32_t>(now / millisecond) + config_.timestamp_offset;
    Octets octets;
    if ((flags & rst) != 0) return octets;
    if ((flags & syn) != 0) {
        const auto segment = static_cast<std::uint16_t>(config_.maximum_segment + 12);
        octets = {2, 4, static_cast<std::uint8_t>(segment >> 8), static_cast<std::uint8_t>(segment), 4, 2};
    } else {
        octets = {no_operation, no_operation};
    }
    octets.insert(octets.end(), {timestamps, 10});
    put_u32(octets, stamp);
    put_u32(octets, peer_timestamp_);
    if ((flags & syn) == 0) return octets;
    octets.insert(octets.end(), {no_operation, 3, 3, 7});
    if (!config_.syn_option.empty() && ((flags & ack) == 0 || peer_has_option_)) {
        octets.insert(octets.end(), {no_operation, no_operation});
        octets.insert(octets.end(), config_.syn_option.begin(), config_.syn_option.end());
        while (octets.size() % 4 != 0) octets.push_back(end_of_list);
    }
    return octets;
}

void TcpConnection::read_options(const capture::TcpSegment& segment) {
    if (segment.has(syn) && !config_.syn_option.empty())
        peer_has_option_ = contains(segment.options, config_.syn_option);
    const ByteView stamp = find_option(segment.options, timestamps);
    if (stamp.size() == 8)
        peer_timestamp_ = std::uint32_t{stamp[0]} << 24 | std::uint32_t{stamp[1]} << 16 | std::uint32_t{stamp[2]} << 8 |
                          stamp[3];
}

void TcpConnection::arm(Time now) {
    deadline_ = unacknowledged_.empty() ? never : now + (config_.retransmit_after << attempts_);
}

void TcpConnection::on_timer(Time now) {
    if (now < deadline_) return;
    if (state_ == TcpState::time_wait) return end(false);
    if (unacknowledged_.empty()) {
        deadline_ = never;
        return;
    }
    if (attempts_++ == config_.retransmissions) return end(true);
    const Sent& sent = unacknowledged_.front();
    emit(now, sent.sequence, sent.flags, sent.payload);
    arm(now);
}

void TcpConnection::on_acknowledgment(Time now, std::uint32_t acknowledgment) {
    if (before(send_next_, acknowledgment)) return;
    bool progress = false;
    while (!unacknowledged_.empty() && !before(acknowledgment, unacknowledged_.front().end())) {
        unacknowledged_.pop_front();
        progress = true;
    }
    if (!progress) return;
    attempts_ = 0;
    arm(now);
    if (!unacknowledged_.empty()) return;
    if (state_ == TcpState::syn_received) state_ = TcpState::established;
    else if (state_ == TcpState::fin_wait_1) state_ = TcpState::fin_wait_2;
    else if (state_ == TcpState::last_ack) end(false);
    else if (state_ == TcpState::closing) {
        state_ = TcpState::time_wait;
        deadline_ = now + time_wait_lasts;
    }
}

void TcpConnection::on_segment(Time now, const capture::TcpSegment& segment) {
    if (state_ == TcpState::closed) return;
    if (segment.has(rst)) {
        if (state_ != TcpState::time_wait) end(true);
        return;
    }
    if (state_ == TcpState::syn_sent) {
        if (!segment.has(syn) || !segment.has(ack) || segment.acknowledgment != send_next_) return;
        receive_next_ = segment.sequence + 1;
        read_options(segment);
        state_ = TcpState::established;
        on_acknowledgment(now, segment.acknowledgment);
        emit(now, send_next_, ack, {});
        return;
    }
    if (segment.has(syn)) {  // again: what answered it was lost
        if (state_ == TcpState::syn_received && !unacknowledged_.empty())
            emit(now, unacknowledged_.front().sequence, syn | ack, {});
        else emit(now, send_next_, ack, {});
        return;
    }
    read_options(segment);
    if (segment.has(ack)) on_acknowledgment(now, segment.acknowledgment);
    if (segment.payload_length != 0 || segment.has(fin)) accept_data(now, segment);
}

/// Everything that takes up sequence numbers is acknowledged at once.
void TcpConnection::accept_data(Time now, const capture::TcpSegment& segment) {
    if (segment.has(fin)) fin_sequence_ = segment.sequence + segment.payload_length;
    const bool new_octets = before(receive_next_, segment.sequence + segment.payload_length);
    const bool room = early_.size() < most_early_segments && received_.size() < most_unread_octets;
    if (new_octets && room && segment.payload.size() == segment.payload_length)
        early_.try_emplace(segment.sequence, segment.payload.begin(), segment.payload.end());
    while (!early_.empty()) {
        const auto next = std::ranges::find_if(
            early_, [&](const auto& entry) { return !before(receive_next_, entry.first); });
        if (next == early_.end()) break;
        const std::size_t known = receive_next_ - next->first;
        if (known < next->second.size())
            deliver({next->second.begin() + static_cast<std::ptrdiff_t>(known), next->second.end()});
        early_.erase(next);
    }
    if (fin_sequence_ == receive_next_ && !peer_fin_) on_fin(now);
    if (state_ != TcpState::closed) emit(now, send_next_, ack, {});
}

void TcpConnection::deliver(const Octets& octets) {
    received_.insert(received_.end(), octets.begin(), octets.end());
    receive_next_ += static_cast<std::uint32_t>(octets.size());
}

void TcpConnection::on_fin(Time now) {
    peer_fin_ = true;
    ++receive_next_;
    switch (state_) {
        case TcpState::established: state_ = TcpState::close_wait; break;
        case TcpState::fin_wait_1: state_ = TcpState::closing; break;
        case TcpState::fin_wait_2:
            state_ = TcpState::time_wait;
            deadline_ = now + time_wait_lasts;
            break;
        default: break;
    }
}

}  // namespace fabricscope::stack
