// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/played_connection.h"

namespace fabricscope::replay::smcr {

using stack::smcr::CloseState;

void PlayedConnection::write(std::uint64_t offset, Octets octets) {
    links.write(now, link, peer_rmb, peer_offset + offset, std::move(octets));
}

void PlayedConnection::send(const wire::Cdc& message, const char* note) {
    Octets octets = layout::octets_of(message);
    const std::string name = cdc_name(octets, told);
    told = cdc_state(octets);
    if (!name.empty()) milestones.push_back(name);
    links.send(now, link, std::move(octets), note);
}

bool PlayedConnection::finished(Side played) const {
    if (phase == Phase::over) return true;
    const bool ended = data && data->state() == CloseState::closed;
    if (recorded.script[played]->steps.empty() && recorded.arrives(played) == 0) return true;
    return ended || (application.script_done() &&
                     (application.ended() || application.received().octets >= recorded.arrives(played)));
}

}  // namespace fabricscope::replay::smcr
