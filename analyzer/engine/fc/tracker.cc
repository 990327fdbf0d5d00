// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc/tracker.h"

#include <utility>

#include "analyzer/engine/fc/addresses.h"
#include "analyzer/engine/fc/logins.h"
#include "capture/fcip.h"
#include "capture/fcoe_vlan.h"
#include "capture/hash.h"

namespace fabricscope::engine::fibre_channel {

class Tracker::State {
public:
    State(Options options, std::vector<Observer*> listeners) : options_(options), listeners_(std::move(listeners)) {}

    /// VLANs of FCoE are fabrics, as VSANs are. Frames may be seen without their tags, so those of the VLAN that comes
    /// first are in the same fabric as frames that have none; each further VLAN is one of its own.
    Fabric further_vlan_of(const capture::Packet& packet);
    void on_fibre_channel(const capture::Packet& packet);
    void on_frame(const capture::Packet& packet);
    void on_els(Arrival& arrival, ByteView payload, std::size_t length);
    void on_ct(Arrival& arrival, ByteView payload, std::size_t length);
    static void answered(Arrival& arrival, bool accepted);

    Options options_;
    Listeners listeners_;
    Model model_;
    capture::FcipStreams fcip_;
    capture::FcoeVlans vlans_;
    Exchanges exchanges_{options_, listeners_, model_};
    Logins logins_{options_.limits, listeners_, exchanges_, model_};
    Addresses addresses_{options_.limits, model_};
};

Fabric Tracker::State::further_vlan_of(const capture::Packet& packet) {
    const std::uint16_t vlan = vlans_.further(packet);
    return vlan == 0 ? Fabric() : Fabric(vlan);
}

void Tracker::State::on_fibre_channel(const capture::Packet& packet) {
    const Fabric vlan = packet.fc->fabric ? Fabric() : further_vlan_of(packet);
    if (!vlan) return on_frame(packet);
    capture::Packet named = packet;
    named.fc->fabric = vlan;
    on_frame(named);
}

void Tracker::State::on_frame(const capture::Packet& packet) {
    ++model_.frames;
    if (is_invalid(packet.fc->eof) || (options_.check_crc && fc_crc_is_good(packet) == false)) {
        ++model_.damaged_frames;
        return;
    }
    Arrival arrival = exchanges_.take(packet);
    const wire::Frame& frame = packet.fc->frame;
    if (arrival.event.completes && !frame.header.df_ctl.esp_header) {
        // A Sequence of one frame is used even when it was cut off.
        const bool single = arrival.event.sequence->frames == 1;
        const ByteView payload = single ? frame.payload : ByteView(arrival.event.data);
        const std::size_t length = single ? frame.payload_length : payload.size();
        if (frame.header.is_els()) on_els(arrival, payload, length);
        else if (frame.header.type == wire::type_ct) on_ct(arrival, payload, length);
    }
    listeners_.on_frame(arrival.kept, [&](std::uint32_t& kept) {
        return FrameFacts{
            packet,
            arrival.exchange,
            arrival.from,
            arrival.event,
            arrival.opens,
            arrival.closes,
            arrival.request_frame,
            arrival.request_time,
            logins_,
            exchanges_.given_ids(),
            kept};
    });
}

void Tracker::State::answered(Arrival& arrival, bool accepted) {
    Exchange& exchange = arrival.exchange;
    if (!exchange.accepted) exchange.accepted = accepted;
    if (!exchange.beginning_seen) return;
    arrival.request_frame = exchange.first_frame;
    arrival.request_time = exchange.first_time;
}

void Tracker::State::on_els(Arrival& arrival, ByteView payload, std::size_t length) {
    if (payload.empty()) return;  // cut off before the command
    Exchange& exchange = arrival.exchange;
    const wire::ElsMessage message = wire::parse_els(payload, length, exchange.els);
    const bool is_answer = message.command == wire::els_ls_acc || message.command == wire::els_ls_rjt;
    if (!is_answer) {
        if (!exchange.els) exchange.els = message.command;
        logins_.on_request(arrival, message);
        if (const auto* farp = std::get_if<wire::Farp>(&message.body); farp != nullptr && !message.error)
            addresses_.on_farp(arrival, *farp);
        return;
    }
    answered(arrival, message.command == wire::els_ls_acc);
    if (const auto* reject = std::get_if<wire::LsRjt>(&message.body);
        reject != nullptr && !message.error && !exchange.rejected)
        exchange.rejected = Refusal{reject->reason, reject->explanation, reject->vendor, arrival.step()};
    if (exchange.els) logins_.on_answer(arrival, message);
}

void Tracker::State::on_ct(Arrival& arrival, ByteView payload, std::size_t length) {
    Exchange& exchange = arrival.exchange;
    const wire::CtMessage message = wire::parse_ct(payload, length, exchange.ct);
    if (message.error) return;
    const std::uint16_t command = message.header.command;
    if (command != wire::ct_accept && command != wire::ct_reject) {
        if (!exchange.ct) exchange.ct = command;
        if (payload.size() == length) exchange.question = static_cast<std::uint32_t>(capture::hash_of(payload));
        if (const auto* request = std::get_if<wire::GidIppRequest>(&message.body))
            addresses_.on_name_server_request(arrival, *request);
        return;
    }
    answered(arrival, command == wire::ct_accept);
    if (command == wire::ct_reject && !exchange.rejected)
        exchange.rejected = Refusal{
            message.header.reason, message.header.explanation, message.header.vendor, arrival.step()};
    if (exchange.ct == wire::ct_gid_ipp) addresses_.on_name_server_answer(arrival, message);
}

Tracker::Tracker(Options options, std::vector<Observer*> listeners)
    : state_(std::make_unique<State>(options, std::move(listeners))) {}
Tracker::~Tracker() = default;

void Tracker::on_packet(const capture::Packet& packet) {
    if (packet.transport == capture::Transport::fc) return state_->on_fibre_channel(packet);
    if (packet.fip_control != capture::FipControl::none)
        return state_->logins_.on_fip_control(packet, state_->further_vlan_of(packet));
    if (capture::FcipStreams::takes(packet))
        state_->fcip_.on_packet(packet, [this](const capture::Packet& frame) { state_->on_frame(frame); });
}

void Tracker::on_copy(const capture::Packet& packet, std::uint64_t original) {
    state_->vlans_.further(packet);  // it may have the tag that its original lacks
    state_->listeners_.tell([&](Observer& listener) { listener.on_copy(packet.number, original); });
}

void Tracker::finish() {
    state_->fcip_.finish([this](const capture::Packet& frame) { state_->on_frame(frame); });
    state_->exchanges_.finish();
    state_->listeners_.tell([this](Observer& listener) { listener.on_end(state_->logins_); });
}

const Model& Tracker::model() const { return state_->model_; }
const Logins& Tracker::logins() const { return state_->logins_; }

}  // namespace fabricscope::engine::fibre_channel
