// SPDX-License-Identifier: GPL-2.0-or-later
// What the RDMA tracker adds to a frame beyond its octets. Those of rdma.analysis are expert infos, as TCP's are.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::engine::rdma {

inline constexpr std::array generated_fields{
    GeneratedField{
        "rdma.stream", "Stream", GeneratedType::unsigned_number,
        "Number of the stream of two queue pairs: n in rdma-n, as fabricscope analyze names it"},
    GeneratedField{
        "rdma.session", "Session", GeneratedType::text,
        "What set the stream up, as fabricscope analyze names it: cm-1, or the link group lg-1"},
    GeneratedField{"rdma.transport", "Transport", GeneratedType::text, "Service of the queue pairs: rc, uc, ud, xrc"},
    GeneratedField{
        "rdma.source_qp", "Source queue pair", GeneratedType::unsigned_number,
        "Queue pair that sent the packet, which no packet but a datagram says; known once its peer has been found"},
    GeneratedField{
        "rdma.source", "Source", GeneratedType::text, "Who sent it: address, and the queue pair if it is known"},
    GeneratedField{
        "rdma.destination", "Destination", GeneratedType::text, "Address and queue pair that it was sent to"},
    GeneratedField{
        "rdma.endpoint", "Source or destination", GeneratedType::text, "Either of rdma.source and rdma.destination"},
    GeneratedField{
        "rdma.psn_relative", "Relative PSN", GeneratedType::unsigned_number,
        "PSN, counted from the first one that the requester was seen to send"},
    GeneratedField{
        "rdma.operation", "Operation", GeneratedType::unsigned_number,
        "Which of its side's operations the packet belongs to or answers, from 1 in the order of asking"},
    GeneratedField{"rdma.operation.type", "Type", GeneratedType::text, "send, write, read or atomic"},
    GeneratedField{
        "rdma.operation.length", "Length", GeneratedType::unsigned_number,
        "Bytes that the operation moves, as its request says"},
    GeneratedField{
        "rdma.operation.time", "Completed after", GeneratedType::time_span,
        "Of the packet that completes an operation: time since the operation's first packet"},
    GeneratedField{
        "rdma.begins_in", "Begins in", GeneratedType::frame, "First packet of the request that this one continues"},
    GeneratedField{
        "rdma.request_in", "Request in", GeneratedType::frame, "First packet of the request that this one answers"},
    GeneratedField{
        "rdma.response_in", "Response in", GeneratedType::frame,
        "Packet that completes the operation which begins here: acknowledgment, or last packet of the response"},
    GeneratedField{
        "rdma.time", "Time since request", GeneratedType::time_span,
        "Time from the first packet of the request to this answer"},
    GeneratedField{
        "rdma.ack_to", "Acknowledges", GeneratedType::frame, "Last of the packets that this one acknowledges"},
    GeneratedField{
        "rdma.acknowledged_in", "Acknowledged in", GeneratedType::frame,
        "Of a packet of a SEND or WRITE: the packet that acknowledges it"},
    GeneratedField{
        "rdma.ack_rtt", "Round-trip time", GeneratedType::time_span,
        "Time from the last packet that is acknowledged to its acknowledgment"},
    GeneratedField{
        "rdma.packets_in_flight", "Packets in flight", GeneratedType::unsigned_number,
        "Packets of requests that have not been acknowledged, the PSNs of READ responses among them"},
    GeneratedField{
        "rdma.bytes_in_flight", "Bytes in flight", GeneratedType::unsigned_number,
        "Bytes of SENDs and WRITEs that have not been acknowledged"},
    GeneratedField{
        "rdma.ecn.ce", "Congestion experienced", GeneratedType::boolean, "IP says that a switch has marked the packet"},
    GeneratedField{"rdma.cnp", "Congestion notification", GeneratedType::boolean, "The packet is a CNP"},
    GeneratedField{
        "rdma.cnp.latency", "Time since mark", GeneratedType::time_span,
        "Of a CNP: time since the latest marked packet of the stream"},
    GeneratedField{
        "rdma.nak", "NAK", GeneratedType::text, "What a NAK says: PSN sequence error, remote access error, RNR ..."},
    GeneratedField{"rdma.rnr.timer", "RNR timer", GeneratedType::time_span, "How long an RNR NAK asks to wait"},
    GeneratedField{
        "rdma.retransmission.of", "Sent first in", GeneratedType::frame,
        "Of a packet that is retransmitted: the packet as it was sent first"},
    GeneratedField{
        "rdma.retransmission.cause", "Cause", GeneratedType::text,
        "Why it is retransmitted: nak, timeout, rnr, implied, unknown"},
    GeneratedField{
        "rdma.retransmission.wait", "Sent again after", GeneratedType::time_span,
        "Of the first packet that is retransmitted: time since the NAK, or since anything was sent"},
    GeneratedField{
        "rdma.retransmission.retry", "Retry", GeneratedType::unsigned_number,
        "Of the first packet that is retransmitted after a timeout: how many timeouts in a row"},
    GeneratedField{
        "rdma.analysis.retransmission", "Retransmission", GeneratedType::expert_info,
        "The packet is retransmitted, for whatever reason"},
    GeneratedField{
        "rdma.analysis.fast_retransmission", "Retransmission after a NAK", GeneratedType::expert_info,
        "The packet is retransmitted after a NAK, or because of a gap in a response"},
    GeneratedField{
        "rdma.analysis.timeout_retransmission", "Retransmission after a timeout", GeneratedType::expert_info,
        "The packet is retransmitted after a timeout"},
    GeneratedField{
        "rdma.analysis.rnr_retransmission", "Retransmission after an RNR NAK", GeneratedType::expert_info,
        "The packet is retransmitted after an RNR NAK"},
    GeneratedField{"rdma.analysis.nak", "NAK", GeneratedType::expert_info, "A request is refused, RNR NAKs left out"},
    GeneratedField{"rdma.analysis.rnr", "Receiver not ready", GeneratedType::expert_info, "The receiver is not ready"},
    GeneratedField{
        "rdma.analysis.out_of_order", "Out of order", GeneratedType::expert_info,
        "The packet comes behind later ones, without having been retransmitted"},
    GeneratedField{
        "rdma.analysis.lost_packets", "Lost packets", GeneratedType::expert_info,
        "A packet was lost: a NAK asks for it, or it is retransmitted though it was never seen"},
    GeneratedField{
        "rdma.analysis.unseen_packets", "Packets not seen", GeneratedType::expert_info,
        "Packets before this one have not been seen: lost, or not captured"},
    GeneratedField{
        "rdma.analysis.ack_unseen", "Acknowledges what was not seen", GeneratedType::expert_info,
        "Packets are acknowledged that are not in the capture"},
    GeneratedField{
        "rdma.analysis.duplicate_ack", "Duplicate acknowledgment", GeneratedType::expert_info,
        "The acknowledgment was seen before"},
    GeneratedField{
        "rdma.analysis.duplicate_request", "Duplicate request", GeneratedType::expert_info,
        "The packet had arrived, and is retransmitted"},
    GeneratedField{
        "rdma.analysis.retries_exhausted", "Retries exhausted", GeneratedType::expert_info,
        "Nothing came after the last of all retries"},
    GeneratedField{
        "rdma.copy_of", "Copy of", GeneratedType::frame,
        "Frame that another interface saw first; what is known of it holds for its copy"},
    GeneratedField{"rdma.rule", "Rule", GeneratedType::text, "Id of a rule that this frame breaks: RDMA-03"},
};

}  // namespace fabricscope::engine::rdma
