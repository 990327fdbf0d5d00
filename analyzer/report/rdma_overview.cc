// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>

#include "analyzer/report/rdma_report.h"
#include "protocols/ib/headers.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma;
using engine::rdma::Stream;

Slice slice_of(const Operation& operation, Overview& overview) {
    return {
        .begin = operation.first.time,
        .end = operation.answer ? operation.answer->time : operation.last.time,
        .frame = operation.first.frame,
        .octets = operation.bytes,
        .label = overview.label(operation_words(operation.type)),
        .activity = Activity::operation,
        .ended = operation.answer.has_value()};
}

/// What was retransmitted, with the wait before it; a refusal is a moment.
std::optional<Slice> slice_of(const Event& event, Overview& overview) {
    Slice slice{.begin = event.time, .end = event.time, .frame = event.frame, .activity = Activity::trouble};
    switch (event.kind) {
        case Event::Kind::retransmission:
            slice.begin -= event.waited.value_or(0);
            slice.activity = Activity::wait;
            slice.label = overview.label(
                std::string("retransmitted ") + cause_words(event.cause.value_or(Cause::unknown)));
            return slice;
        case Event::Kind::nak:
        case Event::Kind::rnr_nak:
            slice.label = overview.label(ib::to_string(ib::AethSyndrome::of(*event.syndrome)));
            return slice;
        default: return std::nullopt;
    }
}

/// Lanes of one stream's node, in the order in which they are shown.
enum LaneOf : std::uint8_t { operations_of_a, operations_of_b, trouble };

Node& add_stream(const Stream& stream, const engine::Models& models, Overview& overview) {
    const std::size_t hosts = overview.group(
        Node::none, pair_name(to_string(stream.end[a].address), to_string(stream.end[b].address)));
    Node& node = overview.add(hosts, stream_name(stream.id));
    node.about = end_text(stream.end[a]) + " > " + end_text(stream.end[b]);
    node.outcome = name_of(stream.ending);
    node.troubled = stream.fatal || stream.ending == End::retries_exhausted;
    for (const char* name : {"a → b", "b → a", "trouble"}) node.lanes.emplace_back(Lane{.name = name});
    // What other sections are about is counted there.
    const bool counted_elsewhere = (stream.link_group != 0 && models.smcr != nullptr) ||
                                   (stream.cm_connection != 0 && models.rdma_cm != nullptr);
    if (counted_elsewhere) return node;
    node.octets = stream.from[a].bytes + stream.from[b].bytes;
    node.packets = stream.packets();
    node.retransmitted = stream.from[a].retransmitted.packets + stream.from[b].retransmitted.packets;
    return node;
}

}  // namespace

void rdma_overview(const engine::Models& models, Overview& overview) {
    const Model& model = *models.rdma;
    std::vector<Node*> node_of(model.streams.size());  // nodes stay where they are
    for (const engine::rdma::Stream& stream : model.streams)
        if (!stream.merged) node_of[stream.id - 1] = &add_stream(stream, models, overview);
    for (const Operation& operation : model.operations) {
        Node& node = *node_of[operation.stream - 1];
        node.lanes[operation.by == a ? operations_of_a : operations_of_b].slices.push_back(
            slice_of(operation, overview));
    }
    for (const Event& event : model.events)
        if (const auto slice = slice_of(event, overview))
            node_of[event.stream - 1]->lanes[trouble].slices.push_back(*slice);
}

}  // namespace fabricscope::report
