// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/smcr.h"

#include <fmt/format.h>

#include <functional>

#include "replay/engine/field_values.h"
#include "replay/synth/message_names.h"
#include "replay/synth/world.h"

namespace fabricscope::synth {
namespace {

using namespace stack::smcr;
using stack::millisecond;

constexpr std::uint16_t server_port = 18001;

struct Host {
    PeerConfig config;
    std::string profile = "linux";
    std::uint8_t version = 0;  ///< 0: the profile's
    std::uint8_t number = 0;
    std::uint8_t devices = 1;
    Time rmb_idle = stack::never;
    std::uint8_t link_mtu = 0;             ///< 0: the profile's
    std::optional<Gid> address{};          ///< nothing: 192.0.2.`number`
    const Statement* addressed = nullptr;  ///< that said it
};

/// What a host does, besides connecting.
struct Action {
    Time at = 0;
    std::size_t host = 0;  ///< 1: the server
    std::function<void(Peer&, Time now)> act;
};

Mac mac_of(std::uint8_t number) { return {{0x00, 0x00, 0x5E, 0x00, 0x53, number}}; }

class SmcrScenario {
public:
    explicit SmcrScenario(const Scenario& scenario)
        : world_(scenario, ethernet_messages(), [this](const Statement& statement) { read(statement); }) {
        for (const auto& [statement, host, device] : devices_named_)
            if (device > hosts_[host].devices)
                statement->fail(fmt::format("there is no such device: the host has {}", hosts_[host].devices));
    }

    Recording run(SmcrAccounts* accounts) {
        client_.emplace(config_of(hosts_[0], "client", client_host));
        server_.emplace(config_of(hosts_[1], "server", server_host));
        attach(*client_, hosts_[0], "client");
        attach(*server_, hosts_[1], "server");
        for (const auto& [port, plan] : services_) server_->listen(port, plan);
        for (const Start& start : starts_)
            world_.fabric().at(world_.start() + start.at, [this, &start] {
                client_->connect(
                    world_.fabric().now(), start.source_port, mac_of(hosts_[1].number), hosts_[1].config.ip, start.port,
                    start.plan);
            });
        for (const Action& action : actions_)
            world_.fabric().at(world_.start() + action.at, [this, &action] {
                action.act(action.host == 0 ? *client_ : *server_, world_.fabric().now());
            });
        Recording recording = world_.run();
        tell(recording, "client", client_->accounts());
        tell(recording, "server", server_->accounts());
        if (accounts != nullptr) *accounts = {client_->accounts(), server_->accounts()};
        return recording;
    }

private:
    struct Start {
        Time at = 0;
        std::uint16_t source_port = 0, port = 0;
        AppPlan plan;
    };

    void read(const Statement& statement) {
        if (statement.word() == "hosts") read_host(statement, hosts_[0]), read_host(statement, hosts_[1]);
        else if (statement.word() == "client") read_host(statement, hosts_[0]);
        else if (statement.word() == "server") read_host(statement, hosts_[1]);
        else if (statement.word() == "listen") read_listen(statement);
        else if (statement.word() == "connect") read_connect(statement);
        else if (statement.word() == "test-link")
            act(statement, "by", 0, [](Peer& peer, Time now) { peer.test_links(now); });
        else if (statement.word() == "delete-group") read_delete_group(statement);
        else if (statement.word() == "delete-link") read_delete_link(statement);
        else if (statement.word() == "delete-rkey") read_delete_rkey(statement);
        else if (statement.word() == "device") read_device(statement);
        else statement.fail("this word is not known here");
    }

    /// `name`: of the value with the host that does it.
    void act(const Statement& statement, const char* name, std::size_t who, std::function<void(Peer&, Time)> what) {
        const Time at = statement.time("at", 0);
        actions_.push_back({at, statement.choice(name, who, {"client", "server"}), std::move(what)});
    }

    static std::uint32_t read_reason(const Statement& statement) {
        return static_cast<std::uint32_t>(statement.number("reason", operator_initiated, UINT32_MAX));
    }

    void read_delete_group(const Statement& statement) {
        const bool orderly = statement.flag("orderly", true);
        act(statement, "by", 1, [orderly, reason = read_reason(statement)](Peer& peer, Time now) {
            peer.delete_groups(now, orderly, reason);
        });
    }

