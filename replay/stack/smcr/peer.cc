// SPDX-License-Identifier: GPL-2.0-or-later
// The host: frames, TCP, the phases of a connection, and its data.
#include "replay/stack/smcr/peer.h"

#include <algorithm>

#include "protocols/smcr/tcp_option.h"
#include "replay/stack/smcr/clc_constants.h"
#include "replay/stack/smcr/peer_state.h"

namespace fabricscope::stack::smcr {
Gid link_local(const Mac& mac) {
    const auto& m = mac.octets;
    return {
        {0xFE, 0x80, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(m[0] ^ 2), m[1], m[2], 0xFF, 0xFE, m[3], m[4], m[5]}};
}

Peer::Peer(PeerConfig config)
    : config_(std::move(config)),
      random_(config_.seed),
      instance_(static_cast<std::uint16_t>(random_.bits(16))),
      identification_(static_cast<std::uint16_t>(random_.bits(16))) {
    add_device(config_.mac, config_.ip);
    for (const Device& device : config_.more_devices) add_device(device.mac, device.ip);
}

void Peer::add_device(const Mac& mac, const Gid& ip) {
    const bool v1 = config_.profile.version == 1;
    AdapterConfig adapter;
    adapter.address = {mac, v1 ? link_local(mac) : ip};
    adapter.carrier = v1 ? capture::IbCarrier::roce_v1 : capture::IbCarrier::roce_v2;
    adapter.first_qpn = config_.first_qpn;
    adapter.hop_limit = 1;  // as SMC-R on one subnet has it
    adapters_.push_back(std::make_unique<Adapter>(adapter, adapters_.size(), frames_, random_.split()));
}

Peer::~Peer() = default;

wire::PeerId Peer::peer_id() const { return {instance_, config_.mac}; }

// ---- frames and time -----------------------------------------------------------------------------

void Peer::on_frame(Time now, std::size_t port, ByteView frame) {
    const capture::Packet packet = capture::decode(ethernet_frame(frame));
    if (is_damaged(packet)) return;
    if (packet.transport == capture::Transport::tcp) on_tcp(now, packet);
    else if (packet.transport == capture::Transport::ib && config_.rdma) adapters_[port]->on_packet(now, packet);
    work(now);
}

void Peer::on_timer(Time now) {
    for (auto& adapter : adapters_)
        if (adapter->wakeup() <= now) adapter->on_timer(now);
    for (auto& group : groups_)
        if (group->links.wakeup() <= now) group->links.on_timer(now);
    touch_due(now);
    for (const std::size_t index : std::set(touched_)) {
        Connection& connection = *connections_[index];
        if (connection.tcp.wakeup() <= now) connection.tcp.on_timer(now);
        if (connection.deadline > now) continue;
        connection.deadline = never;
        fail(now, connection, "failed");  // no CLC message in time: the TCP connection ends (RFC 7609, C.1)
    }
    work(now);
}

Time Peer::wakeup() const {
    Time earliest = never;
    for (const auto& adapter : adapters_) earliest = std::min(earliest, adapter->wakeup());
    for (const auto& group : groups_) earliest = std::min(earliest, group->links.wakeup());
    return timers_.empty() ? earliest : std::min(earliest, timers_.begin()->first);
}

void Peer::take_frames(std::vector<OutgoingFrame>& frames) {
    frames.clear();
    frames.swap(frames_);
}

void Peer::test_links(Time now) {
    for (auto& group : groups_) group->links.test_links(now);
}

void Peer::delete_link(Time now, std::uint8_t number, bool orderly, std::uint32_t reason) {
    for (auto& group : groups_) group->links.delete_link(now, number, orderly, reason);
    work(now);
}

void Peer::delete_rkey(Time now, std::uint32_t rkey) {
    for (auto& group : groups_) group->links.delete_rkey(now, rkey);
}

void Peer::delete_groups(Time now, bool orderly, std::uint32_t reason) {
    for (auto& group : groups_) group->links.delete_all(now, orderly, reason);
    work(now);
}

void Peer::set_device(Time now, std::size_t device, bool up) {
    adapters_[device]->set_up(up);
    for (auto& group : groups_) {
        if (up) group->links.want_link(now);
        for (std::size_t i = 0; !up && i < group->links.links().size(); ++i)
            if (group->links.link(i).adapter == device) group->links.on_link_error(now, i);
    }
    work(now);
}

void Peer::lose_link(Time now, const Mac& own, const Mac& peer) {
    for (auto& group : groups_)
        if (const auto link = group->links.link_between(own, peer)) group->links.on_link_error(now, *link);
    for (std::size_t i = 0; i < adapters_.size(); ++i) {
        const bool used = std::ranges::any_of(groups_, [i](const auto& group) { return group->links.uses(i); });
        if (adapters_[i]->config().address.mac == own && !used) adapters_[i]->set_up(false);
    }
    work(now);
}

void Peer::want_links(Time now, const std::optional<Mac>& device) {
    for (auto& adapter : adapters_)
        if (!device || adapter->config().address.mac == *device) adapter->set_up(true);
    for (auto& group : groups_)
        if (group->links.role() == Role::server && config_.profile.max_links <= 2) group->links.offer_any_link(now);
        else group->links.want_link(now);
    work(now);
}

// ---- TCP -----------------------------------------------------------------------------------------

TcpConfig Peer::tcp_config(std::uint16_t local, std::uint16_t remote) {
    TcpConfig config;
    config.local_port = local;
    config.remote_port = remote;
    config.initial_sequence = random_.bits(32);
    config.timestamp_offset = random_.bits(32);
    if (config_.smc) config.syn_option = layout::octets_of(wire::TcpOption{});
    return config;
}

/// In `connections_`.
std::size_t Peer::free_place() {
    if (free_places_.empty()) {
        connections_.emplace_back();
        return connections_.size() - 1;
    }
    const std::size_t place = free_places_.back();
    free_places_.pop_back();
    return place;
}

/// All has been said; TCP may still wait for what is late.
bool Peer::has_ended(const Connection& connection) {
    return connection.phase == Phase::over || (connection.released && connection.tcp.state() == TcpState::time_wait);
}

void Peer::forget(Connection& connection) {
    timers_.erase({connection.scheduled, connection.index});
    touched_.erase(connection.index);
    std::erase(lock_queue_, &connection);
    const auto key = by_key_.find(connection.key);
    if (key != by_key_.end() && key->second == &connection) by_key_.erase(key);
    const auto token = by_token_.find(connection.token);
    if (token != by_token_.end() && token->second == &connection) by_token_.erase(token);
    free_places_.push_back(connection.index);
    connections_[connection.index].reset();
}

Peer::Connection& Peer::add(Key key, const Mac& mac, bool client, const AppPlan& plan, TcpConfig tcp) {
    const std::size_t place = free_place();
    connections_[place] = std::make_unique<Connection>(std::move(tcp), plan, std::get<0>(key) * 2U + (client ? 1 : 0));
    Connection& connection = *connections_[place];
    connection.index = place;
    connection.key = key;
    connection.remote_port = {mac, std::get<1>(key)};
    connection.client = client;
    by_key_[key] = &connection;
    return connection;
}

void Peer::connect(
    Time now, std::uint16_t local_port, const Mac& mac, const Gid& ip, std::uint16_t port, const AppPlan& plan) {
    Connection& connection = add({local_port, ip, port}, mac, true, plan, tcp_config(local_port, port));
    touch(now, connection);
    connection.tcp.connect(now);
    flush(connection);
}

void Peer::on_tcp(Time now, const capture::Packet& packet) {
    if (!(packet.destination == capture::Address::of(config_.ip))) return;
    const capture::TcpSegment& segment = packet.tcp;
    const Key key{segment.destination_port, Gid{packet.source.bytes}, segment.source_port};
    const auto known = by_key_.find(key);
    const bool opening = segment.has(capture::syn) && !segment.has(capture::ack);
    if (known != by_key_.end() && !(opening && known->second->tcp.over())) {
        touch(now, *known->second);
        known->second->tcp.on_segment(now, segment);
        return flush(*known->second);
    }
    const AppPlan* plan = opening ? plan_for(segment) : nullptr;
    if (plan == nullptr) return refuse_segment(packet);
    Connection& connection = add(
        key, packet.source_mac, false, *plan, tcp_config(segment.destination_port, segment.source_port));
    touch(now, connection);
    connection.tcp.accept(now, segment);
    flush(connection);
}

const AppPlan* Peer::plan_for(const capture::TcpSegment& opening) const {
    const auto expected = expected_.find({opening.destination_port, opening.source_port});
    if (expected != expected_.end()) return &expected->second;
    const auto service = services_.find(opening.destination_port);
    return service == services_.end() ? nullptr : &service->second;
}

/// To a port where nobody listens (RFC 9293, 3.10.7.1).
void Peer::refuse_segment(const capture::Packet& packet) {
    const capture::TcpSegment& segment = packet.tcp;
    if (segment.has(capture::rst)) return;
    builders::TcpFields fields;
    fields.source_port = segment.destination_port;
    fields.destination_port = segment.source_port;
    fields.sequence = segment.has(capture::ack) ? segment.acknowledgment : 0;
    fields.acknowledgment = segment.sequence + segment.payload_length + (segment.has(capture::syn) ? 1 : 0);
    fields.flags = capture::rst | capture::ack;
    fields.window = 0;
    const builders::FrameEnds ends{
        config_.mac, packet.source_mac, config_.ip, Gid{packet.source.bytes}, ++identification_};
    const ByteView frame = builder_.tcp(ends, fields, {}, {});
    frames_.push_back({0, {frame.begin(), frame.end()}, "nobody listens"});
}

void Peer::flush(Connection& connection) {
    for (const TcpSegmentOut& segment : connection.tcp.take_segments()) {
        const builders::FrameEnds ends{
            config_.mac, connection.remote_port.mac, config_.ip, connection.remote_port.gid, ++identification_};
        const ByteView frame = builder_.tcp(ends, segment.fields, segment.options, segment.payload);
        frames_.push_back({0, {frame.begin(), frame.end()}, {}});
    }
    schedule(connection);
}

// ---- what is to be done --------------------------------------------------------------------------

/// Something happens to it: work() is to look what comes of that.
void Peer::touch(Time now, Connection& connection) {
    connection.now = now;
    touched_.insert(connection.index);
}

/// Time has come for something.
void Peer::touch_due(Time now) {
    for (const auto& [time, index] : timers_) {
        if (time > now) break;
        touch(now, *connections_[index]);
    }
}

/// What it waits for now.
void Peer::schedule(Connection& connection) {
    Time earliest = std::min(connection.tcp.wakeup(), connection.deadline);
    const bool runs = connection.phase == Phase::active || connection.phase == Phase::plain;
    if (runs) earliest = std::min(earliest, connection.application.wakeup());
    if (earliest == connection.scheduled) return;
    timers_.erase({connection.scheduled, connection.index});
    connection.scheduled = earliest;
    if (earliest != never) timers_.emplace(earliest, connection.index);
}

/// An application that may not end yet is asked again whenever anything happens.
void Peer::work(Time now) {
    touch_due(now);
    std::set<std::size_t> held;
    bool more = true;
    while (more) {
        more = false;
        for (std::size_t i = 0; i < adapters_.size(); ++i)
            while (!adapters_[i]->completions().empty()) {
                Completion completion = std::move(adapters_[i]->completions().front());
                adapters_[i]->completions().pop_front();
                on_completion(now, i, std::move(completion));
                more = true;
            }
        for (std::size_t i = 0; i < groups_.size(); ++i) {  // an event may make another group
            Group& group = *groups_[i];
            while (!group.links.events().empty()) {
                const GroupEvent event = group.links.events().front();
                group.links.events().pop_front();
                on_group_event(now, group, event);
                more = true;
            }
        }
        for (const std::size_t index : std::exchange(touched_, {})) {
            Connection& connection = *connections_[index];
            connection.now = now;
            if (step(now, connection)) touch(now, connection);
            if (connection.application.held()) held.insert(index);
            flush(connection);
            if (config_.forgets_ended && has_ended(connection) && !std::exchange(connection.ended, true))
                ended_.push_back(index);
        }
        more = more || !touched_.empty();
    }
    touched_ = std::move(held);
}

void Peer::enter(Connection& connection, Phase phase, Time deadline) {
    connection.phase = phase;
    connection.deadline = deadline;
}

/// True if the connection has come to another phase.
bool Peer::step(Time now, Connection& connection) {
    const Phase before = connection.phase;
    if (before == Phase::over) return false;
    if (connection.tcp.over() && before != Phase::active && before != Phase::plain) fail(now, connection, "failed");
    switch (connection.phase) {
        case Phase::tcp:
            if (connection.tcp.established()) on_established(now, connection);
            break;
        case Phase::proposal:
        case Phase::accept:
        case Phase::confirm:
        case Phase::key:
        case Phase::link: on_clc(now, connection); break;
        case Phase::active:
        case Phase::plain: run_application(now, connection); break;
        case Phase::queued:
        case Phase::over: break;
    }
    return connection.phase != before;
}

void Peer::on_established(Time now, Connection& connection) {
    if (!connection.tcp.peer_has_option()) return become_plain(connection, "plain-tcp");
    if (connection.client) return send_proposal(now, connection);
    enter(connection, Phase::proposal, now + config_.profile.clc_wait);
}

void Peer::become_plain(Connection& connection, const char* outcome) {
    connection.outcome = outcome;
    enter(connection, Phase::plain, never);
}

void Peer::fail(Time now, Connection& connection, const char* outcome) {
    touch(now, connection);
    if (connection.outcome.empty()) connection.outcome = outcome;
    if (connection.group != nullptr && !std::exchange(connection.released, true))
        connection.group->links.leave_link(now, connection.link);  // the peer may still write to the element
    connection.tcp.abort(now);
    enter(connection, Phase::over, never);
    release_lock(connection);
}

void Peer::run_application(Time now, Connection& connection) {
    connection.application.work(now, connection);
    if (connection.phase == Phase::active) settle_end(now, connection);
    else if (connection.tcp.over()) enter(connection, Phase::over, never);
}

void Peer::settle_end(Time now, Connection& connection) {
    const DataPath& data = *connection.data;
    connection.settle_tcp(connection.all_arrived());
    if (data.state() == CloseState::peer_abort_wait && connection.deadline == never && !connection.released)
        connection.deadline = now + config_.profile.abort_wait;
    if (data.state() != CloseState::closed || connection.released) return;
    connection.deadline = never;
    leave_group(now, connection);
    // TCP may still have its FINs to exchange; nothing else is left.
    if (connection.tcp.over()) enter(connection, Phase::over, never);
}

/// The connection's element is free for another one.
void Peer::leave_group(Time now, Connection& connection) {
    connection.released = true;
    connection.group->links.leave_link(now, connection.link);
    connection.group->links.release_element(now, *connection.element);
}

void Peer::become_active(Time now, Connection& connection) {
    connection.outcome = "smc-r";
    connection.set_up = now;
    enter(connection, Phase::active, never);
    DataConfig config;
    config.profile = config_.profile;
    config.own = {connection.group->links.octets_of(*connection.element).size(), config_.profile.cursor_base};
    config.element = connection.group->links.octets_of(*connection.element);
    config.peer = {connection.remote.size, config_.profile.cursor_base};
    config.peer_token = connection.remote.token;
    config.send_buffer = config_.send_buffer;
    connection.now = now;
    connection.data.emplace(config, connection);
    for (const wire::Cdc& message : std::exchange(connection.early, {})) connection.data->on_message(message);
    on_link_leaving(now, connection);
    release_lock(connection);
}

// ---- RDMA ----------------------------------------------------------------------------------------

void Peer::on_completion(Time now, std::size_t adapter, Completion completion) {
    Group* group = nullptr;
    std::size_t link = 0;
    for (auto& candidate : groups_)
        if (const auto found = candidate->links.link_of(adapter, completion.qpn); found) {
            group = candidate.get();
            link = *found;
        }
    if (group == nullptr) return;
    if (completion.kind == Completion::Kind::work) {
        if (completion.status != CompletionStatus::success) return group->links.on_link_error(now, link);
        group->links.on_sent(completion.id);
        Connection* connection = connection_of(*group, completion.id);
        if (connection == nullptr || connection->link != link) return;
        touch(now, *connection);
        connection->acknowledge();
        if (connection->ready_to_leave()) connection->move_to_another_link();
        return;
    }
    if (RcQueuePair* qp = adapters_[adapter]->rc(completion.qpn); qp != nullptr) qp->post_receive();
    if (completion.octets.empty() || completion.octets[0] != wire::cdc_type)
        group->links.on_llc(now, link, completion.octets);
    else on_cdc(now, *group, completion.octets);
}

Peer::Connection* Peer::connection_of(const Group& group, std::uint64_t token) {
    const auto found = by_token_.find(token);
    return found != by_token_.end() && found->second->group == &group ? found->second : nullptr;
}

void Peer::on_cdc(Time now, const Group& group, ByteView octets) {
    wire::Cdc message;
    if (layout::parse_into(message, octets)) return;
    Connection* connection = connection_of(group, message.alert_token);
    if (connection == nullptr || connection->released) return;
    touch(now, *connection);
    if (connection->data) connection->data->on_message(message);
    else connection->early.push_back(message);
}

/// The link works, but is to be deleted: what has been sent over it is to arrive first.
void Peer::on_link_leaving(Time now, Connection& connection) {
    LinkGroup& links = connection.group->links;
    if (links.link(connection.link).state != Link::State::leaving) return;
    if (connection.phase != Phase::active) return on_link_down(now, connection);
    if (connection.released) return;
    connection.hold();
    if (connection.ready_to_leave()) connection.move_to_another_link();
}

/// A connection whose data flow moves to another link; one that is being set up begins on another.
void Peer::on_link_down(Time now, Connection& connection) {
    if (connection.phase == Phase::active && connection.released && connection.all_arrived()) return;
    if (connection.phase == Phase::active) return connection.move_to_another_link();
    if (connection.phase != Phase::key && connection.phase != Phase::confirm) return;
    const std::size_t before = connection.link;
    connection.link = connection.group->links.enter_link();
    connection.group->links.leave_link(now, before);
}

/// Only one connection is being set up with RDMA at a time; all that use the group live on its links.
void Peer::on_group_event(Time now, Group& group, const GroupEvent& event) {
    using Kind = GroupEvent::Kind;
    if (event.kind != Kind::link_leaving && event.kind != Kind::link_down && event.kind != Kind::ended) {
        if (!lock_queue_.empty() && lock_queue_.front()->group == &group)
            on_setup_event(now, *lock_queue_.front(), event);
        return;
    }
    for (auto& connection : connections_)
        if (connection && connection->group == &group && connection->phase != Phase::over)
            on_link_event(now, *connection, event);
}

void Peer::on_setup_event(Time now, Connection& connection, const GroupEvent& event) {
    using Kind = GroupEvent::Kind;
    touch(now, connection);
    const bool waits_for_key = connection.phase == Phase::key && connection.element->rmb == event.rmb;
    switch (event.kind) {
        case Kind::link_ready:
            if (connection.phase == Phase::link) become_active(now, connection);
            break;
        case Kind::link_failed:
            if (connection.phase != Phase::link && connection.phase != Phase::confirm) break;
            if (!config_.profile.decline_on_timeout) fail(now, connection, "failed");
            else decline(now, connection, timeout_confirm_link);
            break;
        case Kind::rkey_confirmed:
            if (!waits_for_key) break;
            send_accept_or_confirm(now, connection, connection.client ? wire::ClcType::confirm : wire::ClcType::accept);
            if (connection.client) become_active(now, connection);
            else enter(connection, Phase::confirm, now + config_.profile.clc_wait);
            break;
        case Kind::rkey_refused:
            if (waits_for_key) decline(now, connection, rkey_not_registered);
            break;
        default: break;
    }
    flush(connection);
}

void Peer::on_link_event(Time now, Connection& connection, const GroupEvent& event) {
    touch(now, connection);
    const bool may_be_declined = connection.client && connection.phase == Phase::link &&
                                 config_.profile.decline_on_timeout;
    if (event.kind == GroupEvent::Kind::ended && may_be_declined)
        enter(connection, Phase::link, now + config_.profile.decline_wait);
    else if (event.kind == GroupEvent::Kind::ended) fail(now, connection, "failed");
    else if (connection.link == event.link && event.kind == GroupEvent::Kind::link_leaving)
        on_link_leaving(now, connection);
    else if (connection.link == event.link) on_link_down(now, connection);
    flush(connection);
}

// ---- the account ---------------------------------------------------------------------------------

PeerAccount Peer::account_of(const Connection& connection) {
    PeerAccount account;
    account.client = connection.client;
    account.client_port = connection.client ? std::get<0>(connection.key) : std::get<2>(connection.key);
    account.outcome = connection.outcome;
    account.decline = connection.decline_code;
    account.declined_by_me = connection.declined_by_me;
    account.version = connection.version;
    account.first_contact = connection.first_contact;
    account.sent = connection.application.sent();
    account.received = connection.application.received();
    account.set_up = connection.set_up;
    if (!connection.data) return account;
    const DataPath& data = *connection.data;
    account.produced = data.produced();
    account.acknowledged = data.acknowledged();
    account.consumed = data.consumed();
    account.wraps = data.wraps();
    account.messages = connection.messages();
    account.close = name_of(data.state());
    account.aborted = data.aborted();
    return account;
}

std::vector<PeerAccount> Peer::accounts() const {
    std::vector<PeerAccount> accounts;
    for (const auto& connection : connections_)
        if (connection) accounts.push_back(account_of(*connection));
    return accounts;
}

std::vector<PeerAccount> Peer::take_ended() {
    std::vector<PeerAccount> accounts;
    for (const std::size_t index : std::exchange(ended_, {})) {
        accounts.push_back(account_of(*connections_[index]));
        forget(*connections_[index]);
    }
    return accounts;
}

std::size_t Peer::progress(std::uint16_t client_port) const {
    const auto found = std::ranges::find_if(connections_, [&](const auto& connection) {
        return connection &&
               (connection->client ? std::get<0>(connection->key) : std::get<2>(connection->key)) == client_port;
    });
    if (found == connections_.end() || !(*found)->application.started()) return 0;
    return 1 + (*found)->application.steps_done();
}

std::size_t Peer::progress() const {
    std::size_t steps = 0;
    for (const auto& connection : connections_)
        if (connection) steps += connection->application.steps_done();
    return steps;
}

std::uint64_t Peer::retransmissions() const {
    std::uint64_t all = 0;
    for (const auto& adapter : adapters_) all += adapter->retransmissions();
    return all;
}

std::size_t Peer::requests() const {
    std::size_t count = 0;
    for (const auto& group : groups_) count += group->links.requests();
    return count;
}

}  // namespace fabricscope::stack::smcr
