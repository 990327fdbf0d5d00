// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_ae_rdma_report.h"

namespace fabricscope::report {

/// All that an Initiator asks of a Target is one link.
void fc_ae_rdma_fabric(const engine::Models& models, Fabric& fabric) {
    using namespace engine::fc_ae_rdma;
    const auto port_of = [&](const Port& port) {
        return fabric.port(capture::Address::of_port_id(port.id), to_string(port));
    };
    for (const Message& message : models.fc_ae_rdma->messages) {
        const LinkEnd initiator{port_of(message.initiator)}, target{port_of(message.target)};
        FabricLink* link = fabric.between(initiator, target);
        if (link == nullptr)
            link = &fabric.add(
                {.name = "messages",
                 .session = fc_ae_rdma_target_name(message.target),
                 .ends = {initiator, target},
                 .first_frame = message.command.frame});
        link->packets += message.frames;
        const Time last = message.response ? message.response->time : message.command.time;
        if (message.state == MessageState::failed || message.state == MessageState::aborted)
            link->events.push_back({last, LinkEvent::Kind::failure, message.command.frame});
        if (message.repeated_frames != 0)
            link->events.push_back(
                {last, LinkEvent::Kind::retransmission, message.command.frame, message.repeated_frames});
    }
}

}  // namespace fabricscope::report
