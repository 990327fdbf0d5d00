// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fc_ae_rdma/record.h"

#include <algorithm>

namespace fabricscope::plugin::fc_ae_rdma {
namespace {

/// All data that the message will have were seen: those it announced, or less, as the response says.
bool is_whole(const Message& message) {
    if (!message.data_length) return false;
    const std::uint32_t length = *message.data_length;
    if (message.bytes >= length) return true;
    const bool fewer = message.resid_under == true && message.residual && *message.residual <= length;
    return fewer && message.bytes >= length - *message.residual;
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
    } else if (const std::uint32_t* message = messages_.find(fc.exchange.id)) {
        // Acknowledgments, rejects and ABTS of the message's Exchange.
        entry.message = *message;
        entries_.add(entry.frame) = entry;
    } else if (take_process_login(fc)) {
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
    const auto& messages = engine().fc_ae_rdma().messages;
    if (entry.message == 0 || !messages.is_open(entry.message - 1) || entry.repeated) return;
    const Message& message = messages.opened(entry.message - 1);
    rdma_ports_.insert(pair_of(message.initiator, message.target));
    // What a write brings is put into the memory region when the Target says that it has it.
    const bool needed_later = message.writes() && !message.response;
    if (is_whole(message))
        entry.ends_message = assemblies_.complete(message.id, message.bytes, entry.frame, needed_later);
    const bool answers = facts_->request_frame != 0;
    if (answers && !entry.ends_message) assemblies_.release(message.id);
}

/// A PRLI for FCP, or its accept. Whether it is about FC-AE-RDMA, only the messages that follow tell.
bool Record::take_process_login(const FcFacts& fc) {
    constexpr std::size_t before = layout::size_of<fc::ProcessHeader>;
    const capture::FcPacket& packet = *fc.packet.fc;
    const ByteView payload = packet.frame.payload;
    const bool has_page = packet.frame.header.is_els() && fc.exchange.els == fc::els_prli &&
                          payload.size() >= before + wire::service_page_size && payload[before] == fc::type_fcp;
    if (!has_page) return false;
    LoginPage& page = pages_[key_of_page(fc.exchange.id, fc.from == Party::responder)];
    const auto seen = fc.seen();
    page.ports = pair_of(source_of(seen), destination_of(seen));
    std::ranges::copy(payload.subspan(before, wire::service_page_size), page.octets.octets.begin());
    if (packet.carrier != capture::FcCarrier::fcip)
        page.offset = packet.payload_offset + static_cast<std::uint32_t>(before);
    return true;
}

const LoginPage* Record::page_of(const FrameEntry& entry) const {
    const auto found = pages_.find(key_of_page(entry.exchange, entry.from_target));
    return found == pages_.end() ? nullptr : &found->second;
}

std::optional<Message> Record::message(std::uint32_t id) const {
    return id != 0 ? std::optional(engine().fc_ae_rdma().messages[id - 1]) : std::nullopt;
}

const Record::Parties& Record::parties(const Message& message) const {
    const std::uint64_t fabric = message.target.fabric;  // of both
    const std::uint64_t key = fabric << 48 ^ std::uint64_t{message.initiator.id} << 24 ^ message.target.id;
    Parties& made = parties_[key];
    if (made.initiator.empty()) made = {to_string(message.initiator), to_string(message.target)};
    return made;
}

}  // namespace fabricscope::plugin::fc_ae_rdma
