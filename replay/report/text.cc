// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "analyzer/report/table.h"
#include "analyzer/report/units.h"
#include "replay/report/run_report.h"

namespace fabricscope::replay {

namespace {

using report::Ink;
using report::Table;

constexpr std::size_t of_a_cause = 3;  ///< differences that are shown

std::string frame_text(std::uint64_t frame) { return frame != 0 ? fmt::format("frame {}", frame) : "-"; }

std::size_t count_of(const Comparison& comparison, bool policy) {
    return static_cast<std::size_t>(std::ranges::count_if(
        comparison.differences, [&](const Difference& d) { return (d.level == Level::policy) == policy; }));
}

class Writer {
public:
    Writer(std::ostream& out, const RunReport& report, const TextOptions& options)
        : out_(out), report_(report), options_(options), style_(options.style) {}

    void write() {
        write_head();
        write_differences("Differences", false);
        write_findings("Rules that this run broke and the recording did not", report_.comparison.broken);
        write_findings(
            "Rules that the played side broke, as recorded or for want of an answer: no fault of the peer",
            report_.comparison.own);
        write_differences("Left to implementations", true);
        for (const std::string& note : report_.notes) fmt::print(out_, "note: {}\n", note);
        if (options_.ladder) write_ladder();
    }

private:
    void write_head() {
        fmt::print(
            out_, "{} ({}): {} played against {}\n", style_.paint(Ink::bold, report_.session), report_.about,
            engine::name_of(report_.played), report_.target);
        const std::string verdict = report_.same() ? style_.paint(Ink::green, "same")
                                                   : style_.paint(Ink::red, "differs");
        std::size_t octets = 0;
        for (const Stream& stream : report_.recorded.streams) octets += stream.octets.size();
        fmt::print(
            out_, "{}: {}, {}", verdict, report::counted(report_.recorded.messages.size(), "message"),
            report::counted(report_.recorded.facts.size(), "state"));
        if (octets != 0) fmt::print(out_, ", {} of data", report::counted(octets, "byte"));
        if (const std::size_t count = count_of(report_.comparison, false); count != 0)
            fmt::print(out_, "; {}", report::counted(count, "difference"));
        if (const std::size_t count = count_of(report_.comparison, true); count != 0)
            fmt::print(out_, "; {} left to implementations", count);
        fmt::print(out_, "\n");
        if (!report_.refusal.empty()) fmt::print(out_, "{}\n", style_.paint(Ink::red, report_.refusal));
        else if (!report_.broken_off.empty())
            fmt::print(out_, "{}: {}\n", style_.paint(Ink::red, "broken off"), report_.broken_off);
        else if (!report_.over)
            fmt::print(out_, "{}: {}\n", style_.paint(Ink::red, "timed out, waiting for"), report_.waiting_for);
        if (!report_.recorded.complete)
            fmt::print(out_, "The recording is not complete: what it lacks could be neither played nor compared.\n");
        if (!report_.proof.empty())
            for (const std::string& line : report::wrapped(report_.proof, report::text_width))
                fmt::print(out_, "{}\n", style_.paint(Ink::faint, line));
    }

    /// Like the report of a failed test: which message and field, then both values below each other.
    void write_differences(const char* title, bool policy) {
        const std::size_t count = count_of(report_.comparison, policy);
        if (count == 0) return;
        fmt::print(out_, "\n{}\n", style_.paint(Ink::bold, title));
        std::size_t shown = 0;
        for (const Difference& difference : report_.comparison.differences) {
            if ((difference.level == Level::policy) != policy || !difference.cause.empty()) continue;
            if (shown++ == options_.rows) break;
            write_difference(difference, policy);
        }
        write_causes(policy);
        if (shown > options_.rows) fmt::print(out_, "  ... and {} more\n", count - options_.rows);
    }

    void write_difference(const Difference& difference, bool policy) {
        fmt::print(out_, "  {}", style_.paint(policy ? Ink::plain : Ink::red, title_of(difference)));
        if (!difference.clause.empty()) fmt::print(out_, "  [{}]", difference.clause);
        fmt::print(out_, "\n");
        write_side("recorded", difference.recorded_frame, difference.recorded);
        write_side("actual", difference.actual_frame, difference.actual);
    }

