// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/tracker.h"

#include "analyzer/engine/rdma/model.h"
#include "analyzer/engine/rdma_cm/connections.h"

namespace fabricscope::engine::rdma_cm {

bool claims_message(const capture::Packet& packet) {
    return packet.transport == capture::Transport::ib && packet.ib.has_deth &&
           packet.ib.bth.destination_qpn == ib::gsi_qpn && wire::claims_cm(packet.ib.payload);
}

bool is_unread(const capture::Packet& mad) {
    constexpr std::size_t ids_end = layout::layout_of<ib::CmRtu>.extent.end;
    return mad.ib.payload.size() < std::min<std::size_t>(mad.ib.payload_length, ids_end);
}

std::optional<std::uint32_t> queue_pair_named_by(const capture::Packet& packet) {
    if (!claims_message(packet) || packet.ib.payload_length != ib::mad_size) return std::nullopt;
    const wire::Message message = wire::parse(packet.ib.payload);
    if (const auto* req = std::get_if<wire::Req>(&message.body)) return req->body.local_qpn;
    if (const auto* rep = std::get_if<ib::CmRep>(&message.body)) return queue_pair_of(*rep);
    return std::nullopt;
}

class Tracker::State {
public:
    State(Options options, Observer* observer)
        : options_(options), observer_(observer != nullptr ? *observer : nobody_) {}

    Options options_;
    Observer nobody_;
    Observer& observer_;
    Model model_;
    Verdicts verdicts_{options_, observer_, model_};
    Connections connections_{options_, observer_, model_, verdicts_};
    Time now_ = 0;
};

Tracker::Tracker(Options options, Observer* observer) : state_(std::make_unique<State>(options, observer)) {}
Tracker::~Tracker() = default;

void Tracker::on_packet(const capture::Packet& packet) {
    state_->now_ = std::max(state_->now_, packet.time);
    if (packet.transport != capture::Transport::ib) return;
    const bool to_gsi = packet.ib.has_deth && packet.ib.bth.destination_qpn == ib::gsi_qpn;
    if (!to_gsi) return state_->connections_.on_traffic(packet);
    state_->connections_.on_mad(packet);
}

void Tracker::on_copy(const capture::Packet& packet, std::uint64_t original) {
    state_->observer_.on_copy(packet.number, original);
}

void Tracker::on_damaged(const capture::Packet& packet) {
    if (claims_message(packet)) state_->connections_.on_damaged(packet);
}

void Tracker::finish() { state_->connections_.finish(state_->now_); }

RuleOutcomes Tracker::outcomes() const { return state_->model_.outcomes(); }

const Model& Tracker::model() const { return state_->model_; }

void Tracker::take_retransmissions(const rdma::Model& account) {
    auto& connections = state_->model_.connections;
    for (Connection& connection : connections)
        for (const Side side : {Side::client, Side::server}) connection.from[side].retransmissions = 0;
    for (const rdma::Stream& stream : account.streams) {
        if (stream.merged || stream.cm_connection == 0) continue;
        Connection& connection = connections[stream.cm_connection - 1];
        const rdma::Endpoint& a = stream.end[rdma::a];
        const Side of_a = side_of(connection, a.address, a.qpn).value_or(Side::server);
        *connection.from[of_a].retransmissions += stream.from[rdma::a].retransmitted.packets;
        *connection.from[other(of_a)].retransmissions += stream.from[rdma::b].retransmitted.packets;
    }
}

}  // namespace fabricscope::engine::rdma_cm
