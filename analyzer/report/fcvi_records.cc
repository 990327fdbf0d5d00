// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fcvi_records.h"

#include "analyzer/report/fcvi_summary.h"
#include "analyzer/report/units.h"
#include "analyzer/report/values.h"
#include "protocols/fc/frame_header.h"

namespace fabricscope::report {
namespace {

using namespace engine::fcvi;

Json name_or_null(const std::optional<wire::Reliability>& level) {
    return level ? Json(wire::iso_reliability_names[static_cast<std::size_t>(*level)].name) : Json();
}

const char* iu_name(wire::Version version, wire::IuType type) {
    const wire::IuInfo* info = wire::find_iu(version, type);
    return info != nullptr ? info->name : "?";
}

Json json_of(const std::optional<StatusSeen>& status, wire::Version version) {
    if (!status) return nullptr;
    return {{"by", name_of(status->by)},          {"iu", iu_name(version, status->iu)},
            {"reason", status->reason},           {"name", wire::reason_name(version, status->reason)},
            {"explanation", status->explanation}, {"vendor_unique", status->vendor_unique},
            {"frame", status->step.frame}};
}

Json json_of(const End& end, wire::Version version) {
    Json json{
        {"port", to_string(end.port)},
        {"port_name", converted(end.port_name, fabricscope::fc::name_text)},
        {"handle", or_null(end.handle)},
        {"address", converted(end.address, [](const wire::NetAddress& a) { return wire::to_string(a); })},
        {"reliability", name_or_null(end.reliability)}};
    const auto attribute = [&](const char* name, auto&& value) { json.add(name, converted(end.attributes, value)); };
    attribute("max_transfer_size", [](const auto& a) { return a.max_trans_size; });
    attribute("rdma_write_enabled", [](const auto& a) { return a.en_rdma_wr; });
    attribute("rdma_read_enabled", [](const auto& a) { return a.en_rdma_rd; });
    attribute("preference", [&](const auto& a) { return or_null(wire::wants_preference(version, a.qos)); });
    attribute("pipeline_depth", [&](const auto& a) {
        return version == wire::Version::iso ? Json(a.qos.pipeline_depth) : Json();
    });
    json.add("state", name_of(end.state));
    return json;
}

Json json_of(const Setup& setup, wire::Version version, const Clock& clock) {
    return {
        {"from", name_of(setup.from)},
        {"ox_id", setup.ox_id},
        {"connection_id", or_null(setup.connection_id)},
        {"retry", setup.retry},
        {"rqst", clock(setup.rqst)},
        {"resp1", clock(setup.resp1)},
        {"resp2", clock(setup.resp2)},
        {"resp3", clock(setup.resp3)},
        {"abts", clock(setup.abts)},
        {"rqst_frame", frame_of(setup.rqst)},
        {"resp1_frame", frame_of(setup.resp1)},
        {"resp2_frame", frame_of(setup.resp2)},
        {"resp3_frame", frame_of(setup.resp3)},
        {"status", json_of(setup.status, version)}};
}

Json json_of(const Disconnect& disconnect, wire::Version version, const Clock& clock) {
    return {
        {"from", name_of(disconnect.from)},
        {"ox_id", disconnect.ox_id},
        {"rqst", clock(disconnect.rqst)},
        {"resp", clock(disconnect.resp)},
        {"rqst_frame", frame_of(disconnect.rqst)},
        {"resp_frame", frame_of(disconnect.resp)},
        {"by_application", disconnect.by_application},
        {"aborts_setup", disconnect.aborts_setup},
        {"msg_id", disconnect.msg_id},
        {"resp_msg_id", or_null(disconnect.resp_msg_id)},
        {"status", json_of(disconnect.status, version)},
        {"resp_status", json_of(disconnect.resp_status, version)}};
}

Json json_of(const Reception& reception) {
    return {
        {"expected_message", or_null(reception.expected_message)},
        {"expected_seq_cnt", reception.expected_seq_cnt},
        {"missing_messages", reception.missing_messages},
        {"late_messages", reception.late_messages},
        {"missing_frames", reception.missing_frames},
        {"late_frames", reception.late_frames},
        {"message_errors", reception.message_errors},
        {"handle_error_frame", frame_of(reception.handle_error)}};
}

Json json_of(const Traffic& traffic, const Clock& clock) {
    return {
        {"messages", traffic.messages},
        {"sends", traffic.sends},
        {"writes", traffic.writes},
        {"reads", traffic.reads},
        {"bytes", traffic.bytes},
        {"frames", traffic.frames},
        {"repeated_frames", traffic.repeated_frames},
        {"responses", traffic.responses},
        {"failed_responses", traffic.failed_responses},
        {"first", clock(traffic.first)},
        {"last", clock(traffic.last)},
        {"at_peer", json_of(traffic.at_peer)}};
}

const char* mode_name(const std::optional<wire::ConnectMode>& mode) {
    if (mode == wire::ConnectMode::client_server) return "client-server";
    return mode == wire::ConnectMode::peer_to_peer ? "peer-to-peer" : nullptr;
}

}  // namespace

std::string fcvi_connection_name(std::uint32_t id) { return "fcvi-" + std::to_string(id); }
std::string fcvi_message_name(std::uint64_t id) { return "fcvi-message-" + std::to_string(id); }

Json record_of(const Connection& c, const Clock& clock) {
    const auto setup = [&](const Setup& seen) { return json_of(seen, c.version, clock); };
    const auto disconnect = [&](const Disconnect& seen) { return json_of(seen, c.version, clock); };
    return {
        {"id", fcvi_connection_name(c.id)},
        {"version", c.is_iso() ? "iso" : "rev-1.0"},
        {"mode", or_null(mode_name(c.mode))},
        {"client", to_string(c.end[Side::client].port)},
        {"server", to_string(c.end[Side::server].port)},
        {"outcome", name_of(c.outcome)},
        {"reject", json_of(c.reject, c.version)},
        {"close", or_null(close_of(c))},
        {"reliability", name_or_null(c.reliability())},
        {"from_start", c.from_start},
        {"client_end", json_of(c.end[Side::client], c.version)},
        {"server_end", json_of(c.end[Side::server], c.version)},
        {"client_to_server", json_of(c.from[Side::client], clock)},
        {"server_to_client", json_of(c.from[Side::server], clock)},
        {"first_frame", c.first_frame},
        {"first", clock(c.first_time)},
        {"last", clock(c.last_time)},
        {"iu_count", c.iu_count},
        {"setups", array_of(c.setups, setup)},
        {"disconnects", array_of(c.disconnects, disconnect)}};
}

Json record_of(const Message& m, const Clock& clock) {
    const std::string trouble = trouble_of(m);
    return {
        {"id", fcvi_message_name(m.id)},
        {"connection", fcvi_connection_name(m.connection)},
        {"from", name_of(m.from)},
        {"operation", name_of(m.operation)},
        {"state", name_of(m.state)},
        {"msg_id", m.msg_id},
        {"ox_id", m.ox_id},
        {"length", or_null(m.total_length)},
        {"bytes", m.bytes},
        {"immediate_data", or_null(m.immediate_data)},
        {"rmt_va", converted(m.rmt_va, hex_text)},
        {"rmt_va_end", converted(
                           m.rmt_va,
                           [&](std::uint64_t begin) {
                               return hex_text(begin + m.total_length.value_or(static_cast<std::uint32_t>(m.bytes)));
                           })},
        {"rmt_va_handle", or_null(m.rmt_va_handle)},
        {"frames", m.frames},
        {"sequences", m.sequences},
        {"repeated_frames", m.repeated_frames},
        {"missing_frames", m.missing_frames},
        {"first_frame", m.first.frame},
        {"first", clock(m.first.time)},
        {"last", clock(m.last)},
        {"response_frame", frame_of(m.response)},
        {"response", clock(m.response)},
        {"latency", m.response ? Json(seconds_of(m.response->time - m.first.time)) : Json()},
        {"trouble", or_null(trouble)}};
}

Json limits_record(const Model& model) {
    return {
        {"dropped_connections", model.dropped_connections},
        {"dropped_messages", model.dropped_messages},
        {"dropped_exchanges", model.dropped_exchanges},
        {"dropped_findings", model.dropped_findings}};
}

}  // namespace fabricscope::report
