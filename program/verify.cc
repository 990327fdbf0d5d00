// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "program/commands.h"
#include "program/interrupt.h"
#include "program/jobs.h"
#include "program/new_file.h"
#include "program/output.h"
#include "program/peer_options.h"
#include "program/status.h"
#include "replay/suite/verify_report.h"

namespace fabricscope::cli {
namespace {

using namespace replay;

struct VerifyOptions {
    std::string suite;
    std::vector<std::string> against;
    PeerOptions peer;
    std::string junit_file, json_file;
    std::optional<std::uint64_t> jobs;
    std::vector<std::string> only;
    bool json = false;
    bool all = false;
    bool update = false;
};

/// Files of baselines that the program has written.
const Replaceable our_baselines{"a baseline of fabricscope", [](std::string_view octets) {
                                    return octets.find("fabricscope verify --update") != std::string_view::npos;
                                }};

std::string today() {
    const auto now = std::chrono::system_clock::now();
    return fmt::format("{:%F}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

/// Which case came to its end, on one line of a terminal.
class CaseProgress {
public:
    void show(const CaseResult& result) {
        ++done_;
        if (!active_) return;
        fmt::print(stderr, "\r\x1b[K{}: {} {} {}", done_, result.entry, result.session, name_of(result.verdict));
        std::fflush(stderr);
    }
    void finish() const {
        if (active_ && done_ != 0) fmt::print(stderr, "\r\x1b[K");
    }

private:
    bool active_ = ::isatty(STDERR_FILENO) != 0;
    std::size_t done_ = 0;
};

PlaySettings target_settings(const std::string& text, const VerifyOptions& options) {
    PlaySettings settings;
    std::string problem;
    settings.target = *parse_target(text, problem);  // has been checked
    settings.target_name = text;
    settings.address = options.peer.address;
    settings.interface = options.peer.interface;
    if (settings.target.kind == Target::Kind::emulated && !options.peer.profile.empty()) {
        settings.target.profile = options.peer.profile;
        settings.target_name = "emulated:" + options.peer.profile;
    }
    return settings;
}

std::string why_not(const VerifyOptions& options, const Suite& suite) {
    for (const std::string& name : options.only)
        if (std::ranges::find(suite.entries, name, &SuiteEntry::name) == suite.entries.end())
            return fmt::format("no recording of the suite has the name {}", name);
    std::vector<std::string> inputs{suite.manifest(), suite.baseline()};
    for (const SuiteEntry& entry : suite.entries) inputs.insert(inputs.end(), entry.files.begin(), entry.files.end());
    for (const std::string& output : {options.junit_file, options.json_file})
        if (std::string reason = why_no_output(output, inputs); !reason.empty()) return reason;
    return options.update ? why_not_replace(suite.baseline(), our_baselines) : "";
}

/// False, after a complaint, if it cannot be written.
bool update_baseline(const Suite& suite, const std::vector<CaseResult>& results) {
    const Baseline before = read_baseline(suite.baseline());
    const Baseline after = updated(before, results, "seen on " + today());
    Output output(suite.baseline());
    output.stream() << text_of(after);
    if (!output.finish()) return false;
    complain(fmt::format("{}: {} accepted differences, there were {}", suite.baseline(), after.size(), before.size()));
    return true;
}

bool write_results(const VerifyOptions& options, const Suite& suite, const std::vector<CaseResult>& results) {
    bool written = true;
    if (!options.junit_file.empty()) {
        Output output(options.junit_file);
        write_junit(output.stream(), suite, results);
        written &= output.finish();
    }
    if (options.json) {
        Output output(options.json_file);
        output.stream() << report::indented(line_of(json_of(suite, results))) << '\n';
        written &= output.finish();
    }
    const bool taken = options.junit_file == "-" || (options.json && is_standard_output(options.json_file));
    if (taken) return written;
    Output output("");
    write_text(output.stream(), suite, results, output_style(), options.all);
    return output.finish() && written;
}

int status_of(const VerdictCounts& counts) {
    if (counts.not_run != 0 || interrupted()) return not_read;
    return counts.differs != 0 ? int{differs} : int{same};
}

int run(const VerifyOptions& options) {
    Suite suite = read_suite(options.suite);
    if (const std::string reason = why_not(options, suite); !reason.empty()) return refuse(reason);
    if (!options.only.empty())
        std::erase_if(suite.entries, [&](const SuiteEntry& entry) {
            return std::ranges::find(options.only, entry.name) == options.only.end();
        });
    VerifySettings settings;
    for (const std::string& target : options.against) settings.targets.push_back(target_settings(target, options));
    settings.jobs = static_cast<unsigned>(options.jobs.value_or(processors()));
    settings.stop = interrupted;
    CaseProgress progress;
    settings.on_result = [&](const CaseResult& result) { progress.show(result); };
    listen_to_signals();
    const std::vector<CaseResult> results = verify(suite, settings);
    progress.finish();
    if (results.empty() && !interrupted()) return refuse("none of the recordings is for such a target");
    if (interrupted()) complain("interrupted: not all recordings have been played");
    if (options.update && !interrupted() && !update_baseline(suite, results)) return wrong_usage;
    if (!write_results(options, suite, results)) return wrong_usage;
    const int status = status_of(counts_of(results));
    return options.update && status == differs ? int{same} : status;
}

}  // namespace

void add_verify(CommandLine& program) {
    auto options = std::make_shared<VerifyOptions>();
    const Command command = program.add_command(
        "verify", "Play a suite of recordings, and say which of them a peer answers otherwise than recorded");
    command.option("SUITE", options->suite, "A folder with a suite.toml").required();
    command
        .option(
            "--against", options->against,
            "The other side, as of replay; may be repeated: emulated, rocev2://HOST[:PORT], smc://HOST[:PORT], "
            "if://INTERFACE[/MAC or /WWPN]")
        .required()
        .check(check_target)
        .offers(targets)
        .placeholder("TARGET");
    add_peer_options(command, options->peer);
    command.option("--only", options->only, "Just this recording of the suite; may be repeated").placeholder("NAME");
    command.option("--jobs", options->jobs, "Recordings that are played at once against emulated sides")
        .between(1, 1024)
        .placeholder("N");
    command.option("--junit", options->junit_file, "Write the results as JUnit does").writes().placeholder("FILE");
    const Option json = command.json_option(options->json_file);
    command.flag("--all", options->all, "Show the cases that are the same, too");
    command.flag("--update", options->update, "Accept what differs from now on, in the suite's baseline.toml");
    command.on_run([options, json] {
        options->json = json.given();
        return run(*options);
    });
}

}  // namespace fabricscope::cli
