// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_ae_rdma_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "analyzer/report/lists.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using namespace engine::fc_ae_rdma;
using Align = Table::Align;

const char* words_for(MessageState state) { return state == MessageState::open ? "without FCP_RSP" : name_of(state); }

/// What an Initiator did to a Logical Unit.
struct Total {
    std::uint64_t reads = 0, writes = 0, bytes_read = 0, bytes_written = 0, answered = 0, failed = 0, notified = 0;
    Time latency = 0, longest = 0;

    void add(const Message& message) {
        if (message.is_read) {
            ++(*message.is_read ? reads : writes);
            (*message.is_read ? bytes_read : bytes_written) += message.bytes;
        }
        if (message.state != MessageState::complete) ++failed;
        if (message.notifies) ++notified;
        if (!message.response) return;
        const Time time = message.response->time - message.command.time;
        ++answered;
        latency += time;
        longest = std::max(longest, time);
    }
};

void write_paths(std::ostream& out, const Model& model, const SummaryOptions& options) {
    std::map<std::tuple<std::string, std::string, std::optional<std::uint8_t>>, Total> totals;
    for (const Message& m : model.messages) totals[{to_string(m.initiator), to_string(m.target), m.lun}].add(m);
    Table table(
        {{"Initiator"},
         {"Target"},
         {"LUN", Align::right},
         {"Reads", Align::right},
         {"Bytes read", Align::right},
         {"Writes", Align::right},
         {"Bytes written", Align::right},
         {"Notified", Align::right},
         {"Not good", Align::right},
         {"Mean", Align::right},
         {"Longest", Align::right}});
    std::size_t shown = 0;
    for (const auto& [path, total] : totals) {
        if (shown++ == options.rows) break;
        const auto& [initiator, target, lun] = path;
        const auto time = [&, answered = total.answered](Time value) {
            return answered != 0 ? duration_text(value, options.style.unicode) : std::string("-");
        };
        table.add(
            {{initiator},
             {target},
             {lun ? std::to_string(*lun) : "-"},
             {grouped(total.reads)},
             {grouped(total.bytes_read)},
             {grouped(total.writes)},
             {grouped(total.bytes_written)},
             {grouped(total.notified)},
             {grouped(total.failed), total.failed != 0 ? Ink::red : Ink::plain},
             {time(total.latency / static_cast<Time>(std::max<std::uint64_t>(1, total.answered)))},
             {time(total.longest)}});
    }
    out << '\n';
    table.print(out, options.style, 2);
    write_rest(out, totals.size(), std::min(shown, options.rows), "paths", options.style);
}

/// "000000h-0007FFh, 001000h-001FFFh and 3 more"; "-" if there is none
std::string ranges_text(const RangeSet& set) {
    constexpr std::size_t most = 3;
    std::vector<std::string> texts;
    for (const RangeSet::Range& range : set.ranges())
        texts.push_back(fmt::format("{:06X}h-{:06X}h", range.begin, range.end - 1));
    return texts.empty() ? "-" : names_text(texts, most);
}

void write_regions(std::ostream& out, const Model& model, const SummaryOptions& options) {
    Table table({{"Memory region"}, {"Target"}, {"LUN", Align::right}, {"Written"}, {"Read"}});
    const std::size_t shown = std::min(model.regions.size(), options.rows);
    for (std::size_t i = 0; i < shown; ++i) {
        const Region& region = model.regions[i];
        table.add(
            {{fc_ae_rdma_region_name(region.id)},
             {to_string(region.target)},
             {std::to_string(region.lun)},
             {ranges_text(region.written)},
             {ranges_text(region.read)}});
    }
    out << '\n';
    table.print(out, options.style, 2);
    write_rest(out, model.regions.size(), shown, "memory regions", options.style);
}

}  // namespace

void write_fc_ae_rdma(std::ostream& out, const Model& model, const SummaryOptions& options) {
    out << '\n'
        << options.style.paint(Ink::bold, "FC-AE-RDMA: ")
        << counts_text(model.messages, "message", &Message::state, words_for) << ", "
        << counted(model.regions.size(), "memory region") << '\n';
    write_paths(out, model, options);
    write_regions(out, model, options);
}

}  // namespace fabricscope::report
