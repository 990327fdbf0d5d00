// SPDX-License-Identifier: GPL-2.0-or-later
// variants: analyses healthy captures with something missing. Whatever is missing, no error and no warning may come of
// it that the whole capture does not have, and each value is that of the whole capture or not known; exceptions.txt
// names those that are true of what the variant holds.
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <glib.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "analyzer/engine/engine.h"
#include "analyzer/observations/observation.h"
#include "analyzer/report/json.h"
#include "protocols/builders/frame_builder.h"
#include "tests/variants/values.h"
#include "tests/variants/variant.h"

namespace fabricscope::variants {
namespace {

namespace fs = std::filesystem;

/// Observations from `warning` on, broken rules among them, but for what they say of the capture itself.
using Alarms = std::vector<observations::Observation>;

struct Result {
    Alarms alarms;
    nlohmann::json sessions;
};

bool tells_of_capture(const observations::Observation& each) {
    const std::string_view id = each.id;
    return id.starts_with("CAPTURE-") && id != "CAPTURE-O-limits";
}

std::string text_of(const observations::Observation& each) {
    return fmt::format("{} {} frames {}: {}", each.id, each.session, fmt::join(each.frames, ", "), each.text);
}

std::vector<observations::Observation> observations_of(
    const engine::Engine& engine, std::span<const engine::Finding* const> findings) {
    return observations::observe({.models = engine.models(), .capture = engine.capture(), .findings = findings});
}

Result result_of(const engine::Engine& engine, std::optional<capture::Time> sessions_from) {
    Result result{observations_of(engine, engine.findings()), {}};
    std::erase_if(result.alarms, [](const observations::Observation& each) {
        return each.severity == engine::Severity::note || tells_of_capture(each);
    });
    if (sessions_from) result.sessions = sessions_of(engine, *sessions_from);
    return result;
}

/// What `analyze --json` says.
std::string told_of(const engine::Engine& engine) {
    std::ostringstream out;
    const std::vector<const engine::Finding*> findings = engine.findings();
    report::write_json(
        out,
        {.files = {},
         .problems = {},
         .capture = engine.capture(),
         .models = engine.models(),
         .findings = findings,
         .rules = engine.rule_results(),
         .observations = observations_of(engine, findings)},
        false);
    return out.str();
}

/// Frames keep the numbers that they have in the whole capture, if they are in that order. Returns what `result` makes
/// of the engine.
template <class MakeResult>
auto analyse(
    const traffic::Recording& whole, const Variant& variant, const std::optional<engine::Profile>& profile,
    MakeResult result) {
    engine::Options options = engine::following_all(variant.interfaces);
    if (profile) engine::judge_by(options, *profile);
    engine::Engine engine(std::move(options));
    std::uint64_t number = 0;
    for (const Kept& kept : variant.frames) {
        capture::Frame frame = traffic::frame_at(whole, kept.index);
        number = variant.in_order ? std::max<std::uint64_t>(number + 1, 2 * kept.index + 1) : number + 1;
        frame.number = number;
        frame.time += kept.later;
        frame.interface = kept.interface;
        std::vector<std::uint8_t> octets;
        if (kept.way != Way::as_sent) {
            octets = seen_by(kept.way, frame.data);
            frame.data = octets;
            frame.wire_length = static_cast<std::uint32_t>(octets.size());
        }
        frame.data = frame.data.first(std::min<std::size_t>(frame.data.size(), kept.captured));
        engine.on_frame(frame);
    }
    engine.finish();
    return result(engine);
}

/// Another host's datagram, a long time later. Returns whether there can be one.
bool add_bystander(traffic::Recording& recording) {
    constexpr capture::Time later = 1000 * capture::second;
    const bool is_ethernet = std::ranges::all_of(
        recording.interfaces, [](const auto& each) { return each.link == capture::LinkType::ethernet; });
    if (recording.frames.empty() || !is_ethernet) return false;
    builders::FrameBuilder builder;
    const Gid host = builders::gid_of({{192, 0, 2, 77}}), other_host = builders::gid_of({{192, 0, 2, 78}});
    const ByteView frame = builder.tcp(
        {.source_mac = {}, .destination_mac = {}, .source = host, .destination = other_host},
        {.source_port = 50000, .destination_port = 22}, {}, {});
    recording.frames.push_back(
        {recording.frames.back().time + later, recording.frames.back().interface, {frame.begin(), frame.end()}, {}});
    return true;
}

Variant nothing_missing(const traffic::Recording& whole) {
    Variant variant{"whole", "", {}, static_cast<std::uint32_t>(whole.interfaces.size())};
    for (std::size_t i = 0; i < whole.frames.size(); ++i)
        variant.frames.push_back({.index = i, .interface = whole.frames[i].interface});
    return variant;
}

/// Whether the whole capture raises alarm about the same frame, perhaps by another name: of an Exchange that is aborted
/// its Message tells, if it was captured.
bool is_told_of(const Alarms& whole, const observations::Observation& alarm) {
    return std::ranges::any_of(whole, [&](const observations::Observation& each) {
        return std::ranges::find_first_of(each.frames, alarm.frames) != each.frames.end();
    });
}

std::size_t count_of(const Alarms& alarms, std::string_view id) {
    return static_cast<std::size_t>(
        std::ranges::count(alarms, id, [](const auto& each) { return std::string_view(each.id); }));
}

/// The alarms that the whole does not raise, and the values that it has otherwise; with what there is to say of each.
std::map<std::string, std::vector<std::string>> faults_of(
    const Result& whole, const Result& found, const Variant& variant) {
    std::map<std::string, std::vector<std::string>> faults;
    for (const observations::Observation& alarm : found.alarms) {
        const bool same_frames = variant.in_order && is_told_of(whole.alarms, alarm);
        if (!same_frames && count_of(found.alarms, alarm.id) > count_of(whole.alarms, alarm.id))
            faults[alarm.id].push_back(text_of(alarm));
    }
    if (whole.sessions.is_null()) return faults;
    for (Difference& difference : differences(whole.sessions, found.sessions, variant.same_times, variant.to_the_end))
        faults[difference.where].push_back(std::move(difference.text));
    return faults;
}

struct Exception {
    std::string kind, capture, fault, reason;
    std::map<std::array<std::string, 3>, std::size_t> needed{};  ///< for which kind, capture and fault, how often
};

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// A variant that showed a fault once, beyond what a test run tries.
struct Found {
    std::string capture, kind, name;
};

/// Calls `use` with the four columns of each line.
template <class Use> void for_each_line(const std::string& path, Use use) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream columns(line);
        std::array<std::string, 4> texts;
        for (std::string& text : texts) {
            std::getline(columns, text, '|');
            text = trimmed(text);
        }
        if (texts.back().empty()) throw std::runtime_error(path + ": nothing says why: " + line);
        use(texts);
    }
}

