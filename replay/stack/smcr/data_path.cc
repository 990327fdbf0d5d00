// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/smcr/data_path.h"

#include <algorithm>

namespace fabricscope::stack::smcr {

const char* name_of(CloseState state) {
    switch (state) {
        case CloseState::active: return "Active";
        case CloseState::peer_close_wait_1: return "PeerCloseWait1";
        case CloseState::peer_close_wait_2: return "PeerCloseWait2";
        case CloseState::app_fin_close_wait: return "AppFinCloseWait";
        case CloseState::app_close_wait_1: return "AppCloseWait1";
        case CloseState::app_close_wait_2: return "AppCloseWait2";
        case CloseState::peer_fin_close_wait: return "PeerFinCloseWait";
        case CloseState::peer_abort_wait: return "PeerAbortWait";
        case CloseState::closed: return "Closed";
    }
    return "";
}

/// Between two messages a cursor passes the end at most once, because of the window; the wrap count's parity would do.
std::uint64_t CursorSpace::position_of(wire::Cursor cursor, std::uint64_t known) const {
    if (cursor.offset < base || cursor.offset >= size) return known;
    const auto laps = static_cast<std::uint16_t>(cursor.wrap - static_cast<std::uint16_t>(known / capacity()));
    if (laps > 1) return known;
    const std::uint64_t position = (known / capacity() + laps) * capacity() + (cursor.offset - base);
    return std::max(position, known);
}

// ---- sending -------------------------------------------------------------------------------------

std::size_t DataPath::write(ByteView octets) {
    if (done_ || closing_ || aborted_) return 0;
    if (peer_closed_ && !octets.empty()) {  // nobody will read it (RFC 7609, 4.8.1)
        abort();
        return 0;
    }
    const std::size_t room = config_.send_buffer - std::min<std::size_t>(config_.send_buffer, queued_.size());
    const ByteView taken = octets.first(std::min(octets.size(), room));
    queued_.insert(queued_.end(), taken.begin(), taken.end());
    push();
    return taken.size();
}

bool DataPath::write_urgent(std::uint8_t octet) {
    if (urgent_at_ != 0 || done_ || closing_ || aborted_) return false;
    queued_.push_back(octet);
    urgent_at_ = produced_ + queued_.size();
    push();
    return true;
}

/// Everything that fits into the window, then one message for it.
void DataPath::push() {
    if (aborted_ || closed_sent_) return;
    while (!queued_.empty() && !waits_for_urgent()) {
        const std::uint64_t window = space();
        const std::uint64_t count = std::min<std::uint64_t>(
            {queued_.size(), window, urgent_at_ > produced_ ? urgent_at_ - produced_ : UINT64_MAX});
        const std::uint64_t wanted = queued_.size();
        if (count == 0) {
            if (!std::exchange(blocked_, true)) announce("is blocked: the window is full");
            break;
        }
        write_part(count);
        blocked_ = config_.profile.blocked_when_filled ? wanted >= window : wanted > window && space() == 0;
        announce("announces data");
    }
    try_to_close();
}

/// One WRITE, or two where the element ends.
void DataPath::write_part(std::uint64_t count) {
    while (count != 0) {
        const std::uint64_t offset = config_.peer.offset_of(produced_);
        const std::uint64_t size = std::min(count, config_.peer.size - offset);
        const auto end = queued_.begin() + static_cast<std::ptrdiff_t>(size);
        sink_.write(offset, Octets(queued_.begin(), end));
        queued_.erase(queued_.begin(), end);
        produced_ += size;
        count -= size;
    }
}

void DataPath::announce(const char* note) {
    wire::Cdc message;
    message.sequence = ++sequence_;
    message.alert_token = config_.peer_token;
    message.producer = config_.peer.cursor_of(produced_);
    message.consumer = config_.own.cursor_of(consumed_);
    message.flags.writer_blocked = blocked_;
    const bool told = urgent_until_ != 0;
    if (urgent_at_ != 0 && !(told && config_.profile.urgent_told_once)) {
        message.flags.urgent_pending = true;
        message.flags.urgent_present = produced_ == urgent_at_;
        if (message.flags.urgent_present) urgent_until_ = urgent_at_;
    }
    message.state.sending_done = done_sent_;
    message.state.connection_closed = closed_sent_;
    message.state.abnormal_close = aborted_;
    consumed_announced_ = consumed_;
    sink_.send(message, note);
}

// ---- receiving -----------------------------------------------------------------------------------

Octets DataPath::read(std::uint64_t most) {
    const std::uint64_t count = std::min(most, readable());
    Octets octets;
    octets.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) octets.push_back(config_.element[config_.own.offset_of(consumed_ + i)]);
    consumed_ += count;
    if (count != 0) update_consumer();
    return octets;
}

