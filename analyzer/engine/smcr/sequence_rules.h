// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the order of CDC messages, on one link and when a connection moves to another (RFC 7609, 4.6 and A.4).
#pragma once

#include "analyzer/engine/smcr/transfer.h"

namespace fabricscope::engine::smcr {

class SequenceRules {
public:
    SequenceRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    void on_cdc(const Transfer& t, const wire::Cdc& cdc);
    void on_validation(const Transfer& t, const wire::Cdc& cdc);
    /// A WRITE or CDC message, but no failover validation.
    void on_link(const Transfer& t);

private:
    void judge_first(const Transfer& t, const wire::Cdc& cdc);
    void judge_step(const Transfer& t, const wire::Cdc& cdc);
    void accuse_of_unsent(
        const Transfer& t, std::vector<std::uint64_t> frames, std::uint16_t named, const std::string& shown_by);
    bool judge_named(const Transfer& t, const wire::Cdc& cdc, const Sent::Validation& validation);
    void judge_replay(const Transfer& t, const wire::Cdc& cdc, Sent::Validation& validation);
    void judge_new(
        const Transfer& t, const Doubt& why, const wire::Cdc& cdc, const Sent::Validation& validation,
        std::uint64_t again);
    bool repeats_unchanged(const Transfer& t, const Doubt& why, const wire::Cdc& cdc);

    const Model& model_;
    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::smcr
