// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/damaged_packets.h"

#include <algorithm>
#include <functional>

#include "capture/hash.h"

namespace fabricscope::capture {

namespace {

/// Whoever joins segments that were received (LRO) need not compute a checksum for what is larger than a frame then.
bool may_be_joined(const Packet& packet) {
    constexpr std::size_t most = 1500;
    return packet.transport == Transport::tcp && packet.segment.size() > most;
}

std::optional<bool> is_right(const Packet& packet) {
    if (may_be_joined(packet)) return std::nullopt;
    return packet.transport == Transport::tcp ? tcp_checksum_is_good(packet) : icrc_is_good(packet);
}

}  // namespace

std::size_t DamagedPackets::Hash::operator()(const Sender& sender) const noexcept {
    return std::hash<Address>()(sender.address) + sender.interface;
}

std::size_t DamagedPackets::Hash::operator()(const Sent& sent) const noexcept {
    const std::uint64_t numbers = std::uint64_t{sent.ends} << 32 | sent.sequence;
    return combine(combine(operator()(sent.sender), std::hash<Address>()(sent.destination)), numbers);
}

void DamagedPackets::on_packet(const Packet& packet) {
    const std::optional<bool> right = is_right(packet);
    if (!right) return;
    const Sender sender{packet.source, packet.interface};
    const bool is_room = checked_.size() < most;
    const auto found = is_room ? checked_.try_emplace(sender).first : checked_.find(sender);
    if (found == checked_.end()) return;
    ++(*right ? found->second.right : found->second.wrong);
    if (*right && awaited_.empty()) return;
    const std::optional<Sent> sent = sent_in(packet, sender);
    if (*right) {
        if (sent && awaited_.erase(*sent) != 0) repeating_.insert({packet.source, packet.destination});
    } else if (wrong_.size() < most) {
        wrong_.push_back({packet.number, sender, packet.destination});
        if (sent) awaited_.insert(*sent);
    }
}

/// nullopt: a later packet may have the same numbers, and be another one.
std::optional<DamagedPackets::Sent> DamagedPackets::sent_in(const Packet& packet, const Sender& sender) {
    if (packet.transport == Transport::tcp) {
        const TcpSegment& tcp = packet.tcp;
        if (tcp.payload_length == 0 && !tcp.has(syn) && !tcp.has(fin)) return std::nullopt;
        const std::uint32_t ports = std::uint32_t{tcp.source_port} << 16 | tcp.destination_port;
        return Sent{sender, packet.destination, ports, tcp.sequence, tcp.flags};
    }
    const ib::Bth& bth = packet.ib.bth;
    const ib::Operation operation = packet.ib.opcode().operation;
    if (operation == ib::Operation::acknowledge || operation == ib::Operation::congestion_notification)
        return std::nullopt;
    return Sent{sender, packet.destination, bth.destination_qpn, bth.psn, bth.opcode};
}

std::vector<std::uint64_t> DamagedPackets::frames() const {
    std::vector<std::uint64_t> frames;
    for (const Wrong& wrong : wrong_)
        if (comes_again(wrong) && may_be_damaged(wrong.sender)) frames.push_back(wrong.frame);
    std::ranges::sort(frames);  // those of several interfaces come by time
    return frames;
}

bool DamagedPackets::comes_again(const Wrong& wrong) const {
    return repeating_.contains(wrong.sender.address) || repeating_.contains(wrong.destination);
}

bool DamagedPackets::may_be_damaged(const Sender& sender) const {
    constexpr std::uint64_t most_of_an_address_that_is_damaged = 2;
    const Checked& checked = checked_.at(sender);
    return checked.right >= checked.wrong ||
           (checked.right == 0 && checked.wrong <= most_of_an_address_that_is_damaged);
}

}  // namespace fabricscope::capture
