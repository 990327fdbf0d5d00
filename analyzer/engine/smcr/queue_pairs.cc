// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/queue_pairs.h"

#include <algorithm>

#include "protocols/ib/retries.h"

namespace fabricscope::engine::smcr {

namespace {

using Kind = capture::RcEvent::Kind;
using AckClass = ib::AethSyndrome::Class;

bool is_request(const capture::RcEvent& event) {
    return event.kind == Kind::send_message || event.kind == Kind::send_part || event.kind == Kind::write ||
           event.kind == Kind::unplaceable;
}

AckClass ack_class(const capture::Packet& packet) { return ib::AethSyndrome::of(packet.ib.aeth.syndrome).kind; }

}  // namespace

bool is_nak(const capture::Packet& packet, const capture::RcEvent& event) {
    return event.kind == Kind::acknowledge && ack_class(packet) == AckClass::nak;
}

QueuePairs::Received QueuePairs::receive(const capture::Packet& packet, Side from, const LinkEndpoint& sender) {
    auto& receiver = receiver_[other(from)];
    if (!receiver) receiver = std::make_unique<capture::RcReceiver>();
    Received received{receiver->receive(packet)};
    const capture::RcEvent& event = received.event;
    received.request = is_request(event);
    received.first_request = received.request && !sent_psn_[from];
    const std::uint32_t psn = packet.ib.bth.psn;
    const bool misses_begin = received.first_request && sender.initial_psn && *sender.initial_psn != psn;
    // What cannot be placed has lost its beginning, and with it what it would have told.
    received.gap[from] = misses_begin || event.kind == Kind::unplaceable ||
                         event.order == capture::PsnOrder::ahead_after_gap;
    received.gap[other(from)] = event.kind == Kind::acknowledge && acknowledges_unseen(packet, from);
    repeated_[other(from)] = 0;
    if (!received.request) return received;
    sent_psn_[from] = psn;
    if (event.repeated()) ++repeated_[from];
    return received;
}

/// Whether requests of the other side are acknowledged that have not been seen.
bool QueuePairs::acknowledges_unseen(const capture::Packet& packet, Side from) const {
    const auto& sent = sent_psn_[other(from)];
    return sent && ack_class(packet) == AckClass::ack && capture::psn_distance(*sent, packet.ib.bth.psn) > 0;
}

bool QueuePairs::unanswered() const { return std::ranges::max(repeated_.values) >= ib::most_retries; }

void QueuePairs::swap_sides() {
    receiver_.swap_sides();
    sent_psn_.swap_sides();
    repeated_.swap_sides();
}

}  // namespace fabricscope::engine::smcr