/// Whether the peer has to know how far this side has read (RFC 7609, 4.5.1).
void DataPath::update_consumer() {
    if (aborted_ || closed_sent_) return;
    const std::uint64_t unreported = consumed_ - consumed_announced_;
    const std::uint64_t window = config_.own.capacity() - (peer_produced_ - consumed_announced_);
    const bool large = unreported > config_.profile.update_limit(config_.own.size);
    const std::uint64_t half_of_size = config_.own.size / 2;
    const bool half = config_.profile.linux_updates ? window <= half_of_size : window < half_of_size;
    const bool urgent = peer_urgent_ != 0 && consumed_ >= peer_urgent_;
    if (urgent) peer_urgent_ = 0;
    const bool wanted = config_.profile.linux_updates ? large && (half || peer_blocked_)
                                                      : (large && half) || peer_blocked_;
    if (unreported != 0 && (wanted || urgent || peer_wants_update_)) announce("reports what it has read");
}

void DataPath::on_message(const wire::Cdc& message) {
    if (state_ == CloseState::closed) return;
    if (message.flags.failover_validation) {  // a message that the peer's adapter acknowledged is missing
        if (static_cast<std::int16_t>(peer_sequence_ - message.sequence) < 0) abort();
        return;
    }
    if (static_cast<std::int16_t>(message.sequence - peer_sequence_) < 0) return;
    peer_sequence_ = message.sequence;
    peer_produced_ = config_.own.position_of(message.producer, peer_produced_);
    peer_consumed_ = std::min(config_.peer.position_of(message.consumer, peer_consumed_), produced_);
    peer_blocked_ = message.flags.writer_blocked;
    peer_wants_update_ = message.flags.consumer_update_requested;
    // The flag stays until the peer has heard that the octet was consumed.
    if (message.flags.urgent_present && peer_produced_ > consumed_) peer_urgent_ = peer_produced_;
    if (urgent_until_ != 0 && peer_consumed_ >= urgent_until_) urgent_at_ = urgent_until_ = 0;
    on_state_flags(message.state);
    if (state_ == CloseState::closed) return;
    if (peer_wants_update_ && consumed_ != consumed_announced_)
        announce("reports what it has read, as it was asked to");
    push();
}

// ---- the end -------------------------------------------------------------------------------------

void DataPath::shutdown_write() {
    if (done_ || closing_) return;
    done_ = true;
    try_to_close();
}

void DataPath::close() {
    if (closing_ || aborted_ || state_ == CloseState::closed) return;
    if (readable() != 0) return abort();
    closing_ = true;
    try_to_close();
}

/// D and C follow the last octet.
void DataPath::try_to_close() {
    if (!queued_.empty() || aborted_ || closed_sent_) return;
    if (done_ && !done_sent_ && !closing_) {
        done_sent_ = true;
        announce("is done with sending");
        if (state_ == CloseState::active) state_ = CloseState::peer_close_wait_1;
        else if (state_ == CloseState::app_close_wait_1) state_ = CloseState::app_close_wait_2;
    }
    if (!closing_) return;
    closed_sent_ = true;
    announce("closes");
    enter_after_closed();
}

void DataPath::enter_after_closed() {
    if (peer_closed_) {
        state_ = CloseState::closed;
        return;
    }
    switch (state_) {
        case CloseState::active: state_ = CloseState::peer_close_wait_1; break;
        case CloseState::app_close_wait_1:
        case CloseState::app_close_wait_2: state_ = CloseState::peer_fin_close_wait; break;
        default: break;
    }
}

void DataPath::abort() {
    if (aborted_ || closed_sent_ || state_ == CloseState::closed) return;
    aborted_ = true;
    queued_.clear();
    announce("aborts");
    state_ = CloseState::peer_abort_wait;
}

void DataPath::on_state_flags(const wire::CdcStateFlags& flags) {
    if (flags.abnormal_close) {  // answered in kind, unless this side has said its last word
        if (!aborted_ && !closed_sent_) {
            aborted_ = true;
            queued_.clear();
            announce("answers the abort");
        }
        aborted_ = true;
        state_ = CloseState::closed;
        return;
    }
    const bool done = flags.sending_done && !std::exchange(peer_done_, true);
    const bool closed = flags.connection_closed && !std::exchange(peer_closed_, true);
    if (closed) {
        if (!queued_.empty() && !closed_sent_) return abort();  // nobody reads it any more
        switch (state_) {
            case CloseState::active: state_ = CloseState::app_close_wait_1; break;
            case CloseState::peer_close_wait_1:
            case CloseState::peer_close_wait_2:
                state_ = closed_sent_ ? CloseState::closed : CloseState::app_fin_close_wait;
                break;
            case CloseState::peer_fin_close_wait: state_ = CloseState::closed; break;
            default: break;
        }
    } else if (done) {
        if (state_ == CloseState::active) state_ = CloseState::app_close_wait_1;
        else if (state_ == CloseState::peer_close_wait_1) state_ = CloseState::peer_close_wait_2;
    }
}

}  // namespace fabricscope::stack::smcr