    /// What only follows from something is one line for each cause, and the first of the differences.
    void write_causes(bool policy) {
        std::map<std::string_view, std::vector<const Difference*>> by_cause;
        for (const Difference& difference : report_.comparison.differences)
            if ((difference.level == Level::policy) == policy && !difference.cause.empty())
                by_cause[difference.cause].push_back(&difference);
        for (const auto& [cause, differences] : by_cause) {
            fmt::print(
                out_, "  {} from one cause: {}\n", report::counted(differences.size(), "difference"),
                style_.paint(Ink::yellow, cause));
            for (std::size_t i = 0; i < std::min(differences.size(), of_a_cause); ++i)
                fmt::print(
                    out_, "    {}: {} (recorded: {})\n", title_of(*differences[i]), differences[i]->actual,
                    differences[i]->recorded);
            if (differences.size() > of_a_cause)
                fmt::print(out_, "    ... and {} more\n", differences.size() - of_a_cause);
        }
    }

    void write_side(const char* which, std::uint64_t frame, const std::string& value) {
        fmt::print(out_, "    {:<9} {:<10} {}\n", which, frame != 0 ? frame_text(frame) : "", value);
    }

    void write_findings(const char* title, const std::vector<engine::Finding>& findings) {
        if (findings.empty()) return;
        fmt::print(out_, "\n{}\n", style_.paint(Ink::bold, title));
        for (const engine::Finding& finding : findings) {
            const std::uint64_t frame = finding.frames.empty() ? 0 : finding.frames.back();
            fmt::print(
                out_, "  {} {} ({}) {}: {}\n", engine::name_of(finding.rule->severity), finding.rule->id,
                finding.rule->clause, frame_text(frame), finding.text);
        }
    }

    // ---- both runs side by side ----

    void write_ladder() {
        fmt::print(
            out_, "\n{}  (> played, = as recorded, ! differs, ~ left to implementations)\n",
            style_.paint(Ink::bold, "Messages"));
        Table table(
            {{""},
             {"recorded", Table::Align::right},
             {"frame", Table::Align::right},
             {"actual", Table::Align::right},
             {"frame", Table::Align::right},
             {"", Table::Align::left},
             {"message"}});
        const auto& pairs = report_.comparison.pairs;
        for (std::size_t i = 0; i < std::min(pairs.size(), options_.rows); ++i) add_row(table, pairs[i]);
        table.print(out_, style_, 2);
        if (pairs.size() > options_.rows) fmt::print(out_, "  ... and {} more\n", pairs.size() - options_.rows);
    }

    void add_row(Table& table, const Pairing& pair) {
        const Message* recorded = pair.recorded ? &report_.recorded.messages[*pair.recorded] : nullptr;
        const Message* actual = pair.actual ? &report_.actual.messages[*pair.actual] : nullptr;
        const Message& message = recorded != nullptr ? *recorded : *actual;
        const auto [mark, ink] = mark_of(pair, message);
        const std::string_view way = message.from == Side::client ? style_.arrow() : (style_.unicode ? "←" : "<-");
        table.add(
            {{std::string(1, mark), ink},
             {time_text(report_.recorded, recorded), Ink::faint},
             {recorded != nullptr ? fmt::format("{}", recorded->frame) : "-", ink},
             {time_text(report_.actual, actual), Ink::faint},
             {actual != nullptr ? fmt::format("{}", actual->frame) : "-", ink},
             {std::string(way)},
             {fmt::format("{}, {}", message.name, message.channel), ink}});
    }

    std::pair<char, Ink> mark_of(const Pairing& pair, const Message& message) const {
        if (pair.differs) return {'!', Ink::red};
        if (message.from == report_.played) return {'>', Ink::plain};
        return pair.recorded && pair.actual ? std::pair('=', Ink::green) : std::pair('~', Ink::faint);
    }

    static std::string time_text(const Conversation& conversation, const Message* message) {
        if (message == nullptr) return "-";
        const Time since = message->time - conversation.messages.front().time;
        return fmt::format("{:.6f}", static_cast<double>(since) / 1e9);
    }

    std::ostream& out_;
    const RunReport& report_;
    const TextOptions& options_;
    const report::Style& style_;
};

}  // namespace

void write_text(std::ostream& out, const RunReport& report, const TextOptions& options) {
    Writer(out, report, options).write();
}

std::string in_short(const RunReport& report) {
    if (report.same()) return "same";
    if (!report.refusal.empty()) return report.refusal;
    if (!report.broken_off.empty()) return "broken off: " + report.broken_off;
    for (const Difference& difference : report.comparison.differences)
        if (difference.level != Level::policy)
            return fmt::format("{}: {} (recorded: {})", title_of(difference), difference.actual, difference.recorded);
    if (!report.over) return "timed out, waiting for " + report.waiting_for;
    const auto broken = std::ranges::find_if(report.comparison.broken, [](const engine::Finding& finding) {
        return finding.rule->severity == engine::Severity::error;
    });
    return fmt::format("{} broken: {}", broken->rule->id, broken->text);
}

}  // namespace fabricscope::replay
