// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma/tracker.h"

#include "analyzer/engine/rdma/streams.h"

namespace fabricscope::engine::rdma {

class Tracker::State {
public:
    State(Options options, Announcements announcements, Observer* observer)
        : options_(options),
          announcements_(announcements),
          observer_(observer != nullptr ? *observer : nobody_),
          streams_(options_, announcements_, observer_, observer != nullptr, model_) {}

    Options options_;
    Announcements announcements_;
    Observer nobody_;
    Observer& observer_;
    Model model_;
    Streams streams_;
};

Tracker::Tracker(Options options, Announcements announcements, Observer* observer)
    : state_(std::make_unique<State>(options, announcements, observer)) {}
Tracker::~Tracker() = default;

void Tracker::on_packet(const capture::Packet& packet) { state_->streams_.on_packet(packet); }

void Tracker::on_copy(const capture::Packet& packet, std::uint64_t original) {
    state_->observer_.on_copy(packet.number, original);
}

void Tracker::on_damaged(const capture::Packet& packet) { state_->streams_.on_damaged(packet); }

void Tracker::finish() { state_->streams_.finish(); }

RuleOutcomes Tracker::outcomes() const { return state_->model_.outcomes(); }

const Model& Tracker::model() const { return state_->model_; }

}  // namespace fabricscope::engine::rdma