std::vector<Exception> read_exceptions(const std::string& path) {
    std::vector<Exception> exceptions;
    for_each_line(path, [&](const auto& line) { exceptions.push_back({line[0], line[1], line[2], line[3]}); });
    return exceptions;
}

std::vector<Found> read_found(const std::string& path) {
    std::vector<Found> found;
    for_each_line(path, [&](const auto& line) { found.push_back({line[0], line[1], line[2]}); });
    return found;
}

/// What a capture file holds, or a scenario of samples/scenarios/ makes.
traffic::Recording recording_of(const fs::path& path) {
    return path.extension() == ".scenario" ? traffic::play(path.stem().string()) : traffic::read(path);
}

struct Options {
    std::vector<std::string> captures;
    std::string exceptions, found;
    std::size_t effort = 1;
    std::string kind, fault;
    std::optional<engine::Profile> profile;
    bool verbose = false;
    bool findings_only = false;
    bool found_only = false;
    bool show_needs = false;
    bool told = false;
};

class Digest {
public:
    void add(const std::string& text) {
        g_checksum_update(sum_.get(), reinterpret_cast<const guchar*>(text.data()), static_cast<gssize>(text.size()));
    }
    std::string text() const { return std::string(g_checksum_get_string(sum_.get()), 16); }

private:
    struct Free {
        void operator()(GChecksum* sum) const { g_checksum_free(sum); }
    };
    std::unique_ptr<GChecksum, Free> sum_{g_checksum_new(G_CHECKSUM_SHA256)};
};

