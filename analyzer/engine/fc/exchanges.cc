// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc/exchanges.h"

#include <algorithm>
#include <utility>

#include "capture/hash.h"
#include "protocols/fc/basic_links.h"

namespace fabricscope::engine::fibre_channel {
namespace {

using capture::FcFrameOrder;

bool is_ack(const wire::FrameHeader& header) {
    return header.r_ctl == wire::r_ctl_ack_0 || header.r_ctl == wire::r_ctl_ack_1;
}

/// ABTS ends it, unless it is refused or means a Sequence only. That it was accepted need not have been captured.
bool is_aborted(const Exchange& exchange) {
    return exchange.abort && !exchange.abort->refused && !exchange.abort->sequence_only;
}

/// An ACK of a Sequence that was not captured may be another Exchange's, which got the same OX_ID.
bool is_stray_ack(const Exchange& exchange, const wire::FrameHeader& header) {
    if (!is_ack(header)) return false;
    if (exchange.service_class == 3) return true;  // in which nothing is acknowledged
    const Party sender = header.f_ctl.exchange_responder ? Party::originator : Party::responder;
    return exchange.sequence_count <= exchange.sequences.size() &&
           std::ranges::none_of(exchange.sequences, [&](const SequenceSeen& sequence) {
               return sequence.from == sender && sequence.seq_id == header.seq_id;
           });
}

/// Something is to be said of it, or of others because of it: what was refused may have been accepted later.
bool is_notable(const Exchange& exchange) {
    return exchange.rejected || exchange.link_reject || exchange.abort || exchange.busies != 0 ||
           exchange.incomplete_sequences != 0 || exchange.accepted == true;
}

// Of what a command says; data behind it are many octets.
constexpr std::size_t most_of_command = 64;

std::uint64_t digest_of(const wire::Frame& frame) {
    return capture::hash_of(frame.payload.first(std::min(frame.payload.size(), most_of_command)));
}

/// Whether enough was captured to tell it from others.
bool tells_command(const wire::Frame& frame) {
    return frame.payload.size() >= std::min<std::size_t>(frame.payload_length, most_of_command);
}

/// At the same place of a first Sequence, but not the same frame.
bool is_another(const wire::FrameHeader& a, std::uint64_t digest_of_a, const wire::Frame& frame) {
    const wire::FrameHeader& b = frame.header;
    const bool same_place = b.is_data() && b.f_ctl.first_sequence && !b.f_ctl.exchange_responder &&
                            a.seq_id == b.seq_id && a.seq_cnt == b.seq_cnt;
    if (!same_place) return false;
    return a.r_ctl != b.r_ctl || a.type != b.type || a.parameter != b.parameter || digest_of_a != digest_of(frame);
}

/// Of an N_Port that asks the fabric for an address, as far as it was captured.
std::optional<std::uint64_t> asker_of(const wire::Frame& frame) {
    const wire::FrameHeader& header = frame.header;
    if (header.s_id != wire::unidentified || !header.is_els() || header.f_ctl.exchange_responder) return std::nullopt;
    const wire::ElsMessage message = wire::parse_els(frame.payload, frame.payload_length, std::nullopt);
    const auto* login = std::get_if<wire::Login>(&message.body);
    return login != nullptr && !message.error ? std::optional(login->names.port_name) : std::nullopt;
}

/// After Sequences were taken out of it.
void count_anew(Exchange& exchange, Party sender) {
    exchange.sequence_count = exchange.sent[sender].sequences;
    exchange.incomplete_sequences = static_cast<std::uint32_t>(
        std::ranges::count(exchange.sequences, false, &SequenceSeen::complete));
    exchange.last_frame = exchange.sequences.back().last_frame;
    exchange.last_time = exchange.sequences.back().last_time;
}

Refusal link_refusal(const wire::FrameHeader& header, const FrameStamp& step) {
    const auto parameter = wire::parameter_as<wire::RejectParameter>(header);
    return {parameter.reason, 0, parameter.vendor, step};
}

}  // namespace

// ---- which one -------------------------------------------------------------------------------------

std::size_t Exchanges::KeyHash::operator()(const Key& key) const noexcept {
    const std::uint64_t ports = std::uint64_t{key.originator} << 40 ^ std::uint64_t{key.responder} << 16;
    return ports ^ key.ox_id ^ std::uint64_t{key.fabric.value_or(0xFFFF)} << 32;
}

Exchanges::Key Exchanges::key_of(const capture::FcPacket& fc) {
    const wire::FrameHeader& header = fc.frame.header;
    if (header.f_ctl.exchange_responder) return {header.d_id, header.s_id, header.ox_id, fc.fabric};
    return {header.s_id, header.d_id, header.ox_id, fc.fabric};
}

Exchanges::Place* Exchanges::find(const Key& key) {
    if (!open_.empty() && open_.front().key == key) return &open_.front();  // frames of a Sequence follow one another
    const List::iterator* found = index_.find(key);
    if (found == nullptr) return nullptr;
    List& list = (*found)->is_over ? over_ : open_;
    list.splice(list.begin(), list, *found);
    return &list.front();
}

/// The LS_ACC to a FLOGI goes to the address that it assigns, not to the one the FLOGI came from.
Exchanges::Place* Exchanges::find_fabric_login(const Key& key) {
    if (key.responder != wire::f_port_server) return nullptr;
    Key asked = key;
    asked.originator = wire::unidentified;
    Place* found = find(asked);
    if (found != nullptr && !found->is_over) found->exchange->assigned_id = key.originator;
    return found;
}

/// After an Exchange is over: whether a frame that was seen in it may be sent again. In Class 3 none is; in others
/// those that are busied, but not of a Sequence that the other party had taken before it went on.
bool Exchanges::may_repeat(const Place& place, const capture::FcPacket& fc) {
    const Party from = fc.frame.header.f_ctl.exchange_responder ? Party::responder : Party::originator;
    const capture::FcSequence* sequence = place.sequences[from].repeated_by(fc.frame.header);
    if (sequence == nullptr || sequence->last.f_ctl.last_sequence || is_aborted(*place.exchange)) return true;
    return wire::class_of(fc.sof) != 3 && !sequence->last.f_ctl.sequence_initiative;
}

/// Who answers gives an Exchange one RX_ID, and who has asked repeats it. 0 may mean that it knows none, but is one
/// like others in what a Responder sends behind the end of an Exchange.
bool Exchanges::has_other_rx_id(const Place& place, const wire::FrameHeader& header) {
    if (!place.given_rx_id || header.rx_id == wire::unassigned_x_id || header.rx_id == *place.given_rx_id) return false;
    if (place.is_over && header.f_ctl.exchange_responder) return true;
    return header.rx_id != 0 && *place.given_rx_id != 0;
}

/// OX_IDs are used again. Whether a frame, mostly of a first Sequence, belongs to another Exchange than the one that
/// has its OX_ID.
bool Exchanges::starts_anew(const Place& place, const capture::FcPacket& fc) {
    const wire::Frame& frame = fc.frame;
    const wire::FrameHeader& header = frame.header;
    // All data of an Exchange are of one TYPE.
    if (!header.is_data()) return false;
    if (place.exchange->type && header.type != *place.exchange->type) return true;
    if (has_other_rx_id(place, header) || (place.is_over && !may_repeat(place, fc))) return true;
    if (!header.f_ctl.first_sequence || header.f_ctl.exchange_responder) return false;
    if (place.is_over || is_aborted(*place.exchange)) return true;
    if (is_another(place.first_header, place.first_digest, frame)) return true;
    if (place.asker && asker_of(frame).value_or(*place.asker) != *place.asker) return true;
    const std::vector<SequenceSeen>& sequences = place.exchange->sequences;
    const bool first_is_over = !sequences.empty() && sequences.front().complete;
    return first_is_over && (header.seq_id != place.first_header.seq_id || place.answered);
}

Exchanges::Place& Exchanges::place_of(const capture::Packet& packet, bool& opens) {
    const wire::FrameHeader& header = packet.fc->frame.header;
    const Key key = key_of(*packet.fc);
    Place* known = find(key);
    if (known == nullptr && header.f_ctl.exchange_responder) known = find_fabric_login(key);
    opens = known == nullptr || starts_anew(*known, *packet.fc);
    if (!opens) return *known;
    if (known != nullptr) end(*known);
    else known = &make_place(key);
    open(*known, packet);
    return *known;
}

Exchanges::Place& Exchanges::make_place(const Key& key) {
    if (open_.size() + over_.size() >= limits_.followed) forget(over_.empty() ? open_ : over_);
    if (spare_.empty()) spare_.emplace_front();
    open_.splice(open_.begin(), spare_, spare_.begin());
    Place& place = open_.front();
    place.key = key;
    place.is_over = false;
    place.kept = {};
    index_[key] = open_.begin();
    return place;
}

/// `place` is the one used last.
void Exchanges::open(Place& place, const capture::Packet& packet) {
    if (std::exchange(place.is_over, false)) open_.splice(open_.begin(), over_, over_.begin());
    for (capture::FcSequences& sequences : place.sequences.values) sequences.clear();
    place.answered = false;
    place.id_noted = {};
    place.is_listed = !only_notable_ && model_.exchanges.size() < limits_.exchanges;
    if (place.is_listed) {
        place.exchange = &model_.exchanges.open();
    } else {
        if (place.unlisted) *place.unlisted = {};
        else place.unlisted = std::make_unique<Exchange>();
        place.exchange = place.unlisted.get();
        model_.unlisted_exchanges += !only_notable_;
    }
    const wire::FrameHeader& header = packet.fc->frame.header;
    place.first_header = header;
    place.first_digest = digest_of(packet.fc->frame);
    place.asker = asker_of(packet.fc->frame);
    place.given_rx_id.reset();
    Exchange& exchange = *place.exchange;
    exchange.id = ++last_id_;
    exchange.fabric = place.key.fabric;
    exchange.originator = place.key.originator;
    exchange.responder = place.key.responder;
    exchange.ox_id = place.key.ox_id;
    exchange.first_frame = packet.number;
    exchange.first_time = packet.time;
    if (header.f_ctl.first_sequence && header.is_data()) exchange.initiative = Party::originator;
}

/// Nothing more comes of its Exchange.
void Exchanges::end(Place& place) {
    Exchange& exchange = *place.exchange;
    if (is_aborted(exchange) && exchange.state == ExchangeState::open) exchange.state = ExchangeState::aborted;
    if (only_notable_) list_late(exchange);
    listeners_.tell([&](Observer& listener) { listener.on_exchange_over(exchange); });
    if (place.is_listed) model_.exchanges.close(place_in_model(exchange.id));
}

void Exchanges::list_late(const Exchange& exchange) {
    if (!is_notable(exchange)) return;
    if (model_.exchanges.size() < limits_.exchanges) model_.exchanges.push_back(exchange);
    else ++model_.unlisted_exchanges;
}

/// The one of the list that was idle longest.
void Exchanges::forget(List& list) {
    Place& place = list.back();
    end(place);
    listeners_.on_forgotten(place.kept);
    index_.erase(place.key);
    spare_.splice(spare_.begin(), list, std::prev(list.end()));
}

/// Its Exchange is over. Of these only so many are followed as frames may still repeat.
void Exchanges::settle(Place& place) {
    place.is_over = true;
    over_.splice(over_.begin(), open_, open_.begin());
    if (over_.size() > limits_.over) forget(over_);
}

void Exchanges::finish() {
    for (List* list : {&over_, &open_})
        for (; !list->empty(); list->pop_back()) end(list->back());
    index_ = {};
}

/// Fabric logins with one OX_ID: the answer belongs to one whose request was not captured, as a lone answer does.
void Exchanges::part_answer(std::uint32_t id) {
    if (only_notable_ || id == 0 || id > model_.exchanges.size()) return;
    std::optional<Exchange> answer;
    model_.exchanges.change(place_in_model(id), [&](Exchange& asked) {
        answer = take_answer_out(asked);
        return answer.has_value();
    });
    if (!answer) return;
    if (model_.exchanges.size() >= limits_.exchanges) {
        ++model_.unlisted_exchanges;
        return;
    }
    answer->id = ++last_id_;
    model_.exchanges.push_back(std::move(*answer));
}

/// Nothing if it has no answer, or nothing else.
std::optional<Exchange> Exchanges::take_answer_out(Exchange& asked) {
    if (!asked.assigned_id) return std::nullopt;
    const auto by_originator = [](const SequenceSeen& sequence) { return sequence.from == Party::originator; };
    const auto answers = std::stable_partition(asked.sequences.begin(), asked.sequences.end(), by_originator);
    if (answers == asked.sequences.end() || answers == asked.sequences.begin()) return std::nullopt;
    Exchange answer;
    answer.fabric = asked.fabric;
    answer.originator = *std::exchange(asked.assigned_id, {});
    answer.responder = asked.responder;
    answer.ox_id = asked.ox_id;
    answer.rx_id = std::exchange(asked.rx_id, {});
    answer.type = asked.type;
    answer.service_class = asked.service_class;
    answer.state = std::exchange(asked.state, ExchangeState::open);
    answer.accepted = std::exchange(asked.accepted, {});
    answer.sent[Party::responder] = std::exchange(asked.sent[Party::responder], {});
    answer.sequences.assign(answers, asked.sequences.end());
    answer.first_frame = answer.sequences.front().first_frame;
    answer.first_time = answer.sequences.front().first_time;
    count_anew(answer, Party::responder);
    asked.sequences.erase(answers, asked.sequences.end());
    asked.initiative = Party::responder;
    count_anew(asked, Party::originator);
    return answer;
}

// ---- what a frame does -----------------------------------------------------------------------------

Arrival Exchanges::take(const capture::Packet& packet) {
    bool opens = false;
    Place& place = place_of(packet, opens);
    Exchange& exchange = *place.exchange;
    const wire::FrameHeader& header = packet.fc->frame.header;
    const Party from = header.f_ctl.exchange_responder ? Party::responder : Party::originator;
    Arrival arrival{packet, header, from, exchange, place.kept};
    arrival.opens = opens;
    exchange.last_frame = packet.number;
    exchange.last_time = packet.time;
    // 0 is an RX_ID like others in what a Responder sends; others may mean that they know of none.
    const bool answers = header.f_ctl.exchange_responder && (header.is_data() || header.rx_id != 0);
    const bool echoes = !exchange.rx_id && header.rx_id != 0;
    const bool names_rx_id = header.rx_id != wire::unassigned_x_id && !is_stray_ack(exchange, header);
    if (names_rx_id && (answers || echoes)) exchange.rx_id = header.rx_id;
    if (names_rx_id && header.f_ctl.exchange_responder) place.given_rx_id = header.rx_id;
    if (header.is_link_control()) take_link_control(exchange, arrival);
    else if (header.is_basic_link_service()) take_basic_link_service(exchange, arrival);
    else take_data(place, arrival);
    note_ids(place, from);
    if (exchange.state != ExchangeState::open && !place.is_over) settle(place);
    return arrival;
}

void Exchanges::take_data(Place& place, Arrival& arrival) {
    Exchange& exchange = *place.exchange;
    const wire::FrameHeader& header = arrival.header;
    const bool for_others = listeners_.want_data(arrival.packet);
    const bool for_us = header.is_els() || header.type == wire::type_ct;
    arrival.event = place.sequences[arrival.from].receive(arrival.packet, for_us || for_others);
    if (!exchange.type) exchange.type = header.type;
    if (const int service_class = wire::class_of(arrival.packet.fc->sof); service_class != 0)
        exchange.service_class = service_class;
    if (header.f_ctl.first_sequence && arrival.from == Party::originator) exchange.beginning_seen = true;
    if (arrival.from == Party::responder) place.answered = true;
    note_sequence(exchange, arrival);
    Sent& sent = exchange.sent[arrival.from];
    if (arrival.event.order == FcFrameOrder::repeated) {
        ++sent.repeated;
        if (header.f_ctl.first_sequence && arrival.from == Party::originator && header.seq_cnt == 0 &&
            !tells_command(arrival.packet.fc->frame))
            exchange.may_be_several = true;
        return;
    }
    ++sent.frames;
    sent.octets += arrival.packet.fc->frame.payload_length;
    if (!header.f_ctl.end_sequence) return;
    if (header.f_ctl.sequence_initiative) exchange.initiative = other(arrival.from);
    if (!header.f_ctl.last_sequence || exchange.state != ExchangeState::open) return;
    exchange.state = ExchangeState::closed;
    exchange.initiative.reset();
    arrival.closes = true;
}

/// Only of Exchanges whose beginning was captured: of another one something is missing, and its numbers show it.
void Exchanges::note_ids(Place& place, Party from) {
    const Exchange& exchange = *place.exchange;
    if (!exchange.beginning_seen) return;
    if (!std::exchange(place.id_noted[Party::originator], true))
        given_ids_.note(exchange.port(Party::originator), Party::originator, exchange.ox_id);
    if (from == Party::originator || !exchange.rx_id) return;
    if (!std::exchange(place.id_noted[Party::responder], true))
        given_ids_.note(exchange.port(Party::responder), Party::responder, *exchange.rx_id);
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
        ++exchange.incomplete_sequences;
        found = exchange.sequences.rbegin();
    }
    const bool was_complete = found->complete;
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
    if (found->complete && !was_complete) --exchange.incomplete_sequences;
}

void Exchanges::take_link_control(Exchange& exchange, const Arrival& arrival) {
    const wire::FrameHeader& header = arrival.header;
    if (is_ack(header) && !is_stray_ack(exchange, header)) ++exchange.sent[arrival.from].acks;
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
