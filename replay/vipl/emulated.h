// SPDX-License-Identifier: GPL-2.0-or-later
// The server of a scenario as the other end of a link.
#pragma once

#include "replay/stack/fc/host.h"

namespace fabricscope::vipl {

struct EmulatedServer {
    std::unique_ptr<stack::Endpoint> host;
    stack::fibre_channel::HostConfig client;  ///< that it expects
};
/// `scenario` is the name of one that comes with fabricscope, or a file. Throws DeviceError, synth::ScenarioError.
EmulatedServer emulated_server(const std::string& scenario, stack::Time now);

}  // namespace fabricscope::vipl