/// All captures, several at once.
class Run {
public:
    explicit Run(const Options& options)
        : options_(options), exceptions_(read_exceptions(options.exceptions)), found_(read_found(options.found)) {}

    void on_capture(const std::string& path) {
        traffic::Recording whole = recording_of(path);
        std::ranges::stable_sort(whole.frames, {}, &traffic::RecordedFrame::time);  // as every command reads files
        const std::string capture = fs::path(path).filename();
        if (options_.told) return tell_all(whole, capture);
        try_variants(whole, capture, [&](const auto& use) {
            if (!options_.found_only) for_each_variant(whole, options_.effort, use);
            for (const Found& found : found_)
                if (found.capture == capture) for_named(whole, found.kind, found.name, use);
        });
        // What would have followed has had its time when a capture goes on, and there was none.
        if (options_.found_only || !add_bystander(whole)) return;
        try_variants(whole, capture, [&](const auto& use) {
            for_each_loss(whole, options_.effort, [&](Variant variant) {
                variant.name += ", and the capture goes on";
                use(variant);
            });
        });
    }

    /// Whether all is as it should be.
    bool report() const {
        std::size_t failed = 0;
        for (const auto& [kind, count] : counts_) {
            fmt::print("{:<46} {:>8} variants, {:>5} failed\n", kind, count.variants, count.failed);
            failed += count.failed;
        }
        for (const auto& [fault, kinds] : by_fault_) {
            fmt::print("{:<12}", fault);
            for (const auto& [kind, count] : kinds) fmt::print("  {}: {}", kind, count);
            fmt::print("\n");
        }
        for (const Exception& exception : exceptions_) {
            const bool tried = options_.kind.empty() && options_.effort == 1 && !options_.profile &&
                               !options_.findings_only && !options_.found_only;
            if (options_.show_needs) show_needs(exception);
            if (!exception.needed.empty() || !tried) continue;
            fmt::print("not needed: {} | {} | {}\n", exception.kind, exception.capture, exception.fault);
            ++failed;
        }
        return failed == 0;
    }

private:
    /// A digest for each kind of variant, or all that is told of each.
    void tell_all(const traffic::Recording& whole, const std::string& capture) {
        std::map<std::string, Digest> digests;  // by kind
        std::string all;
        for_each_variant(whole, options_.effort, [&](const Variant& variant) {
            if (!options_.kind.empty() && variant.kind != options_.kind) return;
            const std::string told = fmt::format(
                "{}: {} {}\n{}\n", capture, variant.kind, variant.name,
                analyse(whole, variant, options_.profile, told_of));
            digests[variant.kind].add(told);
            if (options_.verbose) all += told;
        });
        for (const auto& [kind, digest] : digests) all += fmt::format("{}: {}: {}\n", capture, kind, digest.text());
        const std::lock_guard lock(mutex_);
        std::cout << all;
    }

    template <class Make> void try_variants(const traffic::Recording& whole, const std::string& capture, Make make) {
        const auto sessions_from = options_.findings_only ? std::nullopt : std::optional(whole.frames.front().time);
        const auto result = [&](const engine::Engine& engine) { return result_of(engine, sessions_from); };
        const Result healthy = analyse(whole, nothing_missing(whole), options_.profile, result);
        make([&](const Variant& variant) {
            if (!options_.kind.empty() && variant.kind != options_.kind) return;
            const Result found = analyse(whole, variant, options_.profile, result);
            const auto faults = faults_of(healthy, found, variant);
            const std::lock_guard lock(mutex_);
            ++counts_[variant.kind].variants;
            bool failed = false;
            for (const auto& [fault, texts] : faults)
                if (!is_excepted(variant.kind, capture, fault)) failed = true, tell(capture, variant, fault, texts);
            if (failed) ++counts_[variant.kind].failed;
        });
    }

