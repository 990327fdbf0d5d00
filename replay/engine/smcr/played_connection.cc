// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/played_connection.h"

namespace fabricscope::replay::smcr {

using stack::smcr::CloseState;

void PlayedConnection::send(const wire::Cdc& message, const char* note) {
    const Octets octets = layout::octets_of(message);
    const std::string name = cdc_name(octets, sent_state);
    sent_state = cdc_state(octets, sent_state);
    if (!name.empty()) milestones.push_back(name);
    DataSender::send(message, note);
}

void PlayedConnection::transmit(std::uint64_t offset, const Octets& octets) {
    links.write(now, link, peer_rmb, peer_offset + offset, octets, id);
}

void PlayedConnection::transmit(const wire::Cdc& message, const char* note, bool kept) {
    links.send(now, link, layout::octets_of(message), note != nullptr ? note : "", kept ? id : 0);
}

void PlayedConnection::move_to(std::size_t other) {
    link = other;
    go_on(peer->alert_token);
}

bool PlayedConnection::finished(Side played) const {
    if (phase == Phase::over) return true;
    const bool ended = data && data->state() == CloseState::closed;
    if (recorded.script[played]->steps.empty() && recorded.arrives(played) == 0) return true;
    return ended || (application.script_done() &&
                     (application.ended() || application.received().octets >= recorded.arrives(played)));
}

}  // namespace fabricscope::replay::smcr
