// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/model.h"

#include <algorithm>

namespace fabricscope::engine::smcr {

const char* name_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::smc_r: return "smc-r";
        case Outcome::smc_d: return "smc-d";
        case Outcome::fallback: return "fallback";
        case Outcome::failed: return "failed";
        case Outcome::plain_tcp: return "plain-tcp";
        case Outcome::unknown: return "unknown";
    }
    return "";
}

const char* name_of(Close close) {
    switch (close) {
        case Close::orderly: return "orderly";
        case Close::half: return "half";
        case Close::abnormal: return "abnormal";
        case Close::open: return "open";
        case Close::unknown: return "unknown";
    }
    return "";
}

const char* name_of(LinkState state) {
    switch (state) {
        case LinkState::pending: return "pending";
        case LinkState::active: return "active";
        case LinkState::deleted: return "deleted";
        case LinkState::failed: return "failed";
    }
    return "";
}

const Link* link_numbered(const LinkGroup& group, std::uint32_t number) {
    for (std::size_t i = group.links.size(); i-- > 0;)
        if (group.links[i].number == number) return &group.links[i];
    return nullptr;
}

bool is_heard(const LinkGroup& group, Side side) {
    return std::ranges::any_of(group.links, [&](const Link& link) { return link.is_heard(side); });
}

Time last_heard(const LinkGroup& group, Side side) {
    Time last = 0;
    for (const Link& link : group.links) last = std::max(last, link.heard[side].value_or(0));
    return last;
}

const Connection& whole_of(const Model& model, std::uint32_t id) {
    const Connection* connection = &model.connections[id - 1];
    while (connection->merged) connection = &model.connections[connection->merged_into - 1];
    return *connection;
}

PerSide<std::uint64_t> halves_of(const Model& model, const LinkGroup& group) {
    PerSide<std::uint64_t> halves{};
    for (const std::uint32_t id : group.connections) {
        const Connection& connection = model.connections[id - 1];
        if (connection.half()) ++halves[connection.half_of()];
    }
    return halves;
}

std::uint64_t pairs_of(const PerSide<std::uint64_t>& halves) { return std::ranges::min(halves.values); }

bool came_to_be(const LinkGroup& group) {
    return !group.connections.empty() ||
           std::ranges::any_of(group.links, [](const Link& link) { return link.packets != 0; });
}

const char* DeclineSeen::name() const { return code ? layout::name_of(wire::decline_names, *code) : nullptr; }

}  // namespace fabricscope::engine::smcr
