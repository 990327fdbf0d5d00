// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fc/emulated.h"

#include <map>
#include <set>

#include "protocols/fc_ae_rdma/process_login.h"
#include "replay/engine/fc/attached.h"
#include "replay/engine/fc/emulated_parts.h"

namespace fabricscope::replay::fibre_channel {

Heard::Heard(const Recording& recording, Side side) : lost_(recording.cuts.size()), before_(lost_.size() + 1) {
    const auto& messages = recording.conversation.messages;
    struct Later {
        bool aborted = false, answered = false;
    };
    std::vector<Later> later(recording.exchanges.size());
    for (std::size_t i = lost_.size(); i-- > 0;) {
        auto& [aborted, answered] = later[recording.cuts[i].exchange];
        const bool own = messages[i].from == side, abts = messages[i].name == "ABTS";
        lost_[i] = !own && !abts && aborted && !answered;
        aborted = aborted || abts;
        answered = answered || (own && !abts);
    }
    for (std::size_t i = 0; i < lost_.size(); ++i) {
        const bool counts = messages[i].from != side && messages[i].name != "ABTS" && !lost_[i];
        before_[i + 1] = before_[i] + (counts ? recording.cuts[i].pieces.size() : 0);
    }
}

namespace {

namespace stack_fc = stack::fibre_channel;

/// All that got lost, by name, and which of that name it is, from 0.
std::set<std::pair<std::string, std::size_t>> lost_on_the_way(
    const Recording& recording, Side side, const Heard& heard) {
    std::set<std::pair<std::string, std::size_t>> lost;
    std::map<std::string, std::size_t> counts;
    for (std::size_t i = 0; i < recording.cuts.size(); ++i) {
        const Message& message = recording.conversation.messages[i];
        if (message.from == side) continue;
        for (std::size_t piece = 0; piece < recording.cuts[i].pieces.size(); ++piece) {
            const std::size_t number = counts[message.name]++;
            if (heard.is_lost(i)) lost.emplace(message.name, number);
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

/// Names are what a port is, all else in its logins is what it chose.
void forget_parameters(stack_fc::NPortConfig& port) {
    port.login.clear();
    if (port.process_parameters) port.process_parameters = fc_ae_rdma::service_parameters_of({});
}

std::vector<std::vector<FcviExchange>> connections_in(const Recording& recording) {
    std::vector<FcviExchange> exchanges = fcvi_exchanges(recording);
    if (recording.kind == Kind::pair) return connections_of(std::move(exchanges));
    if (exchanges.empty()) return {};
    return {std::move(exchanges)};
}

}  // namespace

AttachedEndpoint emulate(const Recording& recording, Side side, Parameters parameters) {
    const std::vector<std::vector<FcviExchange>> connections = connections_in(recording);
    EmulatedPortConfig config = config_of(recording, side);
    stack_fc::RemotePort remote = remote_of(recording, other(side));
    Gid remote_ip;
    configure_logins(recording, side, config.host.port, remote);
    if (parameters == Parameters::documents) forget_parameters(config.host.port);
    if (!connections.empty()) configure_vi(recording, side, connections, config, remote, remote_ip);
    auto port = std::make_unique<EmulatedPort>(config);
    port->port().assume(recording.ports[side], remote_ip, remote.id);
    if (!begins_with_login(recording)) port->port().assume(remote);
    const Heard heard(recording, side);
    port->discard(lost_on_the_way(recording, side, heard));
    Plan plan{recording, side, *port, heard};
    add_logins(plan, remote_ip);
    add_vis(plan, connections);
    add_rdma(plan);
    port->follow(std::move(plan.steps));
    return attached<AttachedEndpoint>(recording, side, std::move(port));
}

}  // namespace fabricscope::replay::fibre_channel
