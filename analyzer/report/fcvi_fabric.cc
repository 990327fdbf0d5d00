// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fcvi_report.h"

namespace fabricscope::report {
namespace {

using namespace engine::fcvi;

void add_course(FabricLink& link, const Connection& connection) {
    for (const Setup& setup : connection.setups) {
        if (setup.accepted()) {
            const FrameStamp& up = *(setup.resp3 ? setup.resp3 : setup.resp2 ? setup.resp2 : setup.resp1);
            link.events.push_back({up.time, LinkEvent::Kind::up, up.frame});
        } else if (setup.status) {
            const FrameStamp& refused = setup.status->step;
            link.events.push_back({refused.time, LinkEvent::Kind::failure, refused.frame});
        }
    }
    for (const AbortSeen& abort : connection.aborts)
        link.events.push_back({abort.step.time, LinkEvent::Kind::failure, abort.step.frame});
    for (const Disconnect& disconnect : connection.disconnects)
        if (const auto& down = disconnect.resp ? disconnect.resp : disconnect.rqst)
            link.events.push_back({down->time, LinkEvent::Kind::down, down->frame});
}

}  // namespace

void fcvi_fabric(const engine::Models& models, Fabric& fabric) {
    std::vector<FabricLink*> links;
    for (const Connection& connection : models.fcvi->connections) {
        FabricLink& link = fabric.add(
            {.name = fcvi_connection_name(connection.id),
             .session = fcvi_connection_name(connection.id),
             .first_frame = connection.first_frame});
        for (const Side side : {Side::client, Side::server}) {
            link.ends[static_cast<std::size_t>(side)].port = fabric.port(
                capture::Address::of_port_id(connection.end[side].port.id), to_string(connection.end[side].port));
            link.packets += connection.from[side].frames;
        }
        add_course(link, connection);
        links.push_back(&link);
    }
    for (const Message& message : models.fcvi->messages) {
        if (message.connection == 0 || message.connection > links.size()) continue;
        auto& events = links[message.connection - 1]->events;
        if (message.state == MessageState::failed || message.state == MessageState::aborted)
            events.push_back({message.last, LinkEvent::Kind::failure, message.first.frame});
        if (message.repeated_frames != 0)
            events.push_back(
                {message.last, LinkEvent::Kind::retransmission, message.first.frame, message.repeated_frames});
    }
}

}  // namespace fabricscope::report
