// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/rdma_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma;
using engine::rdma::Stream;

/// What a protocol above has drawn already, else a link of its own.
FabricLink& link_of(const Stream& stream, Fabric& fabric) {
    const std::array ends{
        LinkEnd{fabric.port(stream.end[a].address), stream.end[a].qpn},
        LinkEnd{fabric.port(stream.end[b].address), stream.end[b].qpn}};
    if (FabricLink* drawn = fabric.between(ends[a], ends[b])) return *drawn;
    return fabric.add(
        {.name = stream_name(stream.id),
         .session = stream_name(stream.id),
         .ends = ends,
         .first_frame = stream.first_frame});
}

}  // namespace

void rdma_fabric(const engine::Models& models, Fabric& fabric) {
    const Model& model = *models.rdma;
    std::vector<FabricLink*> links(model.streams.size());
    for (const engine::rdma::Stream& stream : model.streams) {
        if (stream.merged) continue;
        FabricLink& link = *(links[stream.id - 1] = &link_of(stream, fabric));
        link.packets = std::max(link.packets, stream.packets());
        link.cnps += stream.from[a].cnps + stream.from[b].cnps;
        if (stream.fatal)
            link.events.push_back({stream.fatal->seen.time, LinkEvent::Kind::failure, stream.fatal->seen.frame});
        if (stream.ending == End::retries_exhausted)
            link.events.push_back({stream.last_time, LinkEvent::Kind::failure, stream.last_frame});
    }
    for (const Event& event : model.events)
        if (event.kind == Event::Kind::retransmission)
            links[event.stream - 1]->events.push_back(
                {event.time, LinkEvent::Kind::retransmission, event.frame, event.count});
}

}  // namespace fabricscope::report
