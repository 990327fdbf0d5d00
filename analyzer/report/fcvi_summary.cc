// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fcvi_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "analyzer/report/fcvi_records.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::fcvi;
using Align = Table::Align;

Ink ink_of(Outcome outcome) {
    if (outcome == Outcome::connected) return Ink::green;
    return outcome == Outcome::unknown ? Ink::yellow : Ink::red;
}

void write_counts(std::ostream& out, const Model& model, const Style& style) {
    std::map<MessageState, std::uint64_t> states;
    for (const Message& message : model.messages) ++states[message.state];
    out << '\n'
        << style.paint(Ink::bold, "FC-VI: ") << counted(model.connections.size(), "connection") << ", "
        << counted(model.messages.size(), "Message");
    const char* separator = " (";
    for (const auto& [state, count] : states) {
        out << separator << grouped(count) << ' ' << name_of(state);
        separator = ", ";
    }
    out << (states.empty() ? "\n" : ")\n");
}

/// The same reason is told once, with the connections it holds for.
void write_failures(std::ostream& out, const Model& model, const SummaryOptions& options) {
    std::map<std::string, std::vector<std::uint32_t>> failures;
    for (const Connection& connection : model.connections)
        if (const std::string reason = why_not(connection); !reason.empty()) failures[reason].push_back(connection.id);
    for (const auto& [reason, ids] : failures) {
        std::string names;
        for (std::size_t i = 0; i < std::min(ids.size(), options.names); ++i)
            names += (i == 0 ? "" : ", ") + fcvi_connection_name(ids[i]);
        if (ids.size() > options.names) names += ", ...";
        out << options.style.paint(Ink::red, "  ! ") << counted(ids.size(), "connection") << ' ' << reason << " ("
            << names << ")\n";
    }
}

const char* level_of(const Connection& connection) {
    const auto level = connection.reliability();
    return level ? wire::iso_reliability_names[static_cast<std::size_t>(*level)].name : "?";
}

/// The port, and the Connectionpoint's address where a setup tells it.
std::string end_of(const End& end) {
    const std::string port = to_string(end.port);
    return end.address ? fmt::format("{} {}", port, wire::to_string(*end.address)) : port;
}

std::string lost_of(const Connection& connection) {
    std::uint64_t lost = 0;
    for (const Side side : {Side::client, Side::server}) {
        const Reception& reception = connection.from[side].at_peer;
        lost += reception.missing_frames + reception.missing_messages;
    }
    return grouped(lost);
}

void write_connections(std::ostream& out, const Model& model, const SummaryOptions& options) {
    Table table(
        {{"Connection"},
         {"Client"},
         {"Server"},
         {"Version"},
         {"Level"},
         {"Outcome"},
         {"Messages", Align::right},
         {"To server", Align::right},
         {"To client", Align::right},
         {"Failed", Align::right},
         {"Missing", Align::right},
         {"Close"}});
    const std::size_t shown = std::min(model.connections.size(), options.rows);
    for (std::size_t i = 0; i < shown; ++i) {
        const Connection& c = model.connections[i];
        const Traffic& client = c.from[Side::client];
        const Traffic& server = c.from[Side::server];
        const char* close = close_of(c);
        table.add(
            {{fcvi_connection_name(c.id)},
             {end_of(c.end[Side::client])},
             {end_of(c.end[Side::server])},
             {c.is_iso() ? "ISO" : "rev 1.0"},
             {level_of(c)},
             {name_of(c.outcome), ink_of(c.outcome)},
             {grouped(client.messages + server.messages)},
             {grouped(client.bytes)},
             {grouped(server.bytes)},
             {grouped(client.failed_responses + server.failed_responses)},
             {lost_of(c)},
             {close != nullptr ? close : "-"}});
    }
    out << '\n';
    table.print(out, options.style, 2);
    if (shown < model.connections.size())
        out << fmt::format("  ... and {} more connections (--all)\n", grouped(model.connections.size() - shown));
}

Rung rung_of(const IuSeen& iu, const Connection& connection) {
    const wire::IuInfo* info = wire::find_iu(connection.version, iu.type);
    std::string text = info != nullptr ? info->name : "?";
    if (info != nullptr && info->category <= wire::Category::message_response)
        text += fmt::format(", Message {}", iu.msg_id);
    if (iu.reason) text += fmt::format(": {}", wire::reason_name(connection.version, *iu.reason));
    if (iu.failed) text += ": failed";
    const bool message = info != nullptr && info->category <= wire::Category::message_response;
    const bool refused = iu.failed || iu.reason.has_value();
    return {iu.step, iu.from, refused ? Rung::Kind::refusal : message ? Rung::Kind::data : Rung::Kind::clc, text};
}

}  // namespace

std::string why_not(const Connection& connection) {
    if (connection.outcome == Outcome::rejected)
        return fmt::format(
            "refused by the {}: {}", name_of(connection.reject->by),
            wire::reason_name(connection.version, connection.reject->reason));
    return connection.outcome == Outcome::aborted ? "given up during setup" : "";
}

void write_fcvi(std::ostream& out, const Model& model, const SummaryOptions& options) {
    write_counts(out, model, options.style);
    write_failures(out, model, options);
    write_connections(out, model, options);
}

Ladder ladder_of(const Connection& connection, engine::Time start) {
    Ladder ladder{
        .title = "FC-VI connection " + fcvi_connection_name(connection.id),
        .about = fmt::format(
            "{}, {}, {}", connection.is_iso() ? "ISO/IEC 14165-331" : "revision 1.0", level_of(connection),
            name_of(connection.outcome)),
        .client = end_of(connection.end[Side::client]),
        .server = end_of(connection.end[Side::server]),
        .start = start,
        .rungs = {}};
    for (const IuSeen& iu : connection.ius) ladder.rungs.push_back(rung_of(iu, connection));
    return ladder;
}

}  // namespace fabricscope::report
