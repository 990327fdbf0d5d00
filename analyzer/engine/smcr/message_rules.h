// SPDX-License-Identifier: GPL-2.0-or-later
// Rules that a single message keeps or breaks, whatever went before (RFC 7609, appendix A).
#pragma once

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/tcp_arrival.h"
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

class MessageRules {
public:
    explicit MessageRules(Verdicts& verdicts) : verdicts_(verdicts) {}

    void on_clc(const TcpArrival& a, const wire::ClcMessage& message);
    void on_llc(const Arrival& a, const wire::LlcMessage& message);
    void on_cdc(const Arrival& a, ByteView message, const wire::Cdc& cdc);

private:
    void judge_format(const TcpArrival& a, const wire::ClcMessage& message);
    void judge_reserved(const TcpArrival& a, const wire::ClcMessage& message);
    void judge_prefixes(const TcpArrival& a, const wire::Proposal& proposal);
    void judge_codes(const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body);
    void judge_index(const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body);

    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::smcr
