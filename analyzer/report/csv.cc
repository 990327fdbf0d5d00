// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/csv.h"

#include <ostream>
#include <string_view>

namespace fabricscope::report {
namespace {

constexpr std::string_view line_end = "\r\n";

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += '"';
        result += c;
    }
    return result += '"';
}

void append_field(std::string& row, const Json& value) {
    if (value.is_null()) return;
    if (!value.is_text()) return append(row, value);
    const std::string text = utf8_of(value.text());
    row += text.empty() ? in_quotes(text) : csv_field(text);
}

class CsvSink final : public RowSink {
public:
    explicit CsvSink(const std::function<std::ostream&(const DataTable&)>& stream_of) : stream_of_(stream_of) {
        for (const DataTable& table : data_tables()) stream_of_(table) << csv_header(table) << line_end;
    }

    void on_row(const DataTable& table, std::span<const Json> values) override {
        row_.clear();
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i != 0) row_ += ',';
            append_field(row_, values[i]);
        }
        stream_of_(table) << row_ << line_end;
    }

private:
    const std::function<std::ostream&(const DataTable&)>& stream_of_;
    std::string row_;  ///< its memory is used again
};

}  // namespace

std::string csv_field(const std::string& text) {
    return text.find_first_of(",\"\r\n") != std::string::npos ? in_quotes(text) : text;
}

std::string csv_header(const DataTable& table) {
    std::string header;
    for (const TableColumn& column : table.columns) header.append(header.empty() ? "" : ",").append(column.name);
    return header;
}

void write_csv(const Results& results, bool cursors, const std::function<std::ostream&(const DataTable&)>& stream_of) {
    CsvSink sink(stream_of);
    for_each_row(results, cursors, sink);
}

}  // namespace fabricscope::report
