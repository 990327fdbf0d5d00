// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rdma/record.h"

namespace fabricscope::plugin::rdma {
namespace {

bool is_odd(const FrameFacts& facts) {
    return facts.retransmission || facts.nak || facts.out_of_order || facts.duplicate_request || facts.duplicate_ack ||
           facts.unseen || facts.missing != 0 || facts.lost != 0 || facts.cnp_latency;
}

bool is_answer(const FrameFacts& facts) {
    return facts.response && (facts.request_frame != 0 || facts.acknowledges_frame != 0);
}

}  // namespace

void Record::on_facts(const FrameFacts& facts) {
    Entry& entry = entries_.add(facts.frame);
    entry.stream = facts.stream;
    entry.psn = facts.psn;
    entry.relative_psn = facts.relative_psn.value_or(0);
    entry.has_relative_psn = facts.relative_psn.has_value();
    entry.operation_number = static_cast<std::uint32_t>(facts.operation_number);
    entry.operation_bytes = static_cast<std::uint32_t>(facts.operation_bytes.value_or(0));
    entry.has_bytes = facts.operation_bytes.has_value();
    entry.request_frame = static_cast<std::uint32_t>(facts.request_frame);
    entry.packets_in_flight = static_cast<std::uint32_t>(facts.packets_in_flight.value_or(0));
    entry.has_in_flight = facts.packets_in_flight.has_value();
    entry.bytes_in_flight = facts.bytes_in_flight.value_or(0);
    entry.has_bytes_in_flight = facts.bytes_in_flight.has_value();
    entry.type = facts.operation.value_or(OperationType{});
    entry.has_type = facts.operation.has_value();
    entry.from_b = facts.from == Side::b;
    entry.request = facts.request;
    entry.response_packet = facts.response;
    entry.cnp = facts.cnp;
    entry.ce = facts.ce;
    if (is_answer(facts))
        entry.answer = answers_.add(
            {facts.time, facts.request_time, static_cast<std::uint32_t>(facts.acknowledges_frame), facts.completes,
             facts.ack_rtt});
    if (is_odd(facts))
        entry.oddity = oddities_.add(
            {facts.retransmission, facts.nak, facts.out_of_order, facts.duplicate_request, facts.duplicate_ack,
             facts.unseen, facts.missing, facts.lost, facts.retry, facts.waited, facts.cnp_latency});
}

void Record::on_operation(const engine::rdma::Operation& operation) {
    Entry* begun = entries_.find(operation.first.frame);
    if (begun != nullptr && begun->response == 0) begun->response = static_cast<std::uint32_t>(operation.answer->frame);
}

bool Record::find_facts(std::uint64_t frame, FrameFacts& facts) const {
    facts = {};
    facts.frame = original_of(frame);
    const Entry* entry = entries_.find(facts.frame);
    if (entry == nullptr) return false;
    const auto merged = merged_.find(entry->stream);
    facts.stream = merged != merged_.end() ? merged->second : entry->stream;
    // A half that joins an earlier one was the first of a stream of its own, and is the second of the other.
    facts.from = entry->from_b || merged != merged_.end() ? Side::b : Side::a;
    facts.request = entry->request;
    facts.response = entry->response_packet;
    facts.cnp = entry->cnp;
    facts.ce = entry->ce;
    facts.psn = entry->psn;
    if (entry->has_relative_psn) facts.relative_psn = entry->relative_psn;
    if (entry->has_type) facts.operation = entry->type;
    facts.operation_number = entry->operation_number;
    if (entry->has_bytes) facts.operation_bytes = entry->operation_bytes;
    facts.request_frame = entry->request_frame;
    if (entry->has_in_flight) facts.packets_in_flight = entry->packets_in_flight;
    if (entry->has_bytes_in_flight) facts.bytes_in_flight = entry->bytes_in_flight;
    facts.source_qpn = stream(facts).end[facts.from].qpn;
    if (entry->answer != 0) {
        const Answer& answer = answers_[entry->answer];
        facts.time = answer.time;
        facts.request_time = answer.request_time;
        facts.acknowledges_frame = answer.acknowledges_frame;
        facts.completes = answer.completes;
        facts.ack_rtt = answer.ack_rtt;
    }
    if (entry->oddity == 0) return true;
    const Oddity& oddity = oddities_[entry->oddity];
    facts.retransmission = oddity.retransmission;
    facts.nak = oddity.nak;
    facts.out_of_order = oddity.out_of_order;
    facts.duplicate_request = oddity.duplicate_request;
    facts.duplicate_ack = oddity.duplicate_ack;
    facts.unseen = oddity.unseen;
    facts.missing = oddity.missing;
    facts.lost = oddity.lost;
    facts.retry = oddity.retry;
    facts.waited = oddity.waited;
    facts.cnp_latency = oddity.cnp_latency;
    return true;
}

std::uint64_t Record::response(std::uint64_t frame) const {
    const Entry* entry = entries_.find(frame);
    return entry != nullptr ? entry->response : 0;
}

const Stream& Record::stream(const FrameFacts& facts) { return engine().rdma().streams[facts.stream - 1]; }

}  // namespace fabricscope::plugin::rdma
