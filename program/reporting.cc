// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/reporting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "analyzer/engine/limits.h"
#include "analyzer/report/json.h"
#include "analyzer/report/summary.h"
#include "program/ids.h"
#include "program/status.h"
#include "program/suggestion.h"

namespace fabricscope::cli {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::ranges::find(list, word) != list.end();
}

/// What is wrong with a rule's id, empty if nothing is.
std::string check_rule(const std::string& id) {
    const auto has_id = [&](const engine::Rule* rule) { return rule->id == id; };
    return std::ranges::any_of(engine::rules(), has_id) ? "" : "no rule " + id + suggestion(id, texts_of(rule_ids()));
}

/// What is wrong with a value of --limit, empty if nothing is.
std::string check_limit(const std::string& text) {
    engine::Options scratch;
    if (engine::set_limit(scratch, text)) return "";
    return fmt::format("{} is no NAME=COUNT of one of these limits: {}", text, fmt::join(engine::limit_names(), ", "));
}

/// Why nothing can be reported of a rule; empty if it can.
std::string why_not_judged(const std::string& id, const ReportOptions& options) {
    const engine::Rule& rule = **std::ranges::find(engine::rules(), id, &engine::Rule::id);
    const auto protocol = std::ranges::find_if(engine::protocols, [&](const engine::Protocol& candidate) {
        return std::ranges::find(candidate.rules, &rule) != candidate.rules.end();
    });
    if (!contains(options.protocols, protocol->token)) return "--protocol leaves its protocol out";
    if (rule.only_in && options.profile != name_of(*rule.only_in))
        return fmt::format("it is judged with --profile {} only", name_of(*rule.only_in));
    return is_chosen(rule, options) ? "" : "--rule or --rules-level leaves it out";
}

constexpr std::array severities{engine::Severity::error, engine::Severity::warning, engine::Severity::note};

std::vector<Word> severities_and_ids() {
    std::vector<Word> words = all_ids();
    for (const engine::Severity severity : severities) words.push_back({name_of(severity), "this severity, or worse"});
    return words;
}

/// What is wrong with a value of --fail-on, empty if nothing is.
std::string check_fail_on(const std::string& word) {
    const auto is_word = [&](engine::Severity severity) { return word == name_of(severity); };
    if (std::ranges::any_of(severities, is_word) || observations::find_kind(word) != nullptr) return "";
    if (check_rule(word).empty()) return "";
    const std::string meant = suggestion(word, texts_of(severities_and_ids()));
    return word + " is neither a severity nor the id of an observation or a rule" + meant;
}

/// False if `word` is no severity.
bool is_at_least(engine::Severity severity, const std::string& word) {
    const auto least = std::ranges::find_if(severities, [&](engine::Severity s) { return word == name_of(s); });
    return least != severities.end() && severity >= *least;
}

std::vector<const engine::Finding*> chosen_findings(const engine::Engine& engine, const ReportOptions& options) {
    std::vector<const engine::Finding*> findings = engine.findings();
    std::erase_if(findings, [&](const engine::Finding* finding) { return !is_chosen(*finding->rule, options); });
    return findings;
}

std::vector<engine::RuleResult> chosen_rules(const engine::Engine& engine, const ReportOptions& options) {
    std::vector<engine::RuleResult> results = engine.rule_results();
    std::erase_if(results, [&](const engine::RuleResult& result) { return !is_chosen(*result.rule, options); });
    return results;
}

engine::Profile profile_of(const ReportOptions& options) {
    for (const engine::Profile profile : {engine::Profile::standard, engine::Profile::avionics})
        if (options.profile == name_of(profile)) return profile;
    return engine::Profile::linux_;
}

void add_own_option(const Command& command, const report::OwnOption& own, ReportOptions& options) {
    const auto check = [&own](const std::string& value) {
        engine::Options scratch;
        return own.take(scratch, value) ? "" : value + own.complaint;
    };
    command.option(own.name, options.own[&own], own.description).check(check).placeholder(own.placeholder);
}

}  // namespace

std::vector<std::string> all_protocols() {
    std::vector<std::string> tokens;
    for (const engine::Protocol& protocol : engine::protocols) tokens.emplace_back(protocol.token);
    return tokens;
}

