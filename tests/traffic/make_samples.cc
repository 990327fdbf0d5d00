// SPDX-License-Identifier: GPL-2.0-or-later
// make_samples: writes the made captures of FC-VI and FC-AE-RDMA, the same octets every time, and what is in them.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "replay/synth/families.h"
#include "tests/traffic/fc_scenarios.h"
#include "tests/traffic/fc_traffic.h"
#include "tests/traffic/pcap_writer.h"

namespace synth = fabricscope::synth;
namespace traffic = fabricscope::traffic;
using nlohmann::ordered_json;

namespace {

/// What the captures of a directory have in common.
struct Group {
    const char* directory;
    const std::vector<traffic::FcScenario>& (*scenarios)();
    bool sample;  ///< else for tests only
};
constexpr std::array groups{
    Group{"fcvi", traffic::fcvi_scenarios, true}, Group{"fc_ae_rdma", traffic::fc_ae_rdma_scenarios, true},
    Group{"fcvi_rules", traffic::fcvi_violations, false},
    Group{"fc_ae_rdma_rules", traffic::fc_ae_rdma_violations, false}};

/// Every scenario in a capture of Fibre Channel frames and in one of FCoE. By turns without delimiters, where nothing
/// depends on the class that SOF tells, and with a VLAN.
std::array<const char*, 2> carriers_of(const Group& group, std::size_t index) {
    const bool plain = group.sample && group.scenarios()[index].options.empty() && index % 2 == 0;
    return {plain ? "fc2" : "fc2-delimited", index % 3 == 2 ? "fcoe-vlan" : "fcoe"};
}

const traffic::FcCarrierName& carrier_of(std::string_view name) {
    return *std::ranges::find(traffic::fc_carriers(), name, &traffic::FcCarrierName::name);
}

/// "NAME.pcap", and "NAME.fcoe.pcap".
std::string file_name(const traffic::FcScenario& scenario, const char* carrier) {
    return scenario.name + (std::string_view(carrier).starts_with("fcoe") ? ".fcoe.pcap" : ".pcap");
}

bool write(const std::filesystem::path& path, const char* carrier, const std::vector<traffic::TimedFrame>& frames) {
    const traffic::FcCarrierName& way = carrier_of(carrier);
    traffic::PcapWriter writer(path.string(), way.link);
    for (const traffic::TimedFrame& frame : frames) writer.write(frame.time, way.wrap(frame.frame));
    if (writer.finish()) return true;
    std::perror(path.c_str());
    return false;
}

bool make(const Group& group, const std::filesystem::path& directory) {
    std::filesystem::create_directories(directory / group.directory);
    bool good = true;
    for (std::size_t i = 0; i < group.scenarios().size(); ++i) {
        const traffic::FcScenario& scenario = group.scenarios()[i];
        const std::vector<traffic::TimedFrame> frames = scenario.make();
        for (const char* carrier : carriers_of(group, i))
            good = write(directory / group.directory / file_name(scenario, carrier), carrier, frames) && good;
    }
    return good;
}

std::string or_nothing(const std::string& text) { return text.empty() ? "-" : text; }

/// Rules with a number each that is found more than once: "`FCVI-32` twice".
std::string findings_text(const std::vector<std::string>& findings) {
    std::string text;
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const bool again = i != 0 && findings[i] == findings[i - 1];
        if (again) text += " twice";
        else text += (text.empty() ? "`" : ", `") + findings[i] + "`";
    }
    return or_nothing(text);
}

/// Of the emulated endpoints, that show what a sample does.
std::vector<std::string> scenarios_of(const Group& group, const traffic::FcScenario& sample) {
    const std::string name = std::string(group.directory) + "/" + sample.name;
    std::vector<std::string> scenarios;
    for (const synth::BuiltinScenario& builtin : synth::builtin_scenarios())
        if (const auto of = synth::parse_scenario(builtin.text).samples; std::ranges::find(of, name) != of.end())
            scenarios.emplace_back(builtin.name);
    return scenarios;
}

std::string scenarios_text(const std::vector<std::string>& scenarios) {
    std::string text;
    for (const std::string& name : scenarios) text += (text.empty() ? "`" : ", `") + name + "`";
    return or_nothing(text);
}

/// The samples' entries in samples/README.md.
void print_readme() {
    for (const Group& group : groups) {
        if (!group.sample) continue;
        std::printf(
            "| %s/ | Frames | What happens | Clause | `analyze` tells | Findings | Scenario |\n", group.directory);
        std::puts("|---|--:|---|---|---|---|---|");
        for (const traffic::FcScenario& s : group.scenarios())
            std::printf(
                "| `%s` | %zu | %s | %s | %s | %s | %s |\n", s.name.c_str(), s.make().size(), s.happens.c_str(),
                s.clause.c_str(), or_nothing(s.result).c_str(), findings_text(s.findings).c_str(),
                scenarios_text(scenarios_of(group, s)).c_str());
        std::puts("");
    }
}

/// The table, for tests.
ordered_json list() {
    ordered_json all = ordered_json::array();
    for (const Group& group : groups)
        for (std::size_t i = 0; i < group.scenarios().size(); ++i) {
            const traffic::FcScenario& s = group.scenarios()[i];
            ordered_json captures = ordered_json::array();
            for (const char* carrier : carriers_of(group, i)) captures.push_back(file_name(s, carrier));
            all.push_back(
                {{"group", group.directory},
                 {"sample", group.sample},
                 {"name", s.name},
                 {"captures", captures},
                 {"frames", s.make().size()},
                 {"happens", s.happens},
                 {"clause", s.clause},
                 {"result", s.result},
                 {"findings", s.findings},
                 {"options", s.options}});
        }
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App program("Write the made captures, the same octets every time");
    std::string directory;
    bool tests = false, only_list = false, readme = false;
    program.add_option("DIRECTORY", directory, "where fcvi/ and fc_ae_rdma/ are written");
    program.add_flag("--tests", tests, "those that break a rule, too");
    program.add_flag("--list", only_list, "print what they are, as JSON, and write nothing");
    program.add_flag("--readme", readme, "print their entries in samples/README.md, and write nothing");
    CLI11_PARSE(program, argc, argv);
    if (readme) {
        print_readme();
        return 0;
    }
    if (only_list) {
        std::puts(list().dump(1).c_str());
        return 0;
    }
    if (directory.empty()) {
        std::fputs("make_samples: DIRECTORY is missing\n", stderr);
        return 2;
    }
    bool good = true;
    for (const Group& group : groups)
        if (group.sample || tests) good = make(group, directory) && good;
    return good ? 0 : 1;
}
