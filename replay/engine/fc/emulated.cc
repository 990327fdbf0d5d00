// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fc/emulated.h"

#include <map>
#include <set>

#include "replay/engine/fc/attached.h"
#include "replay/engine/fc/emulated_parts.h"

namespace fabricscope::replay::fibre_channel {

std::vector<std::size_t> messages_of(const Recording& recording, std::size_t exchange) {
    std::vector<std::size_t> messages;
    for (std::size_t i = 0; i < recording.cuts.size(); ++i)
        if (recording.cuts[i].exchange == exchange) messages.push_back(i);
    return messages;
}

bool is_lost(const Recording& recording, Side side, std::size_t message) {
    const auto& messages = recording.conversation.messages;
    if (messages[message].from == side || messages[message].name == "ABTS") return false;
    bool aborted = false;
    for (std::size_t i = message + 1; i < messages.size(); ++i) {
        if (recording.cuts[i].exchange != recording.cuts[message].exchange) continue;
        if (messages[i].name == "ABTS") aborted = true;
        else if (messages[i].from == side) return false;
    }
    return aborted;
}

std::size_t received_before(const Recording& recording, Side side, std::size_t message) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < message; ++i) {
        const Message& earlier = recording.conversation.messages[i];
        if (earlier.from != side && earlier.name != "ABTS" && !is_lost(recording, side, i))
            count += recording.cuts[i].pieces.size();
    }
    return count;
}

namespace {

namespace stack_fc = stack::fibre_channel;

/// All that got lost, by name, and which of that name it is, from 0.
std::set<std::pair<std::string, std::size_t>> lost_on_the_way(const Recording& recording, Side side) {
    std::set<std::pair<std::string, std::size_t>> lost;
    std::map<std::string, std::size_t> counts;
    for (std::size_t i = 0; i < recording.cuts.size(); ++i) {
        const Message& message = recording.conversation.messages[i];
        if (message.from == side) continue;
        for (std::size_t piece = 0; piece < recording.cuts[i].pieces.size(); ++piece) {
            const std::size_t number = counts[message.name]++;
            if (is_lost(recording, side, i)) lost.emplace(message.name, number);
        }
    }
    return lost;
}

EmulatedPortConfig config_of(const Recording& recording, Side side) {
    EmulatedPortConfig config;
    config.host.port.exchanges = exchange_config_of(recording, side);
    config.host.port.port_name = config.host.port.node_name = recording.ports[side];
    for (const RecordedExchange& exchange : recording.exchanges)
        if (exchange.type == fc_ae_rdma::fc_type) config.rdma_class = exchange.service_class;
    return config;
}

/// As a login would have told it.
stack_fc::RemotePort remote_of(const Recording& recording, Side side) {
    return {
        .id = recording.ports[side],
        .port_name = recording.ports[side],
        .increasing_seq_cnt = true,
        .increasing_relative_offset = true,
        .process_login = true};
}

std::vector<std::vector<FcviExchange>> connections_in(const Recording& recording) {
    std::vector<FcviExchange> exchanges = fcvi_exchanges(recording);
    if (recording.kind == Kind::pair) return connections_of(std::move(exchanges));
    if (exchanges.empty()) return {};
    return {std::move(exchanges)};
}

}  // namespace

AttachedEndpoint emulate(const Recording& recording, Side side) {
    const std::vector<std::vector<FcviExchange>> connections = connections_in(recording);
    EmulatedPortConfig config = config_of(recording, side);
    stack_fc::RemotePort remote = remote_of(recording, other(side));
    Gid remote_ip;
    configure_logins(recording, side, config.host.port, remote);
    if (!connections.empty()) configure_vi(recording, side, connections, config, remote, remote_ip);
    auto port = std::make_unique<EmulatedPort>(config);
    port->port().assume(recording.ports[side], remote_ip, remote.id);
    if (!begins_with_login(recording)) port->port().assume(remote);
    port->discard(lost_on_the_way(recording, side));
    Plan plan{recording, side, *port};
    add_logins(plan, remote_ip);
    add_vis(plan, connections);
    add_rdma(plan);
    port->follow(std::move(plan.steps));
    return attached<AttachedEndpoint>(recording, side, std::move(port));
}

}  // namespace fabricscope::replay::fibre_channel
