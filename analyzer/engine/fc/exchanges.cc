// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc/exchanges.h"

#include <algorithm>

#include "protocols/fc/basic_links.h"

namespace fabricscope::engine::fibre_channel {
namespace {

using capture::FcExchangeKey;
using capture::FcFrameOrder;

bool is_ack(const wire::FrameHeader& header) {
    return header.r_ctl == wire::r_ctl_ack_0 || header.r_ctl == wire::r_ctl_ack_1;
}

Refusal link_refusal(const wire::FrameHeader& header, const Step& step) {
    const auto parameter = wire::parameter_as<wire::RejectParameter>(header);
    return {parameter.reason, 0, parameter.vendor, step};
}

}  // namespace

// ---- which one -------------------------------------------------------------------------------------

std::size_t Exchanges::KeyHash::operator()(const FcExchangeKey& key) const noexcept {
    std::uint64_t mixed = std::uint64_t{key.originator} << 40 ^ std::uint64_t{key.responder} << 16 ^ key.ox_id ^
                          std::uint64_t{key.fabric.value_or(0xFFFF)} << 32;
    mixed *= 0x9E37'79B9'7F4A'7C15;
    return mixed ^ mixed >> 32;
}

Exchanges::Followed* Exchanges::find(const FcExchangeKey& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    list_.splice(list_.begin(), list_, found->second);
    return &list_.front();
}

/// The LS_ACC to a FLOGI goes to the address that it assigns, not to the one the FLOGI came from.
Exchanges::Followed* Exchanges::find_fabric_login(const FcExchangeKey& key) {
    if (key.responder != wire::f_port_server) return nullptr;
    FcExchangeKey asked = key;
    asked.originator = wire::unidentified;
    Followed* found = find(asked);
    if (found != nullptr && found->exchange.state == ExchangeState::open) found->exchange.assigned_id = key.originator;
    return found;
}

/// OX_IDs are used again. Whether a first Sequence belongs to another Exchange than the one that has its OX_ID.
bool Exchanges::starts_anew(const Followed& followed, const wire::FrameHeader& header) {
    if (!header.is_data() || !header.f_ctl.first_sequence || header.f_ctl.exchange_responder) return false;
    if (followed.exchange.state != ExchangeState::open) return true;
    const bool first_is_over = !followed.exchange.sequences.empty() && followed.exchange.sequences.front().complete;
    if (!first_is_over) return false;
    return header.seq_id != followed.first.seq_id || followed.answered;
}

Exchanges::Followed& Exchanges::followed(const capture::Packet& packet, bool& opens) {
    const wire::FrameHeader& header = packet.fc->frame.header;
    const FcExchangeKey key = FcExchangeKey::of(*packet.fc);
    Followed* known = find(key);
    if (known == nullptr && header.f_ctl.exchange_responder) known = find_fabric_login(key);
    if (known != nullptr && starts_anew(*known, header)) {
        retire(list_.begin());
        known = nullptr;
    }
    opens = known == nullptr;
    return opens ? open(packet, key) : *known;
}

Exchanges::Followed& Exchanges::open(const capture::Packet& packet, const FcExchangeKey& key) {
    if (list_.size() >= limits_.followed) retire(std::prev(list_.end()));
    Followed& followed = list_.emplace_front();
    index_.emplace(key, list_.begin());
    followed.key = key;
    followed.first = packet.fc->frame.header;
    Exchange& exchange = followed.exchange;
    exchange.id = ++last_id_;
    exchange.fabric = key.fabric;
    exchange.originator = key.originator;
    exchange.responder = key.responder;
    exchange.ox_id = key.ox_id;
    exchange.first_frame = packet.number;
    exchange.first_time = packet.time;
    if (followed.first.f_ctl.first_sequence && followed.first.is_data()) exchange.initiative = Party::originator;
    return followed;
}

void Exchanges::retire(List::iterator followed) {
    Exchange& exchange = followed->exchange;
    if (exchange.abort && !exchange.abort->refused && !exchange.abort->sequence_only &&
        exchange.state == ExchangeState::open)
        exchange.state = ExchangeState::aborted;
    exchange.incomplete_sequences = static_cast<std::uint32_t>(
        std::ranges::count_if(exchange.sequences, [](const SequenceSeen& sequence) { return !sequence.complete; }));
    observer_.on_exchange_over(exchange);
    sequences_.end_exchange(followed->key);
    if (model_.exchanges.size() < limits_.exchanges) model_.exchanges.push_back(std::move(exchange));
    else ++model_.unlisted_exchanges;
    index_.erase(followed->key);
    list_.erase(followed);
}

void Exchanges::finish() {
    while (!list_.empty()) retire(std::prev(list_.end()));
    std::ranges::sort(model_.exchanges, {}, &Exchange::id);
}

// ---- what a frame does -----------------------------------------------------------------------------

Arrival Exchanges::take(const capture::Packet& packet) {
    bool opens = false;
    Followed& followed = this->followed(packet, opens);
    Exchange& exchange = followed.exchange;
    const wire::FrameHeader& header = packet.fc->frame.header;
    Arrival arrival{packet, header, header.f_ctl.exchange_responder ? Party::responder : Party::originator, exchange};
    arrival.opens = opens;
    exchange.last_frame = packet.number;
    exchange.last_time = packet.time;
    if (header.rx_id != wire::unassigned_x_id && (!exchange.rx_id || header.f_ctl.exchange_responder))
        exchange.rx_id = header.rx_id;
    if (header.is_link_control()) take_link_control(exchange, arrival);
    else if (header.is_basic_link_service()) take_basic_link_service(exchange, arrival);
    else take_data(followed, arrival);
    return arrival;
}

void Exchanges::take_data(Followed& followed, Arrival& arrival) {
    Exchange& exchange = followed.exchange;
    const wire::FrameHeader& header = arrival.header;
    const bool for_us = header.is_els() || header.type == wire::type_ct;
    // Both must be asked: each answer counts.
    const bool for_others = observer_.wants_data(arrival.packet);
    arrival.event = sequences_.receive(arrival.packet, for_us || for_others);
    if (!exchange.type) exchange.type = header.type;
    if (const int service_class = wire::class_of(arrival.packet.fc->sof); service_class != 0)
        exchange.service_class = service_class;
    if (header.f_ctl.first_sequence && arrival.from == Party::originator) exchange.beginning_seen = true;
    if (arrival.from == Party::responder) followed.answered = true;
    Sent& sent = exchange.sent[arrival.from];
    if (arrival.event.order == FcFrameOrder::repeated) {
        ++sent.repeated;
        note_sequence(exchange, arrival);
        return;
    }
    ++sent.frames;
    sent.octets += arrival.packet.fc->frame.payload_length;
    note_sequence(exchange, arrival);
    if (!header.f_ctl.end_sequence) return;
    if (header.f_ctl.sequence_initiative) exchange.initiative = other(arrival.from);
    if (!header.f_ctl.last_sequence || exchange.state != ExchangeState::open) return;
    exchange.state = ExchangeState::closed;
    exchange.initiative.reset();
    arrival.closes = true;
}

void Exchanges::note_sequence(Exchange& exchange, const Arrival& arrival) const {
    const capture::FcSequence& seen = *arrival.event.sequence;
    const auto is_it = [&](const SequenceSeen& sequence) {
        return sequence.first_frame == seen.first_frame && sequence.from == arrival.from;
    };
    // The one that goes on is nearly always the last one.
    auto found = std::find_if(exchange.sequences.rbegin(), exchange.sequences.rend(), is_it);
    if (found == exchange.sequences.rend()) {
        if (seen.first_frame != arrival.packet.number) return;
        ++exchange.sequence_count;
        ++exchange.sent[arrival.from].sequences;
        if (exchange.sequences.size() >= limits_.sequences) return;
        exchange.sequences.emplace_back();
        found = exchange.sequences.rbegin();
    }
    *found = {
        arrival.from,
        seen.header.seq_id,
        seen.header.r_ctl,
        seen.first_frame,
        seen.last_frame,
        seen.first_time,
        seen.last_time,
        seen.frames,
        seen.missing,
        seen.repeated,
        seen.octets,
        seen.complete(),
        seen.end_seen && seen.last.f_ctl.sequence_initiative,
        seen.end_seen && seen.last.f_ctl.last_sequence};
}

void Exchanges::take_link_control(Exchange& exchange, const Arrival& arrival) {
    const wire::FrameHeader& header = arrival.header;
    if (is_ack(header)) ++exchange.sent[arrival.from].acks;
    switch (header.r_ctl) {
        case wire::r_ctl_p_bsy:
        case wire::r_ctl_f_bsy_data:
        case wire::r_ctl_f_bsy_link_control: ++exchange.busies; return;
        case wire::r_ctl_p_rjt:
        case wire::r_ctl_f_rjt:
            if (exchange.link_reject) return;
            exchange.link_reject = link_refusal(header, arrival.step());
            if (header.r_ctl == wire::r_ctl_p_rjt) exchange.link_reject_by = arrival.from;
            return;
        default: return;
    }
}

void Exchanges::take_basic_link_service(Exchange& exchange, const Arrival& arrival) {
    const wire::FrameHeader& header = arrival.header;
    if (header.r_ctl == wire::r_ctl_abts) {
        if (!exchange.abort)
            exchange.abort = AbortSeen{
                arrival.from, arrival.step(), (header.parameter & wire::abts_sequence_only) != 0, {}, {}};
        return;
    }
    if (!exchange.abort || exchange.abort->accepted || exchange.abort->refused) return;
    if (header.r_ctl == wire::r_ctl_ba_acc) {
        exchange.abort->accepted = arrival.step();
        if (!exchange.abort->sequence_only) exchange.state = ExchangeState::aborted;
    } else if (header.r_ctl == wire::r_ctl_ba_rjt) {
        wire::BaRjt reject;
        layout::parse_into(reject, arrival.packet.fc->frame.payload);
        exchange.abort->refused = Refusal{reject.reason, reject.explanation, reject.vendor, arrival.step()};
    }
}

}  // namespace fabricscope::engine::fibre_channel
