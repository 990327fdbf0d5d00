// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "analyzer/report/schema.h"

namespace fabricscope::report {
namespace {

constexpr int schema_version = 1;

struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

class Database {
public:
    explicit Database(const std::string& path) {
        sqlite3* handle = nullptr;
        const int result = sqlite3_open(path.c_str(), &handle);
        handle_.reset(handle);
        check(result);
    }

    void execute(const std::string& sql) { check(sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr)); }

    Statement prepare(const std::string& sql) {
        sqlite3_stmt* statement = nullptr;
        check(sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &statement, nullptr));
        return Statement(statement);
    }

    void check(int result) const {
        if (result != SQLITE_OK && result != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(handle_.get()));
    }

private:
    std::unique_ptr<sqlite3, Close> handle_;
};

class SqliteSink final : public RowSink {
public:
    explicit SqliteSink(Database& database) : database_(database) {
        for (const DataTable& table : data_tables()) {
            database.execute(create_statement(table));
            inserts_.push_back(database.prepare(insert_statement(table)));
        }
    }

    void on_row(const DataTable& table, std::span<const Json> values) override {
        sqlite3_stmt* insert = inserts_[static_cast<std::size_t>(&table - data_tables().data())].get();
        for (std::size_t i = 0; i < values.size(); ++i) bind(insert, static_cast<int>(i) + 1, values[i]);
        database_.check(sqlite3_step(insert));
        sqlite3_reset(insert);
    }

private:
    static std::string insert_statement(const DataTable& table) {
        std::string marks = "?";
        for (std::size_t i = 1; i < table.columns.size(); ++i) marks += ", ?";
        return fmt::format("INSERT INTO {} VALUES ({})", table.name, marks);
    }

    void bind(sqlite3_stmt* statement, int position, const Json& value) {
        if (value.is_null()) return database_.check(sqlite3_bind_null(statement, position));
        if (value.is_text()) return bind_text(statement, position, value.text());
        std::visit(
            [&](const auto& number) {
                using T = std::remove_cvref_t<decltype(number)>;
                if constexpr (std::is_floating_point_v<T>)
                    database_.check(sqlite3_bind_double(statement, position, number));
                else if constexpr (std::is_integral_v<T>)
                    database_.check(sqlite3_bind_int64(statement, position, static_cast<std::int64_t>(number)));
            },
            value.variant());
    }

    void bind_text(sqlite3_stmt* statement, int position, std::string_view octets) {
        const std::string text = utf8_of(octets);
        database_.check(
            sqlite3_bind_text(statement, position, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
    }

    Database& database_;
    std::vector<Statement> inserts_;  ///< in the order of the tables
};

/// It is written to a file of its own that nobody else knows yet: neither journal nor locks are of use.
std::string preamble() {
    return fmt::format(
        "PRAGMA application_id = {}; PRAGMA user_version = {}; PRAGMA journal_mode = OFF; PRAGMA locking_mode = "
        "EXCLUSIVE; BEGIN;",
        sqlite_application_id, schema_version);
}

}  // namespace

void write_sqlite(const std::string& path, const std::function<void(RowSink& rows)>& send) {
    Database database(path);
    database.execute(preamble());
    {
        SqliteSink sink(database);
        send(sink);
    }
    for (const DataTable& table : data_tables()) database.execute(index_statements(table));
    for (const View& view : views()) database.execute(create_statement(view));
    database.execute("COMMIT; ANALYZE;");
}

void write_sqlite(const std::string& path, const Results& results, bool cursors) {
    write_sqlite(path, [&](RowSink& rows) { for_each_row(results, cursors, rows); });
}

}  // namespace fabricscope::report
