// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rdma_cm/record.h"

namespace fabricscope::plugin::rdma_cm {

void Record::note_message(const capture::Packet& packet) {
    if (!engine::rdma_cm::claims_message(packet) || original_of(packet.number) != packet.number) return;
    Entry& entry = entries_.get(packet.number);
    entry.message = true;
    ib::MadHeader header;
    layout::parse_into(header, packet.ib.payload);
    entry.attribute = header.attribute_id;
}

void Record::on_facts(const FrameFacts& facts) {
    Entry& entry = entries_.add(facts.frame);
    entry.connection = facts.connection;
    entry.message = facts.message;
    entry.from_server = facts.from == Side::server;
    entry.retransmission = facts.retransmission;
    if (facts.request_frame == 0) return;
    entry.answer = answers_.add({facts.time, facts.request_time, facts.request_frame});
    notes_.note_response(facts.request_frame, facts.frame);
}

bool Record::find_facts(std::uint64_t frame, FrameFacts& facts) const {
    facts = {};
    facts.frame = original_of(frame);
    const Entry* entry = entries_.find(facts.frame);
    if (entry == nullptr) return !notes_.broken_rules(facts.frame).empty();
    facts.connection = entry->connection;
    facts.from = entry->from_server ? Side::server : Side::client;
    facts.message = entry->message;
    facts.retransmission = entry->retransmission;
    if (entry->answer == 0) return true;
    const Answer& answer = answers_[entry->answer];
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
    return id != 0 ? &engine().rdma_cm().connections[id - 1] : nullptr;
}

engine::rdma_cm::Outcome Record::outcome(const Connection& connection) const { return outcome_so_far(connection); }

const Record::Parties& Record::parties(std::uint32_t connection) const {
    static const Parties unknown;
    const Connection* of = this->connection(connection);
    if (of == nullptr || !of->client || !of->server) return unknown;
    if (connection > parties_.size()) parties_.resize(connection);
    Parties& made = parties_[connection - 1];
    if (made[Side::client].empty()) made = {{to_string(*of->client), to_string(*of->server)}};
    return made;
}

}  // namespace fabricscope::plugin::rdma_cm
