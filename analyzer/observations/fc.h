// SPDX-License-Identifier: GPL-2.0-or-later
// What went wrong with Exchanges, in words.
#pragma once

#include <string>

#include "analyzer/engine/fc/model.h"
#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

extern const Source fc_source;

extern const Kind& damaged_frames;
void observe_damaged(std::uint64_t frames, Observations& observations);

/// What kept an Exchange from an ordinary end, "LS_RJT: logical busy, N_Port Login required"; empty if nothing did.
std::string trouble_of(const engine::fibre_channel::Exchange& exchange);

/// "LS_RJT: logical busy"
std::string refusal_text(
    const char* what, const engine::fibre_channel::Refusal& refusal, layout::ValueNames reasons,
    layout::ValueNames explanations);

}  // namespace fabricscope::observations
