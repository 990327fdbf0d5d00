// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fc/collector.h"

#include <algorithm>

#include "protocols/fc_ae_rdma/command.h"

namespace fabricscope::replay::fibre_channel {

namespace {

/// Octets of payload that are kept of a capture.
constexpr std::size_t most_octets = 512 * 1024 * 1024;
constexpr std::size_t most_units = 2'000'000;

bool is_ours(const fc::FrameHeader& header) {
    return header.is_els() || header.type == fc_ae_rdma::fc_type || header.type == fcvi::fc_type;
}

capture::LinkType link_of(capture::FcCarrier carrier) {
    return carrier == capture::FcCarrier::fcoe ? capture::LinkType::ethernet : capture::LinkType::fc2_with_delimiters;
}

}  // namespace

bool Collector::wants_data(const capture::Packet& packet) {
    return packet.fc->frame.header.is_data() && is_ours(packet.fc->frame.header);
}

ExchangeSeen& Collector::note_exchange(const engine::fibre_channel::FrameFacts& facts) {
    const engine::fibre_channel::Exchange& exchange = facts.exchange;
    const capture::Packet& packet = facts.packet;
    ExchangeSeen& seen = exchanges_[exchange.id];
    if (seen.first_frame == 0) seen.first_frame = packet.number;
    seen.originator = exchange.originator;
    seen.responder = exchange.responder;
    seen.fabric = exchange.fabric.value_or(0);
    seen.type = exchange.type.value_or(0);
    seen.service_class = exchange.service_class.value_or(3);
    seen.els = exchange.els.value_or(0);
    seen.beginning_seen = exchange.beginning_seen;
    seen.link = link_of(packet.fc->carrier);
    const bool from_originator = facts.from == engine::fibre_channel::Party::originator;
    (from_originator ? seen.originator_mac : seen.responder_mac) = packet.source_mac;
    (from_originator ? seen.responder_mac : seen.originator_mac) = packet.destination_mac;
    const fc::Frame& frame = packet.fc->frame;
    seen.data_field_size = std::max<std::size_t>(
        seen.data_field_size, frame.device_header().size() + frame.payload_length);
    if (fcvi_.frame == packet.number && fcvi_.connection != 0) {
        seen.connection = fcvi_.connection;
        seen.originator_side = facts.from == engine::fibre_channel::Party::originator ? fcvi_.from : other(fcvi_.from);
    }
    if (rdma_.frame == packet.number && rdma_.message != 0) seen.rdma_message = rdma_.message;
    return seen;
}

void Collector::on_frame(const engine::fibre_channel::FrameFacts& facts) {
    const fc::FrameHeader& header = facts.packet.fc->frame.header;
    const bool is_abort = header.r_ctl == fc::r_ctl_abts;
    if (!is_abort && !(header.is_data() && is_ours(header))) return;
    ExchangeSeen& exchange = note_exchange(facts);
    if (is_abort) return keep(facts, {header, header, {}, {}});
    if (!facts.sequence.completes) return;
    const capture::FcSequence& sequence = *facts.sequence.sequence;
    if (sequence.cut_off || facts.sequence.data.size() != sequence.octets) {
        exchange.damaged = true;
        return;
    }
    const ByteView device_header = ByteView(sequence.device_header.octets).first(sequence.device_header_size);
    keep(
        facts, {sequence.header,
                sequence.last,
                {device_header.begin(), device_header.end()},
                {facts.sequence.data.begin(), facts.sequence.data.end()}});
}

void Collector::keep(const engine::fibre_channel::FrameFacts& facts, SequenceSeen sequence) {
    octets_ += sequence.payload.size();
    too_much_ = too_much_ || octets_ > most_octets || units_.size() >= most_units;
    if (too_much_) return;
    exchanges_.at(facts.exchange.id).units.push_back(units_.size());
    units_.push_back(
        {facts.exchange.id, facts.from == engine::fibre_channel::Party::responder, std::move(sequence),
         facts.packet.time, facts.packet.number});
}

void Collector::on_exchange_over(const engine::fibre_channel::Exchange& exchange) {
    const auto seen = exchanges_.find(exchange.id);
    if (seen != exchanges_.end() && exchange.incomplete_sequences != 0) seen->second.damaged = true;
}

}  // namespace fabricscope::replay::fibre_channel
