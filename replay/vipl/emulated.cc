// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/vipl/emulated.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "replay/synth/families.h"
#include "replay/synth/fcvi.h"
#include "replay/vipl/device.h"

namespace fabricscope::vipl {
namespace {

std::string text_of(const std::string& scenario) {
    const auto builtin = std::ranges::find(
        synth::builtin_scenarios(), std::string_view(scenario), &synth::BuiltinScenario::name);
    if (builtin != synth::builtin_scenarios().end()) return std::string(builtin->text);
    std::ifstream file(scenario);
    if (!file) throw DeviceError(scenario + " is no scenario");
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

EmulatedServer emulated_server(const std::string& scenario, stack::Time now) {
    synth::FcviServer server = synth::fcvi_server(synth::parse_scenario(text_of(scenario)));
    server.host->start(now, now);
    return {std::move(server.host), server.client};
}

}  // namespace fabricscope::vipl
