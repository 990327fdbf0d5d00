// SPDX-License-Identifier: GPL-2.0-or-later
// What the RDMA CM tracker adds to a frame beyond its octets.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::engine::rdma_cm {

inline constexpr std::array generated_fields{
    GeneratedField{
        "rdma_ip_cm.connection", "Connection", GeneratedType::text,
        "This is the connection as fabricscope analyze names it, for example cm-1; its traffic has it as well"},
    GeneratedField{
        "rdma_ip_cm.stream", "Stream", GeneratedType::unsigned_number,
        "This is the number of the connection: n in cm-n"},
    GeneratedField{
        "rdma_ip_cm.outcome", "Outcome", GeneratedType::text,
        "The set-up of the connection had this outcome: connected, rejected or timeout", "IBA 12.9"},
    GeneratedField{
        "rdma_ip_cm.rejection", "Rejected", GeneratedType::text, "This side rejected the connection, for this reason",
        "IBA 12.6.7"},
    GeneratedField{
        "rdma_ip_cm.rejected_in", "Rejected in", GeneratedType::frame,
        "This frame holds the REJ or SIDR_REP that said no", "IBA 12.6.7, 12.11.2"},
    GeneratedField{
        "rdma_ip_cm.client", "Client", GeneratedType::text, "This address and port asked for the connection",
        "IBA A11.4"},
    GeneratedField{
        "rdma_ip_cm.server", "Server", GeneratedType::text, "This address and port was asked for the connection",
        "IBA A11.4"},
    GeneratedField{
        "rdma_ip_cm.protocol", "Protocol", GeneratedType::text,
        "The service id names this port space: tcp, udp, ib, sctp or ipoib", "IBA A11.5"},
    GeneratedField{
        "rdma_ip_cm.service", "Service", GeneratedType::text,
        "Queue pairs of this transport service are connected: rc, uc, rd, xrc or ud", "IBA 12.6"},
    GeneratedField{
        "rdma_ip_cm.ulp", "ULP", GeneratedType::text,
        "The service id is known for this protocol: iSER, NVMe-oF, NFS/RDMA, rping and the like"},
    GeneratedField{
        "rdma_ip_cm.began_before", "Began before the capture", GeneratedType::boolean,
        "The connection's request was sent before the capture began"},
    GeneratedField{
        "rdma_ip_cm.destination_port", "Destination port", GeneratedType::unsigned_number,
        "The message's service id names this port", "IBA A11.5"},
    GeneratedField{"rdma_ip_cm.from", "From", GeneratedType::text, "This side sent it: client or server"},
    GeneratedField{
        "rdma_ip_cm.source", "Source", GeneratedType::text,
        "This address and port sent it; without a REQ in the capture only the address is known"},
    GeneratedField{
        "rdma_ip_cm.destination", "Destination", GeneratedType::text,
        "It was sent to this address and port, as in rdma_ip_cm.source"},
    GeneratedField{
        "rdma_ip_cm.endpoint", "Source or destination", GeneratedType::text,
        "Either rdma_ip_cm.source or rdma_ip_cm.destination has this value"},
    GeneratedField{
        "rdma_ip_cm.request_in", "Request in", GeneratedType::frame,
        "This frame holds the message that this one answers", "IBA 12.9"},
    GeneratedField{
        "rdma_ip_cm.response_in", "Response in", GeneratedType::frame,
        "This frame holds the first message that answers this one", "IBA 12.9"},
    GeneratedField{
        "rdma_ip_cm.time", "Time since request", GeneratedType::time_span,
        "So much time passed between the request and this response"},
    GeneratedField{"rdma_ip_cm.retransmission", "Retransmission", GeneratedType::boolean, "The packet was seen before"},
    GeneratedField{
        "rdma_ip_cm.copy_of", "Copy of", GeneratedType::frame,
        "Another interface saw this frame first, and what is known of it holds for its copy"},
    GeneratedField{
        "rdma_ip_cm.rule", "Rule", GeneratedType::text,
        "The frame breaks the rule with this id, for example IPCM-CA11-5"},
    GeneratedField{
        "rdma_ip_cm.rejected", "Rejected", GeneratedType::expert_info, "The connection is rejected", "IBA 12.6.7"},
};

}  // namespace fabricscope::engine::rdma_cm
