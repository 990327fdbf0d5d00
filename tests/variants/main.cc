// SPDX-License-Identifier: GPL-2.0-or-later
// variants: analyses healthy captures with something missing. Whatever is missing, no error and no warning may come of
// it that the whole capture does not have; exceptions.txt names those that are true of what the variant holds.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include "analyzer/engine/engine.h"
#include "tests/variants/variant.h"

namespace fabricscope::variants {
namespace {

namespace fs = std::filesystem;

/// Findings from `warning` on: how many of each rule.
using Alarms = std::map<std::string, std::size_t>;

struct Result {
    Alarms alarms;
    std::vector<std::string> findings;  ///< for people
};

Result result_of(const engine::Engine& engine) {
    Result result;
    for (const engine::Finding* finding : engine.findings()) {
        if (finding->rule->severity == engine::Severity::note) continue;
        ++result.alarms[finding->rule->id];
        result.findings.push_back(fmt::format(
            "{} {} frames {}: {}", finding->rule->id, finding->session, fmt::join(finding->frames, ", "),
            finding->text));
    }
    return result;
}

Result analyse(const traffic::Recording& whole, const Variant& variant) {
    engine::Engine engine(
        {.rdma_cm = true,
         .fc = true,
         .fc_protocols = {.fcvi = true, .fc_ae_rdma = true},
         .interfaces = variant.interfaces});
    std::uint64_t number = 0;
    for (const Kept& kept : variant.frames) {
        capture::Frame frame = traffic::frame_at(whole, kept.index);
        frame.number = ++number;
        frame.time += kept.later;
        frame.interface = kept.interface;
        frame.data = frame.data.first(std::min<std::size_t>(frame.data.size(), kept.captured));
        engine.on_frame(frame);
    }
    engine.finish();
    return result_of(engine);
}

Variant nothing_missing(const traffic::Recording& whole) {
    Variant variant{"whole", "", {}, static_cast<std::uint32_t>(whole.interfaces.size())};
    for (std::size_t i = 0; i < whole.frames.size(); ++i)
        variant.frames.push_back({.index = i, .interface = whole.frames[i].interface});
    return variant;
}

/// The rules of which the variant has more findings than the whole.
std::vector<std::string> false_alarms(const Alarms& whole, const Alarms& variant) {
    std::vector<std::string> rules;
    for (const auto& [rule, count] : variant) {
        const auto expected = whole.find(rule);
        if (expected == whole.end() || expected->second < count) rules.push_back(rule);
    }
    return rules;
}

struct Exception {
    std::string kind, capture, rule, reason;
    bool needed = false;
};

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<Exception> read_exceptions(const std::string& path) {
    std::vector<Exception> exceptions;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream columns(line);
        Exception& exception = exceptions.emplace_back();
        for (std::string* column : {&exception.kind, &exception.capture, &exception.rule, &exception.reason}) {
            std::getline(columns, *column, '|');
            *column = trimmed(*column);
        }
        if (exception.reason.empty()) throw std::runtime_error(path + ": an exception without a reason: " + line);
    }
    return exceptions;
}

struct Options {
    std::vector<std::string> captures;
    std::string exceptions;
    std::size_t effort = 1;
    std::string kind, rule;
    bool verbose = false;
};

/// All captures, several at once.
class Run {
public:
    explicit Run(const Options& options) : options_(options), exceptions_(read_exceptions(options.exceptions)) {}

    void on_capture(const std::string& path) {
        traffic::Recording whole = traffic::read(path);
        std::ranges::stable_sort(whole.frames, {}, &traffic::RecordedFrame::time);  // as every command reads files
        const Result healthy = analyse(whole, nothing_missing(whole));
        const std::string capture = fs::path(path).filename();
        for_each_variant(whole, {options_.effort}, [&](const Variant& variant) {
            if (!options_.kind.empty() && variant.kind != options_.kind) return;
            const Result found = analyse(whole, variant);
            const std::lock_guard lock(mutex_);
            ++counts_[variant.kind].variants;
            bool failed = false;
            for (const std::string& rule : false_alarms(healthy.alarms, found.alarms))
                if (!is_excepted(variant.kind, capture, rule)) failed = true, tell(capture, variant, rule, found);
            if (failed) ++counts_[variant.kind].failed;
        });
    }

    /// Whether all is as it should be.
    bool report() const {
        std::size_t failed = 0;
        for (const auto& [kind, count] : counts_) {
            fmt::print("{:<18} {:>8} variants, {:>5} failed\n", kind, count.variants, count.failed);
            failed += count.failed;
        }
        for (const auto& [rule, kinds] : by_rule_) {
            fmt::print("{:<12}", rule);
            for (const auto& [kind, count] : kinds) fmt::print("  {}: {}", kind, count);
            fmt::print("\n");
        }
        for (const Exception& exception : exceptions_) {
            const bool tried = options_.kind.empty() && options_.effort == 1;
            if (exception.needed || !tried) continue;
            fmt::print("not needed: {} | {} | {}\n", exception.kind, exception.capture, exception.rule);
            ++failed;
        }
        return failed == 0;
    }

private:
    struct Count {
        std::size_t variants = 0, failed = 0;
    };

    bool is_excepted(const std::string& kind, const std::string& capture, const std::string& rule) {
        for (Exception& exception : exceptions_)
            if (exception.kind == kind && exception.capture == capture && exception.rule == rule)
                return exception.needed = true;
        return false;
    }

    void tell(const std::string& capture, const Variant& variant, const std::string& rule, const Result& found) {
        ++by_rule_[rule][variant.kind];
        if (!options_.verbose || (!options_.rule.empty() && options_.rule != rule)) return;
        fmt::print("{}: {} {}: {}\n", capture, variant.kind, variant.name, rule);
        for (const std::string& finding : found.findings) fmt::print("    {}\n", finding);
    }

    const Options& options_;
    std::vector<Exception> exceptions_;
    std::mutex mutex_;
    std::map<std::string, Count> counts_;                                ///< by kind
    std::map<std::string, std::map<std::string, std::size_t>> by_rule_;  ///< and kind
};

bool run_all(const Options& options) {
    Run run(options);
    std::atomic<std::size_t> next = 0;
    {
        std::vector<std::jthread> workers;
        for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
            workers.emplace_back([&] {
                for (std::size_t at = next++; at < options.captures.size(); at = next++)
                    run.on_capture(options.captures[at]);
            });
    }
    return run.report();
}

}  // namespace
}  // namespace fabricscope::variants

int main(int argc, char** argv) {
    using namespace fabricscope::variants;
    Options options;
    CLI::App app(
        "Analyses captures with something missing, and counts the errors and warnings that only then are found");
    app.add_option("captures", options.captures)->required();
    app.add_option("--exceptions", options.exceptions, "KIND | CAPTURE | RULE | REASON, a line each");
    app.add_option("--effort", options.effort, "so many times as many frames and lengths");
    app.add_option("--kind", options.kind, "only such variants");
    app.add_option("--rule", options.rule, "with --verbose: only findings of this rule");
    app.add_flag("-v,--verbose", options.verbose, "each failure, with all that was found");
    CLI11_PARSE(app, argc, argv);
    try {
        return run_all(options) ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "variants: {}\n", error.what());
        return 2;
    }
}
