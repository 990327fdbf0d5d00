// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "replay/engine/smcr/smcr_player.h"

namespace fabricscope::replay::smcr {

using stack::smcr::CloseState;

// ---- data ----------------------------------------------------------------------------------------

bool SmcrPlayer::process_completions(Time now) {
    bool any = false;
    for (std::size_t i = 0; i < links_.adapters().size(); ++i)
        for (auto& completions = links_.adapters()[i]->completions(); !completions.empty(); any = true) {
            const stack::Completion completion = std::move(completions.front());
            completions.pop_front();
            on_completion(now, i, completion);
        }
    return any;
}

void SmcrPlayer::on_completion(Time now, std::size_t adapter, const stack::Completion& completion) {
    const auto link = links_.link_of(adapter, completion.qpn);
    if (!link) return;
    if (completion.kind == stack::Completion::Kind::work) return on_sent(*link, completion);
    if (stack::RcQueuePair* qp = links_.adapters()[adapter]->rc(completion.qpn)) qp->post_receive();
    if (completion.octets.empty()) return;
    if (completion.octets[0] == wire::cdc_type) on_cdc(now, completion.octets);
    else on_llc_of_peer(now, *link, completion.octets);
}

void SmcrPlayer::on_sent(std::size_t link, const stack::Completion& completion) {
    if (completion.status == stack::CompletionStatus::success) {
        // What was sent on a link that the connection has left is acknowledged on the other one.
        if (completion.id != 0 && connections_[completion.id - 1]->link == link)
            connections_[completion.id - 1]->acknowledge();
        return;
    }
    if (!links_.usable(link)) return;
    if (!is_lost_in_recording(link)) note(fmt::format("a link failed: {}", stack::name_of(completion.status)));
    links_.lose(link);
}

bool SmcrPlayer::is_lost_in_recording(std::size_t link) {
    return std::ranges::find(recorded_.lost_links, links_.channel_of(link), &LostLink::channel) !=
           recorded_.lost_links.end();
}

/// Failover where the recording has none. What it has, play() does.
bool SmcrPlayer::leave_lost_links(Time now) {
    const auto other = links_.usable_link();
    bool moved = false;
    for (const auto& connection : connections_) {
        const bool active = connection->phase == Phase::active && connection->data->state() != CloseState::closed;
        if (!other || !active || links_.usable(connection->link)) continue;
        const bool recorded = std::ranges::any_of(recorded_.moves, [&](const auto& move) {
            const Message& message = script_.message(move.first);
            return message.from == played_ && message.channel == connection->recorded.channel &&
                   !script_.done(move.first);
        });
        if (recorded) continue;
        connection->now = now;
        connection->move_to(*other);
        moved = true;
    }
    return moved;
}

void SmcrPlayer::on_cdc(Time now, const Octets& octets) {
    wire::Cdc message;
    if (layout::parse_into(message, octets)) return;
    const auto found = std::ranges::find_if(connections_, [&](const auto& one) {
        return one->own && one->own->alert_token == message.alert_token && one->phase != Phase::over;
    });
    if (found == connections_.end()) return note("a CDC message has an alert token that is not known");
    PlayedConnection& connection = **found;
    connection.now = now;
    const std::string name = cdc_name(octets, connection.received_state);
    connection.received_state = cdc_state(octets, connection.received_state);
    ++played_messages_;
    if (!name.empty()) script_.received(now, connection.recorded.channel, name, octets);
    if (connection.phase == Phase::negotiating && connection.own && connection.peer) become_active(connection);
    if (connection.data) connection.data->on_message(message);
    else connection.early.push_back(message);
}

/// The end of one connection may have come after something on another one.
bool SmcrPlayer::may_end(const PlayedConnection& connection) const {
    const auto is_done = [&](const auto& one) { return one->recorded.preparation || one->finished(played_); };
    const std::string& channel = connection.recorded.channel;
    if (connection.recorded.preparation) return std::ranges::all_of(connections_, is_done);
    const auto counts = [](std::string_view name) { return name.starts_with("CDC") && name != "CDC urgent"; };
    if (!script_.has_to_send(channel, counts)) return true;  // over TCP
    const auto is_next = [&](std::size_t i) {
        return script_.message(i).channel == channel && counts(script_.message(i).name);
    };
    return script_.ready(now_, is_next).has_value();
}

bool SmcrPlayer::may_have_data(const PlayedConnection& connection) const {
    if (!connection.own || !connection.peer || adapter_port_.empty()) return false;
    // Data that leave by another port must not overtake the CONFIRM.
    if (adapter_port_[links_.adapter_index(connection.link)] != 0 && !connection.tcp.all_acknowledged()) return false;
    return !recorded_.no_roce && !recorded_.deaf &&
           std::ranges::all_of(connection.recorded.setup, [&](std::size_t i) { return script_.done(i); });
}

void SmcrPlayer::become_active(PlayedConnection& connection) {
    connection.phase = Phase::active;
    const wire::SmcrAcceptConfirmBody& peer = *connection.peer;
    const std::uint64_t size = wire::buffer_size(peer.buffer_size);
    connection.peer_rmb = links_.peer_rmb(connection.link, {peer.rkey, peer.rmb_address});
    connection.peer_offset = (std::max<std::uint8_t>(peer.rmb_index, 1) - 1U) * size;
    stack::smcr::DataConfig config;
    config.profile = profile_;
    config.element = links_.element(connection.link, *connection.own);
    if (config.element.empty()) {
        note(connection.recorded.channel + ": its RMB element is not in its RMB");
        connection.phase = Phase::over;
        return;
    }
    config.own = {config.element.size(), profile_.cursor_base};
    config.peer = {size, profile_.cursor_base};
    config.peer_token = peer.alert_token;
    connection.data.emplace(config, connection);
    for (const wire::Cdc& message : std::exchange(connection.early, {})) connection.data->on_message(message);
}

void SmcrPlayer::run_application(Time now, PlayedConnection& connection) {
    if (connection.established) connection.application.work(now, connection);
    if (connection.phase != Phase::active) return;
    connection.settle_tcp();
    if (connection.data->state() == CloseState::closed && connection.tcp.over()) connection.phase = Phase::over;
}

bool SmcrPlayer::note_milestones(Time now, PlayedConnection& connection) {
    for (const std::string& name : connection.milestones)
        if (script_.sent(now, connection.recorded.channel, name)) ++played_messages_;
    return !std::exchange(connection.milestones, {}).empty();
}

}  // namespace fabricscope::replay::smcr
