// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/rdma_cm_report.h"

namespace fabricscope::report {

void rdma_cm_fabric(const engine::Models& models, Fabric& fabric) {
    using namespace engine::rdma_cm;
    for (const Connection& connection : models.rdma_cm->connections) {
        if (connection.merged) continue;
        FabricLink link{
            .name = cm_connection_name(connection.id),
            .session = cm_connection_name(connection.id),
            .first_frame = connection.first_frame};
        for (const Side side : {Side::client, Side::server}) {
            const auto& socket = side == Side::client ? connection.client : connection.server;
            link.ends[static_cast<std::size_t>(side)] = {
                fabric.port(connection.end[side].address, socket ? to_string(socket->address) : ""),
                connection.end[side].qpn};
            link.packets += connection.from[side].packets;
        }
        if (const auto& up = connection.rtu ? connection.rtu : connection.rep)
            link.events.push_back({up->time, LinkEvent::Kind::up, up->frame});
        if (const auto& down = connection.drep ? connection.drep : connection.dreq)
            link.events.push_back({down->time, LinkEvent::Kind::down, down->frame});
        if (const auto& reject = connection.reject)
            link.events.push_back({reject->time, LinkEvent::Kind::failure, reject->frame});
        if (connection.outcome == Outcome::timeout)
            link.events.push_back({connection.last_time, LinkEvent::Kind::failure, connection.first_frame});
        // Nothing has come up where nothing but a failure is seen.
        if (link.events.size() == 1 && link.events[0].kind == LinkEvent::Kind::failure)
            link.events.push_back({link.events[0].time, LinkEvent::Kind::down, link.events[0].frame});
        fabric.add(std::move(link));
    }
}

}  // namespace fabricscope::report
