// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of how connections begin and end, each kind in its own class.
#pragma once

#include "analyzer/engine/smcr/clc_rules.h"
#include "analyzer/engine/smcr/close_rules.h"
#include "analyzer/engine/smcr/contact_rules.h"
#include "analyzer/engine/smcr/decline_rules.h"
#include "analyzer/engine/smcr/message_rules.h"
#include "analyzer/engine/smcr/tcp_rules.h"

namespace fabricscope::engine::smcr {

struct SetupRules {
    SetupRules(const Model& model, Verdicts& verdicts)
        : message(verdicts),
          clc(verdicts),
          tcp(verdicts, clc),
          contact(model, verdicts),
          decline(model, verdicts, clc),
          close(model, verdicts) {}

    /// A CLC message, before the model has taken it in.
    void on_clc(const TcpArrival& a, const wire::ClcMessage& content) {
        tcp.on_clc(a);
        message.on_clc(a, content);
        if (const auto* body = std::get_if<wire::Decline>(&content.body)) {
            decline.on_decline(a);
            contact.on_decline(a, body->body.out_of_sync);
        }
        clc.on_clc(a, content);
    }

    MessageRules message;
    ClcRules clc;
    TcpRules tcp;
    ContactRules contact;
    DeclineRules decline;
    CloseRules close;
};

}  // namespace fabricscope::engine::smcr
