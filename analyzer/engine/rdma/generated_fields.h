// SPDX-License-Identifier: GPL-2.0-or-later
// What the RDMA tracker adds to a frame beyond its octets. Those of rdma.analysis are expert infos, as TCP's are.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::engine::rdma {

inline constexpr std::array generated_fields{
    GeneratedField{
        "rdma.stream", "Stream", GeneratedType::unsigned_number,
        "This is the number of the stream of two queue pairs: n in rdma-n, as fabricscope analyze names it"},
    GeneratedField{
        "rdma.session", "Session", GeneratedType::text,
        "This set the stream up, as fabricscope analyze names it: cm-1, or the link group lg-1"},
    GeneratedField{
        "rdma.transport", "Transport", GeneratedType::text,
        "The queue pairs use this transport service: rc, uc, ud or xrc", "IBA 9.2"},
    GeneratedField{
        "rdma.source_qp", "Source queue pair", GeneratedType::unsigned_number,
        "This queue pair sent the packet; no packet but a datagram says so, and it is known once the peer has been "
        "found"},
    GeneratedField{
        "rdma.source", "Source", GeneratedType::text, "This address sent it, from this queue pair if it is known"},
    GeneratedField{
        "rdma.destination", "Destination", GeneratedType::text, "It was sent to this address and queue pair"},
    GeneratedField{
        "rdma.endpoint", "Source or destination", GeneratedType::text,
        "Either rdma.source or rdma.destination has this value"},
    GeneratedField{
        "rdma.psn_relative", "Relative PSN", GeneratedType::unsigned_number,
        "This is the PSN, counted from the first one that the requester was seen to send", "IBA 9.7"},
    GeneratedField{
        "rdma.operation", "Operation", GeneratedType::unsigned_number,
        "The packet belongs to or answers this one of its side's operations, counted from 1 in the order of asking"},
    GeneratedField{
        "rdma.operation.type", "Type", GeneratedType::text, "The operation is a send, write, read or atomic",
        "IBA 9.4"},
    GeneratedField{
        "rdma.operation.length", "Length", GeneratedType::unsigned_number,
        "The operation moves so many bytes, as its request says", "IBA 9.4"},
    GeneratedField{
        "rdma.operation.time", "Completed after", GeneratedType::time_span,
        "This packet completes the operation so long after the operation's first packet"},
    GeneratedField{
        "rdma.begins_in", "Begins in", GeneratedType::frame,
        "This frame holds the first packet of the request that this one continues"},
    GeneratedField{
        "rdma.request_in", "Request in", GeneratedType::frame,
        "This frame holds the first packet of the request that this one answers", "IBA 9.7"},
    GeneratedField{
        "rdma.response_in", "Response in", GeneratedType::frame,
        "This frame completes the operation that begins here, by its acknowledgment or the last packet of the response",
        "IBA 9.7"},
    GeneratedField{
        "rdma.time", "Time since request", GeneratedType::time_span,
        "So much time passed between the first packet of the request and this answer"},
    GeneratedField{
        "rdma.ack_to", "Acknowledges", GeneratedType::frame,
        "This frame holds the last of the packets that this one acknowledges", "IBA 9.7"},
    GeneratedField{
        "rdma.acknowledged_in", "Acknowledged in", GeneratedType::frame,
        "This frame acknowledges this packet of a SEND or WRITE", "IBA 9.7"},
    GeneratedField{
        "rdma.ack_rtt", "Round-trip time", GeneratedType::time_span,
        "So much time passed between the last packet that is acknowledged and its acknowledgment"},
    GeneratedField{
        "rdma.packets_in_flight", "Packets in flight", GeneratedType::unsigned_number,
        "So many packets of requests have not been acknowledged, with the PSNs of READ responses among them",
        "IBA 9.7"},
    GeneratedField{
        "rdma.bytes_in_flight", "Bytes in flight", GeneratedType::unsigned_number,
        "So many bytes of SENDs and WRITEs have not been acknowledged", "IBA 9.7"},
    GeneratedField{
        "rdma.ecn.ce", "Congestion experienced", GeneratedType::boolean,
        "The IP header says that a switch has marked the packet", "IBA A17"},
    GeneratedField{
        "rdma.cnp", "Congestion notification", GeneratedType::boolean, "The packet is a congestion notification",
        "IBA A17"},
    GeneratedField{
        "rdma.cnp.latency", "Time since mark", GeneratedType::time_span,
        "The congestion notification comes so long after the latest marked packet of the stream"},
    GeneratedField{
        "rdma.nak", "NAK", GeneratedType::text,
        "The NAK says this: PSN sequence error, remote access error, RNR and the like", "IBA 9.7.5.2.8"},
    GeneratedField{
        "rdma.rnr.timer", "RNR timer", GeneratedType::time_span, "The RNR NAK asks to wait for so long",
        "IBA 9.7.5.2.8"},
    GeneratedField{
        "rdma.retransmission.of", "Sent first in", GeneratedType::frame,
        "This frame holds the packet as it was sent first"},
    GeneratedField{
        "rdma.retransmission.cause", "Cause", GeneratedType::text,
        "The packet is retransmitted for this reason: nak, timeout, rnr, implied or unknown", "IBA 9.7"},
    GeneratedField{
        "rdma.retransmission.wait", "Sent again after", GeneratedType::time_span,
        "The first packet that is retransmitted comes so long after the NAK, or after anything was sent"},
    GeneratedField{
        "rdma.retransmission.retry", "Retry", GeneratedType::unsigned_number,
        "The first packet that is retransmitted after a timeout follows so many timeouts in a row", "IBA 9.9.2.1.3"},
    GeneratedField{
        "rdma.analysis.retransmission", "Retransmission", GeneratedType::expert_info,
        "The packet is retransmitted, for whatever reason", "IBA 9.7"},
    GeneratedField{
        "rdma.analysis.fast_retransmission", "Retransmission after a NAK", GeneratedType::expert_info,
        "The packet is retransmitted after a NAK, or because of a gap in a response", "IBA 9.7"},
    GeneratedField{
        "rdma.analysis.timeout_retransmission", "Retransmission after a timeout", GeneratedType::expert_info,
        "The packet is retransmitted after a timeout", "IBA 9.9.2.1.3"},
    GeneratedField{
        "rdma.analysis.rnr_retransmission", "Retransmission after an RNR NAK", GeneratedType::expert_info,
        "The packet is retransmitted after an RNR NAK", "IBA 9.7.5.2.8"},
    GeneratedField{
        "rdma.analysis.nak", "NAK", GeneratedType::expert_info, "A request is refused, RNR NAKs left out", "IBA 9.7"},
    GeneratedField{
        "rdma.analysis.rnr", "Receiver not ready", GeneratedType::expert_info, "The receiver is not ready",
        "IBA 9.7.5.2.8"},
    GeneratedField{
        "rdma.analysis.out_of_order", "Out of order", GeneratedType::expert_info,
        "The packet comes behind later ones, without having been retransmitted", "IBA 9.7"},
    GeneratedField{
        "rdma.analysis.lost_packets", "Lost packets", GeneratedType::expert_info,
        "A packet was lost: a NAK asks for it, or it is retransmitted though it was never seen", "IBA 9.7"},
    GeneratedField{
        "rdma.analysis.unseen_packets", "Packets not seen", GeneratedType::expert_info,
        "Packets before this one have not been seen: lost, or not captured", "IBA 9.7"},
    GeneratedField{
        "rdma.analysis.ack_unseen", "Acknowledges what was not seen", GeneratedType::expert_info,
        "Packets are acknowledged that are not in the capture", "IBA 9.7"},
    GeneratedField{
        "rdma.analysis.duplicate_ack", "Duplicate acknowledgment", GeneratedType::expert_info,
        "The acknowledgment was seen before", "IBA 9.7"},
    GeneratedField{
        "rdma.analysis.duplicate_request", "Duplicate request", GeneratedType::expert_info,
        "The packet is retransmitted, and was known by then to have arrived", "IBA 9.7"},
    GeneratedField{
        "rdma.analysis.retries_exhausted", "Retries exhausted", GeneratedType::expert_info,
        "Nothing came after the last of all retries", "IBA 9.9.2.1.3"},
    GeneratedField{
        "rdma.copy_of", "Copy of", GeneratedType::frame,
        "Another interface saw this frame first, and what is known of it holds for its copy"},
    GeneratedField{
        "rdma.rule", "Rule", GeneratedType::text, "The frame breaks the rule with this id, for example RDMA-03"},
};

}  // namespace fabricscope::engine::rdma
