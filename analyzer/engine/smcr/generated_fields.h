// SPDX-License-Identifier: GPL-2.0-or-later
// What the SMC-R tracker adds to a frame beyond its octets.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::engine::smcr {

inline constexpr std::array generated_fields{
    GeneratedField{"smcr.clc", "CLC message", GeneratedType::presence, "The frame holds or completes a CLC message"},
    GeneratedField{"smcr.llc", "LLC message", GeneratedType::presence, "The frame holds or completes an LLC message"},
    GeneratedField{"smcr.cdc", "CDC message", GeneratedType::presence, "The frame holds a CDC message"},
    GeneratedField{"smcr.write", "RDMA WRITE", GeneratedType::presence, "The frame holds RDMA WRITE data for an RMB"},
    GeneratedField{
        "smcr.connection", "Connection", GeneratedType::text, "Connection, as fabricscope analyze names it: smcr-1"},
    GeneratedField{"smcr.stream", "Stream", GeneratedType::unsigned_number, "Number of the connection: n in smcr-n"},
    GeneratedField{
        "smcr.link_group", "Link group", GeneratedType::text, "Link group, as fabricscope analyze names it: lg-1"},
    GeneratedField{"smcr.link", "Link", GeneratedType::unsigned_number, "Number of the link that carries the packet"},
    GeneratedField{"smcr.from", "From", GeneratedType::text, "Who sent it: client or server of the TCP connection"},
    GeneratedField{
        "smcr.source", "Source", GeneratedType::text,
        "Who sent it: address and port of the TCP connection; on a connection captured midway the address only"},
    GeneratedField{
        "smcr.destination", "Destination", GeneratedType::text, "Address and port it was sent to, as in smcr.source"},
    GeneratedField{
        "smcr.endpoint", "Source or destination", GeneratedType::text, "Either of smcr.source and smcr.destination"},
    GeneratedField{
        "smcr.request_in", "Request in", GeneratedType::frame, "Frame of the CLC or LLC message that this one answers"},
    GeneratedField{
        "smcr.response_in", "Response in", GeneratedType::frame,
        "Frame of the CLC or LLC message that answers this one"},
    GeneratedField{
        "smcr.time", "Time since request", GeneratedType::time_span, "Time from the request to this response"},
    GeneratedField{
        "smcr.rmbe.offset", "Offset in RMB element", GeneratedType::unsigned_number,
        "Where this packet's data begins in the RMB element"},
    GeneratedField{
        "smcr.rmbe.position", "Position in stream", GeneratedType::unsigned_number,
        "Where this packet's data begins in the direction's stream of bytes"},
    GeneratedField{
        "smcr.write.length", "Length of data", GeneratedType::unsigned_number,
        "Bytes of RDMA WRITE data in this packet"},
    GeneratedField{
        "smcr.announced_in", "Announced in", GeneratedType::frame,
        "Of an RDMA WRITE: the CDC message whose producer cursor tells the peer of this packet's data"},
    GeneratedField{
        "smcr.announces", "Announces", GeneratedType::frame,
        "Of a CDC message: the RDMA WRITEs whose data its producer cursor tells of, the latest 64 of them"},
    GeneratedField{
        "smcr.in_flight", "Bytes in flight", GeneratedType::unsigned_number,
        "Bytes that the sender announced and its peer has not consumed, after this message"},
    GeneratedField{
        "smcr.window", "Window", GeneratedType::unsigned_number,
        "Bytes that the sender may still write, after this message"},
    GeneratedField{
        "smcr.stall", "Window full", GeneratedType::boolean, "The sender may write nothing more, after this message"},
    GeneratedField{
        "smcr.stall_time", "Stalled for", GeneratedType::time_span,
        "How long the peer had found the sender's window full before this message opened it"},
    GeneratedField{
        "smcr.producer_delta", "Produced", GeneratedType::signed_number,
        "Bytes by which this message moves the producer cursor"},
    GeneratedField{
        "smcr.consumer_delta", "Consumed", GeneratedType::signed_number,
        "Bytes by which this message moves the consumer cursor"},
    GeneratedField{
        "smcr.retransmission", "Retransmission", GeneratedType::boolean, "The packet was seen before on this link"},
    GeneratedField{
        "smcr.copy_of", "Copy of", GeneratedType::frame,
        "Frame that another interface saw first; what is known of it holds for its copy"},
    GeneratedField{"smcr.rule", "Rule", GeneratedType::text, "Id of a rule that this frame breaks: SMCR-R34"},
    GeneratedField{
        "smcr.llc.add_link.rfc_shape", "ADD LINK as RFC 7609 draws it", GeneratedType::expert_info,
        "Laid out without the two reserved bytes that implementations send"},
};

}  // namespace fabricscope::engine::smcr
