// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include "analyzer/observations/rdma.h"
#include "analyzer/report/lists.h"
#include "analyzer/report/rdma_report.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma;
using engine::Latencies;
using engine::Severity;
using engine::rdma::Stream;
using Align = Table::Align;

/// 0 of a healthy stream; the larger, the worse.
double trouble_of(const Stream& stream) {
    constexpr double fatal = 10, timeout = 1;
    double trouble = stream.fatal || stream.ending == End::retries_exhausted ? fatal : 0;
    for (const Direction& direction : stream.from) {
        const std::uint64_t troubled = direction.retransmitted.packets + direction.rnr_naks + direction.ce_marked +
                                       direction.cnps + direction.unseen;
        trouble += static_cast<double>(troubled) / static_cast<double>(std::max<std::uint64_t>(direction.packets, 1));
        trouble += direction.timeouts != 0 ? timeout : 0;
    }
    return trouble;
}

/// Streams, and those of them that no other section is about.
struct Chosen {
    std::vector<const Stream*> all;
    std::vector<const Stream*> own;
    std::uint64_t of_link_groups = 0, of_connections = 0;
    std::uint64_t retransmitted = 0;  ///< on those that have another section
};

Chosen chosen_of(const Results& results) {
    Chosen chosen;
    for (const Stream& stream : results.models.rdma->streams) {
        if (stream.merged) continue;
        chosen.all.push_back(&stream);
        const bool of_group = stream.link_group != 0;
        const bool of_connection = !of_group && stream.cm_connection != 0 && results.models.rdma_cm != nullptr;
        chosen.of_link_groups += of_group;
        chosen.of_connections += of_connection;
        if (!of_group && (!of_connection || trouble_of(stream) > 0)) {
            chosen.own.push_back(&stream);
            continue;
        }
        for (const Direction& direction : stream.from) chosen.retransmitted += direction.retransmitted.packets;
    }
    // The worst first; what is as good as each other by how much went over it.
    std::ranges::stable_sort(chosen.own, [](const Stream* x, const Stream* y) {
        const double difference = trouble_of(*x) - trouble_of(*y);
        return difference != 0 ? difference > 0 : x->packets() > y->packets();
    });
    return chosen;
}

void write_counts(std::ostream& out, const Model& model, const Chosen& chosen, const Style& style) {
    std::vector<std::string> notes;
    std::array<std::uint64_t, 4> transports{};
    for (const Stream* stream : chosen.all) ++transports[static_cast<std::size_t>(stream->transport)];
    for (const Transport transport : {Transport::rc, Transport::xrc, Transport::uc, Transport::ud})
        if (const std::uint64_t count = transports[static_cast<std::size_t>(transport)]; count != 0)
            notes.push_back(fmt::format("{} {}", grouped(count), name_of(transport)));
    out << '\n' << style.paint(Ink::bold, "RDMA: ") << counted(chosen.all.size(), "stream");
    if (!notes.empty()) out << fmt::format(" ({})", fmt::join(notes, ", "));
    notes.clear();
    if (chosen.of_link_groups != 0) notes.push_back(grouped(chosen.of_link_groups) + " of SMC-R link groups");
    if (chosen.of_connections != 0) notes.push_back(grouped(chosen.of_connections) + " of CM connections");
    if (!notes.empty() && chosen.retransmitted != 0)
        notes.push_back(counted(chosen.retransmitted, "packet") + " retransmitted there");
    if (model.cnps != 0) notes.push_back(counted(model.cnps, "CNP"));
    if (model.ce_marked != 0) notes.push_back(counted(model.ce_marked, "packet") + " marked by ECN");
    if (model.pfc_frames != 0) notes.push_back(counted(model.pfc_frames, "PFC frame"));
    if (model.pause_frames != 0) notes.push_back(counted(model.pause_frames, "pause frame") + " of the whole link");
    if (!notes.empty()) out << fmt::format("; {}", fmt::join(notes, ", "));
    out << '\n';
}

std::string queue_pairs_of(const Stream& stream, Side from, const Style& style) {
    const auto text = [](const Endpoint& end) { return end.qpn ? std::to_string(*end.qpn) : std::string("?"); };
    return fmt::format("{} {} {}", text(stream.end[from]), style.arrow(), text(stream.end[other(from)]));
}

