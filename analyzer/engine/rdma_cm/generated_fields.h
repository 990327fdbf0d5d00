// SPDX-License-Identifier: GPL-2.0-or-later
// What the RDMA CM tracker adds to a frame beyond its octets.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::engine::rdma_cm {

inline constexpr std::array generated_fields{
    GeneratedField{
        "rdma_ip_cm.connection", "Connection", GeneratedType::text,
        "Connection, as fabricscope analyze names it: cm-1; of its messages and of its traffic"},
    GeneratedField{
        "rdma_ip_cm.stream", "Stream", GeneratedType::unsigned_number, "Number of the connection: n in cm-n"},
    GeneratedField{
        "rdma_ip_cm.outcome", "Outcome", GeneratedType::text,
        "What came of the connection: connected, rejected, timeout"},
    GeneratedField{
        "rdma_ip_cm.rejection", "Rejected", GeneratedType::text, "Who rejected the connection, and for what reason"},
    GeneratedField{
        "rdma_ip_cm.rejected_in", "Rejected in", GeneratedType::frame, "Frame of the REJ or SIDR_REP that said no"},
    GeneratedField{
        "rdma_ip_cm.client", "Client", GeneratedType::text, "Who asked for the connection: address and port"},
    GeneratedField{"rdma_ip_cm.server", "Server", GeneratedType::text, "Who was asked: address and port"},
    GeneratedField{
        "rdma_ip_cm.protocol", "Protocol", GeneratedType::text,
        "Port space that the service id names: tcp, udp, ib, sctp, ipoib"},
    GeneratedField{"rdma_ip_cm.service", "Service", GeneratedType::text, "What is connected: rc, uc, rd, xrc, ud"},
    GeneratedField{
        "rdma_ip_cm.ulp", "ULP", GeneratedType::text,
        "What the service id is known for: iSER, NVMe-oF, NFS/RDMA, rping and the like"},
    GeneratedField{
        "rdma_ip_cm.began_before", "Began before the capture", GeneratedType::boolean,
        "The connection's request was sent before the capture began"},
    GeneratedField{
        "rdma_ip_cm.destination_port", "Destination port", GeneratedType::unsigned_number,
        "Port that the message's service id names"},
    GeneratedField{"rdma_ip_cm.from", "From", GeneratedType::text, "Who sent it: client or server"},
    GeneratedField{
        "rdma_ip_cm.source", "Source", GeneratedType::text,
        "Who sent it: address and port; without a REQ in the capture the address only"},
    GeneratedField{
        "rdma_ip_cm.destination", "Destination", GeneratedType::text,
        "Address and port it was sent to, as in rdma_ip_cm.source"},
    GeneratedField{
        "rdma_ip_cm.endpoint", "Source or destination", GeneratedType::text,
        "Either of rdma_ip_cm.source and rdma_ip_cm.destination"},
    GeneratedField{
        "rdma_ip_cm.request_in", "Request in", GeneratedType::frame, "Frame of the message that this one answers"},
    GeneratedField{
        "rdma_ip_cm.response_in", "Response in", GeneratedType::frame,
        "Frame of the first message that answers this one"},
    GeneratedField{
        "rdma_ip_cm.time", "Time since request", GeneratedType::time_span, "Time from the request to this response"},
    GeneratedField{"rdma_ip_cm.retransmission", "Retransmission", GeneratedType::boolean, "The packet was seen before"},
    GeneratedField{
        "rdma_ip_cm.copy_of", "Copy of", GeneratedType::frame,
        "Frame that another interface saw first; what is known of it holds for its copy"},
    GeneratedField{"rdma_ip_cm.rule", "Rule", GeneratedType::text, "Id of a rule that this frame breaks: IPCM-CA11-5"},
    GeneratedField{"rdma_ip_cm.rejected", "Rejected", GeneratedType::expert_info, "The connection is rejected"},
};

}  // namespace fabricscope::engine::rdma_cm
