// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of what a side may still send when it has said that it is done (RFC 7609, 4.8).
#pragma once

#include "analyzer/engine/smcr/transfer.h"

namespace fabricscope::engine::smcr {

class EndingRules {
public:
    explicit EndingRules(Verdicts& verdicts) : verdicts_(verdicts) {}

    /// A CDC message that says something new.
    void on_cdc(const Transfer& t, const wire::Cdc& cdc, const Motion& producer);
    void on_write(const Transfer& t, const Flow::Write& write);

private:
    void broken(const Transfer& t, const Doubt& why, std::uint64_t said, const char* what);
    void judge_after_close(const Transfer& t, const wire::Cdc& cdc, const Motion& producer);

    Verdicts& verdicts_;
};

}  // namespace fabricscope::engine::smcr
