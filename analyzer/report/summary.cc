// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

#include "analyzer/report/attention.h"
#include "analyzer/report/lists.h"
#include "analyzer/report/protocol.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

using Align = Table::Align;

class Summary {
public:
    Summary(std::ostream& out, const Results& results, const SummaryOptions& options)
        : out_(out),
          results_(results),
          options_(options),
          style_(options.style),
          instead_(what_is_there_instead(results)) {}

    void write() {
        head();
        attention();
        protocols();
        findings();
        rules();
    }

private:
    void title(std::string_view text) { out_ << '\n' << style_.paint(Ink::bold, text) << '\n'; }

    void head();
    std::string broken_rules() const;
    void attention();
    void protocols();
    void findings();
    void rules();

    std::ostream& out_;
    const Results& results_;
    const SummaryOptions& options_;
    const Style& style_;
    const std::vector<std::string> instead_;
};

// ---- the whole capture ---------------------------------------------------------------------------

void Summary::head() {
    const engine::CaptureSummary& capture = results_.capture;
    out_ << style_.paint(Ink::bold, fmt::format("{}", fmt::join(results_.files, ", "))) << '\n';
    out_ << counted(capture.frames, "frame");
    if (capture.start)
        out_ << " in " << duration_text(capture.duration, style_.unicode) << " from " << timestamp_text(*capture.start);
    if (capture.copies != 0) out_ << "; " << counted(capture.copies, "duplicate") << " left out";
    for (std::size_t i = 0; i < capture.unread_frames.size(); ++i)
        if (const std::uint64_t frames = capture.unread_frames[i]; frames != 0)
            out_ << "; " << counted(frames, "frame") << " in " << name_of(static_cast<capture::Unread>(i))
                 << ": not decoded";
    out_ << '\n';
}

/// In one sentence; empty if none was, or those only whose breach is a note.
std::string Summary::broken_rules() const {
    constexpr std::size_t most = 5;
    std::vector<std::string_view> ids;
    for (const auto& [rule, tally] : results_.rules)
        if (tally.broken != 0 && rule->severity != engine::Severity::note) ids.push_back(rule->id);
    if (ids.empty()) return {};
    const std::size_t named = std::min(ids.size(), most);
    return fmt::format(
        "{} broken: {}{} (see the findings below)", ids.size() == 1 ? "a rule is" : grouped(ids.size()) + " rules are",
        fmt::join(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(named), ", "),
        ids.size() > most ? ", ..." : "");
}

void Summary::attention() {
    const std::vector<Sentence> sentences = what_stands_out(results_.observations, options_.names);
    const std::string broken = broken_rules();
    if (sentences.empty() && broken.empty() && !instead_.empty()) return;
    title("What stands out");
    if (sentences.empty() && broken.empty()) out_ << "  " << style_.paint(Ink::green, "nothing") << '\n';
    for (const Sentence& sentence : sentences) {
        const bool quiet = sentence.severity == engine::Severity::note;
        std::string_view before = quiet ? "-" : "!";
        for (const std::string& line : wrapped(sentence.text, text_width)) {
            out_ << "  " << style_.paint(ink_of(sentence.severity), before) << ' ' << line << '\n';
            before = " ";
        }
        for (const std::string& detail : sentence.details)
            for (const std::string& line : wrapped(detail, text_width))
                out_ << "      " << style_.paint(Ink::faint, line) << '\n';
    }
    if (!broken.empty()) out_ << "  " << style_.paint(Ink::red, "!") << ' ' << broken << '\n';
}

// ---- protocols -----------------------------------------------------------------------------------

void Summary::protocols() {
    const auto is_there = [&](const ProtocolReport* report) { return report->is_there(results_.models); };
    if (!instead_.empty()) title("Nothing of the protocols that were looked for");
    for (const std::string& sentence : instead_)
        for (const std::string& line : wrapped(sentence, text_width)) out_ << "  " << line << '\n';
    for (const bool carriers : {false, true})
        for (const ProtocolReport* report : protocol_reports())
            if (carries_others(*report) == carriers && is_there(report))
                report->write_summary(out_, results_, options_);
}

