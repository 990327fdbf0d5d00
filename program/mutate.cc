// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "analyzer/report/units.h"
#include "program/analysis.h"
#include "program/commands.h"
#include "program/interrupt.h"
#include "program/output.h"
#include "program/peer_options.h"
#include "program/status.h"
#include "replay/mutation/campaign.h"
#include "replay/suite/command.h"
#include "replay/suite/recording.h"

namespace fabricscope::cli {
namespace {

using namespace replay;

/// How long commands on the peer may take, seconds.
constexpr double command_timeout = 60;
constexpr double default_timeout = 1;
/// How often it is asked whether the peer is well before it is not, and how long between.
constexpr unsigned health_checks = 3;
constexpr std::chrono::milliseconds between_checks{500};

struct MutateOptions {
    InputOptions input;
    std::string session, play, against;
    PeerOptions peer;
    std::string health, restart, json_file;
    std::vector<std::string> mutations;
    std::uint64_t seed = 1, runs = 100, most = 3;
    double timeout = default_timeout;  ///< seconds
    bool yes = false, json = false;
};

bool succeeds(const std::string& command) { return RunningCommand(command, {}).wait(command_timeout) == 0; }

class Peer {
public:
    Peer(const Recording& recording, const Candidate& candidate, const MutateOptions& options)
        : recording_(recording), candidate_(candidate), options_(options) {
        std::string problem;
        settings_ = {
            .target = *parse_target(options.against, problem),  // has been checked
            .target_name = options.against,
            .pace = {0},
            .address = options.peer.address,
            .interface = options.peer.interface,
            .timeout = static_cast<Time>(options.timeout * 1e9),
            .stop = interrupted};
        if (!options.peer.profile.empty()) settings_.target.profile = options.peer.profile;
    }

    Side side() const { return options_.play == "client" ? Side::client : Side::server; }

    void play(const std::vector<Mutation>& mutations) { played_with(mutations); }

    /// As the command says, or as the recorded session is answered.
    bool is_healthy() {
        for (unsigned i = 0; i < health_checks && !interrupted(); ++i) {
            if (i != 0) std::this_thread::sleep_for(between_checks);
            if (options_.health.empty() ? answers_as_recorded() : succeeds(options_.health)) return true;
        }
        return interrupted();
    }

    /// What there is to mutate.
    Conversation recorded() const {
        return playable_session(*candidate_.reader->reader, *recording_.reading.engine, candidate_.info.id)
            ->conversation();
    }

private:
    std::unique_ptr<Played> played_with(const std::vector<Mutation>& mutations) {
        PlaySettings settings = settings_;
        if (!mutations.empty())
            settings.change = [&](Conversation& conversation) { apply_all(conversation, mutations); };
        try {
            return replay::play(recording_, candidate_, side(), settings);
        } catch (const Unreachable&) {
            return nullptr;
        } catch (const NotPlayable&) {  // so wrong that the player itself does not know what to do
            return nullptr;
        }
    }

    /// A mutation may take the next one's field away.
    void apply_all(Conversation& conversation, const std::vector<Mutation>& mutations) const {
        for (const Mutation& mutation : mutations) {
            try {
                apply(conversation, side(), {mutation});
            } catch (const FieldError&) {
            }
        }
    }

    bool answers_as_recorded() {
        const std::unique_ptr<Played> played = played_with({});
        return played && played->run.refusal.empty() && played->run.over && played->comparison.same();
    }

