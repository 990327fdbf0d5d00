// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/smcr_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/engine/smcr/llc_exchange.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;
using Kind = Rung::Kind;

Side side_of_first_data(const Connection& connection) {
    const auto& from_server = connection.from[Side::server].first_data;
    return from_server && *from_server == connection.setup.first_data->time ? Side::server : Side::client;
}

std::string decline_text(const DeclineSeen& decline) {
    if (!decline.code) return "DECLINE";
    const char* name = decline.name();
    return fmt::format(
        "DECLINE {}{}{}", code_text(*decline.code), name != nullptr ? ", " : "", name != nullptr ? name : "");
}

void add_setup(std::vector<Rung>& rungs, const Connection& connection, const std::string& prefix) {
    const Setup& setup = connection.setup;
    const auto add = [&](const std::optional<FrameStamp>& step, Side from, Kind kind, std::string_view text) {
        if (step) rungs.push_back({*step, from, kind, fmt::format("{}{}", prefix, text)});
    };
    const bool first = connection.first_contact.value_or(false);
    add(setup.syn, Side::client, Kind::tcp, "SYN");
    add(setup.syn_ack, Side::server, Kind::tcp, "SYN-ACK");
    add(setup.proposal, Side::client, Kind::clc, "PROPOSAL");
    add(setup.accept, Side::server, Kind::clc, first ? "ACCEPT, first contact" : "ACCEPT");
    add(setup.confirm, Side::client, Kind::clc, "CONFIRM");
    if (connection.decline)
        add(setup.decline, connection.decline->by, Kind::refusal, decline_text(*connection.decline));
    if (setup.first_data) add(setup.first_data, side_of_first_data(connection), Kind::data, "first data");
}

void add_exchange(std::vector<Rung>& rungs, const LlcExchange& exchange) {
    const std::string target = target_text(exchange.change);
    const std::string name = llc_name(exchange) + target;
    const std::string why = reason_text(exchange.type, exchange.change);
    const std::string reason = why.empty() ? "" : ", " + why;
    const std::string on = target.empty() ? "" : "on ";
    const std::string link = exchange.link ? fmt::format(", {}link {}", on, *exchange.link) : "";
    const bool asked = exchange.request.frame != 0;
    if (asked)
        rungs.push_back({exchange.request, exchange.from, Kind::llc, name + (exchange.refused ? "" : reason) + link});
    if (!exchange.reply) return;
    Rung reply{
        *exchange.reply, other(exchange.from), exchange.refused ? Kind::refusal : Kind::llc,
        name + (exchange.refused ? " refused" + reason : " reply") + link};
    if (asked) reply.latency = exchange.reply->time - exchange.request.time;
    rungs.push_back(std::move(reply));
}

/// A message after the set-up belongs to something else.
bool within(const LlcExchange& exchange, const std::vector<Rung>& setup) {
    const Time time = exchange.request.frame != 0 ? exchange.request.time : exchange.reply->time;
    const auto [first, last] = std::ranges::minmax(setup, {}, [](const Rung& rung) { return rung.step.time; });
    return time >= first.step.time && time <= last.step.time;
}

std::string name_of_side(const LinkGroup& group, Side side) {
    if (!group.hostname[side].empty()) return group.hostname[side];
    return group.peer_id[side] ? peer_id_text(*group.peer_id[side]) : "?";
}

}  // namespace

Ladder ladder_of(const Connection& connection, const Model& model, Time start) {
    Ladder ladder{
        .title = "Set-up of " + connection_name(connection.id),
        .about = {},
        .client = known_end(connection.client),
        .server = known_end(connection.server),
        .start = start,
        .rungs = {}};
    const std::string reason = why_not(connection);
    ladder.about = reason.empty() ? version_text(connection.version, connection.release) : "The connection " + reason;
    if (reason.empty() && connection.link_group != 0)
        ladder.about += ", link group " + link_group_name(connection.link_group);
    add_setup(ladder.rungs, connection, "");
    if (connection.link_group != 0 && !ladder.rungs.empty()) {
        const std::vector<Rung> setup = ladder.rungs;
        for (const LlcExchange& exchange : model.link_groups[connection.link_group - 1].exchanges)
            if (within(exchange, setup)) add_exchange(ladder.rungs, exchange);
    }
    sort_by_time(ladder.rungs);
    return ladder;
}

Ladder ladder_of(const LinkGroup& group, const Model& model, Time start) {
    Ladder ladder{
        .title = "Link group " + link_group_name(group.id),
        .about = fmt::format(
            "{}, {}, {}", version_text(group.version, group.release), counted(group.links.size(), "link"),
            counted(group.connections.size(), "connection")),
        .client = name_of_side(group, Side::client),
        .server = name_of_side(group, Side::server),
        .start = start,
        .rungs = {}};
    if (group.exchange_count > group.exchanges.size())
        ladder.about += fmt::format(
            "; the first {} of {} LLC exchanges", grouped(group.exchanges.size()), grouped(group.exchange_count));
    for (const std::uint32_t id : group.connections)
        if (const Connection& connection = model.connections[id - 1]; !connection.merged)
            add_setup(ladder.rungs, connection, connection_name(id) + " ");
    for (const LlcExchange& exchange : group.exchanges) add_exchange(ladder.rungs, exchange);
    sort_by_time(ladder.rungs);
    return ladder;
}

}  // namespace fabricscope::report
