// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/fcvi.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "replay/synth/fc_network.h"
#include "replay/synth/message_names.h"
#include "replay/synth/vi_script.h"

namespace fabricscope::synth {
namespace {

using stack::ViAccount;
using stack::ViPeer;
using stack::ViPlan;
using stack::ViRole;
using stack::ViTransfer;

// Of scripts: when their first line is done, by when both hosts know each other, and how long after it the next one.
constexpr Time script_begins = 100 * capture::millisecond, script_pause = capture::millisecond;

const std::vector<std::string_view> levels{"unreliable-delivery", "reliable-delivery", "reliable-reception"};
const std::vector<std::string_view> transfers{"send", "write", "read"};

class FcviScenario {
public:
    explicit FcviScenario(const Scenario& scenario)
        : world_(
              scenario, fc_messages([this](ByteView frame) { return fc_message_name(frame, network_.link()); }),
              [this](const Statement& statement) { read(statement); }) {}

    Recording run(FcviAccounts* accounts) {
        if (!script_.empty()) return run_script();
        settle_plans();
        client_.emplace(config(FcSide::client), client_plans_);
        server_.emplace(config(FcSide::server), server_plans_);
        tell_memory();
        network_.connect(world_, *client_, *server_);
        // The server's link is up before the client looks for it.
        start(*server_, 0);
        start(*client_, capture::millisecond);
        Recording recording = world_.run();
        FcviAccounts told{client_->accounts(), server_->accounts()};
        tell(recording, "client", told.client);
        tell(recording, "server", told.server);
        if (accounts != nullptr) *accounts = std::move(told);
        return recording;
    }

    FcviServer server() {
        if (!script_.empty()) script_.front().statement.fail("a script is no server for others");
        settle_plans();
        stack::ViPeerConfig of_server = config(FcSide::server);
        of_server.host.port.exchanges.link = stack::fibre_channel::Link::fcoe;
        of_server.host.port.resolver = stack::fibre_channel::Resolver::farp;
        return {std::make_unique<ViPeer>(of_server, server_plans_), config(FcSide::client).host};
    }

private:
    void read(const Statement& statement) {
        if (network_.read(statement)) return;
        if (is_script(statement)) return read_script(statement);
        if (statement.word() == "providers") read_providers(statement);
        else if (statement.word() == "listen") read_listen(statement);
        else if (statement.word() == "connect") read_connect(statement, ViRole::client, FcSide::client);
        else if (statement.word() == "peer")
            read_connect(statement, ViRole::peer, read_side(statement, FcSide::client));
        else if (statement.word() == "message") read_message(statement);
        else if (statement.word() == "name") read_name(statement);
        else statement.fail("this word is not known here");
    }

    /// A line of a script follows the one before it, unless it says when.
    void read_script(const Statement& statement) {
        if (statement.words().empty() || (statement.words()[0] != "client" && statement.words()[0] != "server"))
            statement.fail("client or server is wanted first");
        ScriptLine line{
            statement.time("at", script_time_ + statement.time("after", script_pause)),
            statement.words()[0] == "client" ? FcSide::client : FcSide::server, statement};
        if (line.at < script_time_) statement.fail("it is earlier than the line before it");
        script_time_ = line.at;
        script_.push_back(std::move(line));
        statement.leave();
    }

    Recording run_script() {
        if (!client_plans_.empty() || !server_plans_.empty())
            script_.front().statement.fail("listen, connect and peer have no place beside a script");
        ViScriptHost client = script_host(FcSide::client), server = script_host(FcSide::server);
        client.set_peer(server);
        server.set_peer(client);
        network_.connect(world_, client, server);
        stack::Fabric& fabric = world_.fabric();
        fabric.at(world_.start(), [&] { server.start(fabric.now()); });
        fabric.at(world_.start() + capture::millisecond, [&] { client.start(fabric.now()); });
        fabric.at(world_.start() + script_begins / 2, [&] { client.look(fabric.now()); });
        for (const ScriptLine& line : script_)
            fabric.at(world_.start() + line.at, [&] {
                ViScriptHost& host = line.side == FcSide::client ? client : server;
                if (line.statement.word() == "call") host.call(fabric.now(), line.statement);
                else host.expect(fabric.now(), line.statement);
            });
        Recording recording = world_.run();
        recording.account.push_back("client: " + client.account());
        recording.account.push_back("server: " + server.account());
        return recording;
    }

    ViScriptHost script_host(FcSide side) {
        const stack::ViPeerConfig whole = config(side);
        return {whole.host, whole.provider, network_.ip(side == FcSide::client ? FcSide::server : FcSide::client)};
    }

