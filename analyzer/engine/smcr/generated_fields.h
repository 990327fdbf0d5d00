// SPDX-License-Identifier: GPL-2.0-or-later
// What the SMC-R tracker adds to a frame beyond its octets.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::engine::smcr {

inline constexpr std::array generated_fields{
    GeneratedField{
        "smcr.clc", "CLC message", GeneratedType::presence, "The frame holds or completes a CLC message",
        "RFC 7609, A.2"},
    GeneratedField{
        "smcr.llc", "LLC message", GeneratedType::presence, "The frame holds or completes an LLC message",
        "RFC 7609, A.3"},
    GeneratedField{
        "smcr.cdc", "CDC message", GeneratedType::presence, "The frame holds a CDC message", "RFC 7609, A.4"},
    GeneratedField{
        "smcr.write", "RDMA WRITE", GeneratedType::presence, "The frame holds RDMA WRITE data for an RMB",
        "RFC 7609, 4.7.1"},
    GeneratedField{
        "smcr.connection", "Connection", GeneratedType::text,
        "This is the connection as fabricscope analyze names it, for example smcr-1"},
    GeneratedField{
        "smcr.stream", "Stream", GeneratedType::unsigned_number, "This is the number of the connection: n in smcr-n"},
    GeneratedField{
        "smcr.link_group", "Link group", GeneratedType::text,
        "This is the link group as fabricscope analyze names it, for example lg-1", "RFC 7609, 2.2"},
    GeneratedField{
        "smcr.link", "Link", GeneratedType::unsigned_number, "This link of the group carries the packet",
        "RFC 7609, 2.2"},
    GeneratedField{
        "smcr.from", "From", GeneratedType::text, "This side of the TCP connection sent it: client or server"},
    GeneratedField{
        "smcr.source", "Source", GeneratedType::text,
        "This address and port of the TCP connection sent it; on a connection captured midway only the address is "
        "known"},
    GeneratedField{
        "smcr.destination", "Destination", GeneratedType::text,
        "It was sent to this address and port, as in smcr.source"},
    GeneratedField{
        "smcr.endpoint", "Source or destination", GeneratedType::text,
        "Either smcr.source or smcr.destination has this value"},
    GeneratedField{
        "smcr.request_in", "Request in", GeneratedType::frame,
        "This frame holds the CLC or LLC message that this one answers", "RFC 7609, 3.5"},
    GeneratedField{
        "smcr.response_in", "Response in", GeneratedType::frame,
        "This frame holds the CLC or LLC message that answers this one", "RFC 7609, 3.5"},
    GeneratedField{
        "smcr.time", "Time since request", GeneratedType::time_span,
        "So much time passed between the request and this response"},
    GeneratedField{
        "smcr.rmbe.offset", "Offset in RMB element", GeneratedType::unsigned_number,
        "This packet's data begins here in the RMB element", "RFC 7609, 4.4.1"},
    GeneratedField{
        "smcr.rmbe.position", "Position in stream", GeneratedType::unsigned_number,
        "This packet's data begins here in the direction's stream of bytes"},
    GeneratedField{
        "smcr.write.length", "Length of data", GeneratedType::unsigned_number,
        "The packet has so many bytes of RDMA WRITE data"},
    GeneratedField{
        "smcr.announced_in", "Announced in", GeneratedType::frame,
        "The producer cursor in this CDC message tells the peer of this packet's data", "RFC 7609, 4.7.1"},
    GeneratedField{
        "smcr.announces", "Announces", GeneratedType::frame,
        "This CDC message's producer cursor tells of the data of these RDMA WRITEs, of which the latest 64 are listed",
        "RFC 7609, 4.7.1"},
    GeneratedField{
        "smcr.in_flight", "Bytes in flight", GeneratedType::unsigned_number,
        "After this message, so many bytes that the sender announced have not been consumed by its peer",
        "RFC 7609, 4.3"},
    GeneratedField{
        "smcr.window", "Window", GeneratedType::unsigned_number,
        "After this message, the sender may still write so many bytes", "RFC 7609, 4.3"},
    GeneratedField{
        "smcr.stall", "Window full", GeneratedType::boolean, "After this message, the sender may write nothing more",
        "RFC 7609, 4.5.1"},
    GeneratedField{
        "smcr.stall_time", "Stalled for", GeneratedType::time_span,
        "The sender's window had been full for so long when this message opened it", "RFC 7609, 4.5.1"},
    GeneratedField{
        "smcr.producer_delta", "Produced", GeneratedType::signed_number,
        "This message moves the producer cursor by so many bytes", "RFC 7609, 4.3"},
    GeneratedField{
        "smcr.consumer_delta", "Consumed", GeneratedType::signed_number,
        "This message moves the consumer cursor by so many bytes", "RFC 7609, 4.3"},
    GeneratedField{
        "smcr.retransmission", "Retransmission", GeneratedType::boolean, "The packet was seen before on this link"},
    GeneratedField{
        "smcr.copy_of", "Copy of", GeneratedType::frame,
        "Another interface saw this frame first, and what is known of it holds for its copy"},
    GeneratedField{
        "smcr.rule", "Rule", GeneratedType::text, "The frame breaks the rule with this id, for example SMCR-R34"},
    GeneratedField{
        "smcr.llc.add_link.rfc_shape", "ADD LINK as RFC 7609 draws it", GeneratedType::expert_info,
        "The message lacks the two reserved bytes that implementations send, as in the figure of the RFC",
        "RFC 7609, A.3.2"},
};

}  // namespace fabricscope::engine::smcr
