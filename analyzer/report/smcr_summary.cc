// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>

#include "analyzer/report/lists.h"
#include "analyzer/report/smcr_report.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"
#include "analyzer/report/waits.h"

namespace fabricscope::report {
namespace {

using namespace engine::smcr;
using Align = Table::Align;

class Summary {
public:
    Summary(std::ostream& out, const Results& results, const SummaryOptions& options)
        : out_(out), results_(results), options_(options), style_(options.style) {}

    void write() {
        const Model& model = *results_.models.smcr;
        counts(model);
        connections(model);
        waits(model);
        link_groups(model);
    }

private:
    void title(std::string_view text) { out_ << '\n' << style_.paint(Ink::bold, text) << '\n'; }

    void and_more(std::size_t all, std::size_t shown, std::string_view noun) {
        write_rest(out_, all, shown, noun, style_);
    }

    std::string duration(Time time) const { return duration_text(time, style_.unicode); }

    void counts(const Model& model);
    void connections(const Model& model);
    void setup_times(const Model& model);
    void waits(const Model& model);
    void link_groups(const Model& model);
    void links(const LinkGroup& group);
    void rmbs(const LinkGroup& group);
    void llc(const LinkGroup& group);

    std::ostream& out_;
    const Results& results_;
    const SummaryOptions& options_;
    const Style& style_;
};

const char* words_for(Outcome outcome) {
    switch (outcome) {
        case Outcome::smc_r: return "over SMC-R";
        case Outcome::smc_d: return "over SMC-D";
        case Outcome::fallback: return "fell back to TCP";
        case Outcome::failed: return "failed";
        case Outcome::plain_tcp: return "plain TCP";
        case Outcome::unknown: return "unclear";
    }
    return "";
}

/// "3", or "2 to 3" if so many may have been counted twice.
std::string range_text(std::uint64_t count, std::uint64_t twice) {
    return (twice == 0 ? "" : grouped(count - twice) + " to ") + grouped(count);
}

void Summary::counts(const Model& model) {
    std::map<Outcome, std::uint64_t> outcomes;
    std::uint64_t all = 0;
    for (const Connection& connection : model.connections) {
        if (connection.merged) continue;
        ++outcomes[connection.outcome];
        ++all;
    }
    out_ << '\n' << style_.paint(Ink::bold, "SMC-R: ");
    std::uint64_t twice = 0;
    for (const LinkGroup& group : model.link_groups) twice += pairs_of(halves_of(model, group));
    out_ << range_text(all, twice) << (all == 1 ? " connection" : " connections");
    const char* separator = " (";
    for (const auto& [outcome, count] : outcomes) {
        out_ << separator << range_text(count, outcome == Outcome::smc_r ? twice : 0) << ' ' << words_for(outcome);
        separator = ", ";
    }
    out_ << (all != 0 ? "), " : ", ")
         << counted(static_cast<std::uint64_t>(std::ranges::count_if(model.link_groups, came_to_be)), "link group");
    std::uint64_t failed = 0;
    for (const LinkGroup& group : model.link_groups)
        if (came_to_be(group))
            failed += static_cast<std::uint64_t>(std::ranges::count(group.links, LinkState::failed, &Link::state));
    if (failed != 0) out_ << ", " << counted(failed, "failed link");
    out_ << '\n';
    if (model.not_offered != 0)
        out_ << fmt::format("  {} did not offer SMC in SYN\n", counted(model.not_offered, "other TCP connection"));
}

// ---- connections ---------------------------------------------------------------------------------

/// "SMC-Rv2.1" where SMC-R came up, else what happened instead.
std::string outcome_text(const Connection& connection) {
    if (connection.outcome != Outcome::smc_r) return name_of(connection.outcome);
    return version_text(connection.version, connection.release);
}

Ink ink_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::smc_r: return Ink::green;
        case Outcome::failed: return Ink::red;
        default: return Ink::yellow;
    }
}

/// "+": more may have gone before the capture began.
std::string data_text(const Connection& connection, Side from) {
    const Direction& direction = connection.from[from];
    if (connection.outcome != Outcome::smc_r && direction.writes == 0) return "-";
    if (!direction.sender_heard) return "?";
    const std::uint64_t octets = direction.positions_known ? direction.bytes_announced : direction.bytes_written;
    return grouped(octets) + (direction.from_start && direction.positions_known ? "" : "+");
}

