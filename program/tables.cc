// SPDX-License-Identifier: GPL-2.0-or-later
#include <memory>

#include "analyzer/report/json_schema.h"
#include "analyzer/report/schema.h"
#include "program/commands.h"
#include "program/output.h"
#include "program/status.h"

namespace fabricscope::cli {
namespace {

struct TablesOptions {
    bool sql = false;
    bool markdown = false;
    bool json_schema = false;
};

int run(const TablesOptions& options) {
    Output output("");
    if (options.sql) report::write_schema_sql(output.stream());
    else if (options.markdown) report::write_schema_markdown(output.stream());
    else if (options.json_schema) report::write_json_schema(output.stream());
    else report::write_schema(output.stream(), output_style());
    return output.finish() ? done : wrong_usage;
}

}  // namespace

void add_tables(CommandLine& program) {
    auto options = std::make_shared<TablesOptions>();
    const Command command = program.add_command("tables", "List the tables that analyze writes");
    const Option sql = command.flag("--sql", options->sql, "Write SQL");
    const Option markdown = command.flag("--markdown", options->markdown, "Write Markdown").excludes(sql);
    command.flag("--json-schema", options->json_schema, "Write a JSON Schema of what analyze writes")
        .excludes(sql)
        .excludes(markdown);
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
