// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/rc_stream.h"

#include <algorithm>

namespace fabricscope::capture {

// ---- packet sequence numbers ---------------------------------------------------------------------

PsnWindow::Place PsnWindow::classify(std::uint32_t psn) const {
    if (!started_) return {PsnOrder::next, 0};
    const std::int32_t ahead = psn_distance(expected_, psn);
    if (ahead >= 0) {
        const auto missing = static_cast<std::uint32_t>(ahead);
        return missing <= slack_ ? Place{PsnOrder::next, 0} : Place{PsnOrder::ahead_after_gap, missing};
    }
    if (-ahead > static_cast<std::int32_t>(size)) return {PsnOrder::stale, 0};
    return {used_[psn % size] ? PsnOrder::duplicate : PsnOrder::late, 0};
}

void PsnWindow::mark_seen(std::uint32_t psn) {
    if (!started_) expected_ = psn;
    started_ = true;
    const std::int32_t ahead = psn_distance(expected_, psn);
    if (ahead < 0) return;
    advance(static_cast<std::uint32_t>(ahead) + 1);
    slack_ = 0;
}

void PsnWindow::mark_used(std::uint32_t psn) {
    mark_seen(psn);
    used_.set(psn % size);
}

void PsnWindow::allow_slack(std::uint32_t psn, std::uint32_t count) {
    if (psn_after(psn) == expected_) slack_ = count;
}

/// The bits of PSNs that enter the window belonged to those that leave it.
void PsnWindow::advance(std::uint32_t count) {
    if (count >= size) used_.reset();
    else
        for (std::uint32_t i = 0; i < count; ++i) used_.reset(psn_after(expected_, i) % size);
    expected_ = psn_after(expected_, count);
}

// ---- messages ------------------------------------------------------------------------------------

namespace {

constexpr std::uint32_t smallest_mtu = 256;

RcEvent::Kind kind_of(const ib::OpcodeInfo& opcode) {
    switch (opcode.operation) {
        case ib::Operation::send: return RcEvent::Kind::send_part;
        case ib::Operation::rdma_write: return RcEvent::Kind::write;
        case ib::Operation::rdma_read_request: return RcEvent::Kind::read_request;
        case ib::Operation::rdma_read_response: return RcEvent::Kind::read_response;
        case ib::Operation::acknowledge: return RcEvent::Kind::acknowledge;
        case ib::Operation::atomic_request: return RcEvent::Kind::atomic_request;
        case ib::Operation::atomic_acknowledge: return RcEvent::Kind::atomic_response;
        default: return RcEvent::Kind::other;
    }
}

}  // namespace

std::optional<std::uint32_t> mtu_of_rest(const ib::Reth& whole, std::int32_t packets, const ib::Reth& rest) {
    constexpr std::uint32_t largest_mtu = 4096;
    const auto end_of = [](const ib::Reth& reth) { return reth.virtual_address + reth.dma_length; };
    if (whole.r_key != rest.r_key || end_of(whole) != end_of(rest)) return std::nullopt;
    const std::uint64_t skipped = rest.virtual_address - whole.virtual_address;
    if (packets <= 0 || skipped == 0 || skipped >= whole.dma_length) return std::nullopt;
    const std::uint64_t mtu = skipped / static_cast<std::uint32_t>(packets);
    const bool fits = mtu * static_cast<std::uint32_t>(packets) == skipped && mtu >= smallest_mtu && mtu <= largest_mtu;
    return fits ? std::optional(static_cast<std::uint32_t>(mtu)) : std::nullopt;
}

RcEvent RcReceiver::receive(const Packet& packet) {
    const IbPacket& ib = packet.ib;
    const ib::OpcodeInfo& opcode = ib.opcode();
    RcEvent event;
    const ib::Service service = ib::service_of(ib.bth.opcode);
    const bool is_acknowledged = service == ib::Service::rc || service == ib::Service::xrc;
    if (packet.transport != Transport::ib || !is_acknowledged) return event;
    event.kind = kind_of(opcode);
    event.first = begins_message(opcode.position);
    event.last = ends_message(opcode.position);
    if (ib.has_immdt) event.immediate = ib.immdt.immediate_data;
    if (ib::is_response(opcode.operation)) {
        receive_response(ib.bth.psn, event);
        return event;
    }

    const PsnWindow::Place place = window_.classify(ib.bth.psn);
    event.order = place.order;
    event.missing = place.missing;
    switch (event.kind) {
        case RcEvent::Kind::send_part: receive_send(packet, event); break;
        case RcEvent::Kind::write: receive_write(packet, event); break;
        case RcEvent::Kind::read_request: receive_read_request(ib, event); break;
        default: use(ib.bth.psn, event); break;
    }
    return event;
}

void RcReceiver::use(std::uint32_t psn, const RcEvent& event) {
    if (!event.repeated()) window_.mark_used(psn);
}

/// A packet that cannot be used: its retransmission may be.
void RcReceiver::pass_over(std::uint32_t psn, RcEvent& event) {
    if (!event.repeated()) window_.mark_seen(psn);
    event.kind = RcEvent::Kind::unplaceable;
}

/// Acknowledgments may well be repeated; data that come again are not counted again.
void RcReceiver::receive_response(std::uint32_t psn, RcEvent& event) {
    if (event.kind == RcEvent::Kind::acknowledge) return;
    if (!responses_) responses_ = std::make_unique<PsnWindow>();
    event.order = responses_->classify(psn).order;
    if (!event.repeated()) responses_->mark_used(psn);
}

/// Whether an earlier READ request is repeated from where its responses got lost.
bool RcReceiver::asks_for_rest(const IbPacket& ib) const {
    return std::ranges::any_of(reads_, [&](const Read& read) {
        return mtu_of_rest(read.reth, psn_distance(read.psn, ib.bth.psn), ib.reth).has_value();
    });
}

/// In the place of the oldest one, if there is no room.
void RcReceiver::remember(const Read& read) {
    constexpr std::size_t most_reads = 16;
    if (reads_.capacity() == 0) reads_.reserve(most_reads);
    if (reads_.size() < most_reads) reads_.push_back(read);
    else reads_[next_read_++ % most_reads] = read;
}

void RcReceiver::receive_read_request(const IbPacket& ib, RcEvent& event) {
    event.r_key = ib.reth.r_key;
    event.address = ib.reth.virtual_address;
    event.length = ib.reth.dma_length;
    if (!event.repeated() && ib.has_reth) {
        if (asks_for_rest(ib)) event.order = PsnOrder::duplicate;
        else remember({ib.bth.psn, ib.reth});
    }
    use(ib.bth.psn, event);
    // The response takes a PSN for each of its packets, of a size that is not known here.
    if (event.length > 0) window_.allow_slack(ib.bth.psn, (event.length - 1) / smallest_mtu);
}

// ---- SEND ----

/// Of a SEND of several packets each packet is used once only; of one packet it is told again what it said.
void RcReceiver::receive_send(const Packet& packet, RcEvent& event) {
    const bool single = event.first && event.last;
    if (event.repeated() && !single) return;
    const AssembledMessage message = sends_.feed(packet.ib, packet.number);
    if (message.progress == AssembledMessage::Progress::orphan) return pass_over(packet.ib.bth.psn, event);
    use(packet.ib.bth.psn, event);
    if (message.progress == AssembledMessage::Progress::part) return;
    event.kind = RcEvent::Kind::send_message;
    event.message = message.payload;
    event.message_length = message.length;
    event.first_frame = message.first_frame;
}

// ---- RDMA WRITE ----

/// Every packet of a WRITE but the last carries as much as the first: its place follows from its PSN,
/// whatever has become of those between.
void RcReceiver::receive_write(const Packet& packet, RcEvent& event) {
    const IbPacket& ib = packet.ib;
    const std::optional<Write> write = event.first ? write_begun_by(packet) : write_covering(ib.bth.psn);
    if (!write) return pass_over(ib.bth.psn, event);
    if (event.first && !event.last && !event.repeated()) writes_[next_write_++ % writes_.size()] = write;
    use(ib.bth.psn, event);
    const auto index = static_cast<std::uint32_t>(psn_distance(write->first_psn, ib.bth.psn));
    event.r_key = write->reth.r_key;
    event.address = write->reth.virtual_address + std::uint64_t{index} * write->path_mtu;
    event.length = ib.payload_length;
    event.operation_length = write->reth.dma_length;
    event.first_frame = write->first_frame;
}

std::optional<RcReceiver::Write> RcReceiver::write_begun_by(const Packet& packet) {
    const IbPacket& ib = packet.ib;
    if (!ib.has_reth) return std::nullopt;
    const std::uint64_t path_mtu = std::max(ib.payload_length, 1U);
    const std::uint64_t packets = (ib.reth.dma_length + path_mtu - 1) / path_mtu;
    return Write{ib.bth.psn, static_cast<std::uint32_t>(packets), ib.payload_length, ib.reth, packet.number};
}

std::optional<RcReceiver::Write> RcReceiver::write_covering(std::uint32_t psn) const {
    for (std::size_t back = 1; back <= writes_.size(); ++back) {  // youngest first
        const std::optional<Write>& write = writes_[(next_write_ - back) % writes_.size()];
        if (!write) continue;
        const std::int64_t index = psn_distance(write->first_psn, psn);
        if (index > 0 && index < write->packets) return write;
    }
    return std::nullopt;
}

}  // namespace fabricscope::capture
