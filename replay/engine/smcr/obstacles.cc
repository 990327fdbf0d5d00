// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include "replay/engine/smcr/recorded_parts.h"

namespace fabricscope::replay::smcr {

namespace {

/// Whatever session it is in.
std::string own_obstacle(const tracker::Connection& connection) {
    if (connection.midstream || !connection.setup.syn || !connection.setup.syn_ack)
        return "its begin was not captured, which tells where its data go and with which keys";
    const tracker::Setup& setup = connection.setup;
    const bool over_rdma = connection.outcome == tracker::Outcome::smc_r;
    const bool answered = setup.accept || (connection.decline && connection.decline->by == Side::server);
    if (!setup.proposal && (over_rdma || answered)) return "its PROPOSAL was not captured";
    if (over_rdma && !setup.accept) return "its ACCEPT was not captured";
    if (over_rdma && !setup.confirm) return "its CONFIRM was not captured";
    if (connection.outcome == tracker::Outcome::smc_d) return "SMC-D has no traffic that could be played";
    if (connection.outcome == tracker::Outcome::unknown) return "its set-up does not end in this capture";
    return "";
}

}  // namespace

const tracker::LinkGroup* group_of(const engine::Engine& engine, const tracker::Connection& connection) {
    return connection.link_group == 0 ? nullptr : &engine.smcr().link_groups[connection.link_group - 1];
}

const tracker::Connection* first_contact_of(const engine::Engine& engine, const tracker::Connection& connection) {
    const tracker::LinkGroup* group = group_of(engine, connection);
    if (group == nullptr || connection.first_contact.value_or(true)) return nullptr;
    const auto& connections = engine.smcr().connections;
    for (const std::uint32_t id : group->connections)
        if (connections[id - 1].first_contact.value_or(false) && !connections[id - 1].merged)
            return &connections[id - 1];
    return nullptr;
}

std::string obstacle_of(const engine::Engine& engine, const tracker::Connection& connection) {
    if (std::string obstacle = own_obstacle(connection); !obstacle.empty()) return obstacle;
    const tracker::LinkGroup* group = group_of(engine, connection);
    if (group != nullptr && has_choice(*group)) return obstacle_of(engine, *group);
    if (connection.outcome != tracker::Outcome::smc_r || connection.first_contact.value_or(false)) return "";
    const tracker::Connection* first = first_contact_of(engine, connection);
    if (first == nullptr) return group != nullptr ? "" : "its link group is not known";
    const std::string obstacle = own_obstacle(*first);
    return obstacle.empty() ? "" : fmt::format("smcr-{} set up its link group: {}", first->id, obstacle);
}

std::string obstacle_of(const engine::Engine& engine, const tracker::LinkGroup& group) {
    if (!group.from_start && has_choice(group)) return unknown_links;
    for (const std::uint32_t id : group.connections) {
        const tracker::Connection& connection = engine.smcr().connections[id - 1];
        const std::string obstacle = own_obstacle(connection);
        if (!obstacle.empty()) return fmt::format("smcr-{}: {}", id, obstacle);
    }
    return "";
}

}  // namespace fabricscope::replay::smcr
