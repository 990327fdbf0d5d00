// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/logins.h"

#include <algorithm>

namespace fabricscope::engine::fcvi {
namespace {

/// Requests and responses of setups: where R_A_TOV begins to matter.
bool is_control(const fc::FrameHeader& header) {
    const fc::Category category = fc::category_of(header.r_ctl);
    return header.type == wire::fc_type &&
           (category == fc::Category::unsolicited_control || category == fc::Category::solicited_control);
}

}  // namespace

void Logins::look_at(const fibre_channel::FrameFacts& facts) {
    using fibre_channel::Party;
    all_ = &facts.logins;
    if (r_a_tov_ || !is_control(facts.packet.fc->frame.header)) return;
    r_a_tov_ = all_->r_a_tov(facts.exchange.port(Party::originator), facts.exchange.port(Party::responder));
}

std::optional<PortLogin> Logins::login(const Port& port, const Port& peer) const {
    const fibre_channel::ServiceParameters* said = all_->parameters(port, peer);
    if (said == nullptr) return std::nullopt;
    const bool in_order = std::ranges::all_of(
        said->classes, [](const fc::ClassServiceParameters& one) { return !one.valid || one.sequential_delivery; });
    return PortLogin{said->continuously_increasing_seq_cnt, said->continuously_increasing_relative_offset, in_order};
}

}  // namespace fabricscope::engine::fcvi
