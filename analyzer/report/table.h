// SPDX-License-Identifier: GPL-2.0-or-later
// Aligned columns.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "analyzer/report/style.h"

namespace fabricscope::report {

struct Cell {
    std::string text;
    Ink ink = Ink::plain;
};

class Table {
public:
    enum class Align : std::uint8_t { left, right };
    struct Column {
        std::string title;
        Align align = Align::left;
        std::size_t most = std::string::npos;  ///< columns; longer text is broken between words
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// One cell for each column.
    void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
    bool empty() const { return rows_.empty(); }

    /// Each line behind `indent` blanks; titles only if there is one.
    void print(std::ostream& out, const Style& style, std::size_t indent) const;

private:
    std::vector<std::size_t> widths() const;

    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

}  // namespace fabricscope::report
