// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/smcr/data_sender.h"

namespace fabricscope::stack::smcr {

void DataSender::write(std::uint64_t offset, Octets octets) {
    unacknowledged_.push_back({.offset = offset, .octets = std::move(octets)});
    transmit(unacknowledged_.back(), nullptr);
}

void DataSender::send(const wire::Cdc& message, const char* note) {
    unacknowledged_.push_back({.message = message});
    transmit(unacknowledged_.back(), note);
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
    if (unacknowledged_.empty()) return;
    if (const auto& message = unacknowledged_.front().message) acknowledged_sequence_ = message->sequence;
    unacknowledged_.pop_front();
}

void DataSender::go_on(std::uint32_t peer_token) {
    wire::Cdc validation;
    validation.sequence = acknowledged_sequence_;
    validation.alert_token = peer_token;
    validation.flags.failover_validation = true;
    transmit_message(validation, "goes on over this link", false);
    for (const Post& post : unacknowledged_) transmit(post, "once more");
}

}  // namespace fabricscope::stack::smcr
