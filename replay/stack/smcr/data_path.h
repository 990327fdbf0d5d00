// SPDX-License-Identifier: GPL-2.0-or-later
// A connection's data and its end: cursors, window, urgent data, close states (RFC 7609, 4).
//
// Positions count octets from the begin of a direction's stream. The machine says what it wants written and sent; RDMA
// WRITEs of the peer change the element's octets behind its back, as they do in reality.
#pragma once

#include <deque>
#include <span>

#include "protocols/smcr/cdc.h"
#include "replay/stack/smcr/profile.h"

namespace fabricscope::stack::smcr {

namespace wire = fabricscope::smcr;

/// Positions in an RMB element of `size` octets whose data begin at `base`.
struct CursorSpace {
    std::uint64_t size = 0;
    std::uint8_t base = 0;

    std::uint64_t capacity() const { return size - base; }
    std::uint64_t offset_of(std::uint64_t position) const { return base + position % capacity(); }
    wire::Cursor cursor_of(std::uint64_t position) const {
        return {static_cast<std::uint16_t>(position / capacity()), static_cast<std::uint32_t>(offset_of(position))};
    }
    /// The position at or after `known` that the cursor means; a cursor before it, or none of this element, gives
    /// `known`.
    std::uint64_t position_of(wire::Cursor cursor, std::uint64_t known) const;
};

/// RFC 7609, 4.8
enum class CloseState : std::uint8_t {
    active,
    peer_close_wait_1,
    peer_close_wait_2,
    app_fin_close_wait,
    app_close_wait_1,
    app_close_wait_2,
    peer_fin_close_wait,
    peer_abort_wait,
    closed,
};
/// "Active", "PeerCloseWait1", ...
const char* name_of(CloseState state);

/// Where WRITEs and CDC messages go, in order.
class DataSink {
public:
    /// `offset`: in the peer's element.
    virtual void write(std::uint64_t offset, Octets octets) = 0;
    virtual void send(const wire::Cdc& message, const char* note) = 0;

protected:
    ~DataSink() = default;
};

struct DataConfig {
    Profile profile;
    CursorSpace own;                  ///< the element that the peer writes to
    std::span<std::uint8_t> element;  ///< its octets
    CursorSpace peer;                 ///< the element that this side writes to
    std::uint32_t peer_token = 0;
    std::uint64_t send_buffer = 65'536;
};

class DataPath {
public:
    DataPath(const DataConfig& config, DataSink& sink) : config_(config), sink_(sink) {}

    // ---- the application's side ----
    /// How much of `octets` was taken; the rest does not fit into the send buffer.
    std::size_t write(ByteView octets);
    /// As write(), of one octet that is urgent.
    bool write_urgent(std::uint8_t octet);
    std::uint64_t readable() const { return peer_produced_ - consumed_; }
    Octets read(std::uint64_t most);
    bool peer_ended() const { return peer_done_ || peer_closed_; }
    void shutdown_write();
    /// Closes, or aborts if something has not been read.
    void close();
    void abort();

    // ---- the peer's side ----
    void on_message(const wire::Cdc& message);

    // ---- the account ----
    CloseState state() const { return state_; }
    bool aborted() const { return aborted_; }
    /// "closed" has been sent.
    bool closed_sent() const { return closed_sent_; }
    std::uint64_t produced() const { return produced_; }
    std::uint64_t acknowledged() const { return peer_consumed_; }
    std::uint64_t peer_produced() const { return peer_produced_; }
    std::uint64_t consumed() const { return consumed_; }
    std::uint16_t messages_sent() const { return sequence_; }
    std::uint64_t wraps() const { return produced_ / config_.peer.capacity(); }
    const DataConfig& config() const { return config_; }

private:
    std::uint64_t space() const { return config_.peer.capacity() - (produced_ - peer_consumed_); }
    bool waits_for_urgent() const { return urgent_until_ != 0 && peer_consumed_ < urgent_until_; }
    void push();
    void write_part(std::uint64_t count);
    void announce(const char* note);
    void update_consumer();
    void try_to_close();
    void enter_after_closed();
    void on_state_flags(const wire::CdcStateFlags& flags);

    DataConfig config_;
    DataSink& sink_;
    CloseState state_ = CloseState::active;
    std::uint16_t sequence_ = 0;

    // sending
    std::deque<std::uint8_t> queued_;
    std::uint64_t produced_ = 0;
    std::uint64_t peer_consumed_ = 0;
    std::uint64_t urgent_at_ = 0;     ///< position behind an urgent octet that is still queued or unconfirmed; 0 = none
    std::uint64_t urgent_until_ = 0;  ///< announced: nothing is written before the peer has consumed so much
    bool blocked_ = false;            ///< flag B as last sent
    bool done_ = false, done_sent_ = false;
    bool closing_ = false, closed_sent_ = false;
    bool aborted_ = false;

    // receiving
    std::uint64_t peer_produced_ = 0;
    std::uint64_t consumed_ = 0;
    std::uint64_t consumed_announced_ = 0;
    std::uint64_t peer_urgent_ = 0;  ///< position behind the peer's urgent octet, until it has been consumed; 0 = none
    std::uint16_t peer_sequence_ = 0;
    bool peer_blocked_ = false, peer_wants_update_ = false;
    bool peer_done_ = false, peer_closed_ = false;
};

}  // namespace fabricscope::stack::smcr
