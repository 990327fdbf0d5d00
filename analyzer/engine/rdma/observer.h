// SPDX-License-Identifier: GPL-2.0-or-later
// What the RDMA tracker says about single frames while it works.
#pragma once

#include "analyzer/engine/finding.h"
#include "analyzer/engine/rdma/model.h"

namespace fabricscope::engine::rdma {

/// What a response says of the requests before it.
struct AnswerFacts {
    Time request_time = 0;
    std::uint64_t acknowledges_frame = 0;  ///< the last packet that it acknowledges; 0: not captured
    std::optional<Time> ack_rtt;
    bool completes = false;  ///< the operation
};

/// What is out of the ordinary.
struct Oddities {
    std::optional<Cause> retransmission;
    std::optional<Time> waited;       ///< before the first packet that is retransmitted
    std::optional<Time> cnp_latency;  ///< of a CNP: since the latest packet that was marked
    std::uint32_t retry = 0;          ///< the first packet that is retransmitted after a timeout: how many in a row
    std::uint32_t missing = 0;        ///< packets before it that have not been seen
    std::uint32_t lost = 0;           ///< packets that it shows to have been lost
    std::optional<std::uint8_t> nak;  ///< syndrome of a NAK or RNR NAK
    bool out_of_order = false;
    bool duplicate_request = false;
    bool duplicate_ack = false;
    bool unseen = false;  ///< acknowledges packets that have not been seen
    bool operator==(const Oddities&) const = default;
};

/// What one frame means.
struct FrameFacts : AnswerFacts, Oddities {
    std::uint64_t frame = 0;
    Time time = 0;
    std::uint32_t stream = 0;  ///< id
    Side from{};
    bool request = false;
    bool response = false;
    bool cnp = false;
    bool ce = false;
    std::uint32_t psn = 0;
    std::optional<std::uint32_t> relative_psn;  ///< to the first one of its requester
    std::optional<std::uint32_t> source_qpn;    ///< as far as it is known by now

    // The operation that it belongs to or answers.
    std::optional<OperationType> operation;
    std::uint64_t operation_number = 0;            ///< in the order in which its side asked for them, from 1; 0: none
    std::optional<std::uint64_t> operation_bytes;  ///< as its request says
    std::uint64_t request_frame = 0;               ///< response: first packet of the request; 0: not captured

    std::optional<std::uint64_t> packets_in_flight;
    std::optional<std::uint64_t> bytes_in_flight;  ///< of SENDs and WRITEs
};

/// All calls happen while a packet is being taken or in finish().
class Observer {
public:
    virtual ~Observer() = default;
    virtual void on_facts(const FrameFacts&) {}
    /// The packet that these facts are about; called after on_facts(). Its views live only during the call.
    virtual void on_packet(const FrameFacts&, const capture::Packet&) {}
    /// Has been answered; its numbers are those so far.
    virtual void on_operation(const Operation&) {}
    /// The stream is the other half of an earlier one.
    virtual void on_merged(std::uint32_t /*stream*/, std::uint32_t /*into*/) {}
    /// The frame shows `original` once more, from another interface; it is not tracked.
    virtual void on_copy(std::uint64_t /*frame*/, std::uint64_t /*original*/) {}
    /// A rule was broken; by the frame that is being dealt with, or by an earlier one.
    virtual void on_finding(const Finding&) {}
};

}  // namespace fabricscope::engine::rdma
