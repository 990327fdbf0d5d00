// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of window updates, blocked writers and urgent data (RFC 7609, 4.5.1, 4.7.5 and 4.7.6).
#pragma once

#include "analyzer/engine/smcr/transfer.h"

namespace fabricscope::engine::smcr {

class FlowControlRules {
public:
    explicit FlowControlRules(Verdicts& verdicts) : verdicts_(verdicts) {}

    /// A CDC message that says something new.
    void on_cdc(const Transfer& t, const wire::Cdc& cdc, const Transfer::Motions& motions);
    void on_write(const Transfer& t, const Flow::Write& write);

private:
    void judge_update(const Transfer& t, const wire::Cdc& cdc, const Transfer::Motions& motions);
    void judge_blocked(const Transfer& t, const wire::Cdc& cdc, const Motion& producer);
    void judge_urgent_flags(const Transfer& t, const wire::Cdc& cdc);

    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::smcr