    struct Count {
        std::size_t variants = 0, failed = 0;
    };

    static void show_needs(const Exception& exception) {
        fmt::print("{} | {} | {}\n", exception.kind, exception.capture, exception.fault);
        for (const auto& [whose, count] : exception.needed)
            fmt::print("    {} {:>6}\n", fmt::join(whose, " | "), count);
    }

    /// One of several patterns.
    static bool fits(const std::string& patterns, const std::string& name) {
        std::istringstream list(patterns);
        for (std::string pattern; std::getline(list, pattern, ',');)
            if (fnmatch(trimmed(pattern).c_str(), name.c_str(), 0) == 0) return true;
        return false;
    }

    /// "late start + snap length" is both.
    static bool fits_a_part(const std::string& patterns, const std::string& kind) {
        std::istringstream parts(kind);
        for (std::string part; std::getline(parts, part, '+');)
            if (fits(patterns, trimmed(part))) return true;
        return false;
    }

    bool is_excepted(const std::string& kind, const std::string& capture, const std::string& fault) {
        for (Exception& exception : exceptions_)
            if (fits_a_part(exception.kind, kind) && fits(exception.capture, capture) && fits(exception.fault, fault))
                return ++exception.needed[{kind, capture, fault}] != 0;
        return false;
    }

    void tell(
        const std::string& capture, const Variant& variant, const std::string& fault,
        const std::vector<std::string>& texts) {
        ++by_fault_[fault][variant.kind];
        if (!options_.verbose || (!options_.fault.empty() && options_.fault != fault)) return;
        fmt::print("{}: {} {}: {}\n", capture, variant.kind, variant.name, fault);
        for (const std::string& text : texts) fmt::print("    {}\n", text);
    }

    const Options& options_;
    std::vector<Exception> exceptions_;
    std::vector<Found> found_;
    std::mutex mutex_;
    std::map<std::string, Count> counts_;                                 ///< by kind
    std::map<std::string, std::map<std::string, std::size_t>> by_fault_;  ///< and kind
};

bool run_all(const Options& options) {
    Run run(options);
    std::atomic<std::size_t> next = 0;
    {
        std::vector<std::jthread> workers;
        for (unsigned i = 0; i < g_get_num_processors(); ++i)
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
        "Analyses captures with something missing; counts the errors and warnings that only then are found, and the "
        "values that are others then");
    app.add_option("captures", options.captures, "captures, or scenarios")->required();
    app.add_option(
        "--exceptions", options.exceptions, "KIND | CAPTURE | RULE or VALUE | REASON, a line each, with wildcards");
    app.add_option(
        "--found", options.found, "CAPTURE | KIND | NAME | WHAT, a line each: variants that are tried at any effort");
    app.add_option("--effort", options.effort, "so many times as many frames and lengths");
    app.add_option("--kind", options.kind, "only such variants");
    app.add_option("--fault", options.fault, "with --verbose: only this rule or value");
    const std::map<std::string, fabricscope::engine::Profile> profiles{
        {"rfc7609", fabricscope::engine::Profile::standard},
        {"fc-ae-rdma-annex-a", fabricscope::engine::Profile::avionics}};
    app.add_option("--profile", options.profile, "as that of analyze")->transform(CLI::CheckedTransformer(profiles));
    app.add_flag("--findings-only", options.findings_only, "values are not compared, which takes longer");
    app.add_flag("--found-only", options.found_only, "only the variants of --found");
    app.add_flag("--show-needs", options.show_needs, "what each exception was needed for");
    app.add_flag("--told", options.told, "instead, a digest of what is told of the variants of each kind");
    app.add_flag(
        "-v,--verbose", options.verbose, "each failure, with all that was found; with --told, all that is told");
    CLI11_PARSE(app, argc, argv);
    try {
        return run_all(options) ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "variants: {}\n", error.what());
        return 2;
    }
}
