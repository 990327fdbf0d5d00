// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "analyzer/engine/finding.h"
#include "capture/pcapng_writer.h"
#include "program/commands.h"
#include "program/ids.h"
#include "program/new_file.h"
#include "program/output.h"
#include "program/scenario_files.h"
#include "program/status.h"
#include "program/suggestion.h"
#include "replay/synth/families.h"

namespace fabricscope::cli {
namespace {

struct SynthOptions {
    std::string scenario;
    std::string output;
    std::optional<std::uint64_t> seed;
    std::vector<std::string> added;  ///< lines behind those of the scenario
    bool list = false;
};

std::vector<Word> scenarios() {
    std::vector<Word> words;
    for (const synth::BuiltinScenario& builtin : synth::builtin_scenarios())
        words.push_back({std::string(builtin.name), synth::parse_scenario(builtin.text).title});
    return words;
}

int list() {
    for (const Word& scenario : scenarios()) std::cout << fmt::format("{:<32} {}\n", scenario.text, scenario.meaning);
    return done;
}

capture::PcapngDescription description_of(const synth::Scenario& scenario, const synth::Recording& recording) {
    capture::PcapngDescription description{application, {scenario.title}, recording.interfaces};
    if (!scenario.clause.empty()) description.comments.push_back("See " + scenario.clause);
    if (!scenario.samples.empty())
        description.comments.push_back(fmt::format("The same course as samples/{}", fmt::join(scenario.samples, ", ")));
    description.comments.push_back(
        fmt::format("Made by fabricscope synth, seed {}; nothing was captured", scenario.seed));
    return description;
}

std::optional<std::string> write(
    const std::string& path, const synth::Scenario& scenario, const synth::Recording& recording) {
    capture::PcapngWriter writer(path, description_of(scenario, recording));
    for (const synth::RecordedFrame& frame : recording.frames)
        writer.write(capture::whole_frame(frame.interface, frame.time, frame.octets), frame.comments);
    return writer.finish();
}

/// What the endpoints say goes where the capture does not.
void tell(const synth::Recording& recording, std::ostream& out) {
    for (const std::string& sentence : recording.account) out << sentence << '\n';
    if (!recording.complete) complain("the time was over before everything had happened");
}

int write_file(const std::string& path, const synth::Scenario& scenario, const synth::Recording& recording) {
    if (const std::string reason = why_not_replace(path, our_captures); !reason.empty()) {
        return refuse(reason);
    }
    NewFile file(path);
    if (!file) return wrong_usage;
    if (const auto error = write(file.temporary(), scenario, recording); error) {
        return refuse(*error);
    }
    if (!file.put_in_place()) return wrong_usage;
    tell(recording, std::cout);
    return done;
}

int make(const SynthOptions& options) {
    const bool to_standard_output = is_standard_output(options.output);
    if (to_standard_output && ::isatty(STDOUT_FILENO) != 0) {
        return refuse("a capture may upset a terminal; name a file with -o, or use a pipe");
    }
    if (!is_scenario(options.scenario)) {
        return refuse(
            options.scenario + ": no such scenario" + suggestion(options.scenario, texts_of(scenarios())) +
            "; --list names those that come along");
    }
    try {
        synth::Scenario scenario = read_scenario(options.scenario, options.added);
        scenario.seed = options.seed.value_or(scenario.seed);
        const synth::Recording recording = synth::run(scenario);
        if (!to_standard_output) return write_file(options.output, scenario, recording);
        if (const auto error = write("-", scenario, recording); error) return refuse(*error);
        tell(recording, std::cerr);
        return done;
    } catch (const synth::ScenarioError& error) {
        complain(options.scenario + ": " + error.what());
        return not_read;
    }
}

}  // namespace

void add_synth(CommandLine& program) {
    auto options = std::make_shared<SynthOptions>();
    const Command command = program.add_command("synth", "Make a capture: run a scenario through emulated endpoints");
    const Option scenario = command.option("scenario", options->scenario, "A scenario of --list, or a file")
                                .reads()
                                .placeholder("SCENARIO")
                                .offers(scenarios);
    command.option("-o,--output", options->output, "Write the pcapng file here instead of to standard output")
        .writes()
        .placeholder("OUT");
    command.option("--seed", options->seed, "Other ids, keys and faults than the scenario's seed gives")
        .positive()
        .placeholder("N");
    command.option("--add", options->added, "One more line of the scenario, as a fault; may be repeated")
        .placeholder("LINE");
    command.flag("--list", options->list, "Name the scenarios that come along").excludes(scenario);
    command.on_run([options] {
        if (!options->list && options->scenario.empty()) missing_argument("SCENARIO");
        return options->list ? list() : make(*options);
    });
}

}  // namespace fabricscope::cli
