// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/data_tables.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "analyzer/report/document.h"
#include "analyzer/report/json.h"

namespace fabricscope::report {
namespace {

struct Inner {
    std::optional<double> ratio;
};
struct Thing {
    std::uint32_t id = 0;
    std::optional<Inner> inner;
    std::vector<std::string> words;
    engine::FrameStamp step;
};

constexpr auto inner_columns = columns<Inner>(column<&Inner::ratio>("ratio", "a number"));
constexpr auto word_columns = columns<std::string>(column<[](const std::string& word) { return word; }>("word", "it"));
constexpr auto thing_columns = columns<Thing>(
    column<&Thing::id>("id", "its number"), object<&Thing::inner, inner_columns>("inner", "what is inside"),
    only_in_json<&Thing::words, word_columns>("words", "all of them", Form::values),
    inlined<[](const Thing& thing, const Each<Inner>& each) { each({thing.inner ? 1.0 : 0.0}); }, inner_columns>(
        "inlined"),
    time<&Thing::step>("time", "when"), frame<&Thing::step>("frame", "where"));
const ColumnsElsewhere<Thing> things{thing_columns};

TEST(Columns, MakeJson) {
    const Thing full{7, Inner{0.5}, {"a", "b"}, {2 * capture::second, 3}};
    EXPECT_EQ(
        line_of(things, full, {.start = capture::second}),
        R"({"id":7,"inner":{"ratio":0.5},"words":["a","b"],"ratio":1.0,"time":1.0,"frame":3})");
    EXPECT_EQ(line_of(things, Thing{}, {}), R"({"id":0,"inner":null,"words":[],"ratio":0.0,"time":0.0,"frame":0})");
}

TEST(Columns, KnowTheirTypes) {
    EXPECT_EQ(thing_columns.list[0].type, Type::integer);
    EXPECT_EQ(inner_columns.list[0].type, Type::real);
    EXPECT_EQ(word_columns.list[0].type, Type::text);
}

const DataTable& table_named(std::string_view name) {
    return *std::ranges::find_if(data_tables(), [&](const DataTable& table) { return table.name == name; });
}

TEST(DataTables, NoColumnTwice) {
    for (const DataTable& table : data_tables()) {
        std::set<std::string> names;
        for (const TableColumn& column : table.columns)
            EXPECT_TRUE(names.insert(column.name).second) << table.name << ' ' << column.name;
    }
}

TEST(DataTables, WhatIsReferredToComesFirst) {
    std::set<std::string> before;
    for (const DataTable& table : data_tables()) {
        for (const ForeignKey& key : table.foreign_keys)
            EXPECT_TRUE(before.contains(key.references.substr(0, key.references.find(' ')))) << table.name;
        before.insert(table.name);
    }
}

TEST(DataTables, ListsOfListsHaveTheKeysOfBoth) {
    const DataTable& table = table_named("rtokens");
    EXPECT_EQ(table.key, "link_group, rmb, position");
    ASSERT_EQ(table.foreign_keys.size(), 1U);
    EXPECT_EQ(table.foreign_keys[0].columns, "link_group, rmb");
    EXPECT_EQ(table.foreign_keys[0].references, "rmbs (link_group, position)");
}

TEST(DataTables, MembersOfObjectsHaveBothNamesAndBothMeanings) {
    const auto& columns = table_named("fc_logins").columns;
    const auto column = std::ranges::find(
        columns, "originator_parameters_class_2_end_to_end_credit", &TableColumn::name);
    ASSERT_NE(column, columns.end());
    EXPECT_EQ(column->meaning, "what the originator said of itself: class 2: end-to-end Credit");
}

}  // namespace
}  // namespace fabricscope::report
