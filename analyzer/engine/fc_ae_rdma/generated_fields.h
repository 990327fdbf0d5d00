// SPDX-License-Identifier: GPL-2.0-or-later
// What the FC-AE-RDMA tracker adds to a frame beyond its octets.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::engine::fc_ae_rdma {

inline constexpr std::array generated_fields{
    GeneratedField{
        "fcaerdma.message", "Message", GeneratedType::text,
        "This is the RDMA message as fabricscope analyze names it, for example fc-ae-rdma-1; acknowledgments and "
        "aborts of its Exchange have it as well"},
    GeneratedField{
        "fcaerdma.stream", "Stream", GeneratedType::unsigned_number,
        "This is the number of the message: n in fc-ae-rdma-n"},
    GeneratedField{
        "fcaerdma.exchange", "Exchange", GeneratedType::text,
        "This is the Exchange as fabricscope analyze names it, for example xchg-1"},
    GeneratedField{
        "fcaerdma.iu", "Information Unit", GeneratedType::text,
        "This is the name of the Information Unit, for example FCP_CMND", "ISO/IEC TR 14165-314, 4.2.4"},
    GeneratedField{
        "fcaerdma.operation", "Operation", GeneratedType::text, "The message does this: read or write",
        "ISO/IEC TR 14165-314, 4.2.4.4"},
    GeneratedField{
        "fcaerdma.state", "State of the message", GeneratedType::text,
        "The message ended in this state: open, complete, failed or aborted"},
    GeneratedField{
        "fcaerdma.no_notification", "Without Target notification", GeneratedType::boolean,
        "The Code of the FCP_CMND asks for the Target not to be notified: A7h does, A6h does not",
        "ISO/IEC TR 14165-314, 4.2.4.4"},
    GeneratedField{
        "fcaerdma.initiator", "Initiator", GeneratedType::text, "This N_Port sent the command",
        "ISO/IEC TR 14165-314, 4.2.1"},
    GeneratedField{
        "fcaerdma.target", "Target", GeneratedType::text, "This N_Port's memory is read or written",
        "ISO/IEC TR 14165-314, 4.2.1"},
    GeneratedField{"fcaerdma.source", "Source", GeneratedType::text, "This N_Port sent it"},
    GeneratedField{"fcaerdma.destination", "Destination", GeneratedType::text, "It was sent to this N_Port"},
    GeneratedField{
        "fcaerdma.endpoint", "Source or destination", GeneratedType::text,
        "Either fcaerdma.source or fcaerdma.destination has this value"},
    GeneratedField{
        "fcaerdma.region", "Memory region", GeneratedType::text,
        "The memory region is this Target and Logical Unit, for example 01.02.03 LUN 4", "ISO/IEC TR 14165-314, 4.2.2"},
    GeneratedField{
        "fcaerdma.message_range", "Memory of the message", GeneratedType::text,
        "The message reads or writes these addresses in the region, the last one included",
        "ISO/IEC TR 14165-314, 4.2.3"},
    GeneratedField{
        "fcaerdma.range", "Memory of the frame", GeneratedType::text,
        "The frame's data belong to these addresses in the region, the last one included",
        "ISO/IEC TR 14165-314, 4.2.3"},
    GeneratedField{
        "fcaerdma.address", "Address of the frame", GeneratedType::address,
        "The frame's data begin at this address in the region", "ISO/IEC TR 14165-314, 4.2.3"},
    GeneratedField{"fcaerdma.data", "Data", GeneratedType::octets, "This is the frame's part of the message"},
    GeneratedField{
        "fcaerdma.message_data", "Message data", GeneratedType::octets,
        "These are all data of the message, in the frame that completes them"},
    GeneratedField{
        "fcaerdma.message_length", "Length of the message", GeneratedType::unsigned_number,
        "The message has so many bytes of data, in the frame that completes them"},
    GeneratedField{
        "fcaerdma.segment", "Data in frame", GeneratedType::frame,
        "This frame has a part of the data, in the frame that completes them"},
    GeneratedField{
        "fcaerdma.reassembled_in", "Data complete in", GeneratedType::frame,
        "With this frame nothing of the message's data is missing any more"},
    GeneratedField{
        "fcaerdma.request_in", "Request in", GeneratedType::frame, "This frame holds the FCP_CMND",
        "ISO/IEC TR 14165-314, 4.2.4.4"},
    GeneratedField{
        "fcaerdma.response_in", "Response in", GeneratedType::frame, "This frame holds the FCP_RSP",
        "ISO/IEC TR 14165-314, 4.2.4.7"},
    GeneratedField{
        "fcaerdma.time", "Time since request", GeneratedType::time_span,
        "So much time passed between the FCP_CMND and the FCP_RSP"},
    GeneratedField{"fcaerdma.repeated", "Repeated", GeneratedType::boolean, "The frame was seen before"},
    GeneratedField{
        "fcaerdma.copy_of", "Copy of", GeneratedType::frame,
        "Another interface saw this frame first, and what is known of it holds for its copy"},
    GeneratedField{
        "fcaerdma.rule", "Rule", GeneratedType::text, "The frame breaks the rule with this id, for example AERDMA-09"},
    GeneratedField{
        "fcaerdma.failed", "Failed", GeneratedType::expert_info, "The message failed", "ISO/IEC TR 14165-314, 4.2.4.7"},
};

}  // namespace fabricscope::engine::fc_ae_rdma