    void read_delete_link(const Statement& statement) {
        const auto number = static_cast<std::uint8_t>(statement.number("number", 2, 255));
        const bool orderly = statement.flag("orderly", true);
        act(statement, "by", 1, [number, orderly, reason = read_reason(statement)](Peer& peer, Time now) {
            peer.delete_link(now, number, orderly, reason);
        });
    }

    void read_delete_rkey(const Statement& statement) {
        const auto rkey = static_cast<std::uint32_t>(statement.number("rkey", 1, UINT32_MAX));
        act(statement, "by", 1, [rkey](Peer& peer, Time now) { peer.delete_rkey(now, rkey); });
    }

    void read_device(const Statement& statement) {
        const std::size_t device = statement.number("number", 2, most_links);
        if (device == 0) statement.fail("devices are numbered from 1");
        const bool up = statement.choice("state", 0, {"down", "up"}) == 1;
        act(statement, "of", 0, [device, up](Peer& peer, Time now) { peer.set_device(now, device - 1, up); });
        devices_named_.push_back({&statement, actions_.back().host, device});
    }

    static void read_host(const Statement& statement, Host& host) {
        constexpr std::array<const char*, 2> profiles{"linux", "rfc7609"};
        if (statement.has("profile")) host.profile = profiles[statement.choice("profile", 0, {"linux", "rfc7609"})];
        host.version = static_cast<std::uint8_t>(statement.number("version", host.version, 2));
        PeerConfig& config = host.config;
        config.smc = statement.flag("smc", config.smc);
        config.rdma = statement.flag("rdma", config.rdma);
        host.devices = static_cast<std::uint8_t>(statement.number("devices", host.devices, most_links));
        if (host.devices == 0) statement.fail("without an RDMA device a host has rdma=no");
        host.rmb_idle = statement.time("rmb-idle", host.rmb_idle);
        host.link_mtu = static_cast<std::uint8_t>(statement.number("link-mtu", host.link_mtu, 15));
        if (statement.has("address")) {
            host.address = replay::gid_from_text(statement.text("address", ""));
            host.addressed = &statement;
            if (!host.address) statement.fail("address= is not an IP address, as 192.0.2.10");
        }
        config.eid = statement.text("eid", config.eid);
        if (config.eid.size() > sizeof(wire::Eid::text))
            statement.fail(fmt::format("eid={} is longer than {} octets", config.eid, sizeof(wire::Eid::text)));
        config.subnet_bits = static_cast<std::uint8_t>(statement.number("subnet-bits", config.subnet_bits, 32));
        config.send_buffer = statement.octets("send-buffer", config.send_buffer);
        config.buffer_size = static_cast<std::uint8_t>(
            statement.choice("rmbe", config.buffer_size, {"16K", "32K", "64K", "128K", "256K", "512K"}));
    }

    static AppPlan read_plan(const Statement& statement, bool server) {
        AppPlan plan;
        plan.echo = statement.flag("echo", server);
        plan.messages = static_cast<unsigned>(statement.number("messages", 0));
        if (statement.has("payload")) {
            const auto content = replay::octets_from_text(statement.text("payload", ""));
            if (!content || content->empty())
                statement.fail("payload= is not octets, as text:hello, hex:00ff, count:100");
            plan.content = *content;
        }
        plan.octets = statement.octets("octets", plan.content.empty() ? 100 : plan.content.size());
        plan.ping_pong = statement.flag("ping-pong", !server);
        plan.urgent_every = static_cast<unsigned>(statement.number("urgent-every", 0));
        plan.pause = statement.time("pause", 0);
        plan.read_size = statement.octets("read-size", 0);
        plan.read_interval = statement.time("read-interval", 0);
        plan.read_from = statement.time("read-from", 0);
        plan.hold = statement.time("hold", 0);
        if (statement.has("decline"))
            plan.refusal = {
                static_cast<std::uint32_t>(statement.number("decline", 0)), statement.flag("unasked", false)};
        plan.end = static_cast<AppEnd>(statement.choice("end", server ? 3 : 0, {"close", "shutdown", "abort", "wait"}));
        return plan;
    }

