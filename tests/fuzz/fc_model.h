// SPDX-License-Identifier: GPL-2.0-or-later
// What holds of Fibre Channel whatever was captured.
#pragma once

#include <cstdlib>

#include "analyzer/engine/fc/tracker.h"

namespace fabricscope::fuzz {

inline void check_model(const engine::fibre_channel::Model& model) {
    using engine::fibre_channel::Party;
    const auto must = [](bool holds) {
        if (!holds) std::abort();
    };
    const engine::fibre_channel::Limits limits;
    std::uint32_t id = 0;
    for (const engine::fibre_channel::Exchange& exchange : model.exchanges) {
        must(exchange.id > id && exchange.first_frame <= exchange.last_frame);
        id = exchange.id;
        must(exchange.sequences.size() <= limits.sequences && exchange.sequences.size() <= exchange.sequence_count);
        must(exchange.incomplete_sequences <= exchange.sequences.size());
        for (const engine::fibre_channel::SequenceSeen& sequence : exchange.sequences)
            must(sequence.first_frame >= exchange.first_frame && sequence.missing <= 0xFFFFFF);
    }
    id = 0;
    for (const engine::fibre_channel::Login& login : model.logins)
        must(login.id == ++id && login.processes.size() <= limits.processes);
    for (const engine::fibre_channel::Resolution& resolution : model.resolutions) must(resolution.requests >= 1);
}

}  // namespace fabricscope::fuzz
