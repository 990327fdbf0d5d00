// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rdma_ip_cm/record.h"

namespace fabricscope::plugin {

void Record::on_packet(const capture::Packet& packet, bool has_interface_id) {
    // How many interfaces a capture has is known at its end only.
    const std::uint32_t interfaces = has_interface_id ? 2 : 1;
    if (!engine_)
        engine_.emplace(
            engine::Options{.smcr = false, .rdma_cm = true, .rdma_cm_options = options_, .interfaces = interfaces},
            engine::Observers{.rdma_cm = this});
    notes_.note_time(packet.number, packet.time);
    engine_->on_packet(packet);
    const bool is_copy = notes_.original(packet.number) != packet.number;
    if (!is_copy && engine::rdma_cm::is_message(packet)) {
        // The engine says nothing of messages that belong to no connection.
        Entry& entry = entries_.get(packet.number);
        entry.message = true;
        ib::MadHeader header;
        layout::parse_into(header, packet.ib.payload);
        entry.attribute = header.attribute_id;
    }
    for (const std::uint64_t frame : newly_broken_) entries_.get(frame);
    newly_broken_.clear();
}

void Record::on_facts(const FrameFacts& facts) {
    Entry& entry = entries_.add(facts.frame);
    entry.connection = facts.connection;
    entry.message = facts.message;
    entry.from_server = facts.from == Side::server;
    entry.retransmission = facts.retransmission;
    if (facts.request_frame == 0) return;
    answers_.push_back({facts.time, facts.request_time, facts.request_frame});
    entry.answer = static_cast<std::uint32_t>(answers_.size());
    notes_.note_response(facts.request_frame, facts.frame);
}

/// Where a finding shows something must be known of the frame. It may be an earlier one than the engine
/// is at; then the finding shows when that frame is dissected again.
void Record::on_finding(const engine::Finding& finding) {
    if (const std::uint64_t frame = notes_.note_finding(finding); frame != 0) newly_broken_.push_back(frame);
}

bool Record::find_facts(std::uint64_t frame, FrameFacts& facts) const {
    const Entry* entry = entries_.find(notes_.original(frame));
    if (entry == nullptr) return false;
    facts = {};
    facts.frame = entry->frame;
    facts.connection = entry->connection;
    facts.from = entry->from_server ? Side::server : Side::client;
    facts.message = entry->message;
    facts.retransmission = entry->retransmission;
    if (entry->answer == 0) return true;
    const Answer& answer = answers_[entry->answer - 1];
    facts.time = answer.time;
    facts.request_time = answer.request_time;
    facts.request_frame = answer.request_frame;
    return true;
}

ib::CmAttribute Record::attribute(std::uint64_t frame) const {
    const Entry* entry = entries_.find(frame);
    return static_cast<ib::CmAttribute>(entry != nullptr ? entry->attribute : 0);
}

const Connection* Record::connection(std::uint32_t id) const {
    return id != 0 ? &engine_->rdma_cm().connections[id - 1] : nullptr;
}

engine::rdma_cm::Outcome Record::outcome(const Connection& connection) const {
    return outcome_so_far(connection, notes_.latest());
}

const Record::Parties& Record::parties(std::uint32_t connection) const {
    static const Parties unknown;
    const Connection* of = this->connection(connection);
    if (of == nullptr || !of->client || !of->server) return unknown;
    if (connection > parties_.size()) parties_.resize(connection);
    Parties& made = parties_[connection - 1];
    if (made[Side::client].empty()) made = {{to_string(*of->client), to_string(*of->server)}};
    return made;
}

}  // namespace fabricscope::plugin
