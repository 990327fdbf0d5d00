// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/setup_rules.h"

namespace fabricscope::engine::smcr {

void SetupRules::on_clc(const Connection& connection, Side, Step step, const wire::ClcMessage& message) {
    const Subject subject = Subject::connection(connection.id);
    if (message.error.fault == layout::Fault::truncated)
        return verdicts_.undecided(RuleName::clc_format, "a CLC message was cut by the snap length");
    if (message.error) verdicts_.broken(RuleName::clc_format, {step.frame}, subject, to_string(message.error));
    else verdicts_.held(RuleName::clc_format);
    if (const auto* proposal = std::get_if<wire::Proposal>(&message.body); proposal != nullptr && proposal->ip) {
        const unsigned count = proposal->ip->prefix_count;
        if (count > 8)
            verdicts_.broken(RuleName::prefix_count, {step.frame}, subject, std::to_string(count) + " IPv6 prefixes");
        else verdicts_.held(RuleName::prefix_count);
    }
    if (const auto* body = std::get_if<wire::SmcrAcceptConfirm>(&message.body); body != nullptr && !message.error) {
        if (body->body.rmb_index == 0)
            verdicts_.broken(RuleName::rmb_index, {step.frame}, subject, "RMB element index 0");
        else verdicts_.held(RuleName::rmb_index);
    }
}

void SetupRules::on_out_of_order(const Connection& connection, Side from, Step step, const char* what) {
    verdicts_.broken(
        RuleName::clc_order, {step.frame}, Subject::connection(connection.id),
        std::string(what) + " from the " + name_of(from));
}

}  // namespace fabricscope::engine::smcr