Time wait_of(const Connection& connection) {
    Time longest = 0;
    for (const Direction& direction : connection.from.values)
        longest = std::max({longest, direction.blocked.total, direction.stalls.total});
    return longest;
}

void Summary::connections(const Model& model) {
    Table table(
        {{"Connection"},
         {"Client"},
         {"Server"},
         {"Outcome"},
         {"To server", Align::right},
         {"To client", Align::right},
         {"Blocked", Align::right},
         {"Close"}});
    std::size_t all = 0, shown = 0;
    for (const Connection& connection : model.connections) {
        if (connection.merged || ++all > options_.rows) continue;
        ++shown;
        const Time wait = wait_of(connection);
        table.add(
            {{connection_name(connection.id)},
             {known_end(connection.client)},
             {known_end(connection.server)},
             {outcome_text(connection), ink_of(connection.outcome)},
             {data_text(connection, Side::client)},
             {data_text(connection, Side::server)},
             {wait != 0 ? duration(wait) : "-", wait != 0 ? Ink::yellow : Ink::plain},
             {name_of(connection.close), connection.close == Close::abnormal ? Ink::red : Ink::plain}});
    }
    if (all == 0) return;
    out_ << '\n';
    table.print(out_, style_, 2);
    and_more(all, shown, "connections");
    setup_times(model);
}

void Summary::setup_times(const Model& model) {
    std::vector<std::pair<Time, std::uint32_t>> times;
    for (const Connection& connection : model.connections)
        if (!connection.merged && connection.setup.syn && connection.setup.confirm)
            times.emplace_back(connection.setup.confirm->time - connection.setup.syn->time, connection.id);
    if (times.empty()) return;
    std::ranges::sort(times);
    out_ << fmt::format("  Set-up, SYN to CONFIRM: {}", duration(times[(times.size() - 1) / 2].first));
    if (times.size() > 1)
        out_ << fmt::format(
            " in the median, {} at most ({})", duration(times.back().first), connection_name(times.back().second));
    out_ << '\n';
}

std::string times(const Intervals& intervals) { return counted(intervals.count, "time"); }

void Summary::waits(const Model& model) {
    const std::vector<Wait> list = waits_of(model);
    if (list.empty()) return;
    title("Waiting for window");
    Table table(
        {{"Sender"},
         {"Blocked", Align::right},
         {"in all", Align::right},
         {"longest", Align::right},
         {"Window full", Align::right},
         {"in all", Align::right},
         {"longest", Align::right},
         {"RMB element", Align::right}});
    const std::size_t shown = std::min(list.size(), options_.rows);
    for (std::size_t i = 0; i < shown; ++i) {
        const Direction& direction = *list[i].direction;
        const Intervals& blocked = direction.blocked;
        const Intervals& full = direction.stalls;
        table.add(
            {{fmt::format("{} {}", connection_name(list[i].connection), name_of(list[i].side))},
             {times(blocked)},
             {duration(blocked.total)},
             {duration(blocked.longest)},
             {times(full)},
             {duration(full.total)},
             {duration(full.longest)},
             {direction.rmbe_size ? grouped(*direction.rmbe_size) : "?"}});
    }
    table.print(out_, style_, 2);
    and_more(list.size(), shown, "senders");
}

// ---- link groups ---------------------------------------------------------------------------------

std::string peer_text(const LinkGroup& group, Side side) {
    const std::string name = !group.hostname[side].empty() ? group.hostname[side]
                             : group.peer_id[side]         ? peer_id_text(*group.peer_id[side])
                                                           : "?";
    return fmt::format("{} {}", name_of(side), name);
}

void Summary::link_groups(const Model& model) {
    for (const LinkGroup& group : model.link_groups) {
        if (!came_to_be(group)) continue;
        if (group.id > options_.rows) break;
        title(fmt::format("Link group {}", link_group_name(group.id)));
        out_ << fmt::format(
            "  {}{}, {}, {}, {}{}\n", version_text(group.version, group.release),
            group.eid.empty() ? "" : ", EID " + group.eid, peer_text(group, Side::client),
            peer_text(group, Side::server), counted(group.connections.size(), "connection"),
            group.roles_known ? "" : "; client and server may be the other way round");
        links(group);
        rmbs(group);
        llc(group);
    }
    and_more(model.link_groups.size(), options_.rows, "link groups");
}

template <class T> std::string number_text(const std::optional<T>& number) {
    return number ? std::to_string(*number) : "?";
}

std::string gid_text(const LinkEndpoint& end) { return end.gid ? short_text(*end.gid) : "?"; }

