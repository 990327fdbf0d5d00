// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of how connections begin and end, each kind in its own class.
#pragma once

#include "analyzer/engine/smcr/clc_rules.h"
#include "analyzer/engine/smcr/message_rules.h"
#include "analyzer/engine/smcr/tcp_rules.h"

namespace fabricscope::engine::smcr {

struct SetupRules {
    explicit SetupRules(Verdicts& verdicts) : message(verdicts), clc(verdicts), tcp(verdicts, clc) {}

    /// A CLC message, before the model has taken it in.
    void on_clc(const TcpArrival& a, const wire::ClcMessage& content) {
        tcp.on_clc(a);
        message.on_clc(a, content);
        clc.on_clc(a, content);
    }

    MessageRules message;
    ClcRules clc;
    TcpRules tcp;
};

}  // namespace fabricscope::engine::smcr
