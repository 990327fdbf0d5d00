// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/packet_rules.h"

#include <fmt/format.h>

namespace fabricscope::engine::rdma_cm {

namespace {

constexpr std::size_t most_senders = 65'536;
constexpr std::size_t most_doubtful = 1024;  // of a sender

std::uint8_t class_version_of(const capture::Packet& packet) { return packet.ib.payload[2]; }

}  // namespace

bool PacketRules::is_readable(const capture::Packet& packet) {
    return packet.ib.payload_length == ib::mad_size && class_version_of(packet) == ib::cm_class_version;
}

void PacketRules::judge(const capture::Packet& packet, std::uint32_t connection) {
    judge_icrc(packet, connection);
    judge_q_key(packet, connection);
    judge_length(packet);
    judge_class_version(packet);
}

void PacketRules::judge_icrc(const capture::Packet& packet, std::uint32_t connection) {
    const std::optional<bool> good = capture::icrc_is_good(packet);
    if (!good) return verdicts_.undecided(rules::icrc, UndecidedReason::cut);
    const Tap tap{packet.source, packet.interface};
    if (senders_.size() >= most_senders && !senders_.contains(tap))
        return verdicts_.undecided(rules::icrc, UndecidedReason::not_remembered);
    Sender& sender = senders_[tap];
    if (*good) {
        verdicts_.satisfied(rules::icrc);
        sender.fills_in = true;
        for (const Doubtful& earlier : sender.doubtful) broken_icrc(earlier);
        return sender.doubtful.clear();
    }
    const Doubtful doubtful{packet.number, connection};
    if (sender.fills_in) return broken_icrc(doubtful);
    if (sender.doubtful.size() < most_doubtful) sender.doubtful.push_back(doubtful);
    else verdicts_.undecided(rules::icrc, UndecidedReason::not_remembered);
}

void PacketRules::broken_icrc(const Doubtful& packet) {
    verdicts_.broken(
        rules::icrc, {packet.frame}, {packet.connection}, "the ICRC is wrong: the receiver drops the message");
}

void PacketRules::judge_q_key(const capture::Packet& packet, std::uint32_t connection) {
    const std::uint32_t q_key = packet.ib.deth.q_key;
    if (q_key == ib::gsi_q_key) return verdicts_.satisfied(rules::q_key);
    verdicts_.broken(
        rules::q_key, {packet.number}, {connection},
        fmt::format("the Q_Key is {:08X}h: the receiver drops the message", q_key));
}

void PacketRules::judge_length(const capture::Packet& packet) {
    if (packet.ib.payload_length == ib::mad_size) return verdicts_.satisfied(rules::mad_length);
    verdicts_.broken(
        rules::mad_length, {packet.number}, {0},
        fmt::format("the MAD has {} octets: the receiver drops it", packet.ib.payload_length));
}

void PacketRules::judge_class_version(const capture::Packet& packet) {
    const unsigned version = class_version_of(packet);
    if (version == ib::cm_class_version) return verdicts_.satisfied(rules::class_version);
    verdicts_.broken(
        rules::class_version, {packet.number}, {0},
        fmt::format("the class version is {}: the receiver does not know the message's format", version));
}

void PacketRules::finish() {
    for (const auto& [tap, sender] : senders_)
        for (std::size_t i = 0; i < sender.doubtful.size(); ++i)
            verdicts_.undecided(rules::icrc, UndecidedReason::icrc_filled_in_later);
    senders_.clear();
}

}  // namespace fabricscope::engine::rdma_cm
