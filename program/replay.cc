// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>

#include "analyzer/report/table.h"
#include "capture/pcapng_writer.h"
#include "program/analysis.h"
#include "program/commands.h"
#include "program/interrupt.h"
#include "program/new_file.h"
#include "program/output.h"
#include "program/peer_options.h"
#include "program/privileges.h"
#include "program/sandbox.h"
#include "program/scenario_files.h"
#include "program/status.h"
#include "replay/suite/manifest.h"
#include "replay/suite/recording.h"
#include "replay/synth/families.h"
#include "replay/synth/faults.h"
#include "replay/synth/messages.h"

namespace fabricscope::cli {
namespace {

using namespace replay;

struct ReplayOptions {
    InputOptions input;
    Sandbox sandbox;
    std::string session;
    std::string play;  ///< empty: both, one after the other, with --all
    std::string against = "emulated";
    std::string speed = "fast";
    PeerOptions peer;
    Privileges privileges;
    std::string mask_file;
    std::string fault_file;
    std::uint64_t seed = 1;
    std::string written_file;
    std::string json_file;
    double timeout = 10;  ///< seconds
    bool json = false;
    bool list = false;
    bool all = false;
};

// ---- what the user said --------------------------------------------------------------------------

/// Nothing if it is no speed.
std::optional<Pace> pace_of(const std::string& speed) {
    if (speed == "fast") return Pace{0};
    if (speed == "recorded") return Pace{1};
    double times = 0;
    const char* const end = speed.data() + speed.size();
    const auto [rest, error] = std::from_chars(speed.data(), end, times);
    if (error != std::errc() || std::string_view(rest, end) != "x" || !(times > 0)) return std::nullopt;
    return Pace{1 / times};
}

std::string check_speed(const std::string& speed) {
    return pace_of(speed) ? "" : speed + " is no speed: fast, recorded, 2x, 0.5x ...";
}

Target target_of(const ReplayOptions& options) {
    std::string problem;
    Target target = *parse_target(options.against, problem);  // has been checked
    if (!options.peer.profile.empty()) target.profile = options.peer.profile;
    return target;
}

Time timeout_of(const ReplayOptions& options) { return static_cast<Time>(options.timeout * 1e9); }

std::vector<Side> sides_of(const ReplayOptions& options) {
    if (options.play == "client") return {Side::client};
    if (options.play == "server") return {Side::server};
    return {Side::client, Side::server};
}

// ---- the recording -------------------------------------------------------------------------------

/// What a script's messages give if they are said as they stand, and how far they may differ.
Recording read_script(const InputOptions& input, const synth::Scenario& scenario, Masks& tolerated) {
    std::vector<synth::Composed> composed;
    const synth::Recording made = scenario.protocol == synth::messages_protocol
                                      ? synth::run_messages(scenario, &composed)
                                      : synth::run(scenario);
    for (synth::Composed& one : composed) {
        if (!one.damage.empty()) complain(one.damage + " is not played: what is sent is right");
        tolerated.tolerate(one.from, one.frame, std::move(one.tolerances));
    }
    return read_recording(
        [&](engine::Options options, const engine::Observers& observers) {
            report::Reading reading;
            options.interfaces = static_cast<std::uint32_t>(made.interfaces.size());
            reading.engine = std::make_unique<engine::Engine>(options, observers);
            reading.opened = input.files;
            capture::Frame frame;
            for (const synth::RecordedFrame& recorded : made.frames) {
                ++frame.number;
                frame.time = recorded.time;
                frame.wire_length = static_cast<std::uint32_t>(recorded.octets.size());
                frame.data = recorded.octets;
                frame.link = made.interfaces[recorded.interface].link;
                frame.interface = recorded.interface;
                reading.engine->on_frame(frame);
            }
            reading.engine->finish();
            return reading;
        },
        input.forced_cursor_base());
}

bool is_script(const InputOptions& input) { return std::ranges::any_of(input.files, has_name_of_scenario); }

int list(const std::vector<Candidate>& candidates) {
    report::Table table({{"session"}, {"kind"}, {"frame", report::Table::Align::right}, {"what"}});
    for (const Candidate& candidate : candidates) {
        const SessionInfo& info = candidate.info;
        std::string about = info.about;
        if (!info.obstacle.empty()) about += "; cannot be replayed: " + info.obstacle;
        table.add({{info.id}, {info.kind}, {fmt::format("{}", info.first_frame)}, {about}});
    }
    Output output("");
    if (table.empty()) output.stream() << "no session that could be replayed\n";
    else table.print(output.stream(), output_style(), 0);
    return output.finish() ? done : wrong_usage;
}

// ---- runs ----------------------------------------------------------------------------------------

/// What the user does to frames on their way: by lines of a script, or of a file of its own.
std::unique_ptr<synth::PeerFaults> faults_of(const ReplayOptions& options, synth::Scenario& script) {
    if (options.fault_file.empty()) return std::make_unique<synth::PeerFaults>(script);
    synth::Scenario lines = read_statements(options.fault_file);
    auto faults = std::make_unique<synth::PeerFaults>(lines);
    for (const synth::Statement& other : lines.statements) other.fail("it is no fault: fault, drop, delay, cut ...");
    return faults;
}

/// Once frames can be sent and received.
void give_up_privileges(const ReplayOptions& options) {
    if (const std::string reason = options.privileges.relinquish(); !reason.empty()) throw std::runtime_error(reason);
}

PlaySettings settings_of(const ReplayOptions& options, const Masks* masks, synth::PeerFaults* faults) {
    PlaySettings settings{
        .target = target_of(options),
        .target_name = options.against,
        .speed = options.speed,
        .pace = *pace_of(options.speed),
        .address = options.peer.address,
        .interface = options.peer.interface,
        .timeout = timeout_of(options),
        .masks = masks,
        .stop = interrupted,
        .seed = options.seed};
    settings.on_ready = [&options] { give_up_privileges(options); };
    if (!faults->empty()) settings.faults = std::ref(*faults);
    return settings;
}

// ---- the actual traffic as a capture -------------------------------------------------------------

std::vector<std::string> comments_of(const Played& played, std::size_t index) {
    std::vector<std::string> comments;
    if (const std::string& note = played.run.frames[index].note; !note.empty()) comments.push_back(note);
    for (const Difference& difference : played.comparison.differences)
        if (difference.actual_frame == index + 1)
            comments.push_back(fmt::format(
                "{} {}: recorded {} in frame {}, here {}", difference.message, difference.field, difference.recorded,
                difference.recorded_frame, difference.actual));
    return comments;
}

std::optional<std::string> write_frames(const std::string& path, const Played& played, const RunReport& report) {
    capture::PcapngDescription description{
        application,
        {fmt::format("{}: {} played against {}", report.session, engine::name_of(report.played), report.target)},
        {}};
    for (std::size_t port = 0; port < played.run.ports; ++port)
        description.interfaces.push_back(
            {played.run.link, fmt::format("replay{}", port), fmt::format("at the played {}", name_of(report.played))});
    capture::PcapngWriter writer(path, description);
    for (std::size_t i = 0; i < played.run.frames.size(); ++i) {
        const RunFrame& frame = played.run.frames[i];
        const auto port = static_cast<std::uint32_t>(frame.port);
        writer.write(capture::whole_frame(port, frame.time, frame.octets), comments_of(played, i));
    }
    return writer.finish();
}

bool write_capture(const Played& played, const RunReport& report, const ReplayOptions& options) {
    NewFile file(options.written_file);
    if (!file) return false;
    if (const auto error = write_frames(file.temporary(), played, report); error) {
        complain(*error);
        return false;
    }
    return file.put_in_place();
}

// ---- the command ---------------------------------------------------------------------------------

report::Json head_of(const ReplayOptions& options) {
    return {{"schema", "fabricscope-replay/1"}, {"files", options.input.files}};
}

bool write_json(const report::Json& json, const ReplayOptions& options) {
    Output output(options.json_file);
    output.stream() << report::indented(line_of(json)) << '\n';
    return output.finish();
}

int replay_one(
    const Recording& recording, const Candidate& candidate, const PlaySettings& settings,
    const ReplayOptions& options) {
    const Side side = sides_of(options).front();
    const std::unique_ptr<Played> played = play(recording, candidate, side, settings);
    const RunReport report = report_of(*played, settings);
    bool written = options.written_file.empty() || write_capture(*played, report, options);
    if (options.json) {
        report::Json json = head_of(options);
        json.add_all(json_of(report));
        written &= write_json(json, options);
    } else {
        Output output("");
        write_text(output.stream(), report, {.style = output_style()});
        written &= output.finish();
    }
    if (!report.refusal.empty()) complain(report.refusal);
    if (!written) return wrong_usage;
    if (!report.refusal.empty()) return unreachable;
    if (!report.broken_off.empty()) return not_read;
    return report.same() ? same : differs;
}

/// Every session in both roles, or in one; a line for each.
int replay_all(
    const Recording& recording, const std::vector<Candidate>& candidates, const PlaySettings& settings,
    const ReplayOptions& options) {
    report::Table table({{"session"}, {"played"}, {"result"}, {"", report::Table::Align::left, 100}});
    report::Json::List runs;
    bool all_same = true;
    for (const Candidate& candidate : candidates) {
        if (!candidate.info.obstacle.empty()) {
            table.add({{candidate.info.id}, {"-"}, {"left out", report::Ink::faint}, {candidate.info.obstacle}});
            continue;
        }
        for (const Side side : sides_of(options)) {
            try {
                const std::unique_ptr<Played> played = play(recording, candidate, side, settings);
                const RunReport report = report_of(*played, settings);
                all_same &= report.same();
                if (options.json) runs.push_back(json_of(report));
                table.add(
                    {{candidate.info.id},
                     {name_of(side)},
                     report.same() ? report::Cell{"same", report::Ink::green}
                                   : report::Cell{"differs", report::Ink::red},
                     {report.same() ? "" : in_short(report)}});
            } catch (const NotPlayable& error) {
                table.add({{candidate.info.id}, {name_of(side)}, {"left out", report::Ink::faint}, {error.what()}});
            }
        }
    }
    bool written = true;
    if (options.json) {
        report::Json json = head_of(options);
        json.add("runs", std::move(runs));
        written = write_json(json, options);
    } else {
        Output output("");
        table.print(output.stream(), output_style(), 0);
        written = output.finish();
    }
    return !written ? int{wrong_usage} : int{all_same ? same : differs};
}

std::string why_not(const ReplayOptions& options) {
    if (is_script(options.input) && options.input.files.size() != 1) return "a scenario is read alone";
    if (options.list) return {};
    if (options.session.empty() && !options.all) return "name a session with --session, or use --all or --list";
    if (!options.all && options.play.empty()) return "which side is to be played? --play client or --play server";
    if (options.all && target_of(options).kind != Target::Kind::emulated) return "--all is for the emulated stack";
    if (!options.peer.profile.empty() && target_of(options).kind != Target::Kind::emulated)
        return "--profile is for the emulated side; a live peer is what it is";
    if (options.written_file.empty()) return {};
    if (options.written_file == "-") return "standard output has the report; --write needs a file";
    return why_not_replace(options.written_file, our_captures);
}

int play_sessions(const ReplayOptions& options) {
    const std::unique_ptr<Masks> masks = options.mask_file.empty() ? std::make_unique<Masks>()
                                                                   : read_masks(options.mask_file);
    synth::Scenario script;
    if (is_script(options.input)) script = read_scenario(options.input.files.front());
    const std::unique_ptr<synth::PeerFaults> faults = faults_of(options, script);
    if (target_of(options).kind == Target::Kind::emulated) give_up_privileges(options);
    options.sandbox.close({.inputs = options.input.files, .outputs = {options.written_file, options.json_file}});
    const Recording recording = is_script(options.input) ? read_script(options.input, script, *masks)
                                                         : read_sessions(options.input);
    if (!recording.reading.engine) return not_read;
    const std::vector<Candidate> candidates = candidates_of(recording);
    const PlaySettings settings = settings_of(options, masks.get(), faults.get());
    listen_to_signals();
    int status = done;
    try {
        if (options.list) {
            status = list(candidates);
        } else if (options.all) {
            status = replay_all(recording, candidates, settings, options);
        } else {
            const Candidate* candidate = playable(candidates, options.session);
            if (candidate == nullptr) return wrong_usage;
            status = replay_one(recording, *candidate, settings, options);
            faults->expect_all_fired();
        }
    } catch (const synth::ScenarioError&) {
        throw;  // told with the name of its file
    } catch (const Unreachable& error) {
        complain(error.what());
        return unreachable;
    } catch (const std::runtime_error& error) {  // NotPlayable, TransportError, InterfaceError
        return refuse(error.what());
    }
    return status == done && !recording.reading.problems.empty() ? not_read : status;
}

int run(const ReplayOptions& options) {
    if (const std::string reason = why_not(options); !reason.empty()) {
        return refuse(reason);
    }
    try {
        return play_sessions(options);
    } catch (const synth::ScenarioError& error) {
        complain((options.fault_file.empty() ? options.input.files.front() : options.fault_file) + ": " + error.what());
        return not_read;
    } catch (const ManifestError& error) {  // of --mask
        complain(error.what());
        return not_read;
    }
}

}  // namespace

void add_replay(CommandLine& program) {
    auto options = std::make_shared<ReplayOptions>();
    const Command command = program.add_command(
        "replay", "Play one side of a captured session, and compare what the other side says");
    add_input_options(command, options->input).required();
    options->sandbox.add_option(command);
    const Option session = command.option(
        "--session", options->session, "What to replay, as --list or analyze name it: smcr-1, cm-2");
    session.placeholder("ID");
    command.option("--play", options->play, "The side that is played from the capture")
        .one_of({"client", "server"})
        .placeholder("client|server");
    command
        .option(
            "--against", options->against,
            "Who is the other side: emulated, rocev2://HOST[:PORT], smc://HOST[:PORT], if://INTERFACE[/MAC or /WWPN]")
        .check(check_target)
        .offers(targets)
        .placeholder("TARGET");
    add_peer_options(command, options->peer);
    options->privileges.add_option(command);
    command.option("--speed", options->speed, "At once, with the recorded gaps, or N times as fast")
        .check(check_speed)
        .offers([] {
            return std::vector<Word>{{"fast", ""}, {"recorded", ""}};
        })
        .placeholder("fast|recorded|Nx");
    command.option("--timeout", options->timeout, "How long an answer is waited for (10)")
        .between(0.001, 3600.0)
        .placeholder("SECONDS");
    command.option("--mask", options->mask_file, "Octets that are not compared, or are names of the run (TOML)")
        .reads()
        .placeholder("FILE");
    command.option("--faults", options->fault_file, "Lose, delay, damage frames on their way: lines as of scenarios")
        .reads()
        .placeholder("FILE");
    command.option("--seed", options->seed, "Of chance in the faults (1)").positive().placeholder("N");
    const Option write = command.option(
        "--write", options->written_file, "Write the actual traffic to a pcapng file, with comments");
    write.writes().placeholder("OUT.pcapng");
    const Option json = command.json_option(options->json_file);
    const Option list = command.flag("--list", options->list, "Name the sessions of the capture that can be replayed");
    const Option all = command.flag(
        "--all", options->all, "Replay every session, in both roles unless --play names one");
    all.excludes(session);
    all.excludes(write);
    for (const Option& other : {session, all, write, json}) list.excludes(other);
    command.on_run([options, json] {
        options->json = json.given();
        return run(*options);
    });
}

}  // namespace fabricscope::cli
