// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "analyzer/report/plot.h"
#include "analyzer/report/psn_timeline.h"
#include "analyzer/report/rdma_report.h"
#include "analyzer/report/smcr_report.h"
#include "analyzer/report/units.h"
#include "program/analysis.h"
#include "program/commands.h"
#include "program/exports.h"
#include "program/output.h"
#include "program/sandbox.h"
#include "program/status.h"

namespace fabricscope::cli {
namespace {

using namespace engine::smcr;

constexpr std::size_t most_in_a_picture = 100;

struct TimelineOptions {
    InputOptions input;
    Sandbox sandbox;
    std::vector<std::string> connections;  ///< of SMC-R: ids, or "all"
    std::vector<std::string> streams;      ///< of queue pairs
    std::vector<std::string> others;       ///< sessions that nothing is plotted of
    std::vector<std::string> link_groups;
    bool ladder = false;
    std::string csv, svg, png;

    bool wants_all() const { return std::ranges::find(connections, "all") != connections.end(); }
    bool wants_ladder() const { return ladder || !link_groups.empty() || !others.empty(); }
    bool wants_psns() const { return !streams.empty() && !wants_ladder(); }
    bool wants_picture() const { return !svg.empty() || !png.empty(); }
};

/// Which connections are of interest, and the flags of their CDC messages.
class Collector final : public Observer {
public:
    explicit Collector(const TimelineOptions& options) : all_(options.wants_all()) {
        for (const std::string& name : options.connections) ids_.insert(session_named(name).id);
    }

    /// What was met midway may turn out to be one half of any other connection.
    bool wants_timeline(const Connection& connection) override { return wants(connection.id) || connection.midstream; }

    void on_facts(const FrameFacts& facts) override {
        const bool concerned = facts.what == FrameFacts::What::cdc && facts.from && wants(facts.connection);
        if (!concerned || facts.retransmission) return;
        wire::Cdc cdc;
        layout::parse_into(cdc, facts.message);
        if (cdc.flags.failover_validation) return;
        flags_[facts.connection][*facts.from].push_back(
            {.time = facts.time,
             .writer_blocked = cdc.flags.writer_blocked,
             .urgent = cdc.flags.urgent_present,
             .sending_done = cdc.state.sending_done,
             .closed = cdc.state.connection_closed,
             .aborted = cdc.state.abnormal_close});
    }

    report::Timeline timeline_of(const Connection& connection, Time start) {
        return {.connection = connection, .start = start, .flags = std::move(flags_[connection.id])};
    }

private:
    bool wants(std::uint32_t id) const { return all_ || ids_.contains(id); }

