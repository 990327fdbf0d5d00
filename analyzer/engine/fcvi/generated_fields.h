// SPDX-License-Identifier: GPL-2.0-or-later
// What the FC-VI tracker adds to a frame beyond its octets.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::engine::fcvi {

inline constexpr std::array generated_fields{
    GeneratedField{
        "fcvi.connection", "Connection", GeneratedType::text,
        "This is the connection as fabricscope analyze names it, for example fcvi-1; acknowledgments and aborts of its "
        "Exchanges have it as well"},
    GeneratedField{
        "fcvi.stream", "Stream", GeneratedType::unsigned_number, "This is the number of the connection: n in fcvi-n"},
    GeneratedField{
        "fcvi.exchange", "Exchange", GeneratedType::text,
        "This is the Exchange as fabricscope analyze names it, for example xchg-1"},
    GeneratedField{
        "fcvi.message", "Message", GeneratedType::text,
        "This is the VI Message as fabricscope analyze names it, for example fcvi-message-1"},
    GeneratedField{
        "fcvi.version", "Version", GeneratedType::text, "The frame is read with this document: iso or rev-1.0"},
    GeneratedField{
        "fcvi.iu", "Information Unit", GeneratedType::text,
        "This is the name of the Information Unit, for example FCVI_SEND_RQST", "ISO/IEC 14165-331, 6"},
    GeneratedField{
        "fcvi.outcome", "Outcome", GeneratedType::text,
        "The set-up of the connection had this outcome: connected, rejected or aborted", "ISO/IEC 14165-331, 5.3"},
    GeneratedField{
        "fcvi.rejection", "Rejected", GeneratedType::text, "This side rejected the connection, for this reason",
        "ISO/IEC 14165-331, 5.3"},
    GeneratedField{
        "fcvi.rejected_in", "Rejected in", GeneratedType::frame, "This frame holds the IU that rejected the connection",
        "ISO/IEC 14165-331, 5.3"},
    GeneratedField{
        "fcvi.reason_text", "Reason", GeneratedType::text,
        "These are the words for the IU's reason code, for example No Discriminator Match", "ISO/IEC 14165-331, D.1"},
    GeneratedField{"fcvi.from", "From", GeneratedType::text, "This side sent it: client or server"},
    GeneratedField{"fcvi.source", "Source", GeneratedType::text, "This N_Port sent it"},
    GeneratedField{"fcvi.destination", "Destination", GeneratedType::text, "It was sent to this N_Port"},
    GeneratedField{
        "fcvi.endpoint", "Source or destination", GeneratedType::text,
        "Either fcvi.source or fcvi.destination has this value"},
    GeneratedField{
        "fcvi.client_address", "Client's address", GeneratedType::text,
        "The client's endpoint has this network address, a host address and a discriminator", "VI-ARCH 3.2.2.2"},
    GeneratedField{
        "fcvi.server_address", "Server's address", GeneratedType::text,
        "The server's endpoint has this network address, a host address and a discriminator", "VI-ARCH 3.2.2.2"},
    GeneratedField{
        "fcvi.operation", "Operation", GeneratedType::text, "The Message does this: send, rdma write or rdma read",
        "ISO/IEC 14165-331, 5.2"},
    GeneratedField{
        "fcvi.state", "State of the Message", GeneratedType::text,
        "The Message ended in this state: open, complete, incomplete, failed or aborted"},
    GeneratedField{
        "fcvi.offset", "Offset in the Message", GeneratedType::unsigned_number,
        "The frame's data begin here in the Message", "ISO/IEC 14165-331, 5.9.8"},
    GeneratedField{
        "fcvi.range", "Remote memory of the frame", GeneratedType::text,
        "The frame's data are written to or were read from these addresses, the last one included"},
    GeneratedField{
        "fcvi.message_range", "Remote memory of the Message", GeneratedType::text,
        "The Message writes or reads these addresses, the last one included"},
    GeneratedField{
        "fcvi.address", "Remote address of the frame", GeneratedType::address,
        "This is the first address that the frame's data are written to or were read from"},
    GeneratedField{
        "fcvi.last_address", "Last remote address of the frame", GeneratedType::address,
        "This is the last address that the frame's data are written to or were read from: fcvi.address <= A && "
        "fcvi.last_address >= A finds who touched address A"},
    GeneratedField{"fcvi.data", "Data", GeneratedType::octets, "This is the frame's part of the Message"},
    GeneratedField{
        "fcvi.message_data", "Message data", GeneratedType::octets,
        "This is the whole Message, in the frame that completes it"},
    GeneratedField{
        "fcvi.message_length", "Length of the Message", GeneratedType::unsigned_number,
        "The Message has so many bytes of data, in the frame that completes it"},
    GeneratedField{
        "fcvi.segment", "Data in frame", GeneratedType::frame,
        "This frame has a part of the Message, in the frame that completes it"},
    GeneratedField{
        "fcvi.reassembled_in", "Message complete in", GeneratedType::frame,
        "With this frame nothing of the Message's data is missing any more"},
    GeneratedField{
        "fcvi.request_in", "Request in", GeneratedType::frame, "This frame holds what this one answers",
        "ISO/IEC 14165-331, 5.2"},
    GeneratedField{
        "fcvi.response_in", "Response in", GeneratedType::frame, "This frame holds the first response to this one",
        "ISO/IEC 14165-331, 5.2"},
    GeneratedField{
        "fcvi.time", "Time since request", GeneratedType::time_span,
        "So much time passed between the request and this response"},
    GeneratedField{"fcvi.repeated", "Repeated", GeneratedType::boolean, "The frame was seen before"},
    GeneratedField{
        "fcvi.copy_of", "Copy of", GeneratedType::frame,
        "Another interface saw this frame first, and what is known of it holds for its copy"},
    GeneratedField{
        "fcvi.rule", "Rule", GeneratedType::text, "The frame breaks the rule with this id, for example FCVI-09"},
    GeneratedField{
        "fcvi.rejected", "Rejected", GeneratedType::expert_info, "The connection is rejected",
        "ISO/IEC 14165-331, 5.3"},
    GeneratedField{
        "fcvi.failed", "Failed", GeneratedType::expert_info, "The Message failed", "ISO/IEC 14165-331, 8.4.2"},
};

}  // namespace fabricscope::engine::fcvi
