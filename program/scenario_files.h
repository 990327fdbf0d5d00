// SPDX-License-Identifier: GPL-2.0-or-later
// Scenarios by their names, or from files.
#pragma once

#include <string>

#include "replay/synth/scenario.h"

namespace fabricscope::cli {

/// Whether the program brings a scenario of that name along, or there is such a file.
bool is_scenario(const std::string& name);
/// With more lines behind its own. Throws synth::ScenarioError. is_scenario(name) is true.
synth::Scenario read_scenario(const std::string& name, const std::vector<std::string>& added = {});

/// The lines of a file that need name no protocol. Throws synth::ScenarioError.
synth::Scenario read_statements(const std::string& file);

/// Scenarios among the files of a command that reads captures: "echo.scenario".
bool has_name_of_scenario(const std::string& file);

}  // namespace fabricscope::cli
