// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rdma/record.h"

#include <fmt/format.h>

#include <utility>

namespace fabricscope::plugin::rdma {
namespace {

/// Packets that belong together are seldom further apart; nobody shall wait for those that do not come.
constexpr std::size_t most_searched = 16'384;

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
    if (is_answer(facts)) entry.answer = answers_.add({facts, facts.time});
    const Oddities& oddities = facts;
    if (oddities != Oddities{}) entry.oddity = oddities_.add(oddities);
}

Content& Record::content_of(std::uint32_t stream) {
    if (contents_.size() < stream) contents_.resize(stream);
    return contents_[stream - 1];
}

void Record::on_packet(const FrameFacts& facts, const capture::Packet& packet) {
    const std::uint32_t into = merged_into(facts.stream);
    content_of(into != 0 ? into : facts.stream).note(packet.ib);
}

const Content* Record::content(std::uint64_t frame) const {
    const Entry* entry = entries_.find(original_of(frame));
    if (entry == nullptr) return nullptr;
    const std::uint32_t stream = way_of(*entry).stream;
    return stream <= contents_.size() ? &contents_[stream - 1] : nullptr;
}

void Record::on_operation(const engine::rdma::Operation& operation) {
    Entry* begun = entries_.find(operation.first.frame);
    if (begun != nullptr && begun->response == 0) begun->response = static_cast<std::uint32_t>(operation.answer->frame);
}

void Record::on_merged(std::uint32_t stream, std::uint32_t into) {
    if (stream >= merged_.size()) merged_.resize(std::size_t{stream} + 1);
    merged_[stream] = into;
    const Content half = content_of(stream);
    content_of(into).join(half);
}

Record::Way Record::way_of(const Entry& entry) const {
    // A half that joins an earlier one was the first of a stream of its own, and is the second of the other.
    const std::uint32_t into = merged_into(entry.stream);
    if (into != 0) return {into, Side::b};
    return {entry.stream, entry.from_b ? Side::b : Side::a};
}

bool Record::find_facts(std::uint64_t frame, FrameFacts& facts) const {
    facts = {};
    facts.frame = original_of(frame);
    const Entry* entry = entries_.find(facts.frame);
    if (entry == nullptr) return false;
    const Way way = way_of(*entry);
    facts.stream = way.stream;
    facts.from = way.from;
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
    facts.source_qpn = end(stream(facts), facts.from).qpn;
    if (entry->answer != 0) {
        const Answer& answer = answers_[entry->answer];
        static_cast<AnswerFacts&>(facts) = answer;
        facts.time = answer.time;
    }
    if (entry->oddity != 0) static_cast<Oddities&>(facts) = oddities_[entry->oddity];
    return true;
}

std::uint64_t Record::response(std::uint64_t frame) const {
    const Entry* entry = entries_.find(frame);
    return entry != nullptr ? entry->response : 0;
}

std::uint64_t Record::original(const FrameFacts& facts) const {
    const auto is_original = [&](const Entry& entry) {
        const bool same = entry.psn == facts.psn && entry.request == facts.request && !entry.cnp &&
                          way_of(entry) == Way{facts.stream, facts.from};
        return same && (entry.oddity == 0 || !oddities_[entry.oddity].retransmission);
    };
    const Entry* found = facts.retransmission ? entries_.find_before(facts.frame, most_searched, is_original) : nullptr;
    return found != nullptr ? found->frame : 0;
}

std::uint64_t Record::acknowledgment(const FrameFacts& facts) const {
    const bool is_acknowledged = facts.operation == OperationType::send || facts.operation == OperationType::write;
    if (!facts.request || !is_acknowledged) return 0;
    const auto acknowledges = [&](const Entry& entry) {
        return entry.answer != 0 && answers_[entry.answer].acknowledges_frame >= facts.frame &&
               way_of(entry) == Way{facts.stream, engine::rdma::other(facts.from)};
    };
    const Entry* found = entries_.find_behind(facts.frame, most_searched, acknowledges);
    return found != nullptr ? found->frame : 0;
}

const Stream& Record::stream(const FrameFacts& facts) { return engine().rdma().streams[facts.stream - 1]; }

Record::Known& Record::known_of(const Stream& stream) const {
    if (known_.size() < stream.id) known_.resize(engine().rdma().streams.size());
    return known_[stream.id - 1];
}

/// While the capture is read for the first time ever more seldom; afterwards once, when all has been read.
bool Record::may_be_known_now(const Stream& stream, const Known& known) const {
    const std::uint64_t frames = engine().capture().frames;
    if (known.frames == frames) return false;
    const bool has_doubled = stream.packets() >= 2 * known.packets;
    return known.frames == 0 || has_doubled || stream.last_frame < frames;
}

const Session* Record::session(const Stream& stream) const {
    Known& known = known_of(stream);
    if (!known.session && may_be_known_now(stream, known)) {
        if (!sessions_) sessions_.emplace(engine::rdma::Announcements{engine().rdma_cm(), engine().smcr()});
        sessions_->update();
        known.session = sessions_->find(stream);
        known.packets = stream.packets();
        known.frames = engine().capture().frames;
    }
    return known.session ? &*known.session : nullptr;
}

Endpoint Record::end(const Stream& stream, Side side) const {
    Endpoint found = stream.end[side];
    if (found.qpn) return found;
    if (const Session* set_up = session(stream)) found.qpn = set_up->qpn[side];
    return found;
}

const char* Record::end_text(const Stream& stream, Side side) const {
    Known& known = known_of(stream);
    if (known.named[side]) return known.text[side].c_str();
    const Endpoint found = end(stream, side);
    std::string text = to_string(found.address);
    if (found.qpn) text += fmt::format(" QP 0x{:06x}", *found.qpn);
    // A text that somebody was given stays as long as it is right.
    if (known.text[side] != text) known.text[side] = std::move(text);
    known.named[side] = found.qpn.has_value();
    return known.text[side].c_str();
}

}  // namespace fabricscope::plugin::rdma
