// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/table.h"

#include <algorithm>
#include <ostream>

namespace fabricscope::report {
namespace {

constexpr std::string_view gap = "  ";

/// Lines of a table, padded only between cells: no blanks at a line's end.
class PaddedLine {
public:
    explicit PaddedLine(std::size_t indent) : pending_(indent) {}

    void append(const Cell& cell, std::size_t width, Table::Align align, const Style& style) {
        const std::size_t padding = width - width_of(cell.text);
        if (align == Table::Align::right) pending_ += padding;
        if (!cell.text.empty()) {
            text_.append(pending_, ' ').append(style.paint(cell.ink, cell.text));
            pending_ = 0;
        }
        pending_ += gap.size() + (align == Table::Align::left ? padding : 0);
    }

    const std::string& text() const { return text_; }

private:
    std::string text_;
    std::size_t pending_;  ///< blanks, written before the next character
};

}  // namespace

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths;
    for (const Column& column : columns_) widths.push_back(width_of(column.title));
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            for (const std::string& line : wrapped(row[i].text, columns_[i].most))
                widths[i] = std::max(widths[i], width_of(line));
    return widths;
}

void Table::print(std::ostream& out, const Style& style, std::size_t indent) const {
    const std::vector<std::size_t> width = widths();
    const auto print_line = [&](const std::vector<Cell>& cells) {
        PaddedLine line(indent);
        for (std::size_t i = 0; i < columns_.size(); ++i) line.append(cells[i], width[i], columns_[i].align, style);
        out << line.text() << '\n';
    };
    std::vector<Cell> titles;
    for (const Column& column : columns_) titles.push_back({column.title, Ink::bold});
    if (std::ranges::any_of(titles, [](const Cell& title) { return !title.text.empty(); })) print_line(titles);
    for (const auto& row : rows_) {
        std::vector<std::vector<std::string>> lines;
        for (std::size_t i = 0; i < row.size(); ++i) lines.push_back(wrapped(row[i].text, columns_[i].most));
        const auto height = std::ranges::max(lines, {}, [](const auto& cell) { return cell.size(); }).size();
        for (std::size_t n = 0; n < height; ++n) {
            std::vector<Cell> cells;
            for (std::size_t i = 0; i < row.size(); ++i)
                cells.push_back({n < lines[i].size() ? lines[i][n] : "", row[i].ink});
            print_line(cells);
        }
    }
}

}  // namespace fabricscope::report
