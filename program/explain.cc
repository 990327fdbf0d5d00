// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/explain.h"

#include <memory>
#include <string>

#include "program/commands.h"
#include "program/ids.h"
#include "program/output.h"
#include "program/status.h"
#include "program/suggestion.h"

namespace fabricscope::cli {
namespace {

struct ExplainOptions {
    bool markdown = false;
    std::string id;  ///< empty: list the kinds
};

int run(const ExplainOptions& options) {
    Output output("");
    if (options.markdown) report::write_kinds_markdown(output.stream());
    else if (options.id.empty()) report::write_kinds(output.stream(), output_style());
    else if (!report::write_explanation(output.stream(), options.id, output_style())) {
        return refuse(
            "no observation or rule " + options.id + suggestion(options.id, texts_of(all_ids())) +
            "; fabricscope explain and fabricscope rules list them");
    }
    return output.finish() ? done : wrong_usage;
}

}  // namespace

void add_explain(CommandLine& program) {
    auto options = std::make_shared<ExplainOptions>();
    const Command command = program.add_command("explain", "Say what an observation or a rule means");
    const Option id = command.option("ID", options->id, "Of an observation or a rule; without it, list observations")
                          .offers(all_ids);
    command.flag("--markdown", options->markdown, "Write all observations as Markdown").excludes(id);
    command.on_run([options] { return run(*options); });
}

}  // namespace fabricscope::cli