    void read_providers(const Statement& statement) {
        provider_.version = statement.choice("version", 0, {"iso", "1.0"}) == 0 ? fcvi::Version::iso
                                                                                : fcvi::Version::rev_1_0;
        provider_.iu_size = static_cast<std::uint32_t>(statement.octets("iu-size", 0));
        provider_.frame_data = statement.octets("frame-data", 0);
        if (provider_.frame_data % 4 != 0) statement.fail("frame-data is a multiple of 4");
        if (statement.has("descriptors"))
            provider_.nic.max_descriptors_per_queue = static_cast<std::uint32_t>(statement.number("descriptors", 0));
        if (statement.has("segments"))
            provider_.nic.max_segments = static_cast<std::uint32_t>(statement.number("segments", 0));
        provider_.connect_info = statement.flag("connect-info", false);
        provider_.overrun_is_harmful = statement.flag("harmful-overrun", true);
        if (statement.has("wrong-answer"))
            wrong_answer_ = fcvi::reason_of(
                provider_.version, static_cast<std::uint8_t>(statement.number("wrong-answer", 0, 255)));
    }

    /// What the name service of both hosts knows.
    void read_name(const Statement& statement) {
        const FcSide side = read_side(statement, FcSide::server, "of");
        provider_.names.push_back({statement.text("is", ""), network_.ip(side)});
    }

    /// What servers, clients and peers have alike.
    void read_common(const Statement& statement, ViPlan& plan) {
        plan.discriminator = statement.text("discriminator", plan.discriminator);
        plan.at = statement.time("at", 0);
        plan.timeout = statement.time("timeout", plan.timeout);
        plan.linger = statement.time("linger", plan.linger);
        plan.receives = static_cast<std::uint32_t>(statement.number("receives", plan.receives, 1024));
        plan.repost = statement.flag("repost", true);
        plan.notify = static_cast<stack::ViNotify>(statement.choice("notify", 0, {"no", "queues", "completion-queue"}));
        plan.queue = static_cast<std::uint32_t>(statement.number("queue", 0, 1024));
        plan.receive_size = static_cast<std::uint32_t>(statement.octets("receive-size", 0));
        plan.attributes.level = static_cast<fcvi::Reliability>(statement.choice("level", 1, levels));
        plan.attributes.max_transfer_size = static_cast<std::uint32_t>(
            statement.octets("max-transfer", plan.attributes.max_transfer_size));
        plan.attributes.pipeline_depth = static_cast<std::uint32_t>(statement.number("pipeline", 3, 1000));
        plan.attributes.preference = statement.flag("preference", false);
        const bool reliable = plan.attributes.level != fcvi::Reliability::unreliable_delivery;
        const std::size_t rdma = statement.choice("rdma", 0, {"both", "write", "read", "none"});
        plan.attributes.enable_rdma_write = rdma == 0 || rdma == 1;
        plan.attributes.enable_rdma_read = reliable && (rdma == 0 || rdma == 2);
    }

