// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/suite/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "capture/interface.h"
#include "replay/suite/command.h"

namespace fabricscope::replay {

namespace {

using Clock = std::chrono::steady_clock;

/// A peer's program may take this long to be ready, or to come to its end.
constexpr double command_limit = 60;

/// As differences are told, what broke a rule, and that a run did not come to its end.
struct Trouble {
    Difference difference;
    std::string rule;
    std::string text;
};

std::string line_of(const Difference& difference) {
    return fmt::format("{}: {} (recorded: {})", title_of(difference), difference.actual, difference.recorded);
}

std::vector<Trouble> troubles_of(const RunReport& report) {
    std::vector<Trouble> troubles;
    for (const Difference& difference : report.comparison.differences)
        if (difference.level != Level::policy) troubles.push_back({difference, "", line_of(difference)});
    for (const engine::Finding& finding : report.comparison.broken) {
        if (finding.rule->severity != engine::Severity::error) continue;
        Difference broken;
        broken.where = finding.session;
        broken.actual = finding.text;
        troubles.push_back({broken, finding.rule->id, fmt::format("{} broken: {}", finding.rule->id, finding.text)});
    }
    // What did not come to its end because of something else is told by that.
    if (!report.over && troubles.empty()) {
        Difference end;
        end.where = "run";
        end.field = "end";
        end.recorded = "complete";
        end.actual = "timed out, waiting for " + report.waiting_for;
        troubles.push_back({end, "", end.actual});
    }
    return troubles;
}

bool is_accepted_as(const Acceptance& acceptance, const CaseResult& of, const Trouble& trouble) {
    return acceptance.rule == trouble.rule && fits(acceptance, of, trouble.difference);
}

/// What would accept it: its cause, which may stand for much, or the difference itself.
Acceptance acceptance_of(const CaseResult& of, const Trouble& trouble) {
    Acceptance acceptance;
    acceptance.session = of.session;
    acceptance.target = of.target;
    acceptance.play = of.side;
    acceptance.rule = trouble.rule;
    acceptance.cause = trouble.difference.cause;
    if (!acceptance.cause.empty() || !acceptance.rule.empty()) return acceptance;
    acceptance.where = trouble.difference.where;
    acceptance.message = trouble.difference.message;
    acceptance.field = trouble.difference.field;
    return acceptance;
}

/// What an acceptance fits, whatever its reason.
auto key_of(const std::string& entry, const Acceptance& one) {
    return std::tuple(entry, one.session, one.target, one.play, one.where, one.message, one.field, one.cause, one.rule);
}

void judge(CaseResult& result, const SuiteEntry& entry, const RunReport& report) {
    if (!report.refusal.empty() || !report.broken_off.empty()) {
        result.text = in_short(report);
        return;
    }
    std::set<std::string> told;
    std::vector<Trouble> open;
    for (Trouble& trouble : troubles_of(report)) {
        const auto fit = std::ranges::find_if(
            entry.accepted, [&](const Acceptance& one) { return is_accepted_as(one, result, trouble); });
        if (fit == entry.accepted.end()) open.push_back(std::move(trouble));
        else result.used.push_back(*fit);
        if (fit != entry.accepted.end() && told.insert(trouble.text).second)
            result.accepted.push_back(fmt::format("{}; accepted: {}", trouble.text, fit->reason));
    }
    result.verdict = !open.empty() ? Verdict::differs : result.accepted.empty() ? Verdict::same : Verdict::accepted;
    if (open.empty()) return;
    result.text = open.front().text;
    if (open.size() > 1) result.text += fmt::format(" ... and {} more", open.size() - 1);
    if (!open.front().difference.cause.empty()) result.text += "; cause: " + open.front().difference.cause;
    std::set<decltype(key_of("", Acceptance{}))> known;
    for (const Trouble& trouble : open) {
        Acceptance acceptance = acceptance_of(result, trouble);
        if (known.insert(key_of("", acceptance)).second) result.news.push_back(std::move(acceptance));
    }
}

bool is_for(const SuiteEntry& entry, const Target& target) {
    const auto kind = [&]() -> const char* {
        switch (target.kind) {
            case Target::Kind::emulated: return "emulated";
            case Target::Kind::rocev2: return "rocev2";
            case Target::Kind::smc: return "smc";
            case Target::Kind::interface: break;
        }
        return "if";
    }();
    return entry.targets.empty() || std::ranges::find(entry.targets, kind) != entry.targets.end();
}

Pace pace_of(const SuiteEntry& entry) { return {entry.speed == "recorded" ? 1.0 : 0.0}; }

/// The cases of one recording against one target.
class EntryRun {
public:
    EntryRun(const Suite& suite, const SuiteEntry& entry, const PlaySettings& target, const VerifySettings& settings)
        : suite_(suite),
          entry_(entry),
          settings_(target),
          stop_(settings.stop),
          live_(target.target.kind != Target::Kind::emulated) {
        settings_.speed = entry.speed;
        settings_.pace = pace_of(entry);
        settings_.timeout = static_cast<Time>(entry.timeout * static_cast<double>(capture::second));
        settings_.most = static_cast<Time>(entry.limit * static_cast<double>(capture::second));
        settings_.masks = entry.masks.get();
    }

