// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fields.h"

#include <memory>

#include "program/commands.h"
#include "program/output.h"
#include "program/status.h"

namespace fabricscope::cli {

void add_fields(CommandLine& program) {
    auto json = std::make_shared<bool>(false);
    const Command command = program.add_command("fields", "List every display-filter field");
    command.flag("--json", *json, "Write JSON");
    command.on_run([json] {
        Output output("");
        if (*json) report::write_fields_json(output.stream());
        else report::write_fields(output.stream(), output_style());
        return output.finish() ? done : wrong_usage;
    });
}

}  // namespace fabricscope::cli