Ink ink_of(LinkState state) {
    switch (state) {
        case LinkState::active: return Ink::green;
        case LinkState::failed: return Ink::red;
        default: return Ink::plain;
    }
}

void Summary::links(const LinkGroup& group) {
    Table table(
        {{"Link", Align::right},
         {"State"},
         {"Client GID"},
         {"QP", Align::right},
         {"Server GID"},
         {"QP", Align::right},
         {"MTU", Align::right},
         {"Packets", Align::right},
         {"Retransmitted", Align::right},
         {"NAKs", Align::right}});
    for (const Link& link : group.links) {
        if (&link - group.links.data() == static_cast<std::ptrdiff_t>(options_.rows)) break;
        const LinkEndpoint& client = link.end[Side::client];
        const LinkEndpoint& server = link.end[Side::server];
        table.add(
            {{number_text(link.number)},
             {link.is_seen() ? name_of(link.state) : "?", ink_of(link.state)},
             {gid_text(client)},
             {number_text(client.qpn)},
             {gid_text(server)},
             {number_text(server.qpn)},
             {number_text(link.mtu)},
             {grouped(link.packets)},
             {grouped(link.retransmissions), link.retransmissions != 0 ? Ink::yellow : Ink::plain},
             {grouped(link.naks), link.naks != 0 ? Ink::yellow : Ink::plain}});
    }
    if (!table.empty()) table.print(out_, style_, 2);
    and_more(group.links.size(), options_.rows, "links");
}

/// "client 4 of 65,536 bytes"
void Summary::rmbs(const LinkGroup& group) {
    std::map<std::pair<Side, std::uint64_t>, std::uint64_t> counts;
    for (const Rmb& rmb : group.rmbs) ++counts[{rmb.owner, rmb.element_size.value_or(0)}];
    const char* separator = "  RMBs: ";
    for (const auto& [key, count] : counts) {
        const std::string size = key.second != 0 ? grouped(key.second) + " bytes" : "unknown size";
        out_ << separator << fmt::format("{} {} of {}", name_of(key.first), grouped(count), size);
        separator = ", ";
    }
    if (!counts.empty()) out_ << '\n';
}

/// The exchanges of one kind that one side began.
struct LlcStatistics {
    std::uint64_t count = 0;
    std::uint64_t answered = 0;
    std::uint64_t refused = 0;
    Time total = 0;
    Time worst = 0;
    std::uint64_t worst_frame = 0;
    std::uint64_t timed = 0;

    void add(const LlcExchange& exchange) {
        ++count;
        if (exchange.refused) ++refused;
        if (!exchange.reply) return;
        ++answered;
        if (exchange.request.frame == 0) return;
        const Time latency = exchange.reply->time - exchange.request.time;
        ++timed;
        total += latency;
        if (latency >= worst) {
            worst = latency;
            worst_frame = exchange.request.frame;
        }
    }
};

void Summary::llc(const LinkGroup& group) {
    std::map<std::pair<std::string, Side>, LlcStatistics> kinds;
    for (const LlcExchange& exchange : group.exchanges) kinds[{llc_name(exchange), exchange.from}].add(exchange);
    if (kinds.empty()) return;

    Table table(
        {{"LLC exchange"},
         {"Initiated by"},
         {"Count", Align::right},
         {"Answered", Align::right},
         {"Refused", Align::right},
         {"Mean", Align::right},
         {"Worst", Align::right},
         {"in frame", Align::right}});
    for (const auto& [key, kind] : kinds) {
        const bool timed = kind.timed != 0;
        table.add(
            {{key.first},
             {name_of(key.second)},
             {grouped(kind.count)},
             {grouped(kind.answered)},
             {grouped(kind.refused), kind.refused != 0 ? Ink::yellow : Ink::plain},
             {timed ? duration(kind.total / static_cast<Time>(kind.timed)) : "-"},
             {timed ? duration(kind.worst) : "-"},
             {timed ? std::to_string(kind.worst_frame) : "-"}});
    }
    table.print(out_, style_, 2);
    if (group.exchange_count > group.exchanges.size())
        out_ << fmt::format(
            "  These are the first {} of {} exchanges.\n", grouped(group.exchanges.size()),
            grouped(group.exchange_count));
}

}  // namespace

void write_smcr(std::ostream& out, const Results& results, const SummaryOptions& options) {
    Summary(out, results, options).write();
}

}  // namespace fabricscope::report