    /// `reading`: libraries that read captures are used by one thread at a time.
    void go(std::mutex& reading, const std::function<void(CaseResult)>& add) {
        Recording recording;
        {
            const std::lock_guard lock(reading);
            recording = read_recording([&](const engine::Options& options, const engine::Observers& observers) {
                return report::read(
                    entry_.files, options, observers, [](const capture::DecodedFrame&) { return true; });
            });
        }
        if (!recording.reading.engine || !recording.reading.problems.empty())
            return add(failed("", recording.reading.problems.front()));
        const std::vector<Candidate> all = candidates_of(recording);
        if (all.empty()) return add(failed("", "it has no session that could be replayed"));
        if (entry_.sessions.empty()) {
            for (const Candidate& candidate : all) each_side(recording, candidate, add);
            return;
        }
        for (const std::string& session : entry_.sessions) {
            const auto found = std::ranges::find_if(all, [&](const auto& one) { return one.info.id == session; });
            if (found == all.end()) add(failed(session, "there is no such session; see fabricscope replay --list"));
            else each_side(recording, *found, add);
        }
    }

private:
    CaseResult result_of(const std::string& session) const {
        CaseResult result;
        result.entry = entry_.name;
        result.session = session;
        result.target = settings_.target_name;
        return result;
    }
    CaseResult failed(const std::string& session, std::string text) const {
        CaseResult result = result_of(session);
        result.text = std::move(text);
        return result;
    }

    /// Of sessions that were not asked for by name, those that cannot be played are left out.
    void each_side(
        const Recording& recording, const Candidate& candidate, const std::function<void(CaseResult)>& add) const {
        const Verdict obstacle = entry_.sessions.empty() ? Verdict::left_out : Verdict::not_run;
        if (!candidate.info.obstacle.empty()) {
            CaseResult result = failed(candidate.info.id, candidate.info.obstacle);
            result.verdict = obstacle;
            return add(std::move(result));
        }
        for (const Side side : entry_.play) {
            if (stop_ && stop_()) return;
            CaseResult result = result_of(candidate.info.id);
            result.side = side;
            const auto begin = Clock::now();
            try {
                run(result, recording, candidate, side);
            } catch (const NotPlayable& error) {
                result.verdict = obstacle;
                result.text = error.what();
            } catch (const std::exception& error) {  // TransportError, InterfaceError, commands
                result.text = error.what();
            }
            result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
            add(std::move(result));
        }
    }

    void run(CaseResult& result, const Recording& recording, const Candidate& candidate, Side side) const {
        const std::vector<std::string> environment{
            "FABRICSCOPE_TARGET=" + settings_.target_name, "FABRICSCOPE_HOST=" + settings_.target.host,
            "FABRICSCOPE_SESSION=" + candidate.info.id, std::string("FABRICSCOPE_PLAY=") + engine::name_of(side)};
        const auto do_now = [&](const char* what, const std::string& command) {
            if (!live_ || command.empty()) return;
            const int status = RunningCommand(through(suite_.shell, command), environment).wait(command_limit);
            if (status == 0) return;
            throw TransportError(
                status < 0 ? fmt::format("{} takes more than {} s: {}", what, command_limit, command)
                           : fmt::format("{} ends with status {}: {}", what, status, command));
        };
        do_now("setup", entry_.setup);
        std::string clean_up_problem;
        {
            std::unique_ptr<RunningCommand> peer;
            const auto clean_up = [&] {
                peer.reset();
                try {
                    do_now("cleanup", entry_.cleanup);
                } catch (const std::exception& error) {
                    clean_up_problem = error.what();
                }
            };
            PlaySettings settings = settings_;
            const auto end = Clock::now() + std::chrono::duration<double>(entry_.limit);
            settings.stop = [&] { return (stop_ && stop_()) || Clock::now() >= end; };
            const std::string& program = entry_.peer[engine::other(side)];
            if (live_ && !program.empty())
                settings.on_ready = [&] {
                    peer = std::make_unique<RunningCommand>(through(suite_.shell, program), environment);
                    // A server has to listen before it is asked.
                    if (side == Side::client) peer->wait(entry_.start);
                };
            try {
                const std::unique_ptr<Played> played = play(recording, candidate, side, settings);
                const RunReport report = report_of(*played, settings);
                judge(result, entry_, report);
                result.notes = report.notes;
                result.report = json_of(report, false);
            } catch (...) {
                clean_up();
                throw;
            }
            clean_up();
        }
        if (clean_up_problem.empty()) return;
        result.verdict = Verdict::not_run;
        result.text = clean_up_problem;
    }

