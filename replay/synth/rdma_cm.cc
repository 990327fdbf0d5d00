// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/rdma_cm.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/stack/ib/rdma_peer.h"
#include "replay/synth/message_names.h"
#include "replay/synth/world.h"

namespace fabricscope::synth {
namespace {

using namespace stack;

enum class Carrier : std::uint8_t { ipv4, ipv6, roce_v1 };

// Documentation addresses (RFC 5737, RFC 3849, RFC 7042), as the real samples have them.
IbAddress address_of(std::uint8_t host, Carrier carrier) {
    const Mac mac{{0x00, 0x00, 0x5E, 0x00, 0x53, host}};
    switch (carrier) {
        case Carrier::ipv4: return {mac, builders::gid_of(Ipv4{{192, 0, 2, host}})};
        case Carrier::ipv6: return {mac, {{0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, host}}};
        case Carrier::roce_v1: break;
    }
    return {mac, {{0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0x02, 0x00, 0x5E, 0xFF, 0xFE, 0x00, 0x53, host}}};
}

RdmaHostConfig host_config(std::uint8_t host, Carrier carrier, std::uint64_t seed) {
    RdmaHostConfig config;
    config.adapter.address = address_of(host, carrier);
    config.adapter.carrier = carrier == Carrier::roce_v1 ? capture::IbCarrier::roce_v1 : capture::IbCarrier::roce_v2;
    config.adapter.guid = 0x0200'5EFF'FE00'5300 | host;
    config.adapter.first_qpn = 0x11U + host / 20;
    // The address that a socket would have, whatever carries RDMA.
    config.cm.own_ips = {address_of(host, carrier == Carrier::ipv6 ? Carrier::ipv6 : Carrier::ipv4).gid};
    config.seed = seed;
    return config;
}

/// Octets of private data (IBA 12.6, 12.11).
constexpr std::size_t room_in_req = 92, room_in_rej = 148, room_in_rep = 196, room_in_sidr_req = 216;

/// private=, of which there may be so many octets.
Octets private_data(const Statement& statement, std::size_t most) {
    const std::string text = statement.text("private", "");
    if (text.size() > most)
        statement.fail(fmt::format("private= has {} octets, and the message has room for {}", text.size(), most));
    return {text.begin(), text.end()};
}

std::uint64_t service_id(const Statement& statement) {
    if (statement.has("service-id")) return statement.number("service-id", 0, UINT64_MAX);
    constexpr std::array<std::uint8_t, 4> protocols{6, 17, 63, 132};
    const std::size_t space = statement.choice("space", 0, {"tcp", "udp", "ib", "sctp"});
    return socket_service_id(protocols[space], static_cast<std::uint16_t>(statement.number("port", 7174, 65'535)));
}

class RdmaCmScenario {
public:
    explicit RdmaCmScenario(const Scenario& scenario)
        : world_(scenario, ethernet_messages(), [this](const Statement& statement) { read(statement); }) {}

    Recording run(RdmaCmAccounts* accounts) {
        client_.emplace(host(client_host, "client"));
        server_.emplace(host(server_host, "server"));
        attach(*client_, client_host, "client");
        attach(*server_, server_host, "server");
        for (ServicePlan& service : services_) {
            service.commands = std::ranges::any_of(starts_, [&](const Start& start) {
                return start.plan.type == TransferType::command && start.plan.request.service_id == service.service_id;
            });
            server_->offer(service);
        }
        for (const Start& start : starts_)
            world_.fabric().at(world_.start() + start.at, [this, &start] {
                client_->start(world_.fabric().now(), with_echo(start.plan));
            });
        for (const Pause& pause : pauses_)
            for (unsigned i = 0; i < pause.count; ++i)
                world_.fabric().at(world_.start() + pause.at + i * pause.interval, [this, &pause] {
                    (pause.by_server ? *server_ : *client_).adapter().pause(pause.priority, pause.quanta);
                });
        Recording recording = world_.run();
        tell(recording, "client", client_->accounts());
        tell(recording, "server", server_->accounts());
        if (accounts != nullptr)
            *accounts = {
                client_->accounts(), server_->accounts(), client_->adapter().congestion(),
                server_->adapter().congestion()};
        return recording;
    }

private:
    struct Start {
        Time at = 0;
        ClientPlan plan;
    };
    struct Pause {
        Time at = 0, interval = 0;
        unsigned count = 1;
        bool by_server = false;
        std::uint8_t priority = 0;
        std::uint16_t quanta = 0;
    };
    struct Congestion {
        std::uint8_t ecn = 0;
        Time cnp_interval = never;
    };

    void read(const Statement& statement) {
        if (statement.word() == "carrier")
            carrier_ = static_cast<Carrier>(statement.choice("over", 0, {"ipv4", "ipv6", "roce-v1"}));
        else if (statement.word() == "server") read_server(statement), read_congestion(statement, server_congestion_);
        else if (statement.word() == "client")
            read_timeouts(statement, client_cm_), read_congestion(statement, client_congestion_);
        else if (statement.word() == "pause") read_pause(statement);
        else if (statement.word() == "listen") read_listen(statement);
        else if (statement.word() == "connect") read_connect(statement, false);
        else if (statement.word() == "resolve") read_connect(statement, true);
        else statement.fail("this word is not known here");
    }

    static void read_timeouts(const Statement& statement, CmConfig& cm) {
        cm.max_cm_retries = static_cast<std::uint8_t>(statement.number("cm-retries", cm.max_cm_retries, 15));
        cm.response_timeout = static_cast<std::uint8_t>(statement.number("response-timeout", cm.response_timeout, 31));
    }

    static void read_congestion(const Statement& statement, Congestion& congestion) {
        congestion.ecn = statement.flag("ecn", false) ? 2 : 0;
        congestion.cnp_interval = statement.time("cnp-interval", never);
    }

    void read_pause(const Statement& statement) {
        Pause pause;
        pause.by_server = statement.choice("by", 0, {"server", "client"}) == 0;
        pause.at = statement.time("at", 0);
        pause.interval = statement.time("interval", millisecond);
        pause.count = static_cast<unsigned>(statement.number("count", 1, 100'000));
        pause.priority = static_cast<std::uint8_t>(statement.number("priority", 3, 7));
        pause.quanta = static_cast<std::uint16_t>(statement.number("quanta", 65'535, 65'535));
        pauses_.push_back(pause);
    }

    void read_server(const Statement& statement) {
        read_timeouts(statement, server_cm_);
        server_cm_.ip_service = statement.flag("ip-service", true);
        server_cm_.major_version = static_cast<std::uint8_t>(statement.number("major", 0, 15));
        server_cm_.minor_version = static_cast<std::uint8_t>(statement.number("minor", 0, 15));
        const std::size_t versions = statement.choice("ip", 0, {"both", "4", "6"});
        server_cm_.ipv4 = versions != 2;
        server_cm_.ipv6 = versions != 1;
    }

    void read_listen(const Statement& statement) {
        ServicePlan plan;
        plan.service_id = service_id(statement);
        plan.answer = static_cast<CmAnswer>(statement.choice("answer", 0, {"accept", "reject", "none"}));
        plan.think = statement.time("think", 0);
        plan.mra = static_cast<std::uint8_t>(statement.number("mra", 0, 31));
        plan.echo = statement.flag("echo", true);
        plan.receive_buffers = static_cast<unsigned>(statement.number("buffers", 64));
        plan.repost = statement.time("repost", 0);
        plan.memory = static_cast<std::uint32_t>(statement.octets("memory", 65'536));
        constexpr std::array<std::uint8_t, 4> rights{
            remote_read | remote_write | remote_atomic, remote_read, remote_write, 0};
        plan.access = rights[statement.choice("access", 0, {"both", "read", "write", "none"})];
        plan.private_data = private_data(
            statement, plan.answer == CmAnswer::reject ? room_in_rej : room_in_rep - layout::size_of<ib::Reth>);
        plan.disconnect_after = statement.time("disconnect-after", never);
        constexpr std::array<std::optional<std::uint8_t>, 4> refusals{
            std::nullopt, ib::AethSyndrome::invalid_request, ib::AethSyndrome::remote_access_error,
            ib::AethSyndrome::remote_operational_error};
        plan.refusal = refusals[statement.choice(
            "refuse", 0, {"nothing", "invalid-request", "remote-access", "remote-operational"})];
        plan.refused_message = static_cast<unsigned>(statement.number("refused-message", 0));
        if (statement.has("ari"))
            plan.rejection = ip_service_rejection(static_cast<std::uint8_t>(statement.number("ari", 0, 6)));
        plan.rejection.reason = static_cast<std::uint16_t>(statement.number("reason", ib::consumer_reject, 65'535));
        plan.rejection.private_data = plan.answer == CmAnswer::reject ? plan.private_data : Octets{};
        const auto taken = std::ranges::find(services_, plan.service_id, &ServicePlan::service_id);
        if (taken != services_.end()) statement.fail("another listen has that service");
        services_.push_back(plan);
    }

    void read_connect(const Statement& statement, bool datagrams) {
        ClientPlan plan;
        plan.datagrams = datagrams;
        plan.request = read_request(statement, datagrams);
        plan.type = static_cast<TransferType>(
            statement.choice("transfer", 0, {"send", "write", "read", "add", "swap", "command"}));
        if (plan.type == TransferType::command && plan.request.service == ib::Service::xrc)
            statement.fail("a target of XRC answers no commands: it sends no messages");
        plan.rc.adaptive_retransmission = statement.choice("retransmission", 0, {"coded", "adaptive"}) != 0;
        plan.messages = static_cast<unsigned>(statement.number("messages", 0));
        plan.octets = static_cast<std::uint32_t>(statement.octets("octets", 100));
        plan.pause = statement.time("pause", 0);
        plan.beyond = statement.octets("beyond", 0);
        plan.hold = statement.time("hold", 0);
        plan.end = static_cast<ClientEnd>(statement.choice("end", 0, {"disconnect", "leave", "refuse"}));
        const Time at = statement.time("at", 0);
        const Time interval = statement.time("interval", 10 * millisecond);
        const auto count = static_cast<Time>(statement.number("count", 1, 100'000));
        const auto port = static_cast<std::uint16_t>(statement.number("source-port", 40'000, 65'535));
        for (Time i = 0; i < count; ++i) {
            if (plan.request.ip) plan.request.ip->versions.source_port = static_cast<std::uint16_t>(port + i);
            starts_.push_back({at + i * interval, plan});
        }
    }

    CmRequest read_request(const Statement& statement, bool datagrams) const {
        CmRequest request;
        request.service_id = service_id(statement);
        const std::size_t room = datagrams ? room_in_sidr_req : room_in_req;
        const bool has_addresses = cm::has_ip_header(request.service_id);
        constexpr std::size_t addresses = layout::size_of<cm::IpVersions> + layout::size_of<cm::Ipv6Addresses>;
        request.private_data = private_data(statement, has_addresses ? room - addresses : room);
        constexpr std::array services{ib::Service::rc, ib::Service::uc, ib::Service::xrc};
        request.service = services[statement.choice("service", 0, {"rc", "uc", "xrc"})];
        request.retry_count = static_cast<std::uint8_t>(statement.number("retries", 7, 7));
        request.rnr_retry_count = static_cast<std::uint8_t>(statement.number("rnr-retries", 7, 7));
        request.ack_timeout = static_cast<std::uint8_t>(statement.number("ack-timeout", 14, 31));
        request.path_mtu = static_cast<std::uint8_t>(
            1 + statement.choice("mtu", 2, {"256", "512", "1024", "2048", "4096"}));
        if (has_addresses) request.ip = read_ip(statement);
        return request;
    }

    /// Addresses are right unless the statement changes them.
    cm::IpHeader read_ip(const Statement& statement) const {
        const Carrier socket = carrier_ == Carrier::ipv6 ? Carrier::ipv6 : Carrier::ipv4;
        const auto destination = static_cast<std::uint8_t>(statement.number("destination-host", server_host, 255));
        cm::IpHeader header = ip_header(address_of(client_host, socket).gid, 0, address_of(destination, socket).gid);
        header.versions.major_version = static_cast<std::uint8_t>(statement.number("major", 0, 15));
        header.versions.minor_version = static_cast<std::uint8_t>(statement.number("minor", 0, 15));
        header.versions.ip_version = static_cast<std::uint8_t>(
            statement.number("ip-version", header.versions.ip_version, 15));
        if (auto* v4 = std::get_if<cm::Ipv4Addresses>(&header.addresses)) {
            constexpr Bytes<12> mapped{ipv4_mapped_prefix};
            if (statement.flag("mapped-source", false)) v4->source_padding = mapped;
            if (statement.flag("mapped-destination", false)) v4->destination_padding = mapped;
        }
        return header;
    }

    /// A client waits for its messages to come back if the service sends them back.
    ClientPlan with_echo(ClientPlan plan) const {
        plan.request.peer = address_of(server_host, carrier_);
        const auto service = std::ranges::find(services_, plan.request.service_id, &ServicePlan::service_id);
        plan.echoed = service != services_.end() && service->echo && plan.request.service != ib::Service::xrc;
        return plan;
    }

    RdmaHostConfig host(std::uint8_t number, const std::string& name) {
        RdmaHostConfig config = host_config(number, carrier_, world_.random().next());
        const std::vector<Gid> own_ips = std::move(config.cm.own_ips);
        config.cm = name == "client" ? client_cm_ : server_cm_;
        const Congestion& congestion = name == "client" ? client_congestion_ : server_congestion_;
        config.adapter.ecn = congestion.ecn;
        config.adapter.cnp_interval = congestion.cnp_interval;
        config.cm.own_ips = own_ips;
        return config;
    }

    void attach(RdmaPeer& peer, std::uint8_t number, const std::string& name) {
        const IbAddress address = address_of(number, carrier_);
        world_.attach(peer, 0, address.mac, {name, "eth0", fmt::format("{}, {}", name, short_text(address.gid))});
    }

    static void tell(Recording& recording, const char* name, const std::vector<RdmaPeerAccount>& accounts) {
        for (const RdmaPeerAccount& account : accounts) {
            std::string text = fmt::format("{}: {}", name, account.outcome);
            if (account.reject_reason != 0) text += fmt::format(" (reason {})", account.reject_reason);
            text += fmt::format(
                "; sent {} messages, {} bytes; received {} messages, {} bytes{}; {} packets retransmitted",
                account.messages_sent, account.sent, account.messages_received, account.received,
                account.data_right ? "" : ", not what was sent", account.retransmissions);
            recording.account.push_back(std::move(text));
        }
    }

    Carrier carrier_ = Carrier::ipv4;
    CmConfig client_cm_, server_cm_;
    Congestion client_congestion_, server_congestion_;
    std::vector<Pause> pauses_;
    std::vector<ServicePlan> services_;
    std::vector<Start> starts_;
    World world_;
    std::optional<RdmaPeer> client_, server_;
};

}  // namespace

Recording run_rdma_cm(const Scenario& scenario, RdmaCmAccounts* accounts) {
    return RdmaCmScenario(scenario).run(accounts);
}

}  // namespace fabricscope::synth
