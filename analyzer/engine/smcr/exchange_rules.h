// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of LLC exchanges: requests, their replies, what may not overlap and what has to follow
// (RFC 7609, 3.5.5.3, A.3 and C.7).
//
// Messages cross in flight, and a host is not where the packets were captured. What proves that a side
// did not wait is only this: the reply that it should have waited for passes the point of capture
// after what it sent.
#pragma once

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/per_id.h"
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

class ExchangeRules {
public:
    ExchangeRules(const Model& model, Verdicts& verdicts) : model_(model), verdicts_(verdicts) {}

    void on_request(const Arrival& a, const wire::LlcMessage& message, OpenRequest& request);
    void on_reply(const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request);
    void on_unasked_reply(const Arrival& a, const wire::LlcMessage& message);
    void on_due(const Arrival& a);

private:
    void note_overlap(const Arrival& a, const OpenRequest& request);
    std::optional<UndecidedReason> doubt_of_answer(const Arrival& a, const OpenRequest& earlier) const;
    void note_going_on(const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request);
    void note_follow_up(const Arrival& a, const wire::DeleteLink& request);
    void await_answer(const Arrival& a, const wire::LlcMessage& message, OpenRequest& request);
    void judge_overlap(const Arrival& a, const OpenRequest& request, bool its_reply);
    void judge_agreement(const Arrival& a, const OpenRequest& request);
    void judge_confirm_rkey_reply(const Arrival& a, const wire::LlcMessage& message);
    void judge_link(const Arrival& a, const OpenRequest& request);
    void judge_delete_link_reply(const Arrival& a, const wire::DeleteLink& reply, const OpenRequest& request);
    void judge_test_link_reply(const Arrival& a, const wire::TestLink& reply, const OpenRequest& request);
    void look_for_answer(const Arrival& a, OpenRequest& request);
    void judge_missing_answer(const Arrival& a, OpenRequest& request);
    void judge_recovery(const Arrival& a, OpenRequest& request);
    void judge_follow_up(const Arrival& a, const OpenRequest& request);
    bool connection_ended(std::uint32_t group) const;
    bool is_unheard_of(const Arrival& a, std::uint8_t number) const;

    const LinkGroup& group(const Arrival& a) const { return model_.link_groups[a.group - 1]; }

    const Model& model_;
    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::smcr
