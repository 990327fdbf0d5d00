// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fc_ae_rdma/record.h"

namespace fabricscope::plugin::fc_ae_rdma {
namespace {

/// All data that the message will have were seen: those it announced, or less, as the response says.
bool is_whole(const Message& message) {
    if (message.bytes >= message.data_length) return true;
    const bool fewer = message.response && message.resid_under && message.residual <= message.data_length;
    return fewer && message.bytes >= message.data_length - *message.residual;
}

}  // namespace

void Record::on_data(const engine::fc_ae_rdma::DataPiece& piece) {
    offset_ = piece.address - piece.message.base_address;
    assemblies_.add(piece.message.id, current_frame(), offset_, piece.octets);
}

void Record::on_frame(const FcFacts& fc) {
    FrameEntry entry{};
    entry.frame = current_frame();
    entry.exchange = fc.exchange.id;
    entry.from_target = fc.from == Party::responder;
    if (facts_) {
        take_iu(entry, fc);
        entries_.add(entry.frame) = entry;
    } else if (const auto found = messages_.find(fc.exchange.id); found != messages_.end()) {
        // Acknowledgments, rejects and ABTS of the message's Exchange.
        entry.message = found->second;
        entries_.add(entry.frame) = entry;
    }
    facts_.reset();
    offset_ = 0;
}

void Record::take_iu(FrameEntry& entry, const FcFacts& fc) {
    entry.iu = true;
    entry.kept = keep_octets(fc);
    entry.message = static_cast<std::uint32_t>(facts_->message);
    entry.repeated = facts_->repeated;
    entry.offset = offset_;
    messages_[fc.exchange.id] = entry.message;
    note_answer(entry, facts_->request_frame, facts_->time - facts_->request_time);
    const Message* message = this->message(entry.message);
    if (message != nullptr && !entry.repeated && is_whole(*message))
        entry.ends_message = assemblies_.complete(message->id, entry.frame);
}

const Message* Record::message(std::uint32_t id) const {
    return id != 0 ? &engine().fc_ae_rdma().messages[id - 1] : nullptr;
}

const Record::Parties& Record::parties(const Message& message) const {
    const std::uint64_t fabric = message.target.fabric;  // of both
    const std::uint64_t key = fabric << 48 ^ std::uint64_t{message.initiator.id} << 24 ^ message.target.id;
    Parties& made = parties_[key];
    if (made.initiator.empty()) made = {to_string(message.initiator), to_string(message.target)};
    return made;
}

}  // namespace fabricscope::plugin::fc_ae_rdma
