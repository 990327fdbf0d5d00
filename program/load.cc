// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <memory>

#include "program/commands.h"
#include "program/interrupt.h"
#include "program/output.h"
#include "program/peer_options.h"
#include "program/privileges.h"
#include "program/sandbox.h"
#include "program/status.h"
#include "replay/load/load_report.h"
#include "replay/transport/transport.h"

namespace fabricscope::cli {
namespace {

using namespace replay;

struct LoadOptions {
    std::string kind;
    InputOptions input;
    std::string session;
    Sandbox sandbox;
    std::string against;
    std::string address, interface;
    std::string json_file;
    Privileges privileges;
    std::uint64_t hosts = 1, sessions = 1, seed = 1;
    std::uint64_t size = LoadPlan{}.size, depth = LoadPlan{}.depth;
    double rate = 0, duration = 10, timeout = 10;
    std::optional<std::uint64_t> port, total, messages;
    bool serve = false, gso = false, json = false;
};

/// What is sent at most in one packet, so that a message is one.
constexpr std::uint64_t most_octets = 1'024;
constexpr std::uint64_t most_hosts = 1'024, most_sessions = 100'000, most_depth = 4'096, most_messages = 1'000'000'000;

LoadPlan plan_of(const LoadOptions& options) {
    LoadPlan plan;
    plan.kind = *load_kind_of(options.kind);
    if (options.port) plan.port = static_cast<std::uint16_t>(*options.port);
    else if (plan.kind == LoadKind::recorded) plan.port = 0;
    plan.sessions = options.sessions;
    plan.rate = options.rate;
    plan.total = options.total;
    plan.duration = static_cast<Time>(options.duration * 1e9);
    plan.messages = options.messages;
    plan.size = static_cast<std::uint32_t>(options.size);
    plan.depth = static_cast<std::uint32_t>(options.depth);
    plan.seed = options.seed;
    plan.patience = static_cast<Time>(options.timeout * 1e9);
    return plan;
}

LoadWay way_of(const LoadOptions& options, bool limited) {
    return {
        .peer = options.against,
        .address = options.address,
        .hosts = static_cast<unsigned>(options.hosts),
        .interface = options.interface,
        .limited = limited,
        .timeout = static_cast<Time>(options.timeout * 1e9),
        .join = options.gso};
}

std::string why_not(const LoadOptions& options) {
    if (options.serve == !options.against.empty()) return "name the peer with --against, or be it with --serve";
    if (options.address.empty()) return "--address is needed: an IP address for this side that no other host has";
    if (options.serve && options.hosts != 1) return "--hosts is for the side that begins";
    const bool recorded = options.kind == "recorded";
    if ((options.kind == "cm" || recorded) && options.messages) return "--messages is for rc and smc";
    if (recorded && options.serve) return "a recorded session is played to a peer: --against";
    if (recorded == options.input.files.empty() || recorded == options.session.empty())
        return "a FILE and its --session are what load recorded plays";
    return {};
}

/// The session of that name, to be played. Throws NotPlayable.
std::unique_ptr<Session> session_of(const Recording& recording, const LoadOptions& options) {
    const std::vector<Candidate> candidates = candidates_of(recording);
    const Candidate* const candidate = playable(candidates, options.session);
    if (candidate == nullptr) return nullptr;
    if (!is_over_ip(candidate->info)) throw NotPlayable(options.session + " is not over IP, as loads are");
    return playable_session(*candidate->reader->reader, *recording.reading.engine, options.session);
}

int told(const LoadOptions& options, const LoadPlan& plan, const LoadWay& way, const LoadRun& result) {
    Output output(options.json ? options.json_file : "");
    if (options.json) output.stream() << report::indented(line_of(json_of(plan, way, result))) << '\n';
    else write_text(output.stream(), plan, way, result, output_style());
    if (!result.broken_off.empty()) complain(result.broken_off);
    if (!output.finish()) return wrong_usage;
    if (!result.broken_off.empty() || (result.interrupted && way.limited)) return not_read;
    return result.account.failed.empty() && result.account.wrong == 0 && result.open == 0 ? int{same} : int{differs};
}

int run(const LoadOptions& options, const LoadPlan& plan, bool limited) {
    const LoadWay way = way_of(options, limited);
    const auto ready = [&] {
        if (const std::string reason = options.privileges.relinquish(); !reason.empty())
            throw std::runtime_error(reason);
        if (options.serve) complain("ready");
    };
    listen_to_signals();
    return told(options, plan, way, run_load(plan, way, ready, interrupted));
}

int run_recorded(const LoadOptions& options, LoadPlan plan, bool limited) {
    options.sandbox.close({.inputs = options.input.files, .outputs = {options.json_file}});
    const Recording recording = read_sessions(options.input);
    if (!recording.reading.engine) return not_read;
    const std::unique_ptr<Session> session = session_of(recording, options);
    if (session == nullptr) return wrong_usage;
    plan.session = session.get();
    return run(options, plan, limited);
}

int run(const LoadOptions& options, bool limited) {
    if (const std::string reason = why_not(options); !reason.empty()) return refuse(reason);
    const LoadPlan plan = plan_of(options);
    try {
        return plan.kind == LoadKind::recorded ? run_recorded(options, plan, limited) : run(options, plan, limited);
    } catch (const Unreachable& error) {
        complain(error.what());
        return unreachable;
    } catch (const std::runtime_error& error) {  // TransportError, InterfaceError, NotPlayable
        return refuse(error.what());
    }
}

}  // namespace

void add_load(CommandLine& program) {
    auto options = std::make_shared<LoadOptions>();
    const Command command = program.add_command(
        "load", "Set up many sessions at once, or move many messages, and tell rates and latencies");
    command.option("KIND", options->kind, "cm, rc, smc or recorded").required().one_of({"cm", "rc", "smc", "recorded"});
    add_input_options(command, options->input);
    command.option("--session", options->session, "recorded: the one whose client is played").placeholder("ID");
    command.option("--against", options->against, "The peer's IPv4 address, on a network of this host")
        .placeholder("IP");
    command.flag("--serve", options->serve, "Be the peer: the emulated stack");
    command.option("--address", options->address, "IPv4 address of this side, which nobody else has").placeholder("IP");
    command.option("--hosts", options->hosts, "So many hosts, with the addresses from --address on (1)")
        .between(1, most_hosts)
        .placeholder("N");
    command.option("--interface", options->interface, "Where the peer is; found by the addresses").placeholder("NAME");
    command.option("--port", options->port, "The server's (7174; recorded: as it was)")
        .between(1, 65'535)
        .placeholder("PORT");
    command.option("--sessions", options->sessions, "At once (1)").between(1, most_sessions).placeholder("N");
    command.option("--rate", options->rate, "Sessions a second, of rc messages; as many as can be if it is not said")
        .between(0.001, 1e8)
        .placeholder("R");
    const Option duration = command.option("--duration", options->duration, "How long anything is begun (10)")
                                .between(0.001, 1e6)
                                .placeholder("SECONDS");
    command.option("--total", options->total, "Sessions in all, and then no more").positive().placeholder("N");
    command.option("--messages", options->messages, "Of each session; rc goes on until the end if it is not said")
        .between(1, most_messages)
        .placeholder("N");
    command.option("--size", options->size, "Octets of a message (64)").between(1, most_octets).placeholder("OCTETS");
    command.option("--depth", options->depth, "rc: messages of a session under way at once (64)")
        .between(1, most_depth)
        .placeholder("N");
    command.flag("--gso", options->gso, "Hand packets of equal size to the kernel together, which cuts them");
    command.option("--seed", options->seed, "Of chance in numbers that are chosen freely (1)")
        .positive()
        .placeholder("N");
    command
        .option(
            "--timeout", options->timeout, "How long the peer's answer to ARP, or in a recording, is waited for (10)")
        .between(0.001, 3600.0)
        .placeholder("SECONDS");
    options->privileges.add_option(command);
    options->sandbox.add_option(command);
    const Option json = command.json_option(options->json_file);
    command.on_run([options, json, duration] {
        options->json = json.given();
        return run(*options, !options->serve || duration.given());
    });
}

}  // namespace fabricscope::cli
