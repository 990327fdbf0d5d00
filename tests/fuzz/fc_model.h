// SPDX-License-Identifier: GPL-2.0-or-later
// What holds of Fibre Channel whatever was captured.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "analyzer/engine/engine.h"

namespace fabricscope::fuzz {

/// Clang 14 has no std::source_location.
inline void must(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    if (holds) return;
    std::fprintf(stderr, "%s:%d: this must hold\n", file, line);
    std::abort();
}

inline void check_findings(const std::vector<engine::Finding>& findings) {
    for (const engine::Finding& finding : findings) must(finding.rule != nullptr && !finding.frames.empty());
}

inline void check_model(const engine::fibre_channel::Model& model) {
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

inline void check_model(const engine::fcvi::Model& model) {
    using engine::Side;
    std::uint64_t id = 0;
    for (const engine::fcvi::Connection& connection : model.connections) {
        must(connection.id == ++id && connection.ius.size() <= connection.iu_count);
        must((connection.outcome == engine::fcvi::Outcome::rejected) == connection.reject.has_value());
    }
    id = 0;
    for (const engine::fcvi::Message& message : model.messages)
        must(message.id == ++id && message.connection >= 1 && message.connection <= model.connections.size());
    check_findings(model.findings);
}

inline void check_model(const engine::fc_ae_rdma::Model& model) {
    std::uint64_t id = 0;
    for (const engine::fc_ae_rdma::Message& message : model.messages)
        must(message.id == ++id && message.region <= model.regions.size());
    id = 0;
    for (const engine::fc_ae_rdma::Region& region : model.regions) must(region.id == ++id);
    check_findings(model.findings);
}

/// Of all Fibre Channel.
inline void check_models(const engine::Engine& engine) {
    check_model(engine.fc());
    check_model(engine.fcvi());
    check_model(engine.fc_ae_rdma());
}

}  // namespace fabricscope::fuzz
