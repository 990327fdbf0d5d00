// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fc/emulated.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/engine/fc/emulated_rdma.h"
#include "replay/engine/fc/emulated_vi.h"
#include "replay/engine/fc/station.h"

namespace fabricscope::replay::fibre_channel {

namespace {

namespace stack_fc = stack::fibre_channel;

stack_fc::HostConfig host_config_of(const Recording& recording, Side side) {
    stack_fc::HostConfig config;
    config.port.exchanges = exchange_config_of(recording);
    config.port.port_name = config.port.node_name = recording.ports[side];
    config.seed = 1;
    return config;
}

}  // namespace

stack_fc::RemotePort remote_of(const Recording& recording, Side side) {
    return {
        .id = recording.ports[side],
        .port_name = recording.ports[side],
        .increasing_seq_cnt = true,
        .increasing_relative_offset = true,
        .process_login = true};
}

std::vector<std::size_t> messages_of(const Recording& recording, std::size_t lane) {
    std::vector<std::size_t> messages;
    for (std::size_t i = 0; i < recording.cuts.size(); ++i)
        if (recording.cuts[i].lane == lane) messages.push_back(i);
    return messages;
}

bool is_lost(const Recording& recording, Side side, std::size_t message) {
    const auto& messages = recording.conversation.messages;
    if (messages[message].from == side || messages[message].name == "ABTS") return false;
    bool aborted = false;
    for (std::size_t i = message + 1; i < messages.size(); ++i) {
        if (recording.cuts[i].lane != recording.cuts[message].lane) continue;
        if (messages[i].name == "ABTS") aborted = true;
        else if (messages[i].from == side) return false;
    }
    return aborted;
}

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

std::size_t heard_before(const Recording& recording, Side side, std::size_t message) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < message; ++i) {
        const Message& earlier = recording.conversation.messages[i];
        if (earlier.from != side && earlier.name != "ABTS" && !is_lost(recording, side, i))
            count += recording.cuts[i].pieces.size();
    }
    return count;
}

EmulatedStation emulate(const Recording& recording, Side side) {
    const stack_fc::HostConfig config = host_config_of(recording, side);
    switch (recording.kind) {
        case Kind::fc_ae_rdma:
            return station_of<EmulatedStation>(recording, side, emulated_rdma(recording, side, config));
        case Kind::fcvi: return station_of<EmulatedStation>(recording, side, emulated_vi(recording, side, config));
        case Kind::pair: break;
    }
    throw NotPlayable("all that two ports said to each other cannot be emulated as a whole; choose a session of it");
}

}  // namespace fabricscope::replay::fibre_channel
