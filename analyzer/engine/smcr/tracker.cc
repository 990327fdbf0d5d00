// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/tracker.h"

#include <map>

#include "analyzer/engine/rdma/model.h"
#include "analyzer/engine/smcr/rendezvous.h"

namespace fabricscope::engine::smcr {

class Tracker::State {
public:
    State(Options options, Observer* observer)
        : options_(options), observer_(observer != nullptr ? *observer : nobody_) {}

    Options options_;
    Observer nobody_;
    Observer& observer_;
    Model model_;
    Verdicts verdicts_{options_, observer_, model_};
    SetupRules setup_rules_{model_, verdicts_};
    LinkRules link_rules_{model_, verdicts_};
    TransferRules transfer_rules_{model_, verdicts_};
    Sessions sessions_{options_, observer_, model_};
    LinkGroups groups_{options_, observer_, model_, sessions_, setup_rules_, link_rules_, transfer_rules_};
    Rendezvous rendezvous_{observer_, model_, sessions_, groups_, setup_rules_};
};

Tracker::Tracker(Options options, Observer* observer) : state_(std::make_unique<State>(options, observer)) {}
Tracker::~Tracker() = default;

void Tracker::on_packet(const capture::Packet& packet) {
    state_->setup_rules_.close.on_time(packet.time);
    if (packet.transport == capture::Transport::tcp) state_->rendezvous_.on_tcp(packet);
    else if (packet.transport == capture::Transport::ib) state_->groups_.on_ib(packet);
}

void Tracker::on_copy(const capture::Packet& packet, std::uint64_t original) {
    state_->observer_.on_copy(packet.number, original);
}

void Tracker::finish() {
    state_->groups_.finish();  // what still waits counts before outcomes are settled
    state_->setup_rules_.close.finish();
    state_->rendezvous_.finish();
}

void Tracker::end_stream(std::uint32_t connection) {
    for (Flow& flow : state_->sessions_.at(connection).flow.values) flow.end_stream();
}

RuleOutcomes Tracker::outcomes() const { return state_->model_.outcomes(); }

const Model& Tracker::model() const { return state_->model_; }

void Tracker::take_retransmissions(const rdma::Model& account) {
    std::map<Link*, std::uint64_t> retransmitted;  // a queue pair that was used again has several streams
    for (const rdma::Stream& stream : account.streams) {
        if (stream.merged || stream.link_group == 0) continue;
        LinkGroup& group = state_->model_.link_groups[stream.link_group - 1];
        Link& link = group.links[stream.link];
        // The queue pairs were another group's before: what that repeated is not this one's.
        if (group.from_start && stream.first_frame < link.first_frame) continue;
        retransmitted[&link] += stream.from[rdma::a].retransmitted.packets + stream.from[rdma::b].retransmitted.packets;
    }
    for (const auto& [link, packets] : retransmitted) link->retransmissions = packets;
}

}  // namespace fabricscope::engine::smcr
