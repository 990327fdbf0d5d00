// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/arrival.h"

namespace fabricscope::engine::smcr {

void GroupHistory::accuse(Verdicts& verdicts, Accusation accusation, std::uint32_t link) {
    const LinkSet elsewhere = accusation.on_any_link ? spoken_on[accusation.silent] : 0;
    const LinkSet links = link_set_of(link) | elsewhere;
    if ((mixed_links & links) != 0) return verdicts.undecided(accusation.rule, UndecidedReason::interface_order);
    const std::uint32_t missing = gaps[accusation.silent];
    proof.unless_unseen(verdicts, std::move(accusation), links, missing);
}

}  // namespace fabricscope::engine::smcr
