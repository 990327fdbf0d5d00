// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/smcr/data_sender.h"

namespace fabricscope::stack::smcr {

void DataSender::write(std::uint64_t offset, Octets octets) { post({.offset = offset, .octets = std::move(octets)}); }

void DataSender::send(const wire::Cdc& message, const char* note) { post({.note = note, .message = message}); }

void DataSender::post(Post post) {
    unacknowledged_.push_back(std::move(post));
    if (holding_) return;
    ++on_their_way_;
    transmit(unacknowledged_.back(), unacknowledged_.back().note);
}

void DataSender::transmit(const Post& post, const char* note) {
    if (post.message) transmit_message(*post.message, note, true);
    else transmit(post.offset, post.octets);
}

void DataSender::transmit_message(const wire::Cdc& message, const char* note, bool kept) {
    ++messages_;
    transmit(message, note, kept);
}

void DataSender::acknowledge() {
    if (on_their_way_ == 0) return;
    --on_their_way_;
    if (const auto& message = unacknowledged_.front().message) acknowledged_sequence_ = message->sequence;
    unacknowledged_.pop_front();
}

void DataSender::go_on(std::uint32_t peer_token) {
    wire::Cdc validation;
    validation.sequence = acknowledged_sequence_;
    validation.alert_token = peer_token;
    validation.flags.failover_validation = true;
    transmit_message(validation, "goes on over this link", false);
    holding_ = false;
    for (std::size_t i = 0; i < unacknowledged_.size(); ++i) {
        const Post& post = unacknowledged_[i];
        transmit(post, i < on_their_way_ ? "once more" : post.note);
    }
    on_their_way_ = unacknowledged_.size();
}

}  // namespace fabricscope::stack::smcr
