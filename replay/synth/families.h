// SPDX-License-Identifier: GPL-2.0-or-later
// Who runs a scenario: one family of endpoints per protocol.
#pragma once

#include <span>

#include "replay/synth/recording.h"
#include "replay/synth/scenario.h"

namespace fabricscope::synth {

struct Family {
    const char* protocol;  ///< as a scenario names it
    const char* about;
    Recording (*run)(const Scenario& scenario);
};

std::span<const Family> families();

/// Throws ScenarioError if the scenario cannot be run.
Recording run(const Scenario& scenario);

/// A scenario that the program brings along.
struct BuiltinScenario {
    std::string_view name;
    std::string_view text;
};
/// samples/scenarios/, in order of names.
std::span<const BuiltinScenario> builtin_scenarios();

}  // namespace fabricscope::synth
