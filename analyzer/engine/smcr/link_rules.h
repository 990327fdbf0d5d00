// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of LLC: links, RTokens, requests and replies (RFC 7609, 3.5.5 and A.3).
#pragma once

#include <span>

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

class LinkRules {
public:
    LinkRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    /// An LLC message, before the model has taken it in.
    void on_llc(const Arrival& a, const wire::LlcMessage& message);

    /// A reply to `request`, which is one of the `open` ones of the link group.
    void on_reply(
        const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request,
        std::span<const OpenRequest> open);

private:
    void judge_max_links(const Arrival& a, const wire::ConfirmLink& confirm, std::uint8_t version);

    const Model& model_;
    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::smcr