/// "30 write, 2 send"
std::string operations_of(const Direction& direction) {
    if (!direction.sender_heard) return "?";
    std::vector<std::string> texts;
    for (const OperationType type :
         {OperationType::send, OperationType::write, OperationType::read, OperationType::atomic})
        if (const std::uint64_t count = direction.operations[static_cast<std::size_t>(type)].count; count != 0)
            texts.push_back(fmt::format("{} {}", grouped(count), name_of(type)));
    return texts.empty() ? "-" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string retransmitted_text(const Direction& direction) {
    const std::uint64_t packets = direction.retransmitted.packets;
    if (!direction.sender_heard) return "?";
    if (packets == 0) return "0";
    return fmt::format("{} ({})", grouped(packets), observations::percent_text(packets, direction.packets));
}

/// "12 (1.2 %), 3 CNPs"
std::string marked_text(const Direction& direction) {
    if (direction.ce_marked + direction.cnps == 0) return "0";
    return fmt::format(
        "{} ({}), {}", grouped(direction.ce_marked), observations::percent_text(direction.ce_marked, direction.packets),
        counted(direction.cnps, "CNP"));
}

Ink ink_of(const Direction& direction) { return direction.retransmitted.packets != 0 ? Ink::yellow : Ink::plain; }

/// A line for each direction in which anything was asked for.
void write_streams(std::ostream& out, const Chosen& chosen, bool with_marks, const SummaryOptions& options) {
    std::vector<Table::Column> columns{
        {"Stream"},
        {"From"},
        {"To"},
        {"QPs"},
        {"Peer QP by"},
        {"Operations"},
        {"Bytes", Align::right},
        {"Goodput", Align::right},
        {"Retransmitted", Align::right},
        {"RNR", Align::right},
        {"RTT p50", Align::right},
        {"Oper. p50", Align::right},
        {"p99", Align::right},
        {"max", Align::right},
        {"End"}};
    if (with_marks) columns.push_back({"Marked by ECN"});
    Table table(std::move(columns));
    const std::size_t shown = std::min(chosen.own.size(), options.rows);
    for (const Stream* stream : std::span(chosen.own).first(shown)) {
        bool named = false;
        for (const Side side : {a, b}) {
            const Direction& direction = stream->from[side];
            if (!observations::asks(direction) && (side == a || named)) continue;
            const Latencies& times = direction.operation_time;
            std::vector<Cell> cells{
                {named ? "" : stream_name(stream->id) + " " + name_of(stream->transport)},
                {capture::to_string(stream->end[side].address)},
                {capture::to_string(stream->end[other(side)].address)},
                {named ? "" : queue_pairs_of(*stream, side, options.style)},
                {named             ? ""
                 : stream->learned ? name_of(*stream->learned)
                                   : "not known"},
                {operations_of(direction)},
                {direction.sender_heard ? grouped(direction.bytes) : "?"},
                {goodput_text(*stream, side)},
                {retransmitted_text(direction), ink_of(direction)},
                {direction.receiver_heard && direction.answers_known ? grouped(direction.rnr_naks) : "?"},
                {latency_text(direction.ack_rtt, 0.5, options.style.unicode)},
                {latency_text(times, 0.5, options.style.unicode)},
                {latency_text(times, 0.99, options.style.unicode)},
                {latency_text(times, 1, options.style.unicode)},
                {named ? "" : name_of(stream->ending)}};
            if (with_marks) cells.push_back({marked_text(direction)});
            table.add(std::move(cells));
            named = true;
        }
    }
    if (table.empty()) return;
    out << '\n';
    table.print(out, options.style, 2);
    write_rest(out, chosen.own.size(), shown, "streams", options.style);
}

/// "at least 344"
std::string expected_text(const AdapterCounter& counter) {
    const std::string number = grouped(counter.expected);
    return counter.relation == Relation::equal ? number : fmt::format("{} {}", name_of(counter.relation), number);
}

/// What is 0 on both sides is left out.
void write_counters(std::ostream& out, const Results& results, const SummaryOptions& options) {
    Table table({{"Host"}, {"Adapter"}, {"Counter"}, {"Should read"}, {"Reads", Align::right}, {""}});
    const AdapterCounter* last = nullptr;
    std::size_t count = 0;
    for (const AdapterCounter& counter : results.counters) {
        if (counter.expected == 0 && counter.read.value_or(0) == 0) continue;
        if (++count > options.rows) continue;
        const bool same_host = last != nullptr && last->host == counter.host;
        const bool same_adapter = same_host && std::string_view(last->adapter) == counter.adapter;
        const bool differs = !counter.agrees().value_or(true);
        table.add(
            {{same_host ? "" : capture::to_string(counter.host)},
             {same_adapter ? "" : counter.adapter},
             {counter.name},
             {expected_text(counter)},
             {counter.read ? grouped(*counter.read) : "-", differs ? Ink::yellow : Ink::plain},
             {differs ? "differs" : "", Ink::yellow}});
        last = &counter;
    }
    out << '\n' << options.style.paint(Ink::bold, "Counters of the adapters") << " (rdma statistic show link)\n";
    if (!table.empty()) out << '\n';
    table.print(out, options.style, 2);
    write_rest(out, count, std::min(count, options.rows), "counters", options.style);
    if (std::ranges::any_of(results.counters, [](const AdapterCounter& c) { return !c.agrees().value_or(true); }))
        out << "\n  What differs was counted before, behind or beside the capture, or the capture lacks frames.\n";
}

}  // namespace

std::string goodput_text(const engine::rdma::Stream& stream, Side side) {
    const Direction &direction = stream.from[side], &answers = stream.from[other(side)];
    if (!direction.first_time) return "-";
    const bool reads = direction.operations[static_cast<std::size_t>(OperationType::read)].count != 0;
    const bool only_answers = reads && answers.last_time && !observations::asks(answers);
    const Time end = only_answers ? std::max(*direction.last_time, *answers.last_time) : *direction.last_time;
    if (end <= *direction.first_time) return "-";
    const double seconds = static_cast<double>(end - *direction.first_time) / capture::second;
    return rate_text(static_cast<double>(direction.bytes) / seconds);
}

std::string latency_text(const Latencies& latencies, double share, bool unicode) {
    const auto value = latencies.percentile(share);
    return value ? duration_text(*value, unicode) : "-";
}

std::string end_text(const engine::rdma::Endpoint& end) {
    return capture::to_string(end.address) + (end.qpn ? fmt::format(" QP {}", *end.qpn) : "");
}

void write_rdma(std::ostream& out, const Results& results, const SummaryOptions& options) {
    const Model& model = *results.models.rdma;
    const Chosen chosen = chosen_of(results);
    write_counts(out, model, chosen, options.style);
    write_streams(out, chosen, model.ce_marked + model.cnps != 0, options);
    if (!results.counters.empty()) write_counters(out, results, options);
}

}  // namespace fabricscope::report
