// SPDX-License-Identifier: GPL-2.0-or-later
// From what the engine found to what was asked for: for every command that reports sessions and findings.
#pragma once

#include <map>
#include <span>

#include "analyzer/report/protocol.h"
#include "program/analysis.h"
#include "program/output.h"

namespace fabricscope::cli {

/// As options call them.
std::vector<std::string> all_protocols();

struct ReportOptions {
    std::string json_file;  ///< empty: standard output
    bool ndjson = false;
    bool all = false;
    std::vector<std::string> protocols = all_protocols();
    std::vector<std::string> levels;   ///< empty = all
    std::vector<std::string> rules;    ///< empty = all
    std::vector<std::string> fail_on;  ///< severities and ids; empty: rules of severity error that were broken
    std::vector<std::string> limits;   ///< "NAME=COUNT"
    std::string profile = name_of(engine::Profile::linux_);
    std::map<const report::OwnOption*, std::vector<std::string>> own;  ///< what was given for protocols' own options
    std::optional<Option> json_option;

    bool json() const { return ndjson || (json_option && json_option->given()); }
};
/// `options` has to live as long as the command.
void add_report_options(const Command& command, ReportOptions& options);

/// Why nothing can come of a rule that --rule or --fail-on names; empty if it can.
std::string why_not_judged(const ReportOptions& options);
/// Whether findings of this rule were asked for.
bool is_chosen(const engine::Rule& rule, const ReportOptions& options);
engine::Options engine_options_of(const ReportOptions& options);
/// Those that shape what is reported.
std::vector<report::Setting> settings_of(const ReportOptions& options);
/// In order, and each once.
std::string joined(std::vector<std::string> values);
/// Points into `analysis`. `files`: where the frames come from, as the user named it.
report::Results results_of(
    const Analysis& analysis, const std::vector<std::string>& files, const ReportOptions& options);

/// Summary, JSON or records, as the options say.
void write_report(std::ostream& out, const report::Results& results, const ReportOptions& options, bool cursors);

/// One report, or several in a row, where the options say: summaries, JSON or records. Several JSON documents are a
/// list. The file is opened for the first one.
class ReportWriter {
public:
    enum class Number : std::uint8_t { one, several };
    ReportWriter(const ReportOptions& options, Number number);

    void write(const report::Results& results, bool cursors);
    /// What write_report() has written elsewhere.
    void write(std::istream& report);
    /// False, after a complaint, if not everything could be written.
    bool finish();

private:
    std::ostream& begin_report();

    const ReportOptions& options_;
    std::optional<Output> output_;
    bool is_list_;
};

/// Of the program, once all has been written.
int status_of(const report::Results& results, const ReportOptions& options);

}  // namespace fabricscope::cli
