// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/emulation.h"

#include <algorithm>

#include "capture/packet.h"
#include "protocols/net/headers.h"
#include "protocols/smcr/llc.h"
#include "replay/engine/smcr/profiles.h"

namespace fabricscope::replay::smcr {

namespace wire = fabricscope::smcr;

namespace {

using stack::smcr::AppPlan;
using stack::smcr::Peer;
using stack::smcr::PeerConfig;

/// Before a link group is ended, what its connections' ends lead to takes its course.
constexpr Time settling = 100 * stack::millisecond;

/// How far things have to have come.
struct Progress {
    std::vector<std::pair<std::uint16_t, std::size_t>> steps;  ///< of each connection's application, by client's port
    std::size_t requests = 0;                                  ///< of the peer, about links and keys
};

/// Of a client: REQUEST ADD LINK, and version 1's ADD LINK without a queue pair.
bool asks_for_link(const Message& message) {
    return message.name == "LLC REQUEST ADD LINK" || (message.name == "LLC ADD LINK" && message.from == Side::client);
}

/// Of a link that works: somebody has decided to delete it.
bool is_decision(const wire::DeleteLink& message) {
    return !message.reply && !message.all && message.orderly && message.reason != stack::smcr::lost_path &&
           message.reason != stack::smcr::asymmetric_not_needed;
}

/// The devices that a client had no link on before it asked for one: they came later. In the order of their ports.
std::vector<std::size_t> later_devices(const Recorded& recorded, Side side, const PeerConfig& config) {
    std::vector<std::size_t> later;
    std::vector<Mac> seen;
    bool asked = false;
    for (const Message& message : recorded.conversation.messages) {
        if (message.from != side || !message.name.starts_with("LLC")) continue;
        asked = asked || asks_for_link(message);
        const wire::LlcMessage parsed = wire::parse_llc(message.octets, message.octets.size());
        const auto* add = std::get_if<wire::AddLinkMessage>(&parsed.body);
        if (add == nullptr || std::ranges::find(seen, add->common().mac) != seen.end()) continue;
        const Mac mac = seen.emplace_back(add->common().mac);
        const auto device = std::ranges::find(config.more_devices, mac, &stack::smcr::Device::mac);
        if (asked && device != config.more_devices.end())
            later.push_back(static_cast<std::size_t>(device - config.more_devices.begin()) + 1);
    }
    return later;
}

/// The host, and when it does what is not an answer to anything: connect, lose a link, want one, end the link group.
class EmulatedHost final : public stack::Endpoint {
public:
    EmulatedHost(const Recorded& recorded, Side side, const PeerConfig& config)
        : peer_(config), side_(side), deaf_(recorded.deaf == side), no_path_(recorded.no_path) {
        if (side == Side::server) unconfirmed_ = recorded.unconfirmed;
        std::vector<Action> of_messages = read_messages(recorded);
        for (const RecordedConnection& connection : recorded.connections) add(recorded, connection);
        if (recorded.earlier_link) add(*recorded.earlier_link);
        if (recorded.no_roce) actions_.push_back({0, [this](Time now) { peer_.set_device(now, 0, false); }});
        for (const std::size_t device : later_devices(recorded, side, config))
            actions_.push_back({0, [this, device](Time now) { peer_.set_device(now, device, false); }});
        for (const LostLink& lost : recorded.lost_links)
            if (lost.by == side) add(recorded, lost);
        std::ranges::move(of_messages, std::back_inserter(actions_));
        if (recorded.departure) add(recorded, *recorded.departure);
        std::ranges::stable_sort(actions_, {}, &Action::recorded);
        for (Action& action : actions_) action.after = progress_at(recorded, action.recorded);
    }

    void on_frame(Time now, std::size_t port, ByteView frame) override {
        if (gone_ || (deaf_ && is_roce(frame)) || is_lost(port, frame)) return;
        if (leaves_ && tests_to_come_ != 0 && asks_whether_alive(frame)) --tests_to_come_;
        peer_.on_frame(now, port, frame);
        work(now);
    }
    void on_timer(Time now) override {
        begun_ = true;
        peer_.on_timer(now);
        work(now);
    }
    Time wakeup() const override {
        if (gone_) return stack::never;
        return begun_ ? std::min(peer_.wakeup(), due_.value_or(stack::never)) : 0;
    }
    void take_frames(std::vector<stack::OutgoingFrame>& frames) override {
        peer_.take_frames(frames);
        std::erase_if(frames, [this](const stack::OutgoingFrame& frame) { return leads_nowhere(frame.octets); });
    }

private:
    struct Action {
        Time recorded = 0;  ///< when it was done then
        std::function<void(Time)> act;
        Time wait = 0;  ///< when its turn has come
        Progress after{};
    };
    struct Leaves {
        Progress after;
        bool host_stays;  ///< only its device goes
    };

