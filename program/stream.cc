// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include <memory>

#include "program/analysis.h"
#include "program/commands.h"
#include "program/fc_streams.h"
#include "program/status.h"

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
class SmcrStream final : public Observer {
public:
    SmcrStream(std::uint32_t connection, const StreamOptions& options, OctetFile& file)
        : id_(connection), side_(options.side()), skip_urgent_(options.skip_urgent), file_(file) {}

    bool wants_stream(const Connection& connection, Side from) override {
        return connection.id == id_ && from == side_;
    }

    void on_stream(const StreamPiece& piece) override {
        const std::uint64_t drop = skip_urgent_ && piece.urgent_last ? 1 : 0;
        if (piece.missing != 0) write_hole(piece, drop);
        else file_.write(piece.octets.first(piece.octets.size() - drop));
    }

private:
    /// Zeros keep the offsets of what follows right. But cursors can claim anything: zeros for whatever they claim
    /// would make a file without end.
    void write_hole(const StreamPiece& piece, std::uint64_t drop) {
        if (!piece.implausible) file_.write_zeros(piece.missing - drop);
        file_.tell_hole(
            piece.position, piece.missing,
            piece.implausible ? "that is more than was seen, so they are left out, and what follows stands too early"
                              : "zeros stand in for them");
    }

    std::uint32_t id_;
    Side side_;
    bool skip_urgent_;
    OctetFile& file_;
};

bool goes_to_a_terminal(const std::string& output) {
    return (output.empty() || output == "-") && ::isatty(STDOUT_FILENO) != 0;
}

int refuse(const std::string& reason) {
    complain(reason);
    return wrong_usage;
}

/// `exists` says, after a complaint if not, whether the capture holds what was asked for.
template <class Exists> int end(const Analysis& analysis, OctetFile& file, const Exists& exists) {
    const bool whole = analysis.problems.empty();
    if (!exists(*analysis.engine)) return whole ? wrong_usage : not_read;
    file.sum_up();
    if (!file.finish()) return wrong_usage;
    return whole && file.complete() ? done : not_read;
}

int run_smcr(const StreamOptions& options, std::uint32_t connection, OctetFile& file) {
    SmcrStream stream(connection, options, file);
    engine::Options engine_options;
    engine_options.smcr_options.cursor_base = options.input.forced_cursor_base();
    const Analysis analysis = analyse(options.input.files, engine_options, {.smcr = &stream});
    if (!analysis.engine) return not_read;
    return end(analysis, file, [&](const engine::Engine& engine) {
        return find_connection(engine.smcr(), options.connection) != nullptr;
    });
}

int run_fcvi(const StreamOptions& options, std::uint32_t connection, OctetFile& file) {
    FcviStream stream(connection, options.side(), file);
    const engine::Options engine_options{.smcr = false, .fc_protocols = {.fcvi = true}};
    const Analysis analysis = analyse(options.input.files, engine_options, {.fcvi = &stream});
    if (!analysis.engine) return not_read;
    stream.finish();
    return end(analysis, file, [&](const engine::Engine& engine) {
        return find_connection(engine.fcvi(), options.connection) != nullptr;
    });
}

/// Of a message or a memory region. The client is the Initiator: its data are those that it writes.
int run_fc_ae_rdma(const StreamOptions& options, const SessionName& session, OctetFile& file) {
    const bool is_region = session.kind == SessionKind::fc_ae_rdma_region;
    const bool reads = options.side() == Side::server;
    const auto choose = [&](const engine::fc_ae_rdma::Message& message) {
        return message.is_read == reads && (is_region ? message.region : message.id) == session.id;
    };
    MemoryStream stream(choose, is_region ? MemoryStream::Origin::region : MemoryStream::Origin::message, file);
    const engine::Options engine_options{.smcr = false, .fc_protocols = {.fc_ae_rdma = true}};
    const Analysis analysis = analyse(options.input.files, engine_options, {.fc_ae_rdma = &stream});
    if (!analysis.engine) return not_read;
    stream.finish();
    return end(analysis, file, [&](const engine::Engine& engine) {
        if (is_region) return find_region(engine.fc_ae_rdma(), options.connection) != nullptr;
        return find_message(engine.fc_ae_rdma(), options.connection) != nullptr;
    });
}

int run(const StreamOptions& options) {
    if (goes_to_a_terminal(options.output))
        return refuse("application data may upset a terminal; name a file with -o, or use a pipe");
    OctetFile file(options.output, options.connection + " from the " + options.from);
    const SessionName session = session_name(options.connection).value_or(SessionName{});
    switch (session.kind) {
        case SessionKind::smcr: return run_smcr(options, session.id, file);
        case SessionKind::fcvi: return run_fcvi(options, session.id, file);
        case SessionKind::fc_ae_rdma:
        case SessionKind::fc_ae_rdma_region: return run_fc_ae_rdma(options, session, file);
        case SessionKind::fc_exchange:
            return refuse(options.connection + " has no stream; connections, messages and memory regions have");
        case SessionKind::rdma_cm: break;
    }
    return refuse(
        options.connection +
        " has no stream: RDMA CM does not tell where in memory its data belong, or in which "
        "order they are read; see analyze and timeline");
}

}  // namespace

void add_stream(CommandLine& program) {
    auto options = std::make_shared<StreamOptions>();
    const Command command = program.add_command("stream", "Rebuild the bytes that one side of a connection sent");
    add_input_options(command, options->input);
    command.option("--connection", options->connection, "The connection, message or memory region, as analyze names it")
        .required()
        .placeholder("ID");
    command.option("--from", options->from, "Whose bytes")
        .required()
        .one_of({"client", "server"})
        .placeholder("client|server");
    command.option("-o,--output", options->output, "Write to a file instead of standard output").placeholder("OUT");
    command.flag("--skip-urgent", options->skip_urgent, "Leave urgent bytes out");
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
