// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>

#include "analyzer/cli/analysis.h"
#include "analyzer/cli/commands.h"
#include "analyzer/cli/output.h"
#include "analyzer/cli/status.h"
#include "analyzer/report/units.h"

namespace fabricscope::cli {
namespace {

using namespace engine::smcr;

struct StreamOptions {
    InputOptions input;
    std::string connection;
    std::string from;
    std::string output;
    bool skip_urgent = false;

    Side side() const { return from == "client" ? Side::client : Side::server; }
};

/// Writes one direction's octets as they become known.
class StreamWriter final : public Observer {
public:
    explicit StreamWriter(const StreamOptions& options)
        : options_(options), id_(connection_id(options.connection)), side_(options.side()) {}

    bool wants_stream(const Connection& connection, Side from) override {
        return connection.id == id_ && from == side_;
    }

    void on_stream(const StreamPiece& piece) override {
        const std::uint64_t drop = options_.skip_urgent && piece.urgent_last ? 1 : 0;
        if (piece.missing != 0) write_hole(piece, drop);
        else write(piece.octets.first(piece.octets.size() - drop));
    }

    /// Opens the file not before there is something to write, so that a wrong id leaves it as it was.
    Output& output() {
        if (!output_) output_.emplace(options_.output);
        return *output_;
    }

    bool complete() const { return holes_ == 0; }

    /// What has not been told one by one.
    void sum_up() const {
        if (holes_ > most_told)
            complain(fmt::format(
                "{} from the {}: {} in all were not captured, in {} places", options_.connection, options_.from,
                report::counted(missing_, "octet"), report::grouped(holes_)));
    }

private:
    void write(ByteView octets) {
        output().stream().write(
            reinterpret_cast<const char*>(octets.data()), static_cast<std::streamsize>(octets.size()));
    }

    static constexpr std::uint64_t most_told = 1000;  ///< holes

    /// Zeros keep the offsets of what follows right. But cursors can claim anything: zeros for whatever they claim
    /// would make a file without end.
    void write_hole(const StreamPiece& piece, std::uint64_t drop) {
        if (!piece.implausible) write_zeros(piece.missing - drop);
        missing_ += piece.missing;
        if (++holes_ > most_told) return;
        complain(fmt::format(
            "{} from the {}: {} at position {} were not captured; {}", options_.connection, options_.from,
            report::counted(piece.missing, "octet"), piece.position,
            piece.implausible ? "that is more than was seen, so they are left out, and what follows stands too early"
                              : "zeros stand in for them"));
    }

    void write_zeros(std::uint64_t count) {
        static constexpr std::array<std::uint8_t, 65'536> zeros{};
        for (std::uint64_t now = 0; count != 0; count -= now) {
            now = std::min<std::uint64_t>(count, zeros.size());
            write(ByteView(zeros).first(now));
        }
    }

    const StreamOptions& options_;
    std::uint32_t id_;
    Side side_;
    std::optional<Output> output_;
    std::uint64_t holes_ = 0;
    std::uint64_t missing_ = 0;  ///< octets
};

bool goes_to_a_terminal(const std::string& output) {
    return (output.empty() || output == "-") && ::isatty(STDOUT_FILENO) != 0;
}

int run(const StreamOptions& options) {
    if (goes_to_a_terminal(options.output)) {
        complain("application data may upset a terminal; name a file with -o, or use a pipe");
        return wrong_usage;
    }
    if (is_cm_connection(options.connection)) {
        complain(
            options.connection +
            " has no stream: RDMA CM does not tell where in memory its data belong, or in which "
            "order they are read; see analyze and timeline");
        return wrong_usage;
    }
    StreamWriter writer(options);
    engine::Options engine_options;
    engine_options.smcr_options.cursor_base = options.input.forced_cursor_base();
    const Analysis analysis = analyse(options.input.files, engine_options, &writer);
    if (!analysis.engine) return not_read;

    const bool whole = analysis.problems.empty();
    if (find_connection(analysis.engine->smcr(), options.connection) == nullptr) return whole ? wrong_usage : not_read;
    writer.sum_up();
    if (!writer.output().finish()) return wrong_usage;
    return whole && writer.complete() ? done : not_read;
}

}  // namespace

void add_stream(CLI::App& program, int& status) {
    auto options = std::make_shared<StreamOptions>();
    CLI::App* command = program.add_subcommand("stream", "Rebuild the octets that one side of a connection sent");
    add_input_options(*command, options->input);
    command->add_option("--connection", options->connection, "The connection, as analyze names it")
        ->required()
        ->option_text("ID");
    command->add_option("--from", options->from, "Whose octets")
        ->required()
        ->check(CLI::IsMember({"client", "server"}))
        ->option_text("client|server");
    command->add_option("-o,--output", options->output, "Write to a file instead of standard output")
        ->option_text("OUT");
    command->add_flag("--skip-urgent", options->skip_urgent, "Leave urgent octets out");
    command->callback([options, &status] { status = run(*options); });
}

}  // namespace fabricscope::cli
