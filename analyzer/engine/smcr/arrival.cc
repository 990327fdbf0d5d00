// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/arrival.h"

namespace fabricscope::engine::smcr {

void GroupHistory::accuse(Verdicts& verdicts, Accusation accusation, std::uint32_t link) {
    if (mixed(link)) return verdicts.undecided(accusation.rule, UndecidedReason::interface_order);
    const std::uint32_t missing = gaps[accusation.silent];
    proof.unless_unseen(verdicts, std::move(accusation), link, missing);
}

}  // namespace fabricscope::engine::smcr
