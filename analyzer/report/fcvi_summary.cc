// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fcvi_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "analyzer/report/lists.h"
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

// ---- connections ---------------------------------------------------------------------------------

/// From the first request that its side made; one that was retried took that long.
std::string setup_time(const Connection& connection, const Style& style) {
    for (const Setup& setup : connection.setups) {
        const auto& done = connection.is_iso() ? setup.resp3 : setup.resp2;
        if (!setup.accepted() || !setup.rqst || !done) continue;
        const auto first = std::ranges::find_if(connection.setups, [&](const Setup& asked) {
            return asked.from == setup.from && asked.rqst && (setup.retry || &asked == &setup);
        });
        return duration_text(done->time - first->rqst->time, style.unicode);
    }
    return "-";
}

Cell alarming(std::uint64_t number) { return {grouped(number), number != 0 ? Ink::red : Ink::plain}; }

void write_connections(std::ostream& out, const Model& model, const SummaryOptions& options) {
    Table table(
        {{"Connection"},
         {"Client"},
         {"Server"},
         {"Version"},
         {"Level"},
         {"Outcome"},
         {"Setup", Align::right},
         {"Close"}});
    const std::size_t shown = std::min(model.connections.size(), options.rows);
    for (std::size_t i = 0; i < shown; ++i) {
        const Connection& c = model.connections[i];
        const char* close = close_of(c);
        table.add(
            {{fcvi_connection_name(c.id)},
             {end_text(c.end[Side::client])},
             {end_text(c.end[Side::server])},
             {version_text(c.version)},
             {level_text(c)},
             {name_of(c.outcome), ink_of(c.outcome)},
             {setup_time(c, options.style)},
             {close != nullptr ? close : "-"}});
    }
    out << '\n';
    table.print(out, options.style, 2);
    write_rest(out, model.connections.size(), shown, "connections", options.style);
}

void write_traffic(std::ostream& out, const Model& model, const SummaryOptions& options) {
    Table table(
        {{"From"},
         {"Sends", Align::right},
         {"RDMA Writes", Align::right},
         {"RDMA Reads", Align::right},
         {"Bytes", Align::right},
         {"Frames", Align::right},
         {"Repeated", Align::right},
         {"Missing", Align::right},
         {"Responses", Align::right},
         {"Failed", Align::right}});
    const std::size_t shown = std::min(model.connections.size(), options.rows);
    for (std::size_t i = 0; i < shown; ++i)
        for (const Side side : {Side::client, Side::server}) {
            const Connection& c = model.connections[i];
            const Traffic& traffic = c.from[side];
            if (traffic.messages + traffic.responses == 0) continue;
            table.add(
                {{fmt::format("{} {}", fcvi_connection_name(c.id), name_of(side))},
                 {grouped(traffic.sends)},
                 {grouped(traffic.writes)},
                 {grouped(traffic.reads)},
                 {grouped(traffic.bytes)},
                 {grouped(traffic.frames)},
                 {grouped(traffic.repeated_frames)},
                 alarming(traffic.at_peer.missing_frames + traffic.at_peer.missing_messages),
                 {grouped(traffic.responses)},
                 alarming(traffic.failed_responses)});
        }
    if (table.empty()) return;
    out << '\n';
    table.print(out, options.style, 2);
}

// ---- memory --------------------------------------------------------------------------------------

/// What RDMA did to the memory that a side has registered under a handle.
struct Memory {
    std::uint64_t writes = 0, reads = 0, bytes_written = 0, bytes_read = 0;
    std::uint64_t begin = UINT64_MAX, end = 0;

    void add(const Message& message) {
        ++(message.reads() ? reads : writes);
        (message.reads() ? bytes_read : bytes_written) += message.bytes;
        begin = std::min(begin, *message.rmt_va);
        end = std::max(end, *message.rmt_va + message.total_length.value_or(static_cast<std::uint32_t>(message.bytes)));
    }
};

void write_memory(std::ostream& out, const Model& model, const SummaryOptions& options) {
    std::map<std::tuple<std::uint32_t, Side, std::uint32_t>, Memory> memories;
    for (const Message& m : model.messages)
        if (m.operation != Operation::send && m.rmt_va && m.rmt_va_handle)
            memories[{m.connection, other(m.from), *m.rmt_va_handle}].add(m);
    if (memories.empty()) return;
    Table table(
        {{"Memory of"},
         {"Handle", Align::right},
         {"Addresses"},
         {"Writes", Align::right},
         {"Bytes written", Align::right},
         {"Reads", Align::right},
         {"Bytes read", Align::right}});
    std::size_t shown = 0;
    for (const auto& [key, memory] : memories) {
        if (shown++ == options.rows) break;
        const auto& [connection, side, handle] = key;
        table.add(
            {{fmt::format("{} {}", fcvi_connection_name(connection), name_of(side))},
             {fmt::format("{:08X}h", handle)},
             {memory.begin == memory.end ? fmt::format("{:016x}", memory.begin)
                                         : fmt::format("{:016x} to {:016x}", memory.begin, memory.end - 1)},
             {grouped(memory.writes)},
             {grouped(memory.bytes_written)},
             {grouped(memory.reads)},
             {grouped(memory.bytes_read)}});
    }
    out << '\n';
    table.print(out, options.style, 2);
    write_rest(out, memories.size(), std::min(shown, options.rows), "memory handles", options.style);
}

}  // namespace

const char* version_text(wire::Version version) { return version == wire::Version::iso ? "ISO" : "rev 1.0"; }

const char* level_text(const Connection& connection) {
    const auto level = connection.reliability();
    return level ? wire::iso_reliability_names[static_cast<std::size_t>(*level)].name : "?";
}

std::string end_text(const End& end) {
    const std::string port = to_string(end.port);
    return end.address ? fmt::format("{} {}", port, wire::to_string(*end.address)) : port;
}

void write_fcvi(std::ostream& out, const Model& model, const SummaryOptions& options) {
    out << '\n'
        << options.style.paint(Ink::bold, "FC-VI: ")
        << counts_text(model.connections, "connection", &Connection::outcome, [](Outcome o) { return name_of(o); })
        << ", " << counts_text(model.messages, "Message", &Message::state, [](MessageState s) { return name_of(s); })
        << '\n';
    write_connections(out, model, options);
    write_traffic(out, model, options);
    write_memory(out, model, options);
}

}  // namespace fabricscope::report
