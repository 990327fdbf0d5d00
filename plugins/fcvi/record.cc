// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fcvi/record.h"

namespace fabricscope::plugin::fcvi {
namespace {

bool is_fcvi(const fc::FrameHeader& header) { return header.type == wire::fc_type && header.is_data(); }

/// All data that the Message can have were seen.
bool is_whole(const Message& message) {
    const bool ended = message.reads() ? message.response_end.has_value() : message.request_end.has_value();
    return ended && message.missing_frames == 0;
}

}  // namespace

void Record::on_data(const engine::fcvi::DataPiece& piece) {
    offset_ = piece.offset;
    assemblies_.add(piece.message.id, current_frame(), piece.offset, piece.octets);
}

/// Only what a setup says is used as a whole.
bool Record::wants_data(const capture::Packet& packet) {
    const fc::FrameHeader& header = packet.fc->frame.header;
    const fc::Category category = fc::category_of(header.r_ctl);
    return is_fcvi(header) &&
           (category == fc::Category::unsolicited_control || category == fc::Category::solicited_control);
}

void Record::on_frame(const FcFacts& fc) {
    if (is_fcvi(fc.packet.fc->frame.header)) {
        FrameEntry entry{};
        entry.frame = current_frame();
        entry.exchange = fc.exchange.id;
        entry.iu = true;
        take_iu(fc, entry);
    } else {
        take_other(fc);
    }
    facts_.reset();
    offset_.reset();
}

void Record::take_iu(const FcFacts& fc, FrameEntry& entry) {
    entry.kept = keep_octets(fc);
    if (facts_) take_facts(fc, entry);
    const auto& messages = engine().fcvi().messages;
    if (entry.message != 0 && messages.is_open(entry.message - 1) && !entry.repeated)
        if (const Message& message = messages.opened(entry.message - 1); is_whole(message))
            entry.ends_message = assemblies_.complete(message.id, message.bytes, entry.frame);
    if (fc.sequence.completes && fc.sequence.sequence->frames > 1 && !fc.sequence.data.empty())
        long_payloads_[entry.frame].assign(fc.sequence.data.begin(), fc.sequence.data.end());
    entries_.add(entry.frame) = entry;
}

void Record::take_facts(const FcFacts& fc, FrameEntry& entry) {
    entry.readable = true;
    entry.connection = facts_->connection;
    entry.message = static_cast<std::uint32_t>(facts_->message);
    entry.iso = facts_->version == wire::Version::iso;
    entry.from_server = facts_->from == Side::server;
    entry.repeated = facts_->repeated;
    entry.offset = offset_.value_or(0);
    note_answer(entry, facts_->request_frame, facts_->time - facts_->request_time);
    if (entry.connection == 0) return;
    const bool from_originator = fc.from == Party::originator;
    places_[fc.exchange.id] = {entry.connection, entry.message, entry.from_server == from_originator};
}

/// Acknowledgments, rejects and ABTS of FC-VI's Exchanges.
void Record::take_other(const FcFacts& fc) {
    const Place* place = places_.find(fc.exchange.id);
    if (place == nullptr) return;
    FrameEntry& entry = entries_.add(current_frame());
    entry.exchange = fc.exchange.id;
    entry.connection = place->connection;
    entry.message = place->message;
    entry.from_server = (fc.from == Party::originator) == place->originator_is_server;
}

const Connection* Record::connection(std::uint32_t id) const {
    return id != 0 ? &engine().fcvi().connections[id - 1] : nullptr;
}

std::optional<Message> Record::message(std::uint32_t id) const {
    return id != 0 ? std::optional(engine().fcvi().messages[id - 1]) : std::nullopt;
}

ByteView Record::long_payload(std::uint32_t frame) const {
    const auto found = long_payloads_.find(frame);
    return found == long_payloads_.end() ? ByteView() : ByteView(found->second);
}

const Record::Parties& Record::parties(std::uint32_t connection) const {
    static const Parties unknown;
    const Connection* of = this->connection(connection);
    if (of == nullptr) return unknown;
    if (connection > parties_.size()) parties_.resize(connection);
    Parties& made = parties_[connection - 1];
    if (made[Side::client].empty())
        made = {{to_string(of->end[Side::client].port), to_string(of->end[Side::server].port)}};
    return made;
}

}  // namespace fabricscope::plugin::fcvi