    const Recording& recording_;
    const Candidate& candidate_;
    const MutateOptions& options_;
    PlaySettings settings_;
};

bool agreed(const MutateOptions& options, const Target& target) {
    if (options.yes || target.kind == Target::Kind::emulated) return true;
    if (::isatty(STDIN_FILENO) == 0) return false;
    std::cerr << fmt::format(
        "Malformed messages go to {}, which may crash or lose data. Go on? [y/N] ", options.against);
    std::string answer;
    return std::getline(std::cin, answer) && (answer == "y" || answer == "yes");
}

// ---- what came of it -----------------------------------------------------------------------------

std::string reproducer(const Death& death, const MutateOptions& options) {
    std::string command = "fabricscope mutate";
    for (const std::string& file : options.input.files) command += " " + shell_word(file);
    const auto add = [&](const char* option, const std::string& value) {
        if (!value.empty()) command += fmt::format(" {} {}", option, shell_word(value));
    };
    if (options.input.forced_cursor_base()) add("--cursor-base", options.input.cursor_base);
    add("--session", options.session);
    add("--play", options.play);
    add("--against", options.against);
    add("--profile", options.peer.profile);
    add("--address", options.peer.address);
    add("--interface", options.peer.interface);
    if (options.timeout != default_timeout) add("--timeout", fmt::format("{}", options.timeout));
    add("--health", options.health);
    if (options.yes) command += " --yes";
    for (const Mutation& mutation : death.mutations) add("--mutation", text_of(mutation));
    return command;
}

const char* certainty_of(const Death& death) {
    if (death.minimal) return "none of these can be left out";
    return death.reproduced ? "seen twice" : "seen once";
}

void write_text(std::ostream& out, const CampaignResult& result, const MutateOptions& options) {
    fmt::print(out, "{}, seed {}: ", report::counted(result.runs, "run"), options.seed);
    const bool is_one = result.runs == 1;
    if (result.deaths.empty()) fmt::print(out, "the peer was well after {}\n", is_one ? "it" : "each of them");
    else if (is_one) fmt::print(out, "the peer was not well after it\n");
    else fmt::print(out, "the peer was not well after {} of them\n", result.deaths.size());
    for (const Death& death : result.deaths)
        fmt::print(out, "\nRun {}, {}:\n  {}\n", death.run, certainty_of(death), reproducer(death, options));
    if (!result.ended.empty()) fmt::print(out, "\nEnded early: {}\n", result.ended);
}

report::Json json_of(const CampaignResult& result, const MutateOptions& options) {
    report::Json::List deaths;
    for (const Death& death : result.deaths) {
        report::Json::List mutations;
        for (const Mutation& mutation : death.mutations) mutations.push_back(report::Json(text_of(mutation)));
        deaths.push_back(
            {{"run", death.run},
             {"mutations", std::move(mutations)},
             {"minimal", death.minimal},
             {"reproduced", death.reproduced},
             {"command", reproducer(death, options)}});
    }
    report::Json json{{"schema", "fabricscope-mutate/1"}, {"seed", options.seed}, {"runs", result.runs}};
    json.add("deaths", std::move(deaths));
    json.add("ended", result.ended.empty() ? report::Json() : report::Json(result.ended));
    return json;
}

// ---- the command ---------------------------------------------------------------------------------

/// The given mutations, once.
CampaignResult play_given(Peer& peer, const std::vector<Mutation>& mutations) {
    CampaignResult result;
    peer.play(mutations);
    result.runs = 1;
    if (!peer.is_healthy()) result.deaths.push_back({1, mutations});
    return result;
}

CampaignResult play_random(Peer& peer, const MutateOptions& options) {
    MutatedPeer callbacks;
    callbacks.play = [&](const std::vector<Mutation>& mutations) { peer.play(mutations); };
    callbacks.is_healthy = [&] { return peer.is_healthy(); };
    callbacks.stop = interrupted;
    if (!options.restart.empty()) callbacks.restart = [&] { return succeeds(options.restart); };
    if (::isatty(STDERR_FILENO) != 0)
        callbacks.on_run = [&](std::size_t run) { std::cerr << fmt::format("\rrun {} of {} ", run, options.runs); };
    return run_campaign(
        peer.recorded(), peer.side(),
        {.seed = options.seed,
         .runs = static_cast<std::size_t>(options.runs),
         .mutations = static_cast<std::size_t>(options.most)},
        callbacks);
}

int mutate(const MutateOptions& options) {
    std::vector<Mutation> given;
    for (const std::string& text : options.mutations) {
        const std::optional<Mutation> mutation = mutation_from_text(text);
        if (!mutation) return refuse(text + " is no mutation, as 4:smcr.clc.mtu=9");
        given.push_back(*mutation);
    }
    const Recording recording = read_sessions(options.input);
    if (!recording.reading.engine) return not_read;
    const std::vector<Candidate> candidates = candidates_of(recording);
    const Candidate* candidate = playable(candidates, options.session);
    if (candidate == nullptr) return wrong_usage;
    std::string problem;
    if (!agreed(options, *parse_target(options.against, problem)))
        return refuse("nothing was sent: malformed messages go to a live peer with --yes only");
    listen_to_signals();
    Peer peer(recording, *candidate, options);
    if (!peer.is_healthy()) {
        complain(
            "the peer is not well before anything has been mutated; see fabricscope replay, or name a --health "
            "command");
        return unreachable;
    }
    {
        Conversation tried = peer.recorded();
        apply(tried, peer.side(), given);  // says what is wrong with them
    }
    const CampaignResult result = given.empty() ? play_random(peer, options) : play_given(peer, given);
    Output output(options.json_file);
    if (options.json) output.stream() << report::indented(line_of(json_of(result, options))) << '\n';
    else write_text(output.stream(), result, options);
    if (!output.finish()) return wrong_usage;
    if (!result.deaths.empty()) return differs;
    return result.ended.empty() ? int{same} : int{not_read};
}

int run(const MutateOptions& options) {
    try {
        return mutate(options);
    } catch (const std::runtime_error& error) {  // NotPlayable, FieldError, TransportError, InterfaceError
        return refuse(error.what());
    }
}

}  // namespace

void add_mutate(CommandLine& program) {
    auto options = std::make_shared<MutateOptions>();
    const Command command = program.add_command(
        "mutate", "Play a captured session with wrong values to a peer, and see whether it stays well");
    add_input_options(command, options->input).required();
    command.option("--session", options->session, "What to play, as replay names it: smcr-1, cm-2")
        .required()
        .placeholder("ID");
    command.option("--play", options->play, "The side whose messages are mutated")
        .one_of({"client", "server"})
        .required()
        .placeholder("client|server");
    command.option("--against", options->against, "Who is the other side, as with replay")
        .check(check_target)
        .offers(targets)
        .required()
        .placeholder("TARGET");
    add_peer_options(command, options->peer);
    command.option("--runs", options->runs, "How many (100)").positive().placeholder("N");
    command.option("--seed", options->seed, "What is mutated follows from it (1)").positive().placeholder("N");
    command.option("--most", options->most, "Mutations in one run, at most (3)").positive().placeholder("N");
    command.option("--mutation", options->mutations, "Only this, once: FRAME:FIELD=VALUE; may be given several times")
        .placeholder("TEXT");
    command
        .option(
            "--health", options->health, "Succeeds if the peer is well; else the recorded session must play the same")
        .placeholder("COMMAND");
    command.option("--restart", options->restart, "Brings the peer up again: then what killed it is minimised")
        .placeholder("COMMAND");
    command.option("--timeout", options->timeout, "How long an answer is waited for (1)")
        .between(0.001, 3600.0)
        .placeholder("SECONDS");
    command.flag("--yes", options->yes, "Do not ask before malformed messages go to a live peer");
    const Option json = command.json_option(options->json_file);
    command.on_run([options, json] {
        options->json = json.given();
        return run(*options);
    });
}

}  // namespace fabricscope::cli
