// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/load/recorded_load.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricscope::replay {

namespace {

/// How long the peer may take to acknowledge the end of what it was played.
constexpr Time leaving = 50 * capture::millisecond;
constexpr unsigned copies_bits = 20;  ///< of a copy's number; those above are the host's

void append(std::vector<stack::OutgoingFrame>& frames, Player& player) {
    std::vector<stack::OutgoingFrame> more;
    player.take_frames(more);
    std::ranges::move(more, std::back_inserter(frames));
}

}  // namespace

RecordedLoadClient::RecordedLoadClient(
    const LoadPlan& plan, LoadAccount& account, unsigned host, const Gid& own, const Mac& mac)
    : LoadHost(account),
      plan_(plan),
      addresses_{
          .own_mac = mac,
          .peer_mac = plan.peer_mac,
          .own_ip = own,
          .peer_ip = plan.peer,
          .own_port = {},
          .peer_port = plan.port != 0 ? std::optional(plan.port) : std::nullopt},
      copies_(host << copies_bits) {}

void RecordedLoadClient::start_session(Time now, Time due) {
    addresses_.own_port = static_cast<std::uint16_t>(first_client_port + copies_ % first_client_port);
    addresses_.copy = ++copies_;
    const PlayOptions options{.pace = {0}, .addresses = addresses_, .patience = plan_.patience, .live = true};
    player_ = plan_.session->player(Side::client, options).endpoint;
    due_ = due;
    heard_ = now;
    left_until_ = stack::never;
    ++account().started;
    player_->start(now);
    look(now);
}

void RecordedLoadClient::on_frame(Time now, std::size_t port, ByteView frame) {
    if (player_ == nullptr) return;
    heard_ = now;
    player_->on_frame(now, port, frame);
    look(now);
}

void RecordedLoadClient::on_timer(Time now) {
    if (player_ == nullptr) return;
    if (player_->wakeup() <= now) player_->on_timer(now);
    look(now);
}

Time RecordedLoadClient::gives_up_at() const {
    return player_->wakeup() == stack::never ? stack::later(heard_, plan_.patience) : stack::never;
}

Time RecordedLoadClient::wakeup() const {
    if (player_ == nullptr) return stack::never;
    return std::min({player_->wakeup(), left_until_, gives_up_at()});
}

void RecordedLoadClient::take_frames(std::vector<stack::OutgoingFrame>& frames) {
    frames = std::exchange(frames_, {});
    if (player_ != nullptr) append(frames, *player_);
}

void RecordedLoadClient::look(Time now) {
    if (left_until_ != stack::never) {
        if (now >= left_until_ || player_->peer_leaves()) {
            append(frames_, *player_);
            player_.reset();
        }
        return;
    }
    if (player_->over()) return end(now, "");
    if (const std::string refusal = player_->refusal(); !refusal.empty()) return end(now, refusal);
    if (now >= gives_up_at()) end(now, fmt::format("waited for {}", player_->waiting_for()));
}

void RecordedLoadClient::end(Time now, const std::string& failure) {
    if (failure.empty()) {
        ++account().completed;
        account().sessions.add(now - due_);
    } else {
        fail(failure);
    }
    left_until_ = stack::later(now, leaving);
    append(frames_, *player_);
    const std::size_t said = frames_.size();
    player_->leave(now);
    append(frames_, *player_);
    if (frames_.size() == said) player_.reset();
}

bool RecordedLoadClient::leave(Time now) {
    if (open() != 0) {
        player_->leave(now);
        left_until_ = stack::later(now, leaving);
    }
    return player_ != nullptr;
}

}  // namespace fabricscope::replay
