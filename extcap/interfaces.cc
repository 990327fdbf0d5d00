// SPDX-License-Identifier: GPL-2.0-or-later
#include "extcap/interfaces.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "extcap/process.h"

namespace fabricscope::extcap {
namespace {

using Words = std::vector<std::string>;
using Choices = std::vector<std::pair<std::string, std::string>>;
using Type = Argument::Type;

std::string value_of(const Values& values, const std::string& name) {
    const auto place = values.find(name);
    return place != values.end() ? place->second : "";
}

std::string cannot_start(const std::string& program) { return program + " could not be started."; }

// ---- scenarios ---------------------------------------------------------------------------------------

/// "NAME   TITLE" on each line.
Choices scenarios() {
    Choices choices;
    std::istringstream lines(output_of({fabricscope_program(), "synth", "--list"}).value_or(""));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t end = line.find(' '), title = line.find_first_not_of(' ', end);
        if (title == std::string::npos) continue;
        choices.emplace_back(line.substr(0, end), line.substr(0, end) + ": " + line.substr(title));
    }
    return choices;
}

const std::array scenario_arguments{
    Argument{
        .name = "scenario",
        .title = "Scenario",
        .tooltip = "What the emulated endpoints do",
        .type = Type::choice,
        .value = "smcr_v2_echo",
        .required = true,
        .choices = scenarios},
    Argument{
        .name = "seed",
        .title = "Seed",
        .tooltip = "Other ids, keys and faults; empty: the scenario's own",
        .type = Type::text},
    Argument{
        .name = "loss",
        .title = "Frames lost, %",
        .tooltip = "Chance of each frame to be lost",
        .type = Type::percent,
        .group = "Faults"},
    Argument{
        .name = "duplicate",
        .title = "Frames twice, %",
        .tooltip = "Chance of each frame to arrive twice",
        .type = Type::percent,
        .group = "Faults"},
    Argument{
        .name = "corrupt",
        .title = "Frames corrupted, %",
        .tooltip = "Chance of each frame to be corrupted",
        .type = Type::percent,
        .group = "Faults"},
    Argument{
        .name = "reorder",
        .title = "Frames late, %",
        .tooltip = "Chance of each frame to arrive behind others",
        .type = Type::percent,
        .group = "Faults"},
    Argument{
        .name = "drop",
        .title = "Message that is lost",
        .tooltip = "The first one of that name: CLC ACCEPT, REP, FCVI_CONNECT_RQST, CDC ...",
        .group = "Faults"},
    Argument{
        .name = "miss",
        .title = "Message that is not captured",
        .tooltip = "It arrives, and only the capture misses it",
        .group = "Faults"},
};

std::string play_scenario(const std::string&, const Values& values) {
    Words words{fabricscope_program(), "synth", value_of(values, "scenario"), "-o", "-"};
    if (const std::string seed = value_of(values, "seed"); !seed.empty()) words.insert(words.end(), {"--seed", seed});
    const auto add = [&](const std::string& statement) { words.insert(words.end(), {"--add", statement}); };
    for (const char* fault : {"loss", "duplicate", "corrupt", "reorder"})
        if (const std::string share = value_of(values, fault); !share.empty() && std::atof(share.c_str()) > 0)
            add(std::string("fault ") + fault + "=" + share + "%");
    for (const char* fault : {"drop", "miss"})
        if (const std::string message = value_of(values, fault); !message.empty())
            add(std::string(fault) + " message=\"" + message + "\"");
    become(words);
    return cannot_start("fabricscope");
}

// ---- replay ------------------------------------------------------------------------------------------

Choices sides() { return {{"client", "client"}, {"server", "server"}}; }
Choices profiles() { return {{"", "as in the capture"}, {"linux", "Linux"}, {"strict", "RFC 7609"}}; }

const std::array replay_arguments{
    Argument{.name = "file", .title = "Capture", .tooltip = "The recording", .type = Type::file, .required = true},
    Argument{
        .name = "session",
        .title = "Session",
        .tooltip = "As analyze and fabricscope replay --list name it",
        .value = "smcr-1",
        .required = true},
    Argument{
        .name = "play",
        .title = "Played side",
        .tooltip = "The other side is the emulated stack",
        .type = Type::choice,
        .value = "client",
        .choices = sides},
    Argument{
        .name = "profile",
        .title = "Emulated side",
        .tooltip = "The implementation that it behaves like",
        .type = Type::choice,
        .choices = profiles},
};

std::string replay_session(const std::string&, const Values& values) {
    std::string folder = (std::filesystem::temp_directory_path() / "fabricscope-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return "There is no room for the run's frames in " + folder + ".";
    const std::string file = folder + "/run.pcapng";
    Words words{
        fabricscope_program(), "replay",
        // A name that begins with a hyphen is no option.
        std::filesystem::absolute(value_of(values, "file")), "--session=" + value_of(values, "session"), "--play",
        value_of(values, "play").empty() ? "client" : value_of(values, "play"), "--write", file};
    if (const std::string profile = value_of(values, "profile"); !profile.empty())
        words.insert(words.end(), {"--profile", profile});
    run(words);  // differences are a result, not a failure
    std::ifstream frames(file, std::ios::binary);
    const bool was_played = frames.is_open();
    if (was_played) std::cout << frames.rdbuf() << std::flush;
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    return was_played ? "" : "The session was not replayed.";
}

// ---- capture here and elsewhere -----------------------------------------------------------------------

const std::array remote_arguments{
    Argument{.name = "host", .title = "Host", .tooltip = "As ssh knows it", .required = true},
    Argument{.name = "port", .title = "Port", .tooltip = "Of ssh; empty: as configured", .type = Type::text},
    Argument{.name = "user", .title = "User", .tooltip = "Empty: as configured"},
    Argument{.name = "identity", .title = "Private key", .tooltip = "Empty: as configured", .type = Type::file},
    Argument{
        .name = "remote-interface",
        .title = "Interface",
        .tooltip = "Where fabricscope captures over there",
        .value = "eth0",
        .required = true},
    Argument{
        .name = "remote-program",
        .title = "fabricscope over there",
        .tooltip = "A command, as a shell reads it",
        .value = "fabricscope",
        .group = "More"},
    Argument{.name = "filter", .title = "Capture filter", .tooltip = "In tcpdump's language", .group = "More"},
};

/// Behind `fabricscope`: frames to standard output, and nothing else.
Words capture_words(const std::string& interface, const Values& values) {
    Words words{"capture", "-i", interface, "-w", "-", "--json", "/dev/null"};
    std::string filter = value_of(values, "extcap-capture-filter");
    if (filter.empty()) filter = value_of(values, "filter");
    if (!filter.empty()) words.insert(words.end(), {"--filter", filter});
    return words;
}

std::string capture_there(const std::string&, const Values& values) {
    // Nobody could answer a question.
    Words words{"ssh", "-o", "BatchMode=yes"};
    if (const std::string port = value_of(values, "port"); !port.empty()) words.insert(words.end(), {"-p", port});
    if (const std::string key = value_of(values, "identity"); !key.empty()) words.insert(words.end(), {"-i", key});
    if (const std::string user = value_of(values, "user"); !user.empty()) words.insert(words.end(), {"-l", user});
    const std::string program = value_of(values, "remote-program");
    std::string command = program.empty() ? "fabricscope" : program;
    for (const std::string& word : capture_words(value_of(values, "remote-interface"), values))
        command += " " + quoted(word);
    words.insert(words.end(), {"--", value_of(values, "host"), command});
    become(words);
    return cannot_start("ssh");
}

std::string capture_here(const std::string& name, const Values& values) {
    Words words{fabricscope_program()};
    for (std::string& word : capture_words(name.substr(std::string("fabricscope-rdma-").size()), values))
        words.push_back(std::move(word));
    become(words);
    return cannot_start("fabricscope");
}

/// Adapters of this machine, as libpcap calls them: RoCE and InfiniBand traffic that the kernel never sees.
Words rdma_adapters() {
    Words names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/sys/class/infiniband", error))
        names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
}

}  // namespace

std::vector<Interface> interfaces() {
    std::vector<Interface> all{
        {"fabricscope-scenario", "fabricscope: a scenario, played by emulated endpoints", scenario_arguments,
         play_scenario},
        {"fabricscope-replay", "fabricscope: a session of a capture, replayed", replay_arguments, replay_session},
        {"fabricscope-remote", "fabricscope: a capture on another host, by ssh", remote_arguments, capture_there}};
    for (const std::string& adapter : rdma_adapters())
        all.push_back({"fabricscope-rdma-" + adapter, "fabricscope: RDMA sniffer of " + adapter, {}, capture_here});
    return all;
}

}  // namespace fabricscope::extcap
