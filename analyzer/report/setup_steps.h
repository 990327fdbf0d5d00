// SPDX-License-Identifier: GPL-2.0-or-later
// The steps of an SMC-R connection's set-up, in order.
#pragma once

#include <array>

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::report {

struct SetupStep {
    const char* key;    ///< in records
    const char* words;  ///< for people
    std::optional<engine::Step> engine::smcr::Setup::*step;
};

inline constexpr std::array setup_steps{
    SetupStep{"syn", "SYN", &engine::smcr::Setup::syn},
    SetupStep{"syn_ack", "SYN-ACK", &engine::smcr::Setup::syn_ack},
    SetupStep{"proposal", "PROPOSAL", &engine::smcr::Setup::proposal},
    SetupStep{"accept", "ACCEPT", &engine::smcr::Setup::accept},
    SetupStep{"confirm", "CONFIRM", &engine::smcr::Setup::confirm},
    SetupStep{"decline", "DECLINE", &engine::smcr::Setup::decline},
    SetupStep{"confirm_link", "CONFIRM LINK reply", &engine::smcr::Setup::confirm_link},
    SetupStep{"first_data", "first data", &engine::smcr::Setup::first_data}};

}  // namespace fabricscope::report
