// SPDX-License-Identifier: GPL-2.0-or-later
// A rule that needs a stretch of the capture cannot be told of as broken unless somebody has asked whether it is whole.
#include "analyzer/engine/smcr/verdicts.h"
#include "analyzer/engine/rdma/rules.h"

namespace fabricscope::engine::smcr {

void judge(Verdicts& verdicts, bool lacks_some) {
    const Subject subject = Subject::link_group(1);
    const Doubt doubt = doubt_if(lacks_some, UndecidedReason::frames_missing);
    verdicts.broken(rules::clc_format, {1}, subject, "a message decides");
    verdicts.broken(rules::cdc_sequence, doubt, {1}, subject, "a stretch decides");
    verdicts.unanswered(rules::llc_timeout, doubt, {1}, subject, "a silence decides");
#ifdef STRETCH_WITHOUT_DOUBT
    verdicts.broken(rules::cdc_sequence, {1}, subject, "");
#elif defined SILENCE_WITHOUT_DOUBT
    verdicts.unanswered(rules::llc_timeout, {1}, subject, "");
#elif defined DOUBT_OF_NOTHING
    verdicts.broken(rules::cdc_sequence, std::nullopt, {1}, subject, "");
#elif defined RULE_OF_ANOTHER_PROTOCOL
    verdicts.broken(rdma::rules::known_nak, {1}, subject, "");
#endif
}

}  // namespace fabricscope::engine::smcr
