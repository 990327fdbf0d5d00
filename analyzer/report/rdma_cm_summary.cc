// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/rdma_cm_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "analyzer/report/lists.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma_cm;
using Align = Table::Align;

const char* words_for(Outcome outcome) {
    switch (outcome) {
        case Outcome::connected: return "connected";
        case Outcome::rejected: return "rejected";
        case Outcome::timeout: return "without an answer";
        case Outcome::unknown: return "unclear";
    }
    return "";
}

void write_counts(std::ostream& out, const Model& model, const Style& style) {
    std::map<Outcome, std::uint64_t> outcomes;
    std::uint64_t all = 0, began_before = 0;
    for (const Connection& connection : model.connections) {
        if (connection.merged) continue;
        ++outcomes[connection.outcome];
        ++all;
        began_before += connection.began_before ? 1 : 0;
    }
    out << '\n' << style.paint(Ink::bold, "RDMA CM: ") << counted(all, "connection");
    const char* separator = " (";
    for (const auto& [outcome, count] : outcomes) {
        out << separator << grouped(count) << ' ' << words_for(outcome);
        separator = ", ";
    }
    if (began_before != 0) out << "; " << grouped(began_before) << " began before the capture";
    out << ")\n";
}

Ink ink_of(Outcome outcome) {
    if (outcome == Outcome::connected) return Ink::green;
    return outcome == Outcome::unknown ? Ink::yellow : Ink::red;
}

std::string queue_pairs_of(const Connection& connection, const Style& style) {
    const auto text = [](const Endpoint& end) { return end.qpn ? std::to_string(*end.qpn) : std::string("?"); };
    return fmt::format(
        "{} {} {}", text(connection.end[Side::client]), style.arrow(), text(connection.end[Side::server]));
}

/// From REQ to the server's answer.
std::string answered_after(const Connection& c, const Style& style) {
    const bool refused = c.reject && c.reject->by == Side::server;
    const Time answer = c.rep ? c.rep->time : refused ? c.reject->time : 0;
    return c.req && answer > c.req->time ? duration_text(answer - c.req->time, style.unicode) : "-";
}

std::string by_text(Side side) { return std::string("by ") + name_of(side); }

std::string ending_of(const Connection& c) {
    if (!c.disconnected_by) {
        if (c.drep) return "yes";
        return c.outcome == Outcome::connected && c.service != Service::ud ? "open" : "-";
    }
    const std::string who = c.both_disconnect ? "by both" : c.roles_known ? by_text(*c.disconnected_by) : "yes";
    return who + (c.drep || !is_heard(c, other(*c.disconnected_by)) ? "" : ", not answered");
}

void write_connections(std::ostream& out, const Model& model, const SummaryOptions& options) {
    Table table(
        {{"Connection"},
         {"Client"},
         {"Server"},
         {"Service"},
         {"QPs"},
         {"Outcome"},
         {"REQs", Align::right},
         {"Answer", Align::right},
         {"To server", Align::right},
         {"To client", Align::right},
         {"Retransmitted", Align::right},
         {"NAKs", Align::right},
         {"Disconnect"}});
    std::size_t all = 0, shown = 0;
    for (const Connection& c : model.connections) {
        if (c.merged || ++all > options.rows) continue;
        ++shown;
        const Traffic& client = c.from[Side::client];
        const Traffic& server = c.from[Side::server];
        const bool from_client = is_traffic_known(c, Side::client), from_server = is_traffic_known(c, Side::server);
        const bool both = from_client && from_server;
        table.add(
            {{cm_connection_name(c.id)},
             {end_text(c, Side::client)},
             {end_text(c, Side::server)},
             {service_text(c)},
             {queue_pairs_of(c, options.style)},
             {name_of(c.outcome), ink_of(c.outcome)},
             {std::to_string(c.req_transmissions)},
             {answered_after(c, options.style)},
             {from_client ? grouped(client.bytes) : "?"},
             {from_server ? grouped(server.bytes) : "?"},
             {both && client.retransmissions ? grouped(*client.retransmissions + server.retransmissions.value_or(0))
                                             : "?"},
             {both ? grouped(client.naks + client.rnr_naks + server.naks + server.rnr_naks) : "?"},
             {ending_of(c)}});
    }
    out << '\n';
    table.print(out, options.style, 2);
    write_rest(out, all, shown, "connections", options.style);
}

}  // namespace

std::string end_text(const Connection& connection, Side side) {
    const auto& socket = side == Side::client ? connection.client : connection.server;
    if (socket) return to_string(*socket);
    const Address& address = connection.end[side].address;
    return address.kind == Address::Kind::none ? "?" : capture::to_string(address);
}

std::string service_text(const Connection& connection) {
    const std::string protocol = protocol_text(connection);
    const char* ulp = connection.service_id ? wire::ulp_of(*connection.service_id) : nullptr;
    return fmt::format(
        "{}{}{}{}{}", name_of(connection.service), protocol.empty() ? "" : " ", protocol, ulp != nullptr ? ", " : "",
        ulp != nullptr ? ulp : "");
}

void write_rdma_cm(std::ostream& out, const Model& model, const SummaryOptions& options) {
    write_counts(out, model, options.style);
    write_connections(out, model, options);
}

}  // namespace fabricscope::report
