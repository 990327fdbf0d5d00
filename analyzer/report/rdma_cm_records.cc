// SPDX-License-Identifier: GPL-2.0-or-later
// RDMA CM connections as records.
#include <fmt/format.h>

#include "analyzer/report/records.h"
#include "analyzer/report/units.h"
#include "analyzer/report/values.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma_cm;

std::string hex_of(const std::vector<std::uint8_t>& octets) {
    std::string text;
    for (const std::uint8_t octet : octets) text += fmt::format("{:02x}", octet);
    return text;
}

Json json_of(const Endpoint& end) {
    const bool known = end.address.kind != Address::Kind::none;
    return {
        {"address", known ? Json(capture::to_string(end.address)) : Json()},
        {"comm_id", or_null(end.comm_id)},
        {"qpn", or_null(end.qpn)},
        {"starting_psn", or_null(end.starting_psn)},
        {"q_key", or_null(end.q_key)},
        {"ca_guid", converted(end.ca_guid, hex_text)},
        {"responder_resources", or_null(end.responder_resources)},
        {"initiator_depth", or_null(end.initiator_depth)},
        {"rnr_retry_count", or_null(end.rnr_retry_count)},
        {"private_data", hex_of(end.private_data)}};
}

Json json_of(const Traffic& traffic, const Clock& clock) {
    return {{"packets", traffic.packets},    {"bytes", traffic.bytes},
            {"sends", traffic.sends},        {"writes", traffic.writes},
            {"reads", traffic.reads},        {"atomics", traffic.atomics},
            {"acks", traffic.acks},          {"naks", traffic.naks},
            {"rnr_naks", traffic.rnr_naks},  {"retransmissions", traffic.retransmissions},
            {"first", clock(traffic.first)}, {"last", clock(traffic.last)}};
}

/// The code and its name are the annex' only in the annex' layer.
Json json_of(const std::optional<RejectInformation>& information) {
    if (!information) return nullptr;
    return {
        {"layer", or_null(information->layer_name())},
        {"code", information->code},
        {"name", or_null(information->code_name())},
        {"suggested", hex_of(information->suggested)}};
}

Json json_of(const std::optional<RejectSeen>& reject) {
    if (!reject) return nullptr;
    return {
        {"by", name_of(reject->by)},
        {"reason", reject->reason},
        {"name", or_null(reject->name())},
        {"ari", json_of(reject->information)},
        {"message", or_null(layout::name_of(ib::rej_message_names, reject->message))},
        {"frame", reject->frame}};
}

Json json_of(const std::optional<ib::CmPath>& path) {
    if (!path) return nullptr;
    return {
        {"local_gid", to_string(path->local_gid)},
        {"remote_gid", to_string(path->remote_gid)},
        {"local_lid", path->local_lid},
        {"remote_lid", path->remote_lid},
        {"flow_label", path->flow_label},
        {"traffic_class", path->traffic_class},
        {"hop_limit", path->hop_limit},
        {"service_level", path->service_level},
        {"packet_rate", or_null(layout::name_of(ib::packet_rate_names, path->packet_rate))},
        {"local_ack_timeout", path->local_ack_timeout}};
}

Json json_of(const std::optional<AddressHeader>& header) {
    if (!header) return nullptr;
    return {
        {"major_version", header->versions.major_version},
        {"minor_version", header->versions.minor_version},
        {"ip_version", header->versions.ip_version}};
}

Json json_of(const MessageSeen& message, const Clock& clock) {
    return {
        {"type", or_null(layout::name_of(ib::cm_attribute_names, static_cast<std::uint16_t>(message.attribute)))},
        {"from", name_of(message.from)},
        {"time", clock(message.time)},
        {"frame", message.frame},
        {"repeated", message.repeated}};
}

template <class Convert> Json steps_of(const Connection& c, const Convert& convert) {
    return {{"req", convert(c.req)}, {"mra", convert(c.mra)}, {"rep", convert(c.rep)},   {"rtu", convert(c.rtu)},
            {"lap", convert(c.lap)}, {"apr", convert(c.apr)}, {"dreq", convert(c.dreq)}, {"drep", convert(c.drep)}};
}

}  // namespace

Json record_of(const Connection& c, const Clock& clock) {
    const auto socket = [](const auto& address) { return address ? Json(to_string(*address)) : Json(); };
    Json json{
        {"id", cm_connection_name(c.id)},
        {"service", name_of(c.service)},
        {"client", socket(c.client)},
        {"server", socket(c.server)},
        {"protocol", or_null(protocol_text(c))},
        {"service_id", hex_text(c.service_id)},
        {"client_qpn", or_null(c.end[Side::client].qpn)},
        {"server_qpn", or_null(c.end[Side::server].qpn)},
        {"outcome", name_of(c.outcome)},
        {"reject", json_of(c.reject)}};
    json.add_all(steps_of(c, clock));
    json.add_all(
        {{"req_transmissions", c.req_transmissions},
         {"rep_transmissions", c.rep_transmissions},
         {"dreq_transmissions", c.dreq_transmissions},
         {"disconnected_by", converted(c.disconnected_by, [](Side side) { return name_of(side); })},
         {"both_disconnect", c.both_disconnect},
         {"peer_to_peer", c.peer_to_peer},
         {"ip_header", json_of(c.header)},
         {"p_key", or_null(c.p_key)},
         {"mtu", or_null(c.mtu)},
         {"retry_count", c.req ? Json(c.retry_count) : Json()},
         {"max_cm_retries", c.req ? Json(c.max_cm_retries) : Json()},
         {"path", json_of(c.path)},
         {"alternate_path", json_of(c.alternate_path)},
         {"apr_status",
          converted(
              c.apr_status,
              [](std::uint8_t status) { return or_null(layout::name_of(ib::apr_status_names, status)); })},
         {"client_end", json_of(c.end[Side::client])},
         {"server_end", json_of(c.end[Side::server])},
         {"client_to_server", json_of(c.from[Side::client], clock)},
         {"server_to_client", json_of(c.from[Side::server], clock)},
         {"frames", steps_of(c, frame_of)},
         {"message_count", c.message_count},
         {"messages", array_of(c.messages, [&](const MessageSeen& message) { return json_of(message, clock); })}});
    return json;
}

Json limits_record(const Model& model) {
    return {{"dropped_connections", model.dropped_connections}, {"dropped_findings", model.dropped_findings}};
}

}  // namespace fabricscope::report
