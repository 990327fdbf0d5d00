// SPDX-License-Identifier: GPL-2.0-or-later
// What the SMC-R tracker says about single frames while it works: for trees, streams and timelines.
#pragma once

#include "analyzer/engine/finding.h"
#include "analyzer/engine/smcr/model.h"

namespace fabricscope::engine::smcr {

/// What one frame means. A frame has one set of facts; CLC messages come in addition, see ClcSeen.
struct FrameFacts {
    enum class What : std::uint8_t {
        tcp,  ///< a segment of a connection that does or tries SMC-R
        llc,
        cdc,
        write,  ///< an RDMA WRITE packet into an RMB
        other,  ///< another packet on a link: acknowledgement, part of a long LLC message, unknown SEND
    };
    What what = What::other;
    std::uint64_t frame = 0;
    Time time = 0;
    std::uint32_t connection = 0;      ///< id, 0 = none or unknown
    std::uint32_t link_group = 0;      ///< id, 0 = none or unknown
    std::optional<std::uint8_t> link;  ///< number
    std::optional<Side> from;
    bool roles_known = true;  ///< false: `from` may be the other way round
    bool retransmission = false;

    /// What the frame was decoded to, valid during the call; nullptr: it waited for others, and is not at hand any
    /// more.
    const capture::Packet* packet = nullptr;

    ByteView message;                  ///< llc, cdc: the octets, valid during the call
    std::uint32_t message_length = 0;  ///< llc, cdc: octets on the wire

    // write
    std::optional<std::uint64_t> rmbe_offset;  ///< of this packet's payload in the RMB element
    std::uint32_t length = 0;                  ///< octets of this packet's payload
    std::optional<std::uint64_t> position;     ///< in the direction's stream

    // cdc: the direction from the sender, after this message; deltas against the sender's previous one
    std::optional<std::uint64_t> produced, consumed_by_peer, in_flight, window;
    std::optional<std::int64_t> producer_delta, consumer_delta;
    /// cdc: how long the peer had found the sender's window full; this message opened it.
    std::optional<Time> stall_time;
    bool window_full() const { return window == 0; }

    /// tcp: octets at the payload's end that belong to a CLC message which later segments complete.
    std::uint32_t clc_pending = 0;

    // llc reply: its request
    std::uint64_t request_frame = 0;
    Time request_time = 0;
};

/// A CLC message that this frame's segment completed.
struct ClcSeen {
    std::uint64_t frame = 0;
    Time time = 0;
    std::uint32_t connection = 0;
    Side from{};
    ByteView octets;                  ///< the whole message, valid during the call
    std::int64_t payload_offset = 0;  ///< where it begins in this segment's payload; negative: in earlier segments
    std::uint64_t request_frame = 0;  ///< the message that it answers
    Time request_time = 0;
};

/// Application octets in order.
struct StreamPiece {
    FirstName of;  ///< Direction::first_name says in the end whose it is
    std::uint64_t position = 0;
    ByteView octets;            ///< empty if they are missing from the capture
    std::uint64_t missing = 0;  ///< octets that were announced, but not captured
    /// More are missing by now than were seen written and the RMB element holds: either the cursors are not to be
    /// believed, or of most of the stream nothing was captured.
    bool implausible = false;
    bool urgent_last = false;  ///< the last octet is urgent data
};

/// All calls happen while a packet is being taken or in finish(); arguments are valid during the call.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void on_facts(const FrameFacts&) {}
    virtual void on_clc(const ClcSeen&) {}
    /// The frame `request` has been answered by `response`.
    virtual void on_response(std::uint64_t /*request*/, std::uint64_t /*response*/, Time /*elapsed*/) {}
    /// The frame shows `original` once more, from another interface; it is not tracked.
    virtual void on_copy(std::uint64_t /*frame*/, std::uint64_t /*original*/) {}
    /// A rule was broken by the frame that is being dealt with.
    virtual void on_finding(const Finding&) {}
    /// Asked once for each connection, when it becomes known, if timelines are kept at all.
    virtual bool wants_timeline(const Connection&) { return true; }
    /// Asked once for each direction, by its first name, when its connection becomes known.
    virtual bool wants_stream(const Connection&, Side /*from*/) { return false; }
    virtual void on_stream(const StreamPiece&) {}
};

}  // namespace fabricscope::engine::smcr
