// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/verdict.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "analyzer/report/notables.h"

namespace fabricscope::report {
namespace {

constexpr std::size_t names_in_a_sentence = 5;

engine::Severity severity_of(Ink ink) {
    if (ink == Ink::red) return engine::Severity::error;
    return ink == Ink::yellow ? engine::Severity::warning : engine::Severity::note;
}

/// The first of the names that a sentence has; empty if it has none.
std::string name_in(const std::string& text, const std::set<std::string_view>& names) {
    const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; };
    for (auto begin = text.begin(); begin != text.end();) {
        begin = std::find_if(begin, text.end(), is_part);
        const auto end = std::find_if_not(begin, text.end(), is_part);
        if (std::string word(begin, end); names.contains(word)) return word;
        begin = end;
    }
    return {};
}

}  // namespace

std::vector<Trouble> troubles_of(const Results& results, const Overview& overview) {
    std::set<std::string_view> names;
    for (const Node& node : overview.nodes) names.insert(node.name);
    std::vector<Trouble> troubles;
    for (Notable& notable : notables(results, {.colour = false, .unicode = true}, names_in_a_sentence)) {
        std::string session = name_in(notable.text, names);
        troubles.push_back(
            {.severity = severity_of(notable.ink), .text = std::move(notable.text), .session = std::move(session)});
    }
    for (std::string& sentence : missing_transports(results))
        troubles.push_back({.severity = engine::Severity::note, .text = std::move(sentence)});
    for (const engine::Finding* finding : results.findings)
        troubles.push_back(
            {.severity = finding->rule->severity,
             .text = finding->text,
             .session = finding->session,
             .frames = finding->frames,
             .rule = finding->rule->id,
             .clause = finding->rule->clause});
    std::ranges::stable_sort(troubles, std::greater{}, &Trouble::severity);
    return troubles;
}

}  // namespace fabricscope::report
