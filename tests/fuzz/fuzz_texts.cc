// SPDX-License-Identifier: GPL-2.0-or-later
// Any octets as each of the texts that people and programs write for us: scenarios, masks, suites, results of parts and
// what lies beside them. Each is refused in the way its reader documents.
#include <sstream>

#include "analyzer/report/merge.h"
#include "analyzer/report/partition_plan.h"
#include "replay/suite/manifest.h"
#include "replay/synth/families.h"
#include "tests/fuzz/memory_file.h"

namespace fabricscope::fuzz {
namespace {

/// Nothing in it asks for work without end: some numbers say how often.
bool is_short_work(std::string_view text) {
    constexpr std::size_t longest = 2048, most_digits = 5, most_of_a_count = 2;
    if (text.size() > longest) return false;
    std::size_t digits = 0, most = most_digits;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (is_digit && digits == 0)
            most = text.substr(0, i).ends_with("count=") || text.substr(0, i).ends_with("messages=") ? most_of_a_count
                                                                                                     : most_digits;
        digits = is_digit ? digits + 1 : 0;
        if (digits > most) return false;
    }
    return true;
}

void read_scenario(std::string_view text) {
    try {
        const synth::Scenario scenario = synth::parse_scenario(text);
        if (is_short_work(text)) synth::run(scenario);
    } catch (const synth::ScenarioError&) {
    }
}

void read_toml(const std::string& path) {
    try {
        replay::read_masks(path);
    } catch (const replay::ManifestError&) {
    }
    try {
        replay::read_suite(path);
    } catch (const replay::ManifestError&) {
    }
    try {
        const replay::Baseline baseline = replay::read_baseline(path);
        const std::string text = replay::text_of(baseline);
        const MemoryFile again({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
        if (replay::read_baseline(again.path()).size() != baseline.size()) std::abort();
    } catch (const replay::ManifestError&) {
    }
}

void read_results(const std::string& path) {
    for (const std::size_t count : {1U, 2U}) {
        try {
            std::ostringstream out;
            report::merge_json(std::vector(count, path), out);
        } catch (const report::ResultError&) {
        }
    }
}

void read_partition(const std::string& text) {
    try {
        report::partition_of(text);
    } catch (const std::runtime_error&) {
    }
    std::istringstream plan(text);
    report::read_plan(plan, "run");
    report::progress_of(text, 3);
}

}  // namespace
}  // namespace fabricscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fabricscope::fuzz;
    const std::string text(data, data + size);
    const MemoryFile file({data, size});
    read_scenario(text);
    read_toml(file.path());
    read_results(file.path());
    read_partition(text);
    return 0;
}
