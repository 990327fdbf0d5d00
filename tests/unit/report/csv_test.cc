// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/csv.h"

#include <gmock/gmock.h>

#include <map>
#include <sstream>

#include "tests/unit/report/models.h"

namespace fabricscope::report::csv_test {
namespace {

using namespace models;

constexpr engine::Rule rule{
    "SMCR-R34", engine::Severity::error, "RFC 7609 4.3", "Cursors move forward.", engine::messages("two CDC messages")};

/// The lines of one table, without its head.
std::string lines_of(const Results& results, std::string_view name) {
    std::map<std::string_view, std::ostringstream> streams;
    write_csv(results, false, [&](const DataTable& table) -> std::ostream& { return streams[table.name]; });
    const std::string text = streams[name].str();
    return text.substr(text.find("\r\n") + 2);
}

std::string finding_line(std::string session, std::string text) {
    const engine::Finding finding{&rule, {12, 15}, std::move(session), std::move(text)};
    const engine::CaptureSummary capture;
    return lines_of({.files = {}, .problems = {}, .capture = capture, .findings = {&finding}}, "findings");
}

TEST(Csv, QuotesOnlyWhatNeedsThem) {
    EXPECT_EQ(finding_line("smcr-1", "went back"), "1,SMCR-R34,error,smcr-1,went back,RFC 7609 4.3\r\n");
    EXPECT_EQ(finding_line("smcr-1", "a, b"), "1,SMCR-R34,error,smcr-1,\"a, b\",RFC 7609 4.3\r\n");
    EXPECT_EQ(finding_line("smcr-1", "the \"B\""), "1,SMCR-R34,error,smcr-1,\"the \"\"B\"\"\",RFC 7609 4.3\r\n");
    EXPECT_EQ(finding_line("smcr-1", "two\nlines"), "1,SMCR-R34,error,smcr-1,\"two\nlines\",RFC 7609 4.3\r\n");
}

TEST(Csv, UnknownIsNothingAndEmptyIsQuoted) {
    EXPECT_EQ(finding_line("", ""), "1,SMCR-R34,error,,\"\",RFC 7609 4.3\r\n");
}

TEST(Csv, WhatIsNoUtf8IsReplaced) {
    EXPECT_EQ(finding_line("lg-1", "caf\xe9"), "1,SMCR-R34,error,lg-1,caf\xef\xbf\xbd,RFC 7609 4.3\r\n");
}

TEST(Csv, EveryTableHasItsHead) {
    const engine::CaptureSummary capture;
    std::map<std::string_view, std::ostringstream> streams;
    write_csv(
        {.files = {}, .problems = {}, .capture = capture, .findings = {}}, false,
        [&](const DataTable& table) -> std::ostream& { return streams[table.name]; });
    for (const DataTable& table : data_tables())
        EXPECT_TRUE(streams[table.name].str().starts_with(csv_header(table) + "\r\n")) << table.name;
}

}  // namespace
}  // namespace fabricscope::report::csv_test
