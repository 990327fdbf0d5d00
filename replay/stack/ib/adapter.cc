// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/ib/adapter.h"

#include <algorithm>
#include <array>

#include "protocols/ib/mad.h"

namespace fabricscope::stack {
namespace {

constexpr std::size_t most_spare = 4096;

}  // namespace

Adapter::Adapter(AdapterConfig config, std::size_t port, std::vector<OutgoingFrame>& frames, Random random)
    : config_(config),
      port_(port),
      frames_(frames),
      memory_(random.split()),
      next_qpn_(config.first_qpn),
      identification_(static_cast<std::uint16_t>(random.bits(16))) {
    datagram_.emplace(ib::gsi_qpn, Datagram{ib::gsi_q_key, random.bits(24)});
}

std::uint32_t Adapter::create_rc() {
    const std::uint32_t qpn = next_qpn_++ & ib::psn_mask;
    create_rc(qpn);
    return qpn;
}

void Adapter::create_rc(std::uint32_t qpn) { reliable_.emplace(qpn, std::make_unique<Reliable>(*this, qpn)); }

RcQueuePair* Adapter::rc(std::uint32_t qpn) {
    const auto found = reliable_.find(qpn);
    return found == reliable_.end() ? nullptr : &found->second->queue_pair;
}

void Adapter::connect_rc(std::uint32_t qpn, const IbAddress& peer, const RcConfig& config) {
    const auto found = reliable_.find(qpn);
    if (found == reliable_.end()) return;
    found->second->peer = peer;
    found->second->queue_pair.make_ready_to_receive(config);
}

void Adapter::destroy_rc(std::uint32_t qpn) {
    if (const RcQueuePair* const queue_pair = rc(qpn)) retransmissions_ += queue_pair->retransmissions();
    reliable_.erase(qpn);
}

std::uint64_t Adapter::retransmissions() const {
    std::uint64_t all = retransmissions_;
    for (const auto& [qpn, reliable] : reliable_) all += reliable->queue_pair.retransmissions();
    return all;
}

std::uint32_t Adapter::create_ud(std::uint32_t q_key) {
    const std::uint32_t qpn = next_qpn_++ & ib::psn_mask;
    create_ud(q_key, qpn);
    return qpn;
}

void Adapter::create_ud(std::uint32_t q_key, std::uint32_t qpn) { datagram_.emplace(qpn, Datagram{q_key, 0}); }

void Adapter::send_datagram(
    std::uint32_t qpn, const IbAddress& to, std::uint32_t remote_qpn, std::uint32_t q_key, Octets octets,
    std::string note, std::optional<std::uint32_t> immediate) {
    const auto found = datagram_.find(qpn);
    if (found == datagram_.end()) return;
    IbPacketOut packet;
    packet.bth.opcode = immediate ? ib::ud_send_only_immediate : ib::ud_send_only;
    packet.bth.p_key = 0xFFFF;
    packet.bth.destination_qpn = remote_qpn;
    packet.bth.psn = found->second.psn++ & ib::psn_mask;
    append(packet.extended, ib::Deth{q_key, 0, qpn});
    if (immediate) append(packet.extended, ib::ImmDt{*immediate});
    packet.payload = octets;
    packet.note = std::move(note);
    emit(to, packet);
}

void Adapter::emit(const IbAddress& to, const IbPacketOut& packet) {
    if (!up_) return;
    const builders::FrameEnds ends{config_.address.mac, to.mac,     config_.address.gid, to.gid, ++identification_,
                                   config_.hop_limit,   config_.ecn};
    const auto version = config_.carrier == capture::IbCarrier::roce_v1 ? builders::RoceVersion::v1
                                                                        : builders::RoceVersion::v2;
    const ByteView frame = builder_.roce(ends, version, packet.bth, packet.extended, packet.payload);
    Octets octets;
    if (!spare_.empty()) {
        octets = std::move(spare_.back());
        spare_.pop_back();
    }
    octets.assign(frame.begin(), frame.end());
    frames_.push_back({port_, std::move(octets), packet.note});
}

void Adapter::take_back(std::vector<OutgoingFrame>& frames) {
    for (OutgoingFrame& frame : frames)
        if (spare_.size() < most_spare) spare_.push_back(std::move(frame.octets));
    frames.clear();
}

void Adapter::on_packet(Time now, const capture::Packet& packet) {
    const bool mine = up_ && packet.transport == capture::Transport::ib && packet.state == capture::DecodeState::ok &&
                      packet.destination == capture::Address::of(config_.address.gid);
    if (!mine || !capture::icrc_is_good(packet).value_or(false)) return;
    if (packet.ib.has_deth) return on_datagram(packet);
    const auto found = reliable_.find(packet.ib.bth.destination_qpn);
    if (found == reliable_.end()) return;
    if (packet.ib.bth.opcode == ib::congestion_notification) {
        ++congestion_.cnps_received;
        return;
    }
    if (packet.congestion_experienced()) notify(now, *found->second);
    RcQueuePair& queue_pair = found->second->queue_pair;
    const bool was_due = queue_pair.ack_is_due();
    queue_pair.on_packet(now, packet.ib);
    if (!was_due && queue_pair.ack_is_due()) due_acks_.push_back(found->first);
}

void Adapter::send_due_acks() {
    for (const std::uint32_t qpn : due_acks_)
        if (RcQueuePair* const queue_pair = rc(qpn); queue_pair != nullptr) queue_pair->send_due_ack();
    due_acks_.clear();
}

/// Annex A17.9: to the queue pair whose packet was marked.
void Adapter::notify(Time now, Reliable& reliable) {
    ++congestion_.marked;
    if (config_.cnp_interval == never || now < reliable.next_cnp) return;
    reliable.next_cnp = now + config_.cnp_interval;
    ++congestion_.cnps_sent;
    constexpr std::array<std::uint8_t, 16> reserved{};
    IbPacketOut packet;
    packet.bth.opcode = ib::congestion_notification;
    packet.bth.p_key = 0xFFFF;
    packet.bth.becn = true;
    packet.bth.destination_qpn = reliable.queue_pair.config().remote_qpn;
    packet.payload = reserved;
    emit(reliable.peer, packet);
}

void Adapter::pause(std::uint8_t priority, std::uint16_t quanta) {
    constexpr std::size_t shortest_frame = 60, classes = 17, times = 18;
    constexpr std::array<std::uint8_t, 6> next_device{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
    constexpr std::array<std::uint8_t, 4> priority_pause{0x88, 0x08, 0x01, 0x01};
    Octets frame(shortest_frame);
    auto end = std::ranges::copy(next_device, frame.begin()).out;
    end = std::ranges::copy(config_.address.mac.octets, end).out;
    std::ranges::copy(priority_pause, end);
    frame[classes] = static_cast<std::uint8_t>(1U << (priority & 7U));
    const std::size_t time = times + std::size_t{2} * (priority & 7U);
    frame[time] = static_cast<std::uint8_t>(quanta >> 8);
    frame[time + 1] = static_cast<std::uint8_t>(quanta);
    frames_.push_back({port_, std::move(frame), {}});
}

void Adapter::on_datagram(const capture::Packet& packet) {
    const auto found = datagram_.find(packet.ib.bth.destination_qpn);
    if (found == datagram_.end() || found->second.q_key != packet.ib.deth.q_key) return;
    Completion completion{
        .kind = Completion::Kind::receive,
        .qpn = packet.ib.bth.destination_qpn,
        .octets = {packet.ib.payload.begin(), packet.ib.payload.end()},
        .source_qpn = packet.ib.deth.source_qpn,
        .source = {packet.source.bytes},
        .source_mac = packet.source_mac};
    if (packet.ib.has_immdt) completion.immediate = packet.ib.immdt.immediate_data;
    completions_.push_back(std::move(completion));
}

void Adapter::on_timer(Time now) {
    for (auto& [qpn, reliable] : reliable_)
        if (reliable->queue_pair.wakeup() <= now) reliable->queue_pair.on_timer(now);
}

Time Adapter::wakeup() const {
    Time earliest = never;
    for (const auto& [qpn, reliable] : reliable_) earliest = std::min(earliest, reliable->queue_pair.wakeup());
    return earliest;
}

}  // namespace fabricscope::stack
