// SPDX-License-Identifier: GPL-2.0-or-later
// variants: analyses healthy captures with something missing, and says what is told of them that is not so.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include "analyzer/engine/engine.h"
#include "tests/variants/variant.h"

namespace fabricscope::variants {
namespace {

namespace fs = std::filesystem;

using Alarms = std::map<std::string, std::size_t>;  ///< findings by rule, from `warning` on

Alarms alarms_of(const engine::Engine& engine) {
    Alarms alarms;
    for (const engine::Finding* finding : engine.findings())
        if (finding->rule->severity != engine::Severity::note) ++alarms[finding->rule->id];
    return alarms;
}

engine::Options options_for(std::uint32_t interfaces) {
    return {.rdma_cm = true, .fc = true, .fc_protocols = {.fcvi = true, .fc_ae_rdma = true}, .interfaces = interfaces};
}

Alarms analyse(const traffic::Recording& whole, const Variant& variant, std::string* text) {
    engine::Engine engine(options_for(variant.interfaces));
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
    if (text != nullptr)
        for (const engine::Finding* finding : engine.findings())
            *text += fmt::format(
                "    {} {} frame {}: {}\n", finding->rule->id, finding->session,
                finding->frames.empty() ? 0 : finding->frames.back(), finding->text);
    return alarms_of(engine);
}

struct Options {
    std::vector<std::string> captures;
    std::size_t effort = 1;
    std::string only;
    std::string rule;
    bool verbose = false;
};

struct Count {
    std::size_t variants = 0, failed = 0;
};

class Run {
public:
    explicit Run(const Options& options) : options_(options) {}

    void on_capture(const std::string& path) {
        const traffic::Recording whole = traffic::read(path);
        Variant all{"whole", "", {}, static_cast<std::uint32_t>(whole.interfaces.size())};
        for (std::size_t i = 0; i < whole.frames.size(); ++i)
            all.frames.push_back({.index = i, .interface = whole.frames[i].interface});
        const Alarms healthy = analyse(whole, all, nullptr);
        for_each_variant(whole, {options_.effort}, [&](const Variant& variant) {
            if (!options_.only.empty() && variant.kind != options_.only) return;
            std::string text;
            const Alarms found = analyse(whole, variant, options_.verbose ? &text : nullptr);
            const std::lock_guard lock(mutex_);
            ++counts_[variant.kind].variants;
            bool failed = false;
            for (const auto& [rule, count] : found) {
                const auto expected = healthy.find(rule);
                if (expected != healthy.end() && expected->second >= count) continue;
                failed = true;
                ++by_rule_[rule][variant.kind];
                if (options_.verbose && (options_.rule.empty() || options_.rule == rule))
                    std::cout << fmt::format(
                        "{}: {} {}: {}\n{}", fs::path(path).filename().string(), variant.kind, variant.name, rule,
                        text);
            }
            if (failed) ++counts_[variant.kind].failed;
        });
    }

    void print() const {
        for (const auto& [kind, count] : counts_)
            std::cout << fmt::format("{:<18} {:>7} variants, {:>5} failed\n", kind, count.variants, count.failed);
        for (const auto& [rule, kinds] : by_rule_) {
            std::cout << fmt::format("{:<12}", rule);
            for (const auto& [kind, count] : kinds) std::cout << fmt::format("  {} {}", kind, count);
            std::cout << '\n';
        }
    }

private:
    const Options& options_;
    std::mutex mutex_;
    std::map<std::string, Count> counts_;
    std::map<std::string, std::map<std::string, std::size_t>> by_rule_;
};

}  // namespace
}  // namespace fabricscope::variants

int main(int argc, char** argv) {
    using namespace fabricscope::variants;
    Options options;
    CLI::App app("Healthy captures with something missing");
    app.add_option("captures", options.captures)->required();
    app.add_option("--effort", options.effort);
    app.add_option("--only", options.only);
    app.add_option("--rule", options.rule);
    app.add_flag("-v,--verbose", options.verbose);
    CLI11_PARSE(app, argc, argv);
    Run run(options);
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> workers;
    for (int i = 0; i < 2; ++i)
        workers.emplace_back([&] {
            for (std::size_t at; (at = next++) < options.captures.size();) run.on_capture(options.captures[at]);
        });
    workers.clear();
    run.print();
}
