// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/player.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/engine/smcr/profiles.h"
#include "replay/engine/smcr/smcr_player.h"

namespace fabricscope::replay::smcr {

using stack::never;

namespace {

/// For people: what its application has not done yet.
std::string what_is_left(const PlayedConnection& connection) {
    const stack::smcr::Application& application = connection.application;
    return fmt::format(
        "data of {}: {} bytes written and {} read; its application has done {} of {} steps",
        connection.recorded.channel, application.sent().octets, application.received().octets, application.steps_done(),
        application.steps());
}

}  // namespace

SmcrPlayer::SmcrPlayer(const Recorded& recorded, Side played, const PlayOptions& options)
    : recorded_(recorded),
      played_(played),
      options_(options),
      script_(recorded.conversation, played, options.pace),
      profile_(profile_of(recorded, played)),
      links_(recorded, played, frames_) {
    create_adapters();
    for (const RecordedConnection& connection : recorded.connections) {
        create(connection);
        if (connection.preparation)
            note(fmt::format(
                "{} sets up the link group first, as smcr-{} did; it is not compared", connection.channel,
                connection.model.id));
    }
    if (recorded.earlier_link)
        note("the link group was set up before the capture began; here both sides have it from the start");
    if (recorded.compared && std::ranges::none_of(recorded.connections, &RecordedConnection::preparation))
        note(fmt::format(
            "all {} connections of the link group are played, as they share its links; only {} is compared",
            recorded.connections.size(), recorded.compared->about));
}

// ---- Player --------------------------------------------------------------------------------------

void SmcrPlayer::start(Time now) {
    script_.start(now);
    for (const Side side : {Side::client, Side::server})
        if (recorded_.earlier_link) links_.on_first_contact(now, (*recorded_.earlier_link)[side], side == played_);
    moved_ = now;
    started_ = true;
    work(now);
}

bool SmcrPlayer::over() const {
    if (departed_) return true;
    return script_.over() && std::ranges::all_of(connections_, [&](const auto& one) { return one->finished(played_); });
}

std::string SmcrPlayer::waiting_for() const {
    if (std::string message = script_.waiting_for(); !message.empty()) return message;
    for (const auto& connection : connections_)
        if (!connection->finished(played_)) return what_is_left(*connection);
    return {};
}

// ---- Endpoint ------------------------------------------------------------------------------------

void SmcrPlayer::on_frame(Time now, std::size_t port, ByteView frame) {
    if (host_is_gone()) return;
    const capture::Packet packet = capture::decode(stack::ethernet_frame(frame));
    if (stack::is_damaged(packet)) return;
    if (packet.transport == capture::Transport::tcp) on_tcp(now, packet);
    else if (packet.transport == capture::Transport::ib)
        for (std::size_t i = 0; i < links_.adapters().size(); ++i)
            if (adapter_port_[i] == port) links_.adapters()[i]->on_packet(now, packet);
    work(now);
}

void SmcrPlayer::on_timer(Time now) {
    if (host_is_gone()) return;
    for (const auto& adapter : links_.adapters())
        if (adapter->wakeup() <= now) adapter->on_timer(now);
    for (const auto& connection : connections_)
        if (connection->tcp.wakeup() <= now) connection->tcp.on_timer(now);
    if (now >= patience_ends()) give_up(now);
    work(now);
}

Time SmcrPlayer::wakeup() const {
    if (host_is_gone()) return never;
    Time earliest = std::min(own_wakeup(), patience_ends());
    for (const auto& adapter : links_.adapters()) earliest = std::min(earliest, adapter->wakeup());
    for (const auto& connection : connections_) earliest = std::min(earliest, connection->tcp.wakeup());
    return earliest;
}

void SmcrPlayer::take_frames(std::vector<stack::OutgoingFrame>& frames) {
    frames.clear();
    frames.swap(frames_);
    for (stack::OutgoingFrame& frame : frames) frame.port = frame.port < tcp_port ? adapter_port_[frame.port] : 0;
}

// ---- what is to be done --------------------------------------------------------------------------

void SmcrPlayer::work(Time now) {
    now_ = now;
    if (!started_ || given_up_) {
        for (const auto& connection : connections_) flush(*connection);
        return;
    }
    for (bool more = true; more;) {
        const std::uint64_t before = played_messages_;
        more = process_completions(now);
        for (const auto& connection : connections_) more = step(now, *connection) || more;
        more = play(now) || more;
        more = leave_lost_links(now) || more;
        more = reset_what_is_left(now) || more;
        more = depart(now) || more;
        // What has come for one connection may be what another one waited for.
        more = more || played_messages_ != before;
    }
    for (const auto& connection : connections_) flush(*connection);
    if (const std::uint64_t count = progress(); count != progress_) progress_ = count, moved_ = now;
    planned_ = script_.wakeup(now);
    over_ = over();
}

std::uint64_t SmcrPlayer::progress() const {
    std::uint64_t count = played_messages_;
    for (const auto& connection : connections_)
        count += connection->application.sent().octets + connection->application.received().octets +
                 connection->application.steps_done() + (connection->data ? connection->data->produced() : 0);
    return count;
}

bool SmcrPlayer::step(Time now, PlayedConnection& connection) {
    connection.now = now;
    const Phase before = connection.phase;
    if (before == Phase::waiting || before == Phase::over) return false;
    if (!connection.established && connection.tcp.established()) on_established(now, connection);
    if (connection.phase == Phase::negotiating && connection.established) on_clc(now, connection);
    if (connection.phase == Phase::negotiating && may_have_data(connection)) become_active(connection);
    if (connection.phase == Phase::active || connection.phase == Phase::plain) run_application(now, connection);
    if (connection.tcp.over() && connection.phase != Phase::active) connection.phase = Phase::over;
    return note_milestones(now, connection) || connection.phase != before;
}

// ---- who goes away -------------------------------------------------------------------------------

/// The played side's devices, and perhaps its host, go when all is done that was done before.
bool SmcrPlayer::depart(Time now) {
    const auto& departure = recorded_.departure;
    if (!departure || departure->of != played_ || departed_) return false;
    const Time after = departure->time + 1;
    const auto is_done = [&](const auto& connection) {
        const RecordedConnection& recorded = connection->recorded;
        const Side peer = engine::other(played_);
        const std::size_t peers_steps = recorded.steps_before(peer, after);
        const std::uint64_t arrived = peers_steps != 0 ? recorded.script[peer]->steps[peers_steps - 1].written : 0;
        return connection->application.steps_done() >= recorded.steps_before(played_, after) &&
               connection->application.received().octets >= arrived;
    };
    const auto& messages = recorded_.conversation.messages;
    for (std::size_t i = 0; i < messages.size() && messages[i].time <= departure->time; ++i)
        if (!messages[i].optional && !script_.done(i)) return false;
    if (!std::ranges::all_of(connections_, is_done)) return false;
    departed_ = true;
    for (const auto& adapter : links_.adapters()) adapter->set_up(false);
    for (const auto& connection : connections_) {
        connection->phase = Phase::over;
        if (departure->resets_tcp) connection->tcp.abort(now);
    }
    return true;
}

/// The played side is the one that was left: when its last link has failed, so has all that went over it.
bool SmcrPlayer::reset_what_is_left(Time now) {
    const auto& departure = recorded_.departure;
    if (!departure || departure->of == played_ || !departure->peer_resets || links_.usable_link()) return false;
    bool any = false;
    for (const auto& connection : connections_) {
        if (connection->phase != Phase::active) continue;
        connection->tcp.abort(now);
        connection->phase = Phase::over;
        any = true;
    }
    return any;
}

// ---- time ----------------------------------------------------------------------------------------

/// When this side goes on of itself.
Time SmcrPlayer::own_wakeup() const {
    if (!started_ || given_up_) return never;
    Time earliest = planned_;
    for (const auto& connection : connections_)
        if (connection->phase == Phase::active || connection->phase == Phase::plain)
            earliest = std::min(earliest, connection->application.wakeup());
    return earliest;
}

Time SmcrPlayer::patience_ends() const {
    if (!started_ || given_up_ || over_) return never;
    const Time planned = own_wakeup();
    return (planned == never ? moved_ : std::max(moved_, planned)) + options_.patience;
}

void SmcrPlayer::give_up(Time now) {
    given_up_ = true;
    note(fmt::format(
        "nothing happened for {} s while waiting for {}", options_.patience / capture::second, waiting_for()));
    for (const auto& connection : connections_)
        if (connection->phase != Phase::waiting) connection->tcp.abort(now);
}

/// Connections that are in use are aborted, then the link group goes (RFC 7609, 3.5.4, 4.8.2), then TCP.
void SmcrPlayer::leave(Time now) {
    now_ = now;
    given_up_ = true;
    for (const auto& connection : connections_) {
        connection->now = now;
        if (connection->phase == Phase::active && connection->data && !connection->data->closed_sent())
            connection->data->abort();
    }
    links_.end_group(now);
    for (const auto& connection : connections_) {
        if (connection->phase == Phase::waiting || connection->tcp.over()) continue;
        connection->tcp.abort(now);
        flush(*connection);
    }
}

std::string SmcrPlayer::refusal() const {
    const bool refused = std::ranges::any_of(connections_, [](const auto& connection) {
        return connection->phase != Phase::waiting && !connection->established && connection->tcp.was_reset();
    });
    if (!refused || played_ == Side::server) return {};
    return fmt::format(
        "the peer refuses the TCP connection: nobody listens at port {}", connections_.front()->peer_tcp_port);
}

void SmcrPlayer::note(std::string text) {
    if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
}

AttachedPlayer make_player(const Recorded& recorded, Side played, const PlayOptions& options) {
    if (!recorded.obstacle.empty()) throw NotPlayable(recorded.obstacle);
    if (recorded.earlier_link && options.live)
        throw NotPlayable("its link group was set up before the capture began: only an emulated peer can have it, too");
    AttachedPlayer attached;
    auto player = std::make_unique<SmcrPlayer>(recorded, played, options);
    attached.addresses = player->ports();
    attached.endpoint = std::move(player);
    return attached;
}

}  // namespace fabricscope::replay::smcr
