// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/timeline.h"

#include <memory>

#include "analyzer/cli/analysis.h"
#include "analyzer/cli/commands.h"
#include "analyzer/cli/output.h"
#include "analyzer/cli/status.h"

namespace fabricscope::cli {
namespace {

using namespace engine::smcr;

struct TimelineOptions {
    InputOptions input;
    std::string connection;
    std::string csv;
};

/// Collects the flags of one connection's CDC messages.
class FlagCollector final : public Observer {
public:
    explicit FlagCollector(std::uint32_t connection) : connection_(connection) {}

    void on_facts(const FrameFacts& facts) override {
        const bool concerned = facts.what == FrameFacts::What::cdc && facts.connection == connection_ && facts.from;
        if (!concerned || facts.retransmission) return;
        wire::Cdc cdc;
        layout::parse_into(cdc, facts.message);
        if (!cdc.flags.failover_validation)
            flags_[*facts.from].push_back({facts.time, cdc.flags.writer_blocked, cdc.flags.urgent_present});
    }

    PerSide<std::vector<report::CdcFlagsSeen>>& flags() { return flags_; }

private:
    std::uint32_t connection_;
    PerSide<std::vector<report::CdcFlagsSeen>> flags_;
};

int run(const TimelineOptions& options) {
    FlagCollector collector(connection_id(options.connection));
    engine::Options engine_options;
    engine_options.smcr_options.timelines = true;
    engine_options.smcr_options.cursor_base = options.input.forced_cursor_base();
    const Analysis analysis = analyse(options.input.files, engine_options, &collector);
    if (!analysis.engine) return not_read;

    const bool whole = analysis.problems.empty();
    const Connection* connection = find_connection(analysis.engine->smcr(), options.connection);
    if (connection == nullptr) return whole ? wrong_usage : not_read;
    const report::Timeline timeline{
        .connection = *connection,
        .start = analysis.engine->capture().start.value_or(0),
        .flags = std::move(collector.flags())};
    Output output(options.csv);
    if (options.csv.empty()) write_timeline(output.stream(), timeline, output_style());
    else write_timeline_csv(output.stream(), timeline);
    if (!output.finish()) return wrong_usage;
    return whole ? done : not_read;
}

}  // namespace

void add_timeline(CLI::App& program, int& status) {
    auto options = std::make_shared<TimelineOptions>();
    CLI::App* command = program.add_subcommand("timeline", "Show how the cursors of a connection moved");
    add_input_options(*command, options->input);
    command->add_option("--connection", options->connection, "The connection, as analyze names it")
        ->required()
        ->option_text("ID");
    command->add_option("--csv", options->csv, "Write rows to a file (- is standard output) instead of a plot")
        ->option_text("OUT");
    command->callback([options, &status] { status = run(*options); });
}

}  // namespace fabricscope::cli
