// SPDX-License-Identifier: GPL-2.0-or-later
// One TCP connection (RFC 9293), as far as captures and rendezvous need it: real segments with Linux's options,
// retransmission on a timer, reassembly, orderly and abortive ends. No congestion control, urgent data or SACK blocks.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "capture/packet.h"
#include "protocols/builders/frame_builder.h"
#include "replay/stack/core/endpoint.h"
#include "replay/stack/core/random.h"

namespace fabricscope::stack {

struct TcpSegmentOut {
    builders::TcpFields fields;
    Octets options;
    Octets payload;
};

/// Its receiver drops it: the checksum is wrong. It is not if the sender's interface was to complete it, which then has
/// only begun with the pseudo-header, or if not all of the segment is there.
bool is_damaged(const capture::Packet& packet);

struct TcpConfig {
    std::uint16_t local_port = 0;
    std::uint16_t remote_port = 0;
    std::uint32_t initial_sequence = 0;
    std::uint32_t timestamp_offset = 0;         ///< timestamps (RFC 7323) are milliseconds from here
    std::uint16_t maximum_segment = 1448;       ///< octets of data in a segment, timestamps already taken off
    Octets syn_option;                          ///< offered in SYN, and in SYN-ACK if the SYN had it; empty = none
    Time retransmit_after = 200 * millisecond;  ///< doubled each time
    unsigned retransmissions = 6;               ///< then the connection is given up
};

enum class TcpState : std::uint8_t {
    closed,
    syn_sent,
    syn_received,
    established,
    fin_wait_1,
    fin_wait_2,
    close_wait,
    closing,
    last_ack,
    time_wait,
};

class TcpConnection {
public:
    explicit TcpConnection(TcpConfig config) : config_(std::move(config)), send_next_(config_.initial_sequence) {}

    void connect(Time now);
    /// Answers the SYN of a connection to a listening port.
    void accept(Time now, const capture::TcpSegment& request);
    void write(Time now, ByteView octets);
    /// No more octets will be written.
    void close(Time now);
    void abort(Time now);
    void on_segment(Time now, const capture::TcpSegment& segment);
    void on_timer(Time now);
    Time wakeup() const { return deadline_; }

    TcpState state() const { return state_; }
    bool established() const {
        return state_ != TcpState::closed && state_ != TcpState::syn_sent && state_ != TcpState::syn_received;
    }
    bool peer_closed() const { return peer_fin_; }
    bool was_reset() const { return reset_; }
    /// Nothing more will come of it.
    bool over() const { return state_ == TcpState::closed && begun_; }
    /// Whether the peer's SYN or SYN-ACK had the option that this side offers.
    bool peer_has_option() const { return peer_has_option_; }
    /// All that was written has been acknowledged.
    bool all_acknowledged() const { return unacknowledged_.empty(); }
    /// Octets that arrived in order; the caller erases what it has used.
    Octets& received() { return received_; }
    const Octets& received() const { return received_; }
    /// Takes the segments that want to be sent.
    std::vector<TcpSegmentOut> take_segments() { return std::exchange(out_, {}); }

private:
    /// Something that takes up sequence numbers, until it is acknowledged.
    struct Sent {
        std::uint32_t sequence = 0;
        std::uint8_t flags = 0;
        Octets payload;
        std::uint32_t end() const;
    };

    void send(Time now, std::uint8_t flags, Octets payload);
    void emit(Time now, std::uint32_t sequence, std::uint8_t flags, const Octets& payload);
    Octets options(Time now, std::uint8_t flags) const;
    void read_options(const capture::TcpSegment& segment);
    void on_acknowledgment(Time now, std::uint32_t acknowledgment);
    void accept_data(Time now, const capture::TcpSegment& segment);
    void deliver(const Octets& octets);
    void on_fin(Time now);
    void arm(Time now);
    void end(bool reset);

    TcpConfig config_;
    TcpState state_ = TcpState::closed;
    std::uint32_t send_next_;
    std::uint32_t receive_next_ = 0;
    std::uint32_t peer_timestamp_ = 0;
    std::deque<Sent> unacknowledged_;
    std::map<std::uint32_t, Octets> early_;      ///< segments behind a gap, by sequence number
    std::optional<std::uint32_t> fin_sequence_;  ///< the peer's FIN, behind its last octet
    Octets received_;
    std::vector<TcpSegmentOut> out_;
    Time deadline_ = never;
    unsigned attempts_ = 0;
    bool begun_ = false;
    bool peer_fin_ = false;
    bool reset_ = false;
    bool peer_has_option_ = false;
};

}  // namespace fabricscope::stack
