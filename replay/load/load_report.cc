// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/load/load_report.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace fabricscope::replay {

namespace {

using report::Cell;
using report::Ink;
using report::Json;
using report::Table;

double per_second(std::uint64_t count, const LoadRun& run) {
    return run.seconds > 0 ? static_cast<double>(count) / run.seconds : 0;
}

/// "12,345 a second"
std::string rate_of(std::uint64_t count, const LoadRun& run) {
    return fmt::format("{} a second", report::grouped(static_cast<std::uint64_t>(per_second(count, run) + 0.5)));
}

constexpr struct {
    const char* title;
    const char* key;
    double share;
} percentiles[] = {{"p50", "p50", 0.5}, {"p90", "p90", 0.9}, {"p99", "p99", 0.99}, {"p99.9", "p999", 0.999}};

Json seconds_or_null(std::optional<Time> time) { return time ? Json(static_cast<double>(*time) / 1e9) : Json(); }

Json json_of(const Latencies& latencies) {
    Json json{{"count", latencies.count()}};
    for (const auto& one : percentiles) json.add(one.key, seconds_or_null(latencies.percentile(one.share)));
    json.add("max", seconds_or_null(latencies.max()));
    return json;
}

void write_latencies(std::ostream& out, const report::Style& style, const LoadAccount& account) {
    std::vector<Table::Column> columns{{"Latency"}};
    for (const auto& one : percentiles) columns.push_back({one.title, Table::Align::right});
    columns.push_back({"max", Table::Align::right});
    columns.push_back({"of", Table::Align::right});
    Table table(columns);
    const auto add = [&](const char* what, const Latencies& latencies) {
        if (latencies.count() == 0) return;
        std::vector<Cell> row{{what}};
        for (const auto& one : percentiles) row.push_back({report::duration_text(*latencies.percentile(one.share))});
        row.push_back({report::duration_text(*latencies.max())});
        row.push_back({report::grouped(latencies.count())});
        table.add(std::move(row));
    };
    add("session", account.sessions);
    add("set-up", account.set_ups);
    add("message", account.exchanges);
    if (table.empty()) return;
    out << '\n';
    table.print(out, style, 2);
}

bool has_messages(const LoadPlan& plan) { return plan.kind == LoadKind::rc || plan.kind == LoadKind::smc; }

}  // namespace

void write_text(
    std::ostream& out, const LoadPlan& plan, const LoadWay& way, const LoadRun& run, const report::Style& style) {
    const LoadAccount& account = run.account;
    const std::uint64_t failed = account.all_failed();
    fmt::print(
        out, "{}\n\n",
        style.paint(
            Ink::bold, fmt::format(
                           "{} {} {}, {:.2f} s", name_of(plan.kind), way.peer.empty() ? "served at" : "to",
                           way.peer.empty() ? way.address : way.peer, run.seconds)));
    fmt::print(
        out, "  Sessions: {} started, {} completed, {} failed{}; {}\n", report::grouped(account.started),
        report::grouped(account.completed), failed == 0 ? "0" : style.paint(Ink::red, report::grouped(failed)),
        run.open == 0 ? "" : fmt::format(", {} not ended", report::grouped(run.open)), rate_of(account.completed, run));
    for (const auto& [reason, count] : account.failed) fmt::print(out, "    {} x {}\n", report::grouped(count), reason);
    if (has_messages(plan)) {
        if (account.messages != 0)
            fmt::print(out, "  Messages: {}; {}\n", report::grouped(account.messages), rate_of(account.messages, run));
        fmt::print(
            out, "  Octets: {}; {}\n", report::grouped(account.octets),
            report::rate_text(per_second(account.octets, run)));
        if (account.wrong != 0)
            fmt::print(
                out, "  {}\n",
                style.paint(Ink::red, fmt::format("{} are not what was sent", report::grouped(account.wrong))));
    }
    fmt::print(
        out, "  Frames: {} sent, {} received", report::grouped(run.frames_sent), report::grouped(run.frames_received));
    if (run.frames_retransmitted != 0) fmt::print(out, ", {} retransmitted", report::grouped(run.frames_retransmitted));
    if (run.frames_dropped != 0)
        fmt::print(out, ", {} lost here because they came too fast", report::grouped(run.frames_dropped));
    out << '\n';
    write_latencies(out, style, account);
}

Json json_of(const LoadPlan& plan, const LoadWay& way, const LoadRun& run) {
    const LoadAccount& account = run.account;
    Json::List failures;
    for (const auto& [reason, count] : account.failed) failures.push_back(Json{{"reason", reason}, {"count", count}});
    const bool client = !way.peer.empty();
    return {
        {"schema", "fabricscope-load/1"},
        {"kind", name_of(plan.kind)},
        {"role", client ? "client" : "server"},
        {"peer", client ? Json(way.peer) : Json()},
        {"address", way.address},
        {"hosts", client ? way.hosts : 1U},
        {"seconds", run.seconds},
        {"sessions",
         Json{
             {"started", account.started},
             {"completed", account.completed},
             {"failed", account.all_failed()},
             {"open", run.open},
             {"per_second", per_second(account.completed, run)},
             {"failures", std::move(failures)}}},
        {"messages",
         Json{
             {"count", account.messages},
             {"octets", account.octets},
             {"wrong", account.wrong},
             {"per_second", per_second(account.messages, run)}}},
        {"frames",
         Json{
             {"sent", run.frames_sent},
             {"received", run.frames_received},
             {"retransmitted", run.frames_retransmitted},
             {"dropped", run.frames_dropped}}},
        {"latency",
         Json{
             {"session", json_of(account.sessions)},
             {"set_up", json_of(account.set_ups)},
             {"message", json_of(account.exchanges)}}},
        {"broken_off", run.interrupted && way.limited ? Json("interrupted")
                       : run.broken_off.empty()       ? Json()
                                                      : Json(run.broken_off)}};
}

}  // namespace fabricscope::replay
