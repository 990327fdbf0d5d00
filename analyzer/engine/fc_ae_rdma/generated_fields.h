// SPDX-License-Identifier: GPL-2.0-or-later
// What the FC-AE-RDMA tracker adds to a frame beyond its octets.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::engine::fc_ae_rdma {

inline constexpr std::array generated_fields{
    GeneratedField{
        "fcaerdma.message", "Message", GeneratedType::text,
        "RDMA message, as fabricscope analyze names it: fc-ae-rdma-1; of its IUs, and of the acknowledgments and "
        "aborts of its Exchange"},
    GeneratedField{
        "fcaerdma.stream", "Stream", GeneratedType::unsigned_number, "Number of the message: n in fc-ae-rdma-n"},
    GeneratedField{
        "fcaerdma.exchange", "Exchange", GeneratedType::text, "Exchange, as fabricscope analyze names it: xchg-1"},
    GeneratedField{"fcaerdma.iu", "Information Unit", GeneratedType::text, "Name of the IU: FCP_CMND"},
    GeneratedField{"fcaerdma.operation", "Operation", GeneratedType::text, "What the message does: read, write"},
    GeneratedField{
        "fcaerdma.state", "State of the message", GeneratedType::text,
        "What became of the message: open, complete, failed, aborted"},
    GeneratedField{
        "fcaerdma.no_notification", "Without Target notification", GeneratedType::boolean,
        "What the Code of the FCP_CMND says: A7h, true; A6h, false"},
    GeneratedField{"fcaerdma.initiator", "Initiator", GeneratedType::text, "N_Port that sent the command: 01.02.03"},
    GeneratedField{"fcaerdma.target", "Target", GeneratedType::text, "N_Port whose memory is read or written"},
    GeneratedField{"fcaerdma.source", "Source", GeneratedType::text, "N_Port that sent it"},
    GeneratedField{"fcaerdma.destination", "Destination", GeneratedType::text, "N_Port that it was sent to"},
    GeneratedField{
        "fcaerdma.endpoint", "Source or destination", GeneratedType::text,
        "Either of fcaerdma.source and fcaerdma.destination"},
    GeneratedField{"fcaerdma.region", "Memory region", GeneratedType::text, "Target and Logical Unit: 01.02.03 LUN 4"},
    GeneratedField{
        "fcaerdma.message_range", "Memory of the message", GeneratedType::text,
        "Addresses in the region that the message reads or writes, the last one included"},
    GeneratedField{
        "fcaerdma.range", "Memory of the frame", GeneratedType::text,
        "Addresses in the region that the frame's data belong to, the last one included"},
    GeneratedField{
        "fcaerdma.address", "Address of the frame", GeneratedType::address,
        "First address in the region that the frame's data belong to"},
    GeneratedField{"fcaerdma.data", "Data", GeneratedType::octets, "The frame's part of the message"},
    GeneratedField{
        "fcaerdma.message_data", "Message data", GeneratedType::octets,
        "All data of the message, in the frame that completes them"},
    GeneratedField{
        "fcaerdma.message_length", "Length of the message", GeneratedType::unsigned_number,
        "Bytes of data, in the frame that completes them"},
    GeneratedField{
        "fcaerdma.segment", "Data in frame", GeneratedType::frame,
        "Frame with a part of the data, in the frame that completes them"},
    GeneratedField{
        "fcaerdma.reassembled_in", "Data complete in", GeneratedType::frame,
        "Frame with which nothing of the message's data is missing any more"},
    GeneratedField{"fcaerdma.request_in", "Request in", GeneratedType::frame, "Frame of the FCP_CMND"},
    GeneratedField{"fcaerdma.response_in", "Response in", GeneratedType::frame, "Frame of the FCP_RSP"},
    GeneratedField{
        "fcaerdma.time", "Time since request", GeneratedType::time_span, "Time from the FCP_CMND to the FCP_RSP"},
    GeneratedField{"fcaerdma.repeated", "Repeated", GeneratedType::boolean, "The frame was seen before"},
    GeneratedField{
        "fcaerdma.copy_of", "Copy of", GeneratedType::frame,
        "Frame that another interface saw first; what is known of it holds for its copy"},
    GeneratedField{"fcaerdma.rule", "Rule", GeneratedType::text, "Id of a rule that this frame breaks: AERDMA-09"},
    GeneratedField{"fcaerdma.failed", "Failed", GeneratedType::expert_info, "The message failed"},
};

}  // namespace fabricscope::engine::fc_ae_rdma