    void read_listen(const Statement& statement) {
        const auto port = static_cast<std::uint16_t>(statement.number("port", server_port, 65'535));
        if (!services_.emplace(port, read_plan(statement, true)).second)
            statement.fail(fmt::format("another listen has port {}", port));
    }

    void read_connect(const Statement& statement) {
        Start start;
        start.plan = read_plan(statement, false);
        start.port = static_cast<std::uint16_t>(statement.number("port", server_port, 65'535));
        start.at = statement.time("at", 0);
        const Time interval = statement.time("interval", 10 * millisecond);
        const auto source = statement.number("source-port", 40'000 + starts_.size(), 60'000);
        const auto count = statement.number("count", 1, 5'000);
        for (std::uint64_t i = 0; i < count; ++i) {
            start.source_port = static_cast<std::uint16_t>(source + i);
            starts_.push_back(start);
            start.at += interval;
        }
    }

    /// Of a device, counted on from that of the first one.
    static Gid address_of(const Host& host, std::uint8_t device) {
        Gid address = host.address.value_or(builders::gid_of(Ipv4{{192, 0, 2, host.number}}));
        address.octets.back() = static_cast<std::uint8_t>(address.octets.back() + device);
        return address;
    }

    PeerConfig config_of(Host& host, const std::string& name, std::uint8_t number) {
        PeerConfig& config = host.config;
        host.number = number;
        config.profile = host.profile == "linux" ? linux_profile() : rfc7609_profile();
        if (host.version != 0) config.profile.version = host.version;
        config.mac = mac_of(number);
        config.ip = address_of(host, 0);
        if (config.profile.version == 1 && !config.ip.is_ipv4())
            host.addressed->fail("hosts of version 1 have IPv4 addresses here; version 2 takes IPv6 ones");
        config.profile.rmb_idle = host.rmb_idle;
        if (host.link_mtu != 0) config.profile.added_link_mtu = host.link_mtu;
        for (std::uint8_t i = 1; i < host.devices; ++i) {
            const auto device = static_cast<std::uint8_t>(number + i);
            config.more_devices.push_back({mac_of(device), address_of(host, i)});
        }
        config.hostname = name;
        config.first_qpn = number == client_host ? 0x11 : 0x14;
        config.seed = world_.random().next();
        return config;
    }

    void attach(Peer& peer, const Host& host, const std::string& name) {
        world_.attach(
            peer, 0, host.config.mac, {name, "eth0", fmt::format("{}, {}", name, short_text(host.config.ip))});
        std::size_t port = 0;
        for (const Device& device : host.config.more_devices) {
            ++port;
            world_.attach(
                peer, port, device.mac,
                {name, fmt::format("eth{}", port), fmt::format("{}, {}", name, short_text(device.ip))});
        }
    }

    static void tell(Recording& recording, const char* name, const std::vector<PeerAccount>& accounts) {
        for (const PeerAccount& account : accounts) {
            std::string text = fmt::format("{} {}: {}", name, account.client_port, account.outcome);
            if (account.decline != 0)
                text += fmt::format(
                    ", declined by {} with 0x{:08x}", account.declined_by_me ? "me" : "peer", account.decline);
            text += fmt::format("; sent {} bytes, received {}", account.sent.octets, account.received.octets);
            if (!account.close.empty())
                text += fmt::format(
                    "; {}{}, {} wraps, {} CDC messages", account.close, account.aborted ? " after an abort" : "",
                    account.wraps, account.messages);
            recording.account.push_back(std::move(text));
        }
    }

    std::array<Host, 2> hosts_;
    std::map<std::uint16_t, AppPlan> services_;
    std::vector<Start> starts_;
    std::vector<Action> actions_;
    struct NamedDevice {
        const Statement* statement;
        std::size_t host, device;
    };
    std::vector<NamedDevice> devices_named_;  ///< of hosts that may be told of later
    World world_;
    std::optional<Peer> client_, server_;
};

}  // namespace

Recording run_smcr(const Scenario& scenario, SmcrAccounts* accounts) { return SmcrScenario(scenario).run(accounts); }

}  // namespace fabricscope::synth
