// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/json.h"

#include <ostream>

#include "analyzer/report/document.h"
#include "analyzer/report/elements.h"

namespace fabricscope::report {
namespace {

bool is_written(const Column& column, const Context& context) {
    if (column.form == Form::none || (column.form == Form::parts && !context.part)) return false;
    return column.is_written(context);
}

/// Whether JSON gives it lines of its own, so that it is a record of its own where each takes a line.
bool is_part(const Column& column) { return column.is_list ? column.form == Form::objects : column.in_lines; }

/// Records behind what a text holds.
class Writer {
public:
    Writer(std::string& out, const Context& context) : out_(out), context_(context) {}

    void object(std::span<const Column> columns, const void* record) {
        out_ += '{';
        is_first_ = true;
        members(columns, record);
        out_ += '}';
        is_first_ = false;
    }

    /// An object that says first what it is. `parts`: with the parts that are records of their own, too.
    void record(const std::string& kind, std::span<const Column> columns, const void* record, bool parts) {
        out_.append(R"({"record":")").append(kind) += '"';
        is_first_ = false;
        members(columns, record, parts);
        out_ += '}';
    }

    /// An element of a list.
    void element(const Column& list, const void* record) {
        const auto columns = list.members();
        if (list.form == Form::values) value(columns[0], record);
        else if (list.form == Form::arrays) array(columns, record);
        else object(columns, record);
    }

    /// What stands behind the name of a column.
    void value(const Column& column, const void* record) {
        if (column.value != nullptr) append(out_, column.value(record, context_));
        else if (column.is_list) list(column, record);
        else object_or_null(column, record);
    }

private:
    void members(std::span<const Column> columns, const void* record, bool parts = true) {
        for (const Column& column : columns)
            if (is_written(column, context_) && (parts || !is_part(column))) member(column, record, parts);
    }

    void member(const Column& column, const void* record, bool parts) {
        if (column.nesting == Nesting::nowhere) {
            column.visit(record, context_, [&](const void* inner) { members(column.members(), inner, parts); });
            return;
        }
        out_ += is_first_ ? column.key.of_the_first() : column.key.behind_another();
        is_first_ = false;
        value(column, record);
    }

    void object_or_null(const Column& column, const void* record) {
        bool is_there = false;
        column.visit(record, context_, [&](const void* inner) {
            is_there = true;
            object(column.members(), inner);
        });
        if (!is_there) out_ += "null";
    }

    void list(const Column& column, const void* record) {
        out_ += '[';
        bool is_first = true;
        column.visit(record, context_, [&](const void* inner) {
            if (!is_first) out_ += ',';
            is_first = false;
            element(column, inner);
        });
        out_ += ']';
    }

    void array(std::span<const Column> columns, const void* record) {
        out_ += '[';
        for (const Column& column : columns) {
            if (&column != columns.data()) out_ += ',';
            append(out_, column.value(record, context_));
        }
        out_ += ']';
    }

    std::string& out_;
    const Context& context_;
    bool is_first_ = true;  ///< of an object's members
};

/// The document: each member on a line, and each element of lists. Objects that are not there are left out.
class LinesWriter {
public:
    LinesWriter(std::ostream& out, const Context& context) : out_(out), context_(context) {}

    void object(std::span<const Column> columns, const void* record, const std::string& indent) {
        out_ << '{';
        bool is_first = true;
        members(columns, record, indent + "  ", is_first);
        out_ << '\n' << indent << '}';
    }

private:
    void members(std::span<const Column> columns, const void* record, const std::string& indent, bool& is_first) {
        for (const Column& column : columns)
            if (is_written(column, context_)) member(column, record, indent, is_first);
    }

    void member(const Column& column, const void* record, const std::string& indent, bool& is_first) {
        const auto name = [&] {
            out_ << (is_first ? "\n" : ",\n") << indent << '"' << column.name << "\": ";
            is_first = false;
        };
        if (!column.is_object()) {
            name();
            column.is_list ? list(column, record, indent) : value(column, record);
            return;
        }
        column.visit(record, context_, [&](const void* inner) {
            if (column.nesting == Nesting::nowhere) return members(column.members(), inner, indent, is_first);
            name();
            if (column.in_lines) object(column.members(), inner, indent);
            else line([&](Writer& writer) { writer.object(column.members(), inner); });
        });
    }

    void list(const Column& column, const void* record, const std::string& indent) {
        out_ << '[';
        const auto append_element = [&](std::string& text, const void* element, bool is_first) {
            text.append(is_first ? "\n" : ",\n").append(indent).append("  ");
            Writer(text, context_).element(column, element);
        };
        if (write_elements(out_, column, record, context_, append_element)) out_ << '\n' << indent;
        out_ << ']';
    }

    void value(const Column& column, const void* record) {
        line([&](Writer& writer) { writer.value(column, record); });
    }

    template <class Write> void line(const Write& write) {
        line_.clear();
        Writer writer(line_, context_);
        write(writer);
        out_ << line_;
    }

    std::ostream& out_;
    const Context& context_;
    std::string line_;  ///< its memory is used again
};

/// The document as records, each on a line: what an object holds, then its parts one by one, named by where they are.
class RecordsWriter {
public:
    RecordsWriter(std::ostream& out, const Context& context) : out_(out), context_(context) {}

    /// `prefix`: of the names of its parts.
    void object(
        const std::string& kind, const std::string& prefix, std::span<const Column> columns, const void* record) {
        std::string line;
        Writer(line, context_).record(kind, columns, record, false);
        out_ << line << '\n';
        parts(prefix, columns, record);
    }

private:
    void parts(const std::string& prefix, std::span<const Column> columns, const void* record) {
        for (const Column& column : columns) {
            if (is_written(column, context_) && column.visit != nullptr) part(prefix, column, record);
        }
    }

    void part(const std::string& prefix, const Column& column, const void* record) {
        const bool is_transparent = column.is_object() && column.nesting == Nesting::nowhere;
        if (!is_transparent && !is_part(column)) return;
        if (column.is_list) return list(prefix + column.name, column, record);
        column.visit(record, context_, [&](const void* inner) {
            if (is_transparent) parts(prefix, column.members(), inner);
            else object(prefix + column.name, prefix + column.name + '.', column.members(), inner);
        });
    }

    void list(const std::string& kind, const Column& column, const void* record) {
        write_elements(out_, column, record, context_, [&](std::string& text, const void* element, bool) {
            Writer(text, context_).record(kind, column.members(), element, true);
            text += '\n';
        });
    }

    std::ostream& out_;
    const Context& context_;
};

}  // namespace

void append_object(std::string& out, std::span<const Column> columns, const void* record, const Context& context) {
    Writer(out, context).object(columns, record);
}

void write_json(std::ostream& out, const Results& results, bool cursors) {
    const Context context = context_of(results, cursors);
    LinesWriter(out, context).object(document_columns, &results, "");
    out << '\n';
}

void write_ndjson(std::ostream& out, const Results& results, bool cursors) {
    const Context context = context_of(results, cursors);
    RecordsWriter(out, context).object("document", "", document_columns, &results);
}

}  // namespace fabricscope::report
