// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/logins.h"

#include <algorithm>

namespace fabricscope::engine::fcvi {
std::optional<Time> Logins::r_a_tov(const FrameSeen& seen) const {
    const auto told = all_->r_a_tov(source_of(seen), destination_of(seen));
    return told ? told : options_.r_a_tov;
}

std::optional<PortLogin> Logins::login(const Port& port, const Port& peer) const {
    const fibre_channel::ServiceParameters* said = all_->parameters(port, peer);
    if (said == nullptr) return std::nullopt;
    const bool in_order = std::ranges::all_of(
        said->classes, [](const fc::ClassServiceParameters& one) { return !one.valid || one.sequential_delivery; });
    return PortLogin{said->continuously_increasing_seq_cnt, said->continuously_increasing_relative_offset, in_order};
}

}  // namespace fabricscope::engine::fcvi
