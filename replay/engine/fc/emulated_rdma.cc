// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fc/emulated_rdma.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/engine/player.h"
#include "replay/stack/fc/ae_rdma.h"

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

class RdmaPort final : public EmulatedPort {
public:
    RdmaPort(const stack_fc::HostConfig& config, int service_class)
        : EmulatedPort(config), rdma_(exchanges(), service_class) {
        watch(fc_ae_rdma::fc_type, rdma_, {});
    }
    stack_fc::AeRdma& rdma() { return rdma_; }

protected:
    bool consume(Time now) override {
        while (rdma_.next_notification() || rdma_.next_outcome()) {
        }
        return EmulatedPort::consume(now);
    }
    void on_consumer_timer(Time now) override {
        EmulatedPort::on_consumer_timer(now);
        rdma_.on_timer(now);
    }
    Time consumer_wakeup() const override { return std::min(EmulatedPort::consumer_wakeup(), rdma_.wakeup()); }

private:
    stack_fc::AeRdma rdma_;
};

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

std::unique_ptr<stack::Endpoint> emulated_rdma(
    const Recording& recording, Side side, const stack_fc::HostConfig& config) {
    const int service_class = recording.lanes.empty() ? 3 : recording.lanes.front().service_class;
    auto endpoint = std::make_unique<RdmaPort>(config, service_class);
    RdmaPort* port = endpoint.get();
    port->port().take_for_granted(recording.ports[side], {}, recording.ports[other(side)]);
    port->port().take_for_granted(remote_of(recording, other(side)));
    port->lose(lost_on_the_way(recording, side));
    const std::uint32_t target = recording.ports[other(side)];
    for (std::size_t lane = 0; lane < recording.lanes.size(); ++lane) {
        const Recorded recorded = recorded_message(recording, lane);
        if (recording.lanes[lane].originator == side) {
            const std::size_t first = messages_of(recording, lane).front();
            port->add({heard_before(recording, side, first), [port, target, request = request_of(recorded)](Time now) {
                           port->rdma().request(now, target, request);
                           return true;
                       }});
        } else {
            if (!recorded.response) throw NotPlayable("the Target's response was not captured");
            port->rdma().serve(serving_of(recorded));
        }
    }
    return endpoint;
}

}  // namespace fabricscope::replay::fibre_channel
