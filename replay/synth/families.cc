// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/families.h"

#include <algorithm>
#include <array>

#include "replay/synth/fc_ae_rdma.h"
#include "replay/synth/fcvi.h"
#include "replay/synth/rdma_cm.h"
#include "replay/synth/smcr.h"

namespace fabricscope::synth {
namespace {

constexpr std::array known{
    Family{
        "fc-ae-rdma", "FC-AE-RDMA: reads and writes of a Target's memory",
        [](const Scenario& s) { return run_fc_ae_rdma(s, nullptr); }},
    Family{"fcvi", "FC-VI connections and their Messages", [](const Scenario& s) { return run_fcvi(s, nullptr); }},
    Family{
        "rdma-cm", "RDMA CM connections and what is sent over them",
        [](const Scenario& s) { return run_rdma_cm(s, nullptr); }},
    Family{
        "smc-r", "SMC-R connections, link groups and their data",
        [](const Scenario& s) { return run_smcr(s, nullptr); }},
};

}  // namespace

std::span<const Family> families() { return known; }

Recording run(const Scenario& scenario) {
    const auto family = std::ranges::find(known, scenario.protocol, &Family::protocol);
    if (family == known.end()) throw ScenarioError("nobody plays the protocol " + scenario.protocol);
    return family->run(scenario);
}

}  // namespace fabricscope::synth
