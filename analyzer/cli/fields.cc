// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fields.h"

#include <memory>

#include "analyzer/cli/commands.h"
#include "analyzer/cli/output.h"
#include "analyzer/cli/status.h"

namespace fabricscope::cli {

void add_fields(CLI::App& program, int& status) {
    auto json = std::make_shared<bool>(false);
    CLI::App* command = program.add_subcommand("fields", "List every display-filter field");
    command->add_flag("--json", *json, "Write JSON");
    command->callback([json, &status] {
        Output output("");
        if (*json) report::write_fields_json(output.stream());
        else report::write_fields(output.stream(), output_style());
        status = output.finish() ? done : wrong_usage;
    });
}

}  // namespace fabricscope::cli
