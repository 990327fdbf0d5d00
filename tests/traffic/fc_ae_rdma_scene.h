// SPDX-License-Identifier: GPL-2.0-or-later
// Where the FC-AE-RDMA scenarios take place: a fabric, an Initiator and a Target, and what is recorded of them.
#pragma once

#include "tests/traffic/fc_ae_rdma_dialogue.h"
#include "tests/traffic/fc_scenarios.h"

namespace fabricscope::traffic {

/// What the example profile of annex A has a login say, and then `changes`.
LoginChanges as_annex_a(const LoginChanges& changes = {});

class FcAeRdmaScene : public Recorded<FcAeRdmaDialogue> {
public:
    FcAeRdmaScene() {
        step = 100 * capture::microsecond;
        now = scenario_start - step;
    }

    /// Both ports log into the fabric, and the Initiator's into the Target's.
    void login(std::uint32_t parameters = fc_ae_rdma_prli, std::uint32_t answer = fc_ae_rdma_prli_accept) {
        fabric_login(*this, fabric, fabric.a);
        fabric_login(*this, fabric, fabric.b);
        port_login(*this, fabric.a, fabric.b);
        process_login(*this, fabric.a, fabric.b, parameters, answer);
    }

    /// The same, as annex A has it.
    void login_as_annex_a() {
        fabric_login(*this, fabric, fabric.a, as_annex_a(fabric_changes));
        fabric_login(*this, fabric, fabric.b, as_annex_a());
        port_login(*this, fabric.a, fabric.b, as_annex_a(port_changes));
        process_login(*this, fabric.a, fabric.b, fc_ae_rdma_prli, fc_ae_rdma_prli_accept);
    }

    FcFabric fabric;
    LoginChanges fabric_changes{}, port_changes{};  ///< of the Initiator's logins
};

/// Of analyze: annex A is asked for.
inline constexpr const char* annex_a_option = "--profile fc-ae-rdma-annex-a";

using FcAeRdmaPlay = std::function<void(FcAeRdmaScene&)>;

/// A row of the table.
inline FcScenario fc_ae_rdma_scenario(
    std::string name, std::string happens, std::string clause, std::string result, std::vector<std::string> findings,
    FcAeRdmaPlay play) {
    return {
        .name = std::move(name),
        .happens = std::move(happens),
        .clause = std::move(clause),
        .result = std::move(result),
        .findings = std::move(findings),
        .make = [play = std::move(play)] {
            FcAeRdmaScene scene;
            play(scene);
            return scene.frames;
        }};
}

}  // namespace fabricscope::traffic
