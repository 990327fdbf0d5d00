// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/suite/verify_report.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "analyzer/report/table.h"
#include "analyzer/report/xml.h"

namespace fabricscope::replay {

namespace {

using report::Ink;
using report::xml_escaped;

constexpr std::size_t text_columns = 100;

Ink ink_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::same: return Ink::green;
        case Verdict::accepted: return Ink::yellow;
        case Verdict::left_out: return Ink::faint;
        default: return Ink::red;
    }
}

const char* side_of(const CaseResult& result) { return result.side ? engine::name_of(*result.side) : "-"; }

std::string words_of(const CaseResult& result) {
    return result.accepted.empty() || !result.text.empty() ? result.text : result.accepted.front();
}

/// "smcr-1 client"
std::string case_name(const CaseResult& result) {
    std::string name = result.session.empty() ? "capture" : result.session;
    if (result.side) name += std::string(" ") + engine::name_of(*result.side);
    return name;
}

double seconds_of(std::span<const CaseResult> results) {
    return std::accumulate(
        results.begin(), results.end(), 0.0, [](double sum, const CaseResult& one) { return sum + one.seconds; });
}

/// All that is said of a case, a line each.
std::string details_of(const CaseResult& result) {
    std::string text = result.text;
    for (const auto* lines : {&result.accepted, &result.notes})
        for (const std::string& line : *lines) text += (text.empty() ? "" : "\n") + line;
    return text;
}

void write_case(std::ostream& out, const CaseResult& result) {
    fmt::print(
        out, "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", xml_escaped(result.entry),
        xml_escaped(case_name(result) + " against " + result.target), result.seconds);
    const auto inner = [&](const char* element) {
        fmt::print(
            out, ">\n      <{0} message=\"{1}\">{2}</{0}>\n    </testcase>\n", element, xml_escaped(result.text),
            xml_escaped(details_of(result)));
    };
    switch (result.verdict) {
        case Verdict::differs: return inner("failure");
        case Verdict::not_run: return inner("error");
        case Verdict::left_out: return inner("skipped");
        case Verdict::accepted:
            fmt::print(out, ">\n      <system-out>{}</system-out>\n    </testcase>\n", xml_escaped(details_of(result)));
            return;
        case Verdict::same: break;
    }
    fmt::print(out, "/>\n");
}

std::string attributes_of(std::span<const CaseResult> results) {
    const VerdictCounts counts = counts_of(results);
    return fmt::format(
        R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")", results.size(), counts.differs,
        counts.not_run, counts.left_out, seconds_of(results));
}

/// The cases of the first recording and target.
std::size_t size_of_first(std::span<const CaseResult> results) {
    const auto end = std::ranges::find_if(results, [&](const CaseResult& one) {
        return one.entry != results.front().entry || one.target != results.front().target;
    });
    return static_cast<std::size_t>(end - results.begin());
}

/// Each once: a mask for all recordings may be about nothing in many.
void write_notes(std::ostream& out, std::span<const CaseResult> results) {
    std::map<std::string, std::vector<std::string>> cases;
    for (const CaseResult& result : results)
        for (const std::string& note : result.notes) cases[note].push_back(result.entry + " " + case_name(result));
    for (const auto& [note, in] : cases)
        fmt::print(
            out, "note: {}: {}{}\n", in.front(), note,
            in.size() == 1 ? "" : fmt::format(" (and in {} more)", in.size() - 1));
    if (!cases.empty()) fmt::print(out, "\n");
}

}  // namespace

VerdictCounts counts_of(std::span<const CaseResult> results) {
    VerdictCounts counts;
    for (const CaseResult& result : results) switch (result.verdict) {
            case Verdict::same: ++counts.same; break;
            case Verdict::accepted: ++counts.accepted; break;
            case Verdict::differs: ++counts.differs; break;
            case Verdict::not_run: ++counts.not_run; break;
            case Verdict::left_out: ++counts.left_out; break;
        }
    return counts;
}

std::string text_of(const VerdictCounts& counts) {
    std::string text = fmt::format("{} same", counts.same);
    const auto add = [&](std::size_t count, Verdict verdict) {
        if (count != 0) text += fmt::format(", {} {}", count, name_of(verdict));
    };
    add(counts.accepted, Verdict::accepted);
    add(counts.differs, Verdict::differs);
    add(counts.not_run, Verdict::not_run);
    add(counts.left_out, Verdict::left_out);
    return text;
}

void write_text(
    std::ostream& out, const Suite& suite, std::span<const CaseResult> results, const report::Style& style, bool all) {
    report::Table table(
        {{"recording"},
         {"session"},
         {"played"},
         {"against"},
         {"result"},
         {"", report::Table::Align::left, text_columns}});
    for (const CaseResult& result : results) {
        if (result.verdict == Verdict::same && !all) continue;
        table.add(
            {{result.entry},
             {result.session.empty() ? "-" : result.session},
             {side_of(result)},
             {result.target},
             {name_of(result.verdict), ink_of(result.verdict)},
             {words_of(result)}});
    }
    if (!table.empty()) {
        table.print(out, style, 0);
        fmt::print(out, "\n");
    }
    write_notes(out, results);
    const VerdictCounts counts = counts_of(results);
    const bool good = counts.differs + counts.not_run == 0;
    fmt::print(out, "{}: {}\n", suite.title, style.paint(good ? Ink::green : Ink::red, text_of(counts)));
}

report::Json json_of(const Suite& suite, std::span<const CaseResult> results) {
    const auto text_or_null = [](const std::string& text) {
        return text.empty() ? report::Json() : report::Json(text);
    };
    report::Json::List cases;
    for (const CaseResult& result : results)
        cases.push_back(
            {{"recording", result.entry},
             {"session", text_or_null(result.session)},
             {"play", result.side ? report::Json(engine::name_of(*result.side)) : report::Json()},
             {"against", result.target},
             {"result", name_of(result.verdict)},
             {"text", text_or_null(result.text)},
             {"accepted", result.accepted},
             {"seconds", result.seconds},
             {"run", result.report}});
    const VerdictCounts counts = counts_of(results);
    return {{"schema", "fabricscope-verify/1"}, {"suite", suite.title},      {"same", counts.same},
            {"accepted", counts.accepted},      {"differs", counts.differs}, {"not_run", counts.not_run},
            {"left_out", counts.left_out},      {"cases", std::move(cases)}};
}

void write_junit(std::ostream& out, const Suite& suite, std::span<const CaseResult> results) {
    fmt::print(
        out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n", xml_escaped(suite.title),
        attributes_of(results));
    while (!results.empty()) {
        const auto cases = results.first(size_of_first(results));
        results = results.subspan(cases.size());
        fmt::print(
            out, "  <testsuite name=\"{}\" {}>\n",
            xml_escaped(cases.front().entry + " against " + cases.front().target), attributes_of(cases));
        for (const CaseResult& result : cases) write_case(out, result);
        fmt::print(out, "  </testsuite>\n");
    }
    fmt::print(out, "</testsuites>\n");
}

}  // namespace fabricscope::replay
