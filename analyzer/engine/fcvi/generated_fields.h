// SPDX-License-Identifier: GPL-2.0-or-later
// What the FC-VI tracker adds to a frame beyond its octets.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::engine::fcvi {

inline constexpr std::array generated_fields{
    GeneratedField{
        "fcvi.connection", "Connection", GeneratedType::text,
        "Connection, as fabricscope analyze names it: fcvi-1; of its IUs, and of the acknowledgments and aborts of its "
        "Exchanges"},
    GeneratedField{"fcvi.stream", "Stream", GeneratedType::unsigned_number, "Number of the connection: n in fcvi-n"},
    GeneratedField{
        "fcvi.exchange", "Exchange", GeneratedType::text, "Exchange, as fabricscope analyze names it: xchg-1"},
    GeneratedField{
        "fcvi.message", "Message", GeneratedType::text, "VI Message, as fabricscope analyze names it: fcvi-message-1"},
    GeneratedField{
        "fcvi.version", "Version", GeneratedType::text, "Which document the frame is read with: iso, rev-1.0"},
    GeneratedField{"fcvi.iu", "Information Unit", GeneratedType::text, "Name of the IU: FCVI_SEND_RQST"},
    GeneratedField{
        "fcvi.outcome", "Outcome", GeneratedType::text, "What came of the connection: connected, rejected, aborted"},
    GeneratedField{
        "fcvi.rejection", "Rejected", GeneratedType::text, "Who rejected the connection, and for what reason"},
    GeneratedField{
        "fcvi.rejected_in", "Rejected in", GeneratedType::frame, "Frame of the IU that rejected the connection"},
    GeneratedField{
        "fcvi.reason_text", "Reason", GeneratedType::text, "The IU's reason code in words: No Discriminator Match"},
    GeneratedField{"fcvi.from", "From", GeneratedType::text, "Who sent it: client or server"},
    GeneratedField{"fcvi.source", "Source", GeneratedType::text, "N_Port that sent it: 01.02.03"},
    GeneratedField{"fcvi.destination", "Destination", GeneratedType::text, "N_Port that it was sent to"},
    GeneratedField{
        "fcvi.endpoint", "Source or destination", GeneratedType::text, "Either of fcvi.source and fcvi.destination"},
    GeneratedField{
        "fcvi.client_address", "Client's address", GeneratedType::text,
        "Network address of the client's endpoint: host address#discriminator"},
    GeneratedField{
        "fcvi.server_address", "Server's address", GeneratedType::text,
        "Network address of the server's endpoint: host address#discriminator"},
    GeneratedField{
        "fcvi.operation", "Operation", GeneratedType::text, "What the Message does: send, rdma write, rdma read"},
    GeneratedField{
        "fcvi.state", "State of the Message", GeneratedType::text,
        "What became of the Message: open, complete, incomplete, failed, aborted"},
    GeneratedField{"fcvi.offset", "Offset in the Message", GeneratedType::unsigned_number, "Of the frame's data"},
    GeneratedField{
        "fcvi.range", "Remote memory of the frame", GeneratedType::text,
        "Addresses that the frame's data are written to or were read from, the last one included"},
    GeneratedField{
        "fcvi.message_range", "Remote memory of the Message", GeneratedType::text,
        "Addresses that the Message writes or reads, the last one included"},
    GeneratedField{
        "fcvi.address", "Remote address of the frame", GeneratedType::address,
        "First address that the frame's data are written to or were read from"},
    GeneratedField{
        "fcvi.last_address", "Last remote address of the frame", GeneratedType::address,
        "Last address that the frame's data are written to or were read from: fcvi.address <= A && "
        "fcvi.last_address >= A is who touched address A"},
    GeneratedField{"fcvi.data", "Data", GeneratedType::octets, "The frame's part of the Message"},
    GeneratedField{
        "fcvi.message_data", "Message data", GeneratedType::octets,
        "The whole Message, in the frame that completes it"},
    GeneratedField{
        "fcvi.message_length", "Length of the Message", GeneratedType::unsigned_number,
        "Bytes of data, in the frame that completes the Message"},
    GeneratedField{
        "fcvi.segment", "Data in frame", GeneratedType::frame,
        "Frame with a part of the Message, in the frame that completes it"},
    GeneratedField{
        "fcvi.reassembled_in", "Message complete in", GeneratedType::frame,
        "Frame with which nothing of the Message's data is missing any more"},
    GeneratedField{"fcvi.request_in", "Request in", GeneratedType::frame, "Frame that this one answers"},
    GeneratedField{"fcvi.response_in", "Response in", GeneratedType::frame, "Frame of the first response to this one"},
    GeneratedField{
        "fcvi.time", "Time since request", GeneratedType::time_span, "Time from the request to this response"},
    GeneratedField{"fcvi.repeated", "Repeated", GeneratedType::boolean, "The frame was seen before"},
    GeneratedField{
        "fcvi.copy_of", "Copy of", GeneratedType::frame,
        "Frame that another interface saw first; what is known of it holds for its copy"},
    GeneratedField{"fcvi.rule", "Rule", GeneratedType::text, "Id of a rule that this frame breaks: FCVI-09"},
    GeneratedField{"fcvi.rejected", "Rejected", GeneratedType::expert_info, "The connection is rejected"},
    GeneratedField{"fcvi.failed", "Failed", GeneratedType::expert_info, "The Message failed"},
};

}  // namespace fabricscope::engine::fcvi