    const Suite& suite_;
    const SuiteEntry& entry_;
    PlaySettings settings_;
    std::function<bool()> stop_;
    bool live_;
};

}  // namespace

const char* name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::same: return "same";
        case Verdict::accepted: return "accepted";
        case Verdict::differs: return "differs";
        case Verdict::not_run: return "not run";
        case Verdict::left_out: break;
    }
    return "left out";
}

bool fits(const Acceptance& acceptance, const CaseResult& of, const Difference& difference) {
    const auto equal = [](const std::string& wanted, const std::string& is) { return wanted.empty() || wanted == is; };
    return equal(acceptance.session, of.session) && equal(acceptance.target, of.target) &&
           (!acceptance.play || acceptance.play == of.side) && equal(acceptance.where, difference.where) &&
           equal(acceptance.message, difference.message) && equal(acceptance.field, difference.field) &&
           difference.actual.starts_with(acceptance.actual) &&
           (acceptance.cause.empty() || difference.cause.find(acceptance.cause) != std::string::npos);
}

std::vector<CaseResult> verify(const Suite& suite, const VerifySettings& settings) {
    struct Unit {
        explicit Unit(EntryRun the_run) : run(std::move(the_run)) {}
        EntryRun run;
        std::vector<CaseResult> results{};
    };
    std::vector<std::unique_ptr<Unit>> units;
    std::vector<Unit*> emulated, live;  // live ones may disturb each other: they come one after the other
    for (const PlaySettings& target : settings.targets)
        for (const SuiteEntry& entry : suite.entries) {
            if (!is_for(entry, target.target)) continue;
            units.push_back(std::make_unique<Unit>(EntryRun(suite, entry, target, settings)));
            (target.target.kind == Target::Kind::emulated ? emulated : live).push_back(units.back().get());
        }
    std::mutex reading, telling;
    const auto work = [&](Unit& unit) {
        unit.run.go(reading, [&](CaseResult result) {
            const std::lock_guard lock(telling);
            if (settings.on_result) settings.on_result(result);
            unit.results.push_back(std::move(result));
        });
    };
    const auto stopped = [&] { return settings.stop && settings.stop(); };
    std::atomic<std::size_t> next = 0;
    {
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < std::max(settings.jobs, 1U); ++i)
            threads.emplace_back([&] {
                for (std::size_t mine = next++; mine < emulated.size() && !stopped(); mine = next++)
                    work(*emulated[mine]);
            });
        for (Unit* unit : live)
            if (!stopped()) work(*unit);
    }
    std::vector<CaseResult> results;
    for (const auto& unit : units) std::ranges::move(unit->results, std::back_inserter(results));
    return results;
}

Baseline updated(const Baseline& before, const std::vector<CaseResult>& results, const std::string& reason) {
    Baseline after;
    for (const auto& old : before) {
        const std::string& entry = old.first;
        const Acceptance& acceptance = old.second;
        const auto concerns = [&](const CaseResult& result) {
            return result.entry == entry && (acceptance.session.empty() || acceptance.session == result.session) &&
                   (acceptance.target.empty() || acceptance.target == result.target) &&
                   (!acceptance.play || acceptance.play == result.side);
        };
        const auto needs = [&](const CaseResult& result) {
            const bool used = std::ranges::any_of(
                result.used, [&](const Acceptance& one) { return key_of(entry, one) == key_of(entry, acceptance); });
            return concerns(result) && (used || result.verdict == Verdict::not_run);
        };
        // Of a target that this time was not asked, nothing is known.
        if (std::ranges::none_of(results, concerns) || std::ranges::any_of(results, needs))
            after.emplace_back(entry, acceptance);
    }
    for (const CaseResult& result : results)
        for (Acceptance acceptance : result.news) {
            acceptance.reason = reason;
            after.emplace_back(result.entry, std::move(acceptance));
        }
    return after;
}

}  // namespace fabricscope::replay
