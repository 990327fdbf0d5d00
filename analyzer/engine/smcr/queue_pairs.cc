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

QueuePairs::Received QueuePairs::receive(const capture::Packet& packet, Side from, const PerSide<LinkEndpoint>& end) {
    auto& receiver = receiver_[other(from)];
    if (!receiver) receiver = std::make_unique<capture::RcReceiver>();
    Received received{receiver->receive(packet)};
    const capture::RcEvent& event = received.event;
    received.request = is_request(event);
    received.first_request = received.request && !sent_psn_[from];
    const std::uint32_t psn = packet.ib.bth.psn;
    const bool misses_begin = received.first_request && end[from].initial_psn && *end[from].initial_psn != psn;
    // What cannot be placed has lost its beginning, and with it what it would have told.
    received.gap[from] = misses_begin || event.kind == Kind::unplaceable ||
                         event.order == capture::PsnOrder::ahead_after_gap;
    received.gap[other(from)] = event.kind == Kind::acknowledge && acknowledges_unseen(packet, from, end[other(from)]);
    misses_some_ |= received.gap[from] || received.gap[other(from)];
    if (event.kind == Kind::acknowledge && ack_class(packet) == AckClass::ack) acknowledged_psn_[other(from)] = psn;
    retries_[other(from)] = {};
    if (!received.request) return received;
    const bool goes_back = event.order == capture::PsnOrder::late || event.order == capture::PsnOrder::duplicate;
    if (!goes_back || !sent_psn_[from]) sent_psn_[from] = psn;
    if (event.repeated()) retries_[from].note(psn);
    return received;
}

/// Whether requests of the other side, whose end of the link `sender` is, are acknowledged that have not been seen.
bool QueuePairs::acknowledges_unseen(const capture::Packet& packet, Side from, const LinkEndpoint& sender) const {
    if (ack_class(packet) != AckClass::ack) return false;
    const std::uint32_t psn = packet.ib.bth.psn;
    if (const auto& sent = sent_psn_[other(from)]) return capture::psn_distance(*sent, psn) > 0;
    return !sender.initial_psn || capture::psn_distance(*sender.initial_psn, psn) >= 0;
}

bool QueuePairs::unanswered() const {
    return std::ranges::any_of(retries_.values, [](const Retries& each) { return each.count >= ib::most_retries; });
}

void QueuePairs::swap_sides() {
    receiver_.swap_sides();
    sent_psn_.swap_sides();
    acknowledged_psn_.swap_sides();
    retries_.swap_sides();
}

}  // namespace fabricscope::engine::smcr
