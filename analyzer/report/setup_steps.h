// SPDX-License-Identifier: GPL-2.0-or-later
// The steps of an SMC-R connection's set-up, in order.
#pragma once

#include <array>

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::report {

struct SetupStep {
    const char* words;  ///< for people
    std::optional<engine::FrameStamp> engine::smcr::Setup::*step;
};

inline constexpr std::array setup_steps{
    SetupStep{"SYN", &engine::smcr::Setup::syn},
    SetupStep{"SYN-ACK", &engine::smcr::Setup::syn_ack},
    SetupStep{"PROPOSAL", &engine::smcr::Setup::proposal},
    SetupStep{"ACCEPT", &engine::smcr::Setup::accept},
    SetupStep{"CONFIRM", &engine::smcr::Setup::confirm},
    SetupStep{"DECLINE", &engine::smcr::Setup::decline},
    SetupStep{"CONFIRM LINK reply", &engine::smcr::Setup::confirm_link},
    SetupStep{"first data", &engine::smcr::Setup::first_data}};

}  // namespace fabricscope::report
