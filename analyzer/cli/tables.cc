// SPDX-License-Identifier: GPL-2.0-or-later
#include <memory>

#include "analyzer/cli/commands.h"
#include "analyzer/cli/output.h"
#include "analyzer/cli/status.h"
#include "analyzer/report/schema.h"

namespace fabricscope::cli {
namespace {

struct TablesOptions {
    bool sql = false;
    bool markdown = false;
};

int run(const TablesOptions& options) {
    Output output("");
    if (options.sql) report::write_schema_sql(output.stream());
    else if (options.markdown) report::write_schema_markdown(output.stream());
    else report::write_schema(output.stream(), output_style());
    return output.finish() ? done : wrong_usage;
}

}  // namespace

void add_tables(CLI::App& program, int& status) {
    auto options = std::make_shared<TablesOptions>();
    CLI::App* command = program.add_subcommand("tables", "List the tables that analyze writes");
    CLI::Option* sql = command->add_flag("--sql", options->sql, "Write SQL");
    command->add_flag("--markdown", options->markdown, "Write Markdown")->excludes(sql);
    command->callback([options, &status] { status = run(*options); });
}

}  // namespace fabricscope::cli