    void add(const PerSide<wire::SmcrAcceptConfirmBody>& link) {
        const auto role = side_ == Side::client ? stack::smcr::Role::client : stack::smcr::Role::server;
        const auto& own = link[side_];
        const auto& peer = link[engine::other(side_)];
        actions_.push_back({0, [=, this](Time now) { peer_.resume_group(now, role, own, peer); }});
    }

    void add(const Recorded& recorded, const LostLink& lost) {
        const Mac own = lost.end[side_], peer = lost.end[engine::other(side_)];
        const Time time = recorded.conversation.messages[lost.sign].time;
        actions_.push_back({time, [=, this](Time now) { peer_.lose_link(now, own, peer); }});
    }

    /// Who goes has done all that it did before. Who stays finds out by asking whether the link is alive.
    void add(const Recorded& recorded, const Departure& departure) {
        for (const Message& message : recorded.conversation.messages) {
            if (message.name != "LLC TEST LINK") continue;
            const bool before = message.time <= departure.time, own = message.from == side_;
            if (!own && before) ++tests_to_come_;
            if (own && !before)
                actions_.push_back({message.time, [this](Time now) { peer_.test_links(now); }, settling});
        }
        if (departure.of == side_) leaves_ = Leaves{progress_at(recorded, departure.time + 1), departure.resets_tcp};
    }

    void leave_if_done(Time now) {
        if (!leaves_ || tests_to_come_ != 0 || !reached(leaves_->after)) return;
        if (leaves_->host_stays) peer_.set_device(now, 0, false);
        else gone_ = true;
        leaves_.reset();
    }

    bool leads_nowhere(ByteView frame) const {
        net::Ethernet header{};
        if (layout::parse_into(header, frame)) return false;
        return std::ranges::any_of(no_path_, [&](const PerSide<Mac>& end) {
            return end[side_] == header.source && end[engine::other(side_)] == header.destination && is_roce(frame);
        });
    }

    /// A confirmation that did not get here, and all that comes over its link after it.
    bool is_lost(std::size_t port, ByteView frame) {
        if (unconfirmed_.empty()) return false;
        const capture::Packet packet = capture::decode(stack::ethernet_frame(frame));
        if (packet.transport != capture::Transport::ib) return false;
        const wire::LlcMessage message = wire::parse_llc(packet.ib.payload, packet.ib.payload.size());
        const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body);
        const std::uint32_t queue_pair = packet.ib.bth.destination_qpn;
        if (confirm != nullptr && unconfirmed_.contains(confirm->link)) lost_links_.insert({port, queue_pair});
        return lost_links_.contains({port, queue_pair});
    }

    static bool is_roce(ByteView frame) {
        return capture::decode(stack::ethernet_frame(frame)).transport == capture::Transport::ib;
    }

    static bool asks_whether_alive(ByteView frame) {
        const capture::Packet packet = capture::decode(stack::ethernet_frame(frame));
        if (packet.transport != capture::Transport::ib) return false;
        const wire::LlcMessage message = wire::parse_llc(packet.ib.payload, packet.ib.payload.size());
        const auto* test = std::get_if<wire::TestLink>(&message.body);
        return test != nullptr && !test->reply;
    }

    /// Whether what the peer sent got here.
    bool hears(const Recorded& recorded, Time time) const {
        const bool left = recorded.departure && recorded.departure->of == side_ && time > recorded.departure->time;
        return !deaf_ && !recorded.no_roce && !left;
    }

    /// Takes in LLC messages of the peer that are no answers. Returns the end of the link group, and links that this
    /// side wants; the first offer is part of the first contact.
    std::vector<Action> read_messages(const Recorded& recorded) {
        std::vector<Action> actions;
        bool first_offer = true, asked = false, asked_to_end = false;
        std::set<std::string> unheard;  // channels
        const auto act = [&](Time time, Time wait, auto what) { actions.push_back({time, what, wait}); };
        for (const Message& message : recorded.conversation.messages) {
            if (!message.name.starts_with("LLC")) continue;
            const bool own = message.from == side_;
            const wire::LlcMessage parsed = wire::parse_llc(message.octets, message.octets.size());
            const auto* confirm = std::get_if<wire::ConfirmLink>(&parsed.body);
            if (confirm != nullptr && !own && unconfirmed_.contains(confirm->link)) unheard.insert(message.channel);
            const bool heard = hears(recorded, message.time) && !unheard.contains(message.channel);
            if (!own && heard && !parsed.is_reply()) requests_.push_back(message.time);
            const auto* gone = std::get_if<wire::DeleteLink>(&parsed.body);
            const bool ends = gone != nullptr && gone->all && !gone->reply;
            asked_to_end = asked_to_end || (ends && message.from == Side::client);
            if (own && ends && !(asked_to_end && side_ == Side::server))
                act(message.time, settling, [this, orderly = gone->orderly, reason = gone->reason](Time now) {
                    peer_.delete_groups(now, orderly, reason);
                });
            if (own && gone != nullptr && is_decision(*gone))
                act(message.time, settling, [this, number = gone->link, reason = gone->reason](Time now) {
                    peer_.delete_link(now, number, true, reason);
                });
            const bool request = asks_for_link(message);
            const bool offer = message.name == "LLC ADD LINK" && !request;
            const bool answers_request = std::exchange(asked, request || (asked && !offer));
            if (!request && (!offer || std::exchange(first_offer, false) || answers_request)) continue;
            const auto* add = std::get_if<wire::AddLinkMessage>(&parsed.body);
            const auto device = add != nullptr ? std::optional(add->common().mac) : std::nullopt;
            if (own) act(message.time, 0, [this, device](Time now) { peer_.want_links(now, device); });
        }
        return actions;
    }