    void read_listen(const Statement& statement) {
        ViPlan plan;
        plan.role = ViRole::server;
        read_common(statement, plan);
        plan.answer = static_cast<stack::ViAnswer>(statement.choice("answer", 0, {"accept", "reject", "none"}));
        plan.think = statement.time("think", 0);
        plan.count = static_cast<std::uint32_t>(statement.number("count", 1, 10'000));
        plan.echo = statement.flag("echo", false);
        if (statement.has("disconnect-after")) plan.disconnect_after = statement.time("disconnect-after", 0);
        plan.memory = static_cast<std::uint32_t>(statement.octets("memory", plan.memory));
        const std::size_t access = statement.choice("access", 0, {"both", "write", "read", "none"});
        plan.memory_writable = access == 0 || access == 1;
        plan.memory_readable = access == 0 || access == 2;
        add(statement, plans_of(read_side(statement, FcSide::server)), plan);
    }

    void read_connect(const Statement& statement, ViRole role, FcSide side) {
        ViPlan plan;
        plan.role = role;
        plan.looks_early = role == ViRole::peer && side == FcSide::client;
        plan.remote = network_.ip(side == FcSide::client ? FcSide::server : FcSide::client);
        read_common(statement, plan);
        plan.transfer = static_cast<ViTransfer>(statement.choice("transfer", 0, transfers));
        plan.messages = static_cast<std::uint32_t>(statement.number("messages", 0));
        plan.octets = static_cast<std::uint32_t>(statement.octets("octets", plan.octets));
        plan.immediate_every = static_cast<std::uint32_t>(statement.number("immediate-every", 0));
        plan.pause = statement.time("pause", 0);
        plan.beyond = statement.octets("beyond", 0);
        plan.hold = statement.time("hold", 0);
        plan.remote_name = statement.text("host", "");
        plan.end = static_cast<stack::ViEnd>(statement.choice("end", 0, {"disconnect", "leave", "log-out", "close"}));
        if (role == ViRole::peer && plan.transfer != ViTransfer::send) statement.fail("peers only send");
        add(statement, plans_of(side), plan);
    }

    static FcSide read_side(const Statement& statement, FcSide otherwise, const std::string& name = "side") {
        return static_cast<FcSide>(statement.choice(name, static_cast<std::size_t>(otherwise), {"client", "server"}));
    }

    std::vector<ViPlan>& plans_of(FcSide side) { return side == FcSide::client ? client_plans_ : server_plans_; }

    /// Of the VI that the statement before it, of the same side, has.
    void read_message(const Statement& statement) {
        std::vector<ViPlan>& plans = plans_of(read_side(statement, FcSide::client));
        if (plans.empty()) statement.fail("this side has no VI so far");
        stack::ViMessage message;
        message.at = statement.time("at", 0);
        message.transfer = static_cast<ViTransfer>(statement.choice("transfer", 0, transfers));
        message.octets = static_cast<std::uint32_t>(statement.octets("octets", message.octets));
        message.immediate = statement.flag("immediate", false);
        message.beyond = statement.octets("beyond", 0);
        const std::uint64_t count = statement.number("count", 1, 10'000);
        for (std::uint64_t i = 0; i < count; ++i) plans.back().further.push_back(message);
    }

    /// As many VIs as the statement demands, one after the other.
    static void add(const Statement& statement, std::vector<ViPlan>& plans, ViPlan plan) {
        const std::uint64_t count = statement.number("vis", 1, 10'000);
        const Time interval = statement.time("interval", 0);
        for (std::uint64_t i = 0; i < count; ++i, plan.at += interval) plans.push_back(plan);
    }

    /// A server tells where its memory is to a client that wants to know; a client waits for what comes back.
    void settle_plans() {
        for (ViPlan& client : client_plans_)
            for (ViPlan& server : server_plans_) {
                if (server.role != ViRole::server || client.role != ViRole::client ||
                    server.discriminator != client.discriminator)
                    continue;
                server.names_memory = client.transfer != ViTransfer::send;
                client.echoed = server.echo;
            }
    }

    /// Tells both ends of connections with explicit Messages where the other one's memory is.
    void tell_memory() {
        const auto uses_memory = [](const ViPlan& plan) {
            return std::ranges::any_of(
                plan.further, [](const stack::ViMessage& one) { return one.transfer != ViTransfer::send; });
        };
        for (std::size_t i = 0; i < client_plans_.size(); ++i)
            for (std::size_t j = 0; j < server_plans_.size(); ++j) {
                if (client_plans_[i].discriminator != server_plans_[j].discriminator) continue;
                if (uses_memory(client_plans_[i])) client_->know_memory(i, server_->memory_of(j));
                if (uses_memory(server_plans_[j])) server_->know_memory(j, client_->memory_of(i));
            }
    }

    stack::ViPeerConfig config(FcSide side) {
        stack::Random random = world_.random();
        stack::ViPeerConfig config;
        config.host = network_.host(side, random.next());
        config.provider = provider_;
        config.provider.service_class = network_.service_class();
        config.provider.in_order = network_.in_order();
        config.provider.first_handle = random.bits(24);
        config.provider.first_connection_id = random.bits(24);
        // The higher name is the one to accept.
        if (side == network_.higher()) config.provider.wrong_answer = wrong_answer_;
        return config;
    }

    void start(ViPeer& peer, Time after) {
        world_.fabric().at(
            world_.start() + after, [this, &peer] { peer.start(world_.fabric().now(), world_.start()); });
    }

    static void tell(Recording& recording, const char* side, const std::vector<ViAccount>& accounts) {
        for (const ViAccount& account : accounts) {
            std::vector<std::string> details;
            for (const stack::vi::AsyncError error : account.errors) details.emplace_back(name_of(error));
            for (const std::uint32_t status : account.failures)
                details.push_back(fmt::format("status {:05X}h", status));
            if (account.counters.flushed != 0) details.push_back(fmt::format("{} flushed", account.counters.flushed));
            if (account.disconnect) details.push_back(fmt::format("Disconnect {}", name_of(*account.disconnect)));
            if (!account.asked_by.empty()) details.push_back("asked by " + account.asked_by);
            if (account.notifications != 0) details.push_back(fmt::format("{} notifications", account.notifications));
            if (!account.data_right) details.emplace_back("not what was sent");
            recording.account.push_back(fmt::format(
                "{}: {}; sent {} messages, {} bytes; received {} messages, {} bytes; {}{}{}", side,
                name_of(account.connect), account.counters.messages_sent, account.counters.octets_sent,
                account.counters.messages_received, account.counters.octets_received, name_of(account.state),
                details.empty() ? "" : "; ", fmt::join(details, ", ")));
        }
    }

    struct ScriptLine {
        Time at = 0;
        FcSide side{};
        Statement statement;
    };

    FcNetwork network_;
    std::vector<ScriptLine> script_;
    Time script_time_ = script_begins;
    stack::vi::ProviderConfig provider_{.overrun_is_harmful = true};
    std::optional<fcvi::Reason> wrong_answer_;
    std::vector<ViPlan> client_plans_, server_plans_;
    World world_;
    std::optional<ViPeer> client_, server_;
};

}  // namespace

FcviServer fcvi_server(const Scenario& scenario) { return FcviScenario(scenario).server(); }

Recording run_fcvi(const Scenario& scenario, FcviAccounts* accounts) { return FcviScenario(scenario).run(accounts); }

}  // namespace fabricscope::synth