// ---- findings ------------------------------------------------------------------------------------

/// "12, 15 (b.pcap 7)": with several files, also where the frame lies that broke the rule.
std::string frames_text(const std::vector<std::uint64_t>& frames, const std::map<std::uint64_t, Place>& places) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(frames.size(), most); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(frames[i]);
    if (frames.size() > most) text += ", ...";
    const auto place = frames.empty() ? places.end() : places.find(frames.back());
    if (place == places.end()) return text;
    const std::string file = std::filesystem::path(place->second.file).filename();
    return text + fmt::format(" ({} {})", file, place->second.frame);
}

void Summary::findings() {
    if (results_.findings.empty()) return;
    title("Findings");
    Table table({{"Level"}, {"Rule"}, {"Session"}, {"Frames"}, {"What"}});
    const std::size_t shown = std::min(results_.findings.size(), options_.rows);
    for (std::size_t i = 0; i < shown; ++i) {
        const engine::Finding& finding = *results_.findings[i];
        table.add(
            {{name_of(finding.rule->severity), ink_of(finding.rule->severity)},
             {finding.rule->id},
             {finding.session},
             {frames_text(finding.frames, results_.places)},
             {fmt::format("{} [{}]", finding.text, finding.rule->clause)}});
    }
    table.print(out_, style_, 2);
    write_rest(out_, results_.findings.size(), shown, "findings", style_);
    std::uint64_t broken = 0;
    for (const auto& [rule, tally] : results_.rules) broken += tally.broken;
    if (broken > results_.findings.size())
        out_ << "  "
             << style_.paint(
                    Ink::faint,
                    fmt::format(
                        "... and {} more, counted with their rules", grouped(broken - results_.findings.size())))
             << '\n';
}

/// Which rules belong together: "SMCR" of "SMCR-R02".
std::string_view catalogue_of(const engine::Rule& rule) {
    const std::string_view id = rule.id;
    return id.substr(0, id.find('-'));
}

/// What the absence of findings is worth.
void Summary::rules() {
    constexpr std::size_t reason_width = 48;
    std::size_t satisfied = 0, broken = 0, undecided = 0, idle = 0;
    Table table(
        {{"Rule"},
         {"Satisfied", Align::right},
         {"Broken", Align::right},
         {"Waived", Align::right},
         {"Undecided", Align::right},
         {"because", Align::left, reason_width}});
    std::set<std::string_view> met;  // rules of protocols that the capture does not have are no news
    for (const auto& [rule, tally] : results_.rules)
        if (tally.satisfied + tally.broken + tally.waived + tally.undecided != 0) met.insert(catalogue_of(*rule));
    for (const auto& [rule, tally] : results_.rules) {
        const bool decided = tally.satisfied + tally.broken + tally.waived != 0;
        if (tally.broken != 0) ++broken;
        else if (decided) ++satisfied;
        else if (tally.undecided != 0) ++undecided;
        else if (met.contains(catalogue_of(*rule))) ++idle;
        const bool remarkable = tally.broken + tally.undecided != 0;
        if (remarkable || (options_.rows == no_limit && decided))
            table.add(
                {{rule->id},
                 {grouped(tally.satisfied)},
                 {grouped(tally.broken)},
                 {grouped(tally.waived)},
                 {grouped(tally.undecided)},
                 {tally.why ? text_of(*tally.why) : ""}});
    }
    if (satisfied + broken + undecided == 0) return;
    title(fmt::format(
        "Rules (profile {}): {} satisfied, {} broken, {} undecided, {} not exercised", name_of(results_.profile),
        satisfied, broken, undecided, idle));
    if (!table.empty()) table.print(out_, style_, 2);
}

}  // namespace

void write_summary(std::ostream& out, const Results& results, const SummaryOptions& options) {
    Summary(out, results, options).write();
}

}  // namespace fabricscope::report