    bool all_;
    std::set<std::uint32_t> ids_;
    std::map<std::uint32_t, PerSide<std::vector<report::CdcFlagsSeen>>> flags_;
};

// ---- what was asked for --------------------------------------------------------------------------

using Connections = std::vector<const Connection*>;

/// Empty, after a complaint, if there is not what was asked for.
std::optional<Connections> chosen_connections(const engine::Engine& engine, const TimelineOptions& options) {
    const Model& model = engine.smcr();
    Connections chosen;
    if (options.wants_all()) {
        for (const Connection& connection : model.connections)
            if (!connection.merged) chosen.push_back(&connection);
        if (!chosen.empty()) return chosen;
        complain("there is no SMC-R connection");
        return {};
    }
    for (const std::string& name : options.connections) {
        const auto index = find_session(engine, session_named(name));
        if (!index) return {};
        chosen.push_back(&model.connections[*index]);
    }
    return chosen;
}

const LinkGroup* find_link_group(const Model& model, const std::string& name) {
    std::size_t count = 0;
    for (const LinkGroup& group : model.link_groups) {
        if (!came_to_be(group)) continue;
        ++count;
        if (report::link_group_name(group.id) == name) return &group;
    }
    complain("no link group " + name + "; the capture has " + report::counted(count, "link group"));
    return nullptr;
}

/// Of what has no cursors. Empty, after a complaint, if it is not there.
std::optional<report::Ladder> ladder_of(const engine::Engine& engine, const SessionName& name, Time start) {
    if (name.kind->ladder == nullptr) {
        complain(fmt::format("of a {} there is no ladder", name.kind->noun));
        return {};
    }
    const auto index = find_session(engine, name);
    return index ? std::optional(name.kind->ladder(engine, *index, start)) : std::nullopt;
}

/// Empty, after a complaint, if there is not what was asked for.
std::optional<std::vector<report::Ladder>> ladders_of(
    const engine::Engine& engine, const Connections& connections, const TimelineOptions& options, Time start) {
    const Model& model = engine.smcr();
    std::vector<report::Ladder> ladders;
    for (const Connection* connection : connections) ladders.push_back(report::ladder_of(*connection, model, start));
    for (const std::string& name : options.link_groups) {
        const LinkGroup* group = find_link_group(model, name);
        if (group == nullptr) return {};
        ladders.push_back(report::ladder_of(*group, model, start));
    }
    for (const auto* names : {&options.streams, &options.others})
        for (const std::string& name : *names) {
            const std::optional<report::Ladder> ladder = ladder_of(engine, session_named(name), start);
            if (!ladder) return {};
            ladders.push_back(*ladder);
        }
    return ladders;
}

// ---- output --------------------------------------------------------------------------------------

bool write_pictures(const report::Drawing& drawing, const TimelineOptions& options) {
    bool written = true;
    if (!options.svg.empty()) written &= export_svg(options.svg, drawing);
    if (!options.png.empty()) written &= export_png(options.png, drawing);
    return written;
}

/// Each thing as text, with an empty line between them.
template <class Things, class Write> bool write_texts(const Things& things, const Write& write) {
    Output output("");
    for (std::size_t i = 0; i < things.size(); ++i) {
        if (i != 0) output.stream() << '\n';
        write(output.stream(), things[i], output_style());
    }
    return output.finish();
}

std::string names_of(const std::vector<std::string>& files) {
    std::string names;
    for (const std::string& file : files)
        names += (names.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
    return names;
}

/// As rows, as pictures, or else as text: what was asked for.
template <class WriteCsv, class Draw, class WriteText>
bool write_as_asked(
    const TimelineOptions& options, const WriteCsv& write_csv, const Draw& draw, const WriteText& write_text) {
    bool written = true;
    if (!options.csv.empty()) {
        Output output(options.csv);
        write_csv(output.stream());
        written &= output.finish();
    }
    if (options.wants_picture()) written &= write_pictures(draw(names_of(options.input.files)), options);
    else if (options.csv.empty()) written &= write_text();
    return written;
}

bool write_ladders(const std::vector<report::Ladder>& ladders, const TimelineOptions& options) {
    return write_as_asked(
        options, [&](std::ostream& out) { report::write_ladder_csv(out, ladders); },
        [&](const std::string& source) { return report::picture_of(ladders, source); },
        [&] { return write_texts(ladders, report::write_ladder); });
}

/// `Timeline` is that of cursors, or of PSNs.
template <class Timeline> bool write_timelines(const std::vector<Timeline>& timelines, const TimelineOptions& options) {
    const auto write_one = [](std::ostream& out, const Timeline& timeline, const report::Style& style) {
        report::write_timeline(out, timeline, style);
    };
    return write_as_asked(
        options, [&](std::ostream& out) { report::write_timeline_csv(out, timelines.front()); },
        [&](const std::string& source) { return report::plot_of(timelines, source); },
        [&] { return write_texts(timelines, write_one); });
}

/// Why it cannot be done; empty if it can. `connections` is what was found in the capture.
std::string why_not(const TimelineOptions& options, std::size_t connections) {
    if (!options.csv.empty() && connections > 1 && !options.wants_ladder())
        return "--csv takes one connection; analyze --cursors writes them all";
    if (options.wants_picture() && connections > most_in_a_picture)
        return report::counted(connections, "connection") + " are too many for one picture; name up to " +
               std::to_string(most_in_a_picture);
    return {};
}

std::string why_not(const TimelineOptions& options) {
    if (options.connections.empty() && options.streams.empty() && options.others.empty() && options.link_groups.empty())
        return "name a --connection, or all, or a --link-group";
    if (!options.connections.empty() && options.wants_psns())
        return "cursors and PSNs are plotted one at a time: name " + options.connections.front() + " or " +
               options.streams.front();
    if (!options.others.empty() && (!options.connections.empty() || !options.streams.empty()) && !options.ladder)
        return "of " + options.others.front() + " there is a ladder only; --ladder shows those of all";
    std::string reason = why_not(options, options.connections.size() + options.streams.size() + options.others.size());
    for (const std::string& file : {options.svg, options.png})
        if (reason.empty() && !file.empty()) reason = why_not_picture(file);
    return reason;
}

/// Listens to what timelines are made of.
struct Collectors {
    Collector cursors;
    report::PsnCollector psns;
};

/// False, after a complaint, if a stream is not there, or the timelines cannot be written.
bool report_on_streams(
    const engine::Engine& engine, const report::PsnCollector& collector, const TimelineOptions& options) {
    std::vector<report::PsnTimeline> timelines;
    for (const std::string& name : options.streams) {
        const auto index = find_session(engine, session_named(name));
        if (!index) return false;
        timelines.push_back(collector.timeline_of(engine.rdma().streams[*index], engine.capture().start.value_or(0)));
    }
    return write_timelines(timelines, options);
}

/// False, after a complaint, if there is nothing to write, or it cannot be written.
bool report_on(const engine::Engine& engine, Collectors& collectors, const TimelineOptions& options) {
    if (options.wants_psns()) return report_on_streams(engine, collectors.psns, options);
    const auto connections = chosen_connections(engine, options);
    if (!connections) return false;
    if (const std::string reason = why_not(options, connections->size()); !reason.empty()) {
        complain(reason);
        return false;
    }
    const Time start = engine.capture().start.value_or(0);
    if (options.wants_ladder()) {
        const auto ladders = ladders_of(engine, *connections, options, start);
        return ladders && write_ladders(*ladders, options);
    }
    std::vector<report::Timeline> timelines;
    for (const Connection* connection : *connections)
        timelines.push_back(collectors.cursors.timeline_of(*connection, start));
    return write_timelines(timelines, options);
}

/// Only SMC-R has cursors, only queue pairs have PSNs.
bool has_cursors(const std::string& name) { return session_named(name).protocol == &report::smcr_report; }
bool has_psns(const std::string& name) { return session_named(name).protocol == &report::rdma_report; }

std::set<std::uint32_t> numbers_of(const std::vector<std::string>& names) {
    std::set<std::uint32_t> numbers;
    for (const std::string& name : names) numbers.insert(session_named(name).id);
    return numbers;
}

/// Takes those names away of which `belongs` is true.
template <class Belongs> std::vector<std::string> taken_from(std::vector<std::string>& names, const Belongs& belongs) {
    const auto found = std::stable_partition(
        names.begin(), names.end(), [&](const std::string& name) { return !belongs(name); });
    std::vector<std::string> taken(found, names.end());
    names.erase(found, names.end());
    return taken;
}

engine::Options engine_options_of(const TimelineOptions& options) {
    engine::Options result;
    result.smcr_options.timelines = !options.wants_ladder();
    result.smcr_options.cursor_base = options.input.forced_cursor_base();
    if (!options.streams.empty()) result.rdma = true;
    for (const std::string& name : options.others) {
        const report::ProtocolReport& report = *session_named(name).protocol;
        report.protocol.followed(result) = true;
        if (report.keep_for_ladders != nullptr) report.keep_for_ladders(result);
    }
    return result;
}

int run(TimelineOptions& options) {
    options.streams = taken_from(options.connections, has_psns);
    options.others = taken_from(options.connections, [](const std::string& name) { return !has_cursors(name); });
    if (const std::string reason = why_not(options); !reason.empty()) return refuse(reason);
    options.sandbox.close({.inputs = options.input.files, .outputs = {options.csv, options.svg, options.png}});
    Collectors collectors{Collector(options), report::PsnCollector(numbers_of(options.streams))};
    const Analysis analysis = analyse(
        options.input.files, engine_options_of(options),
        {.smcr = &collectors.cursors, .rdma = options.wants_psns() ? &collectors.psns : nullptr});
    if (!analysis.engine) return not_read;
    const bool reported = report_on(*analysis.engine, collectors, options);
    if (!analysis.problems.empty()) return not_read;
    return reported ? done : wrong_usage;
}

}  // namespace

void add_timeline(CommandLine& program) {
    auto options = std::make_shared<TimelineOptions>();
    const Command command = program.add_command("timeline", "Show how cursors or PSNs moved, or who said what");
    add_input_options(command, options->input).required();
    options->sandbox.add_option(command);
    command
        .option(
            "--connection", options->connections, "A connection, as analyze names it, or all of SMC-R; may be repeated")
        .separated_by_commas()
        .placeholder("ID");
    command.flag("--ladder", options->ladder, "Messages of the set-up instead of cursors");
    command.option("--link-group", options->link_groups, "The messages of a link group; may be repeated")
        .separated_by_commas()
        .placeholder("ID");
    command.option("--csv", options->csv, "Write rows to a file (- is standard output) instead of a plot")
        .writes()
        .placeholder("OUT");
    command.option("--svg", options->svg, "Draw an SVG picture (- is standard output)").writes().placeholder("OUT");
    command.option("--png", options->png, "Draw a PNG picture (- is standard output)").writes().placeholder("OUT");
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
