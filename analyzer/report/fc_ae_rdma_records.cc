// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_ae_rdma_records.h"

#include "analyzer/report/fc_ae_rdma_summary.h"
#include "analyzer/report/values.h"

namespace fabricscope::report {
namespace {

using namespace engine::fc_ae_rdma;

Json status_name(const std::optional<std::uint8_t>& status) {
    return or_null(status ? layout::name_of(wire::status_names, *status) : nullptr);
}

Json json_of(const RangeSet& set) {
    return array_of(set.ranges(), [](const RangeSet::Range& range) { return list_of(range.begin, range.end); });
}

}  // namespace

std::string fc_ae_rdma_message_name(std::uint64_t id) { return "fc-ae-rdma-" + std::to_string(id); }
std::string fc_ae_rdma_region_name(std::uint32_t id) { return "fc-ae-rdma-region-" + std::to_string(id); }

Json record_of(const Message& m, const Clock& clock) {
    return {
        {"id", fc_ae_rdma_message_name(m.id)},
        {"initiator", to_string(m.initiator)},
        {"target", to_string(m.target)},
        {"ox_id", m.ox_id},
        {"operation", m.is_read ? "read" : "write"},
        {"region", m.region != 0 ? Json(fc_ae_rdma_region_name(m.region)) : Json()},
        {"lun", m.lun},
        {"base_address", m.base_address},
        {"length", m.data_length},
        {"notification", m.notifies},
        {"state", name_of(m.state)},
        {"bytes", m.bytes},
        {"missing_bytes", m.missing_bytes},
        {"frames", m.frames},
        {"repeated_frames", m.repeated_frames},
        {"class", or_null(m.service_class)},
        {"status", or_null(m.status)},
        {"status_name", status_name(m.status)},
        {"residual", or_null(m.residual)},
        {"overrun", m.resid_over},
        {"underrun", m.resid_under},
        {"command_frame", m.command.frame},
        {"response_frame", frame_of(m.response)},
        {"command", clock(m.command.time)},
        {"first_data", clock(m.first_data)},
        {"last_data", clock(m.last_data)},
        {"response", clock(m.response)},
        {"latency", m.response ? Json(seconds_of(m.response->time - m.command.time)) : Json()},
        {"trouble", or_null(trouble_of(m))}};
}

Json record_of(const Region& region) {
    return {
        {"id", fc_ae_rdma_region_name(region.id)},
        {"target", to_string(region.target)},
        {"lun", region.lun},
        {"reads", region.reads},
        {"writes", region.writes},
        {"end", region.end()},
        {"read", json_of(region.read)},
        {"written", json_of(region.written)}};
}

Json limits_record(const Model& model) {
    return {
        {"dropped_messages", model.dropped_messages},
        {"dropped_regions", model.dropped_regions},
        {"dropped_findings", model.dropped_findings}};
}

}  // namespace fabricscope::report
