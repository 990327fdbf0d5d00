// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "replay/engine/fc/emulated_parts.h"
#include "replay/engine/player.h"

namespace fabricscope::replay::fibre_channel {

namespace {

namespace stack_fc = stack::fibre_channel;
using fc_ae_rdma::Iu;

bool is(const fc::Frame& frame, Iu iu) { return frame.header.r_ctl == static_cast<std::uint8_t>(iu); }

/// An RDMA message as it was captured. Views point into the recording.
struct Recorded {
    fc_ae_rdma::CommandParameter parameter;
    fc_ae_rdma::Command command;
    std::optional<fc_ae_rdma::Response> response;
    ByteView data;
};

Recorded recorded_message(const Recording& recording, std::size_t lane) {
    Recorded recorded;
    for (const std::size_t index : messages_of(recording, lane)) {
        const Message& message = recording.conversation.messages[index];
        const fc::Frame frame = frame_of(message.octets);
        if (is(frame, Iu::data)) recorded.data = frame.payload;
        if (is(frame, Iu::command)) {
            recorded.parameter = fc_ae_rdma::parse_parameter(frame.header.parameter);
            if (layout::parse_into(recorded.command, frame.payload))
                throw NotPlayable(fmt::format("the FCP_CMND in frame {} is too short", message.frame));
        }
        if (is(frame, Iu::response) && layout::parse_into(recorded.response.emplace(), frame.payload))
            throw NotPlayable(fmt::format("the FCP_RSP in frame {} is too short", message.frame));
    }
    return recorded;
}

stack_fc::RdmaRequest request_of(const Recorded& recorded) {
    stack_fc::RdmaRequest request;
    request.read = recorded.command.control.read_data;
    request.notify = !recorded.parameter.no_notification;
    request.lun = recorded.command.lun.number;
    request.base_address = recorded.parameter.base_address;
    request.length = recorded.command.data_length;
    if (!request.read) request.data.assign(recorded.data.begin(), recorded.data.end());
    return request;
}

/// What was there to be read: what came, and what the response says was left.
stack_fc::Serving serving_of(const Recorded& recorded) {
    const fc_ae_rdma::Response& response = *recorded.response;
    stack_fc::Serving serving{static_cast<fc_ae_rdma::StatusCode>(response.status)};
    if (!recorded.command.control.read_data) return serving;
    serving.data.assign(recorded.data.begin(), recorded.data.end());
    if (response.resid_over) serving.data.resize(serving.data.size() + response.resid);
    return serving;
}

}  // namespace

void add_rdma(Plan& plan) {
    const std::uint32_t target = plan.recording.ports[other(plan.side)];
    EmulatedPort* port = &plan.port;
    const std::size_t track = plan.track++;
    for (std::size_t lane = 0; lane < plan.recording.lanes.size(); ++lane) {
        if (plan.recording.lanes[lane].type != fc_ae_rdma::fc_type) continue;
        const std::vector<std::size_t> messages = messages_of(plan.recording, lane);
        if (messages.empty()) continue;
        const Recorded recorded = recorded_message(plan.recording, lane);
        if (plan.recording.lanes[lane].originator == plan.side) {
            plan.steps.push_back(
                {messages.front(), heard_before(plan.recording, plan.side, messages.front()), track,
                 [port, target, request = request_of(recorded)](Time now) {
                     port->rdma().request(now, target, request);
                     return true;
                 }});
        } else if (!is_lost(plan.recording, plan.side, messages.front())) {
            if (!recorded.response) throw NotPlayable("the Target's response was not captured");
            port->rdma().serve(serving_of(recorded));
        }
    }
}

}  // namespace fabricscope::replay::fibre_channel
