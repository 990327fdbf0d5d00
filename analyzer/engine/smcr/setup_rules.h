// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the rendezvous: TCP option, CLC messages, and what TCP may carry besides (RFC 7609, 3.5).
#pragma once

#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

class SetupRules {
public:
    SetupRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    /// A CLC message, before the model has taken it in.
    void on_clc(const Connection& connection, Side from, Step step, const wire::ClcMessage& message);

    /// A CLC message, called `what`, that its sender may not send.
    void on_out_of_order(const Connection& connection, Side from, Step step, const char* what);

private:
    const Model& model_;
    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::smcr
