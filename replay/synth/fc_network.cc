// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/fc_network.h"

#include "replay/synth/vlan.h"

namespace fabricscope::synth {
namespace {

using namespace stack::fibre_channel;

// Documentation addresses (RFC 5737, RFC 7042), as the other families have them.
constexpr std::array<std::uint8_t, 2> host_numbers{10, 20};
constexpr std::array<std::uint32_t, 2> port_ids{0x01'0100, 0x01'0200};
constexpr std::uint64_t name_base = 0x2000'0000'5E00'5300, node_base = 0x1000'0000'5E00'5300;
constexpr std::uint64_t fabric_name = name_base | 0x01;

}  // namespace

FcNetwork::FcNetwork() {
    // The client is the lower one: of concurrent peers its request wins.
    for (std::size_t i = 0; i < sides_.size(); ++i) sides_[i].port_name = name_base | host_numbers[i];
}

bool FcNetwork::read(const Statement& statement) {
    if (statement.word() == "carrier") {
        exchanges_.link = static_cast<Link>(statement.choice("over", 0, {"fibre", "fcoe"}));
        if (statement.has("vlan")) exchanges_.vlan = static_cast<std::uint16_t>(statement.number("vlan", 0, last_vlan));
        if (exchanges_.vlan && exchanges_.link != Link::fcoe) statement.fail("only FCoE has a VLAN");
    } else if (statement.word() == "topology") {
        fabric_ = statement.choice("kind", 0, {"fabric", "point-to-point"}) == 0;
        resolver_ = static_cast<Resolver>(statement.choice("resolve", 0, {"farp", "name-server"}));
        in_order_ = statement.flag("in-order", true);
    } else if (statement.word() == "hosts") {
        read_hosts(statement);
    } else if (statement.word() == "client") {
        read_side(statement, FcSide::client);
    } else if (statement.word() == "server") {
        read_side(statement, FcSide::server);
    } else if (statement.word() == "fabric") {
        read_fabric(statement);
    } else if (statement.word() == "port") {
        read_action(statement);
    } else {
        return false;
    }
    return true;
}

void FcNetwork::read_hosts(const Statement& statement) {
    service_class_ = static_cast<int>(statement.choice("class", service_class_ == 2 ? 0 : 1, {"2", "3"})) + 2;
    exchanges_.data_field_size = statement.octets("frame-size", exchanges_.data_field_size);
    if (exchanges_.data_field_size < 256 || exchanges_.data_field_size > fc::max_data_field ||
        exchanges_.data_field_size % 4 != 0)
        statement.fail("frame-size is a multiple of 4 from 256 to 2112");
    exchanges_.end_to_end_credit = static_cast<unsigned>(
        statement.number("credit", exchanges_.end_to_end_credit, 0x7FFF));
    exchanges_.ack_0 = statement.choice("ack", exchanges_.ack_0 ? 0 : 1, {"0", "1"}) == 0;
    exchanges_.e_d_tov = statement.time("e-d-tov", exchanges_.e_d_tov);
    exchanges_.r_a_tov = statement.time("r-a-tov", exchanges_.r_a_tov);
    clock_sync_ = statement.flag("clock-sync", clock_sync_);
}

void FcNetwork::read_side(const Statement& statement, FcSide side) {
    Side& read = sides_[static_cast<std::size_t>(side)];
    read.port_name = statement.number("port-name", read.port_name, UINT64_MAX);
    read.increasing_seq_cnt = statement.flag("increasing-seq-cnt", read.increasing_seq_cnt);
    read.increasing_relative_offset = statement.flag("increasing-offset", read.increasing_relative_offset);
    read.busy_every = static_cast<unsigned>(statement.number("busy-every", read.busy_every));
    read.busy_times = static_cast<unsigned>(statement.number("busy-times", read.busy_times));
    read.reject_every = static_cast<unsigned>(statement.number("reject-every", read.reject_every));
}

void FcNetwork::read_fabric(const Statement& statement) {
    fabric_busy_every_ = static_cast<unsigned>(statement.number("busy-every", 0));
    short_r_t_tov_ = statement.flag("short-r-t-tov", false);
    priority_ = statement.flag("priority", false);
    if (statement.has("fan-at")) fan_ = statement.time("fan-at", 0);
}

void FcNetwork::read_action(const Statement& statement) {
    Action action;
    action.at = statement.time("at", 0);
    action.side = static_cast<FcSide>(statement.choice("side", 0, {"client", "server"}));
    action.does = static_cast<Does>(
        statement.choice("does", 0, {"adisc", "rtv", "fabric-rtv", "prlo", "forget", "logo"}));
    actions_.push_back(action);
}

void FcNetwork::act(Time now, std::size_t action) {
    const auto [at, side, does] = actions_[action];
    const auto own = static_cast<std::size_t>(side);
    const std::uint32_t peer = sides_[1 - own].host->exchanges().port_id();
    NPort& port = sides_[own].host->port();
    switch (does) {
        case Does::validate: return port.validate(now);
        case Does::read_timeouts: return port.read_timeouts(now, peer);
        case Does::read_fabric_timeouts: return port.read_timeouts(now, fc::f_port_server);
        case Does::log_processes_out: return port.log_processes_out(now, peer);
        case Does::forget: return port.forget_login(peer);
        case Does::log_out: return port.log_out(now, peer);
    }
}

void FcNetwork::schedule(World& world) {
    for (std::size_t i = 0; i < actions_.size(); ++i)
        world.fabric().at(world.start() + actions_[i].at, [this, &world, i] { act(world.fabric().now(), i); });
    if (fan_ && services_)
        world.fabric().at(world.start() + *fan_, [this, &world] { services_->announce(world.fabric().now()); });
}

void FcNetwork::set_process_login(
    FcSide side, std::uint32_t parameters, stack::fibre_channel::ProcessLoginCheck will_do) {
    Side& own = sides_[static_cast<std::size_t>(side)];
    own.process_parameters = parameters;
    own.process_login_will_do = std::move(will_do);
}

FcSide FcNetwork::higher() const { return sides_[0].port_name > sides_[1].port_name ? FcSide::client : FcSide::server; }

Gid FcNetwork::ip(FcSide side) const {
    return builders::fc_ip({{192, 0, 2, host_numbers[static_cast<std::size_t>(side)]}});
}

HostConfig FcNetwork::host(FcSide side, std::uint64_t seed) const {
    const Side& own = sides_[static_cast<std::size_t>(side)];
    HostConfig config;
    config.seed = seed;
    config.port.exchanges = exchanges_;
    config.port.exchanges.busy_every = own.busy_every;
    config.port.exchanges.busy_times = own.busy_times;
    config.port.exchanges.reject_every = own.reject_every;
    config.port.port_name = own.port_name;
    config.port.node_name = node_base | host_numbers[static_cast<std::size_t>(side)];
    config.port.ip = ip(side);
    config.port.resolver = resolver_;
    config.port.in_order = in_order_;
    config.port.clock_sync = clock_sync_;
    config.port.increasing_seq_cnt = own.increasing_seq_cnt;
    config.port.increasing_relative_offset = own.increasing_relative_offset;
    config.port.process_parameters = own.process_parameters;
    config.port.process_login_will_do = own.process_login_will_do;
    return config;
}

void FcNetwork::connect(World& world, Host& client, Host& server) {
    sides_[0].host = &client;
    sides_[1].host = &server;
    const auto about = [&](FcSide side) {
        return std::string(name_of(side)) + ", " + fc::name_text(sides_[static_cast<std::size_t>(side)].port_name);
    };
    const stack::PortId first = world.attach(client, 0, link(), {"client", "fc0", about(FcSide::client)});
    const stack::PortId second = world.attach(server, 0, link(), {"server", "fc0", about(FcSide::server)});
    if (!fabric_) {
        world.fabric().set_routing(
            [=](stack::PortId from, ByteView) { return std::optional<stack::PortId>(from == first ? second : first); });
        return schedule(world);
    }
    builders::FcLoginFields fields;
    fields.port_name = fields.node_name = fabric_name;
    fields.data_field_size = static_cast<std::uint16_t>(exchanges_.data_field_size);
    fields.in_order = in_order_;
    fields.short_r_t_tov = short_r_t_tov_;
    fields.priority = priority_;
    fields.e_d_tov_ms = stack::in_milliseconds(exchanges_.e_d_tov);
    fields.r_a_tov_ms = stack::in_milliseconds(exchanges_.r_a_tov);
    std::vector<FabricMember> members;
    for (const FcSide side : {FcSide::client, FcSide::server}) {
        const auto index = static_cast<std::size_t>(side);
        members.push_back({sides_[index].port_name, node_base | host_numbers[index], port_ids[index], ip(side)});
    }
    services_.emplace(exchanges_, fields, members, world.random());
    const stack::PortId fabric = world.attach(*services_, 0, link(), {"fabric", "fc0", "Fabric"});
    const Link link = exchanges_.link;
    world.fabric().set_routing(
        [=, every = fabric_busy_every_, data_frames = 0U](
            stack::PortId from, ByteView frame) mutable -> std::optional<stack::PortId> {
            const capture::Packet packet = decode(frame, link);
            if (!packet.fc) return std::nullopt;
            const std::uint32_t to = packet.fc->frame.header.d_id;
            const bool may_be_busy = every != 0 && from != fabric && fc::class_of(packet.fc->sof) == 2 &&
                                     packet.fc->frame.header.is_data();
            if (may_be_busy && ++data_frames % every == 0) return fabric;
            if (to == port_ids[0]) return first;
            if (to == port_ids[1]) return second;
            if (to == fc::broadcast) return from == first ? second : first;
            return from == fabric ? std::optional<stack::PortId>() : fabric;
        });
    schedule(world);
}

}  // namespace fabricscope::synth