    void add(const Recorded& recorded, const RecordedConnection& connection) {
        const std::uint16_t client_port = port_of(connection, Side::client);
        const std::uint16_t server_port = port_of(connection, Side::server);
        AppPlan plan{.refusal = refusal_of(connection, side_), .script = connection.script[side_]};
        const auto& steps = plan.script->steps;
        const auto end = std::ranges::find_if(steps, [](const auto& step) { return step.end.has_value(); });
        // The end of one connection may have come after something on another one.
        if (end != steps.end()) {
            Progress before = progress_at(
                recorded, connection.step_time[side_][static_cast<std::size_t>(end - steps.begin())]);
            std::erase_if(before.steps, [&](const auto& one) { return one.first == client_port; });
            plan.may_end = [this, before]() mutable { return reached(before); };
        }
        if (side_ == Side::server) {
            peer_.listen(server_port, plan);
            peer_.expect(server_port, client_port, plan);
            return;
        }
        const Mac mac = connection.mac[Side::server];
        const Gid ip = address_of(connection, Side::server);
        const Time time = connection.model.first_time;
        actions_.push_back(
            {time, [=, this](Time now) { peer_.connect(now, client_port, mac, ip, server_port, plan); }});
    }

    Progress progress_at(const Recorded& recorded, Time time) const {
        Progress progress;
        progress.requests = static_cast<std::size_t>(std::ranges::lower_bound(requests_, time) - requests_.begin());
        for (const RecordedConnection& connection : recorded.connections) {
            const auto& setup = connection.model.setup;
            const bool set_up = (setup.confirm && setup.confirm->time < time) ||
                                (setup.decline && setup.decline->time < time);
            if (!set_up) continue;
            progress.steps.emplace_back(port_of(connection, Side::client), 1 + connection.steps_before(side_, time));
        }
        return progress;
    }

    /// What has been done stays so, and is not looked at again.
    bool reached(Progress& progress) const {
        auto& steps = progress.steps;
        while (!steps.empty() && peer_.progress(steps.back().first) >= steps.back().second) steps.pop_back();
        return steps.empty() && peer_.requests() >= progress.requests;
    }

    /// What one application has done may be what another one waits for.
    void work(Time now) {
        leave_if_done(now);
        if (gone_) return;
        act(now);
        for (std::size_t before = 0; before != peer_.progress();) {
            before = peer_.progress();
            peer_.on_timer(now);
            act(now);
        }
    }

    void act(Time now) {
        while (next_ < actions_.size() && reached(actions_[next_].after)) {
            if (!due_) due_ = now + actions_[next_].wait;
            if (now < *due_) return;
            due_.reset();
            actions_[next_++].act(now);
        }
    }

    Peer peer_;
    Side side_;
    bool deaf_;  ///< what comes over RoCE is lost before it gets here
    std::vector<PerSide<Mac>> no_path_;
    std::set<std::uint8_t> unconfirmed_;  ///< numbers of links whose confirmation does not get here
    std::set<std::pair<std::size_t, std::uint32_t>> lost_links_;  ///< this side's ends of these
    std::vector<Time> requests_;                                  ///< of the peer, when they came then
    std::vector<Action> actions_;                                 ///< in order
    std::size_t next_ = 0;
    std::optional<Time> due_;  ///< the next action, whose time has come but for its waiting
    bool begun_ = false;
    std::optional<Leaves> leaves_;
    std::size_t tests_to_come_ = 0;  ///< of the peer, which this side still answered
    bool gone_ = false;              ///< nothing of this host comes any more
};

}  // namespace

AttachedEndpoint make_emulated(const Recorded& recorded, Side side, const std::string& profile) {
    if (!recorded.obstacle.empty()) throw NotPlayable(recorded.obstacle);
    const PeerConfig config = config_of(recorded, side, profile);
    AttachedEndpoint attached;
    attached.addresses = {config.mac};
    for (const stack::smcr::Device& device : config.more_devices) attached.addresses.push_back(device.mac);
    attached.endpoint = std::make_unique<EmulatedHost>(recorded, side, config);
    return attached;
}

}  // namespace fabricscope::replay::smcr
