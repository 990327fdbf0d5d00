// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace fabricscope::report {
namespace {

std::string printed(const Table& table, const Style& style) {
    std::ostringstream out;
    table.print(out, style, 2);
    return out.str();
}

TEST(Table, AlignsColumnsAndLeavesNoBlanksAtTheEnd) {
    Table table({{"Name"}, {"Octets", Table::Align::right}, {"Note"}});
    table.add({{"a"}, {"1,000"}, {"long note"}});
    table.add({{"longer"}, {"7"}, {""}});
    EXPECT_EQ(
        printed(table, {}),
        "  Name    Octets  Note\n"
        "  a        1,000  long note\n"
        "  longer       7\n");
}

TEST(Table, CountsCharactersNotOctets) {
    Table table({{"Time"}, {"x"}});
    table.add({{"1 µs"}, {"y"}});
    EXPECT_EQ(printed(table, {}), "  Time  x\n  1 µs  y\n");
}

TEST(Table, ColourDoesNotMoveColumns) {
    Table table({{"A"}, {"B"}});
    table.add({{"1", Ink::red}, {"2"}});
    EXPECT_EQ(printed(table, {.colour = true}), "  \x1b[1mA\x1b[0m  \x1b[1mB\x1b[0m\n  \x1b[31m1\x1b[0m  2\n");
}

TEST(Table, BreaksLongTextBetweenWords) {
    Table table({{"Id"}, {"What", Table::Align::left, 9}});
    table.add({{"1"}, {"one two three"}});
    table.add({{"2"}, {"indivisible four"}});
    EXPECT_EQ(
        printed(table, {}),
        "  Id  What\n"
        "  1   one two\n"
        "      three\n"
        "  2   indivisible\n"
        "      four\n");
}

TEST(Table, WithoutTitlesThereIsNoTitleLine) {
    Table table({{""}, {""}});
    table.add({{"a"}, {"b"}});
    EXPECT_EQ(printed(table, {}), "  a  b\n");
}

}  // namespace
}  // namespace fabricscope::report