void add_report_options(const Command& command, ReportOptions& options) {
    options.json_option = command.json_option(options.json_file);
    command.flag("--ndjson", options.ndjson, "JSON with a record a line; to the file that --json names, if it does");
    command.flag("--all", options.all, "Summary: rows and names without limit");
    command.option("--protocol", options.protocols, "Report only these protocols")
        .separated_by_commas()
        .one_of(options.protocols)
        .placeholder(fmt::format("{}", fmt::join(options.protocols, ",")));
    command.option("--rules-level", options.levels, "Only findings of these levels")
        .separated_by_commas()
        .one_of({"error", "warning", "note"})
        .placeholder("error,warning,note");
    command.option("--rule", options.rules, "Only findings of this rule; may be repeated")
        .separated_by_commas()
        .check(check_rule)
        .placeholder("ID")
        .offers(rule_ids);
    const std::vector<std::string> profiles{
        name_of(engine::Profile::standard), name_of(engine::Profile::linux_), name_of(engine::Profile::avionics)};
    command.option("--profile", options.profile, "What traffic is judged by; linux waives Linux's deviations")
        .one_of(profiles)
        .placeholder(fmt::format("{}", fmt::join(profiles, "|")));
    command
        .option(
            "--fail-on", options.fail_on,
            "Exit with 1 if there is one of this severity or worse, or of this id; without it, errors among findings")
        .separated_by_commas()
        .check(check_fail_on)
        .placeholder("error,warning,note,ID")
        .offers(severities_and_ids);
    command.option("--limit", options.limits, "Keep so many of something; with more memory, a larger capture")
        .separated_by_commas()
        .check(check_limit)
        .placeholder("NAME=COUNT");
    for (const report::ProtocolReport* protocol : report::protocol_reports())
        for (const report::OwnOption& own : protocol->options) add_own_option(command, own, options);
}

std::string why_not_judged(const ReportOptions& options) {
    for (const auto& [option, ids] : {std::pair("--rule", &options.rules), std::pair("--fail-on", &options.fail_on)})
        for (const std::string& id : *ids) {
            if (!check_rule(id).empty()) continue;  // a severity, or of an observation
            if (const std::string reason = why_not_judged(id, options); !reason.empty())
                return fmt::format("{} {}: {}", option, id, reason);
        }
    return {};
}

bool is_chosen(const engine::Rule& rule, const ReportOptions& options) {
    if (rule.only_in && options.profile != name_of(*rule.only_in)) return false;
    return (options.levels.empty() || contains(options.levels, name_of(rule.severity))) &&
           (options.rules.empty() || contains(options.rules, rule.id));
}

engine::Options engine_options_of(const ReportOptions& options) {
    engine::Options result;
    for (const engine::Protocol& protocol : engine::protocols)
        protocol.followed(result) = contains(options.protocols, protocol.token);
    engine::judge_by(result, profile_of(options));
    for (const std::string& limit : options.limits) engine::set_limit(result, limit);
    for (const auto& [own, values] : options.own)
        for (const std::string& value : values) own->take(result, value);
    return result;
}

std::string joined(std::vector<std::string> values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return fmt::format("{}", fmt::join(values, ","));
}

std::vector<report::Setting> settings_of(const ReportOptions& options) {
    std::vector<report::Setting> settings{{"--protocol", joined(options.protocols)}, {"--profile", options.profile}};
    const auto add = [&](const std::string& option, const std::vector<std::string>& values) {
        if (!values.empty()) settings.push_back({option, joined(values)});
    };
    add("--rules-level", options.levels);
    add("--rule", options.rules);
    add("--limit", options.limits);
    for (const auto& [own, values] : options.own) add(own->name, values);
    return settings;
}

report::Results results_of(
    const Analysis& analysis, const std::vector<std::string>& files, const ReportOptions& options) {
    report::Results results = report::results_of(analysis, files, chosen_findings(*analysis.engine, options));
    results.rules = chosen_rules(*analysis.engine, options);
    results.profile = profile_of(options);
    return results;
}

ReportWriter::ReportWriter(const ReportOptions& options, Number number)
    : options_(options), is_list_(number == Number::several && options.json() && !options.ndjson) {}

void write_report(std::ostream& out, const report::Results& results, const ReportOptions& options, bool cursors) {
    if (options.ndjson) return write_ndjson(out, results, cursors);
    if (options.json()) return write_json(out, results, cursors);
    report::SummaryOptions summary{.style = output_style()};
    if (options.all) summary.rows = summary.names = report::no_limit;
    report::write_summary(out, results, summary);
}

std::ostream& ReportWriter::begin_report() {
    const bool is_first = !output_;
    if (is_first) output_.emplace(options_.json_file);
    std::ostream& out = output_->stream();
    if (is_list_) out << (is_first ? "[" : ",\n");
    else if (!is_first && !options_.json()) out << '\n';
    return out;
}

void ReportWriter::write(const report::Results& results, bool cursors) {
    write_report(begin_report(), results, options_, cursors);
}

void ReportWriter::write(std::istream& report) { begin_report() << report.rdbuf(); }

bool ReportWriter::finish() {
    if (is_list_ && !output_) begin_report();  // a list of nothing
    if (!output_) return true;
    if (is_list_) output_->stream() << "]\n";
    return output_->finish();
}

int status_of(const report::Results& results, const ReportOptions& options) {
    if (!results.problems.empty()) return not_read;
    const auto fails = [&](const observations::Observation& o) {
        if (options.fail_on.empty()) return o.kind == nullptr && o.severity == engine::Severity::error;
        return contains(options.fail_on, o.id) || std::ranges::any_of(options.fail_on, [&](const std::string& word) {
                   return is_at_least(o.severity, word);
               });
    };
    return std::ranges::any_of(results.observations, fails) ? errors_found : done;
}

}  // namespace fabricscope::cli
