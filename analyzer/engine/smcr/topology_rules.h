// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of which links a link group may have, and how they are numbered (RFC 7609, 2.2).
#pragma once

#include <bitset>

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/per_id.h"
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

class TopologyRules {
public:
    TopologyRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    void on_llc(const Arrival& a, const wire::LlcMessage& message);
    void on_reply(const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request);

private:
    void judge_number(const Arrival& a, const wire::AddLink& request);
    void judge_mtu(const Arrival& a, const wire::AddLink& body);
    void judge_rejection(const Arrival& a, const wire::LlcMessage& message, const wire::AddLink& reply);
    void judge_acceptance(const Arrival& a, const wire::AddLink& reply, const OpenRequest& request);
    void judge_links(const Arrival& a);
    void broken(RuleRef::OfMessages name, const Arrival& a, std::string text);
    void broken(RuleRef name, const Doubt& why, const Arrival& a, std::string text);

    const LinkGroup& group(const Arrival& a) const { return model_.link_groups[a.group - 1]; }

    const Model& model_;
    Verdicts& verdicts_;
    PerId<std::bitset<256>> used_numbers_;
};

}  // namespace fabricscope::engine::smcr
