// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/fc_ae_rdma_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::fc_ae_rdma;

/// When the last of it was seen.
Time last_of(const Message& message) {
    Time last = message.command.time;
    for (const auto& step : {message.first_data, message.last_data, message.response})
        if (step) last = std::max(last, step->time);
    return last;
}

Slice slice_of(const Message& message, Overview& overview) {
    const bool failed = message.state == MessageState::failed || message.state == MessageState::aborted;
    const std::string name = message.is_read ? message.operation() : "message";
    return {
        .begin = message.command.time,
        .end = last_of(message),
        .frame = message.command.frame,
        .octets = message.bytes,
        .label = overview.label(failed ? name + " " + trouble_of(message) : name),
        .session = static_cast<std::uint32_t>(message.id),
        .activity = failed ? Activity::trouble : Activity::operation,
        .ended = message.state != MessageState::open};
}

/// A node for each region, below its Target; and one for messages whose region is not known.
std::size_t node_of(const Message& message, const Model& model, Overview& overview) {
    const std::size_t target = overview.group(Node::none, fc_ae_rdma_target_name(message.target));
    if (message.region == 0) return overview.group(target, "region not known");
    const std::size_t node = overview.group(target, fc_ae_rdma_region_name(message.region));
    overview.nodes[node].about = fc_ae_rdma_memory_title(model.regions[message.region - 1]);
    return node;
}

}  // namespace

void fc_ae_rdma_overview(const engine::Models& models, Overview& overview) {
    const Model& model = *models.fc_ae_rdma;
    for (const Message& message : model.messages) {
        Node& node = overview.nodes[node_of(message, model, overview)];
        const Slice slice = slice_of(message, overview);
        const std::string what = message.is_read ? message.operation() : "message";
        node.lane(fmt::format("{}s of {}", what, to_string(message.initiator)), "fc-ae-rdma-").slices.push_back(slice);
        node.octets = node.octets.value_or(0) + message.bytes;
        node.packets = node.packets.value_or(0) + message.frames;
        node.retransmitted = node.retransmitted.value_or(0) + message.repeated_frames;
        if (slice.activity != Activity::trouble) continue;
        node.troubled = true;
        node.outcome = "with failures";
    }
}

std::string fc_ae_rdma_memory_title(const Region& region) {
    return fmt::format("Logical Unit {} of {}", region.lun, to_string(region.target));
}

std::vector<Memory> region_memories(const Model& model, std::size_t index) {
    const Region& region = model.regions[index];
    Memory memory{.title = fc_ae_rdma_memory_title(region), .size = {}, .accesses = {}};
    for (const Message& message : model.messages)
        if (message.region == region.id && message.bytes != 0 && message.is_read)
            memory.accesses.push_back(
                {.begin = message.command.time,
                 .end = last_of(message),
                 .address = message.base_address,
                 .octets = message.bytes,
                 .frame = message.command.frame,
                 .writes = message.writes(),
                 .by = to_string(message.initiator)});
    return {std::move(memory)};
}

}  // namespace fabricscope::report
