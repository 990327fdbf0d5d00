// SPDX-License-Identifier: GPL-2.0-or-later
// How messages are cut into packets: in which order these come, how long they are, and how much they carry together.
#include <fmt/format.h>

#include <bit>
#include <utility>

#include "analyzer/engine/rdma/at.h"

namespace fabricscope::engine::rdma {

using ib::Position;
using ib::psn_after;

namespace {

bool is_path_mtu(std::uint32_t octets) {
    constexpr std::uint32_t smallest = 256;
    return octets >= smallest && std::has_single_bit(octets);
}

}  // namespace

/// Of requests: a READ that is asked for again from its middle on is answered by a First once more.
void Streams::judge_order(const At& at) {
    Half& half = at.half;
    const LatestRequest before = std::exchange(
        half.latest_request, {psn_after(at.psn, at.share), at.packet.ib.bth.opcode, at.packet.number});
    const ib::OpcodeInfo& latest = ib::opcode_info(before.opcode);
    if (before.frame == 0 || before.end != at.psn || !latest.known() || !at.opcode.known()) return;
    const bool is_open = !ends_message(latest.position);
    const bool continues = !begins_message(at.opcode.position);
    if (is_open == continues && (!is_open || latest.operation == at.opcode.operation))
        return verdicts_.satisfied(rules::packets_in_order);
    verdicts_.broken(
        rules::packets_in_order, {before.frame, at.packet.number}, {half.stream->id},
        fmt::format(
            "{} with PSN {} behind {}", ib::opcode_name(at.packet.ib.bth.opcode), at.psn,
            ib::opcode_name(before.opcode)));
}

void Streams::judge_length(const At& at) {
    Half& half = at.half;
    const std::uint32_t octets = at.packet.ib.payload_length;
    const bool goes_on = !ends_message(at.opcode.position);
    if (goes_on && half.full_packet.octets == 0 && is_path_mtu(octets)) half.full_packet = {octets, at.packet.number};
    const std::uint32_t full = half.full_packet.octets;
    if (!goes_on && full == 0) return;
    const bool is_kept = goes_on                                ? octets == full
                         : at.opcode.position == Position::last ? octets != 0 && octets <= full
                                                                : octets <= full;
    if (is_kept) return verdicts_.satisfied(rules::packet_length);
    std::vector<std::uint64_t> frames{at.packet.number};
    if (full != 0) frames.insert(frames.begin(), half.full_packet.frame);
    verdicts_.broken(
        rules::packet_length, std::move(frames), {half.stream->id},
        fmt::format(
            "{} with PSN {} carries {} octets{}", ib::opcode_name(at.packet.ib.bth.opcode), at.psn, octets,
            full != 0 ? fmt::format(", with a path MTU of {}", full) : ", which is no path MTU"));
}

/// Its latest packet has come in its place.
void Streams::judge_message_length(const At& at, const Pending& sent) {
    const bool is_whole = sent.begun && sent.ended &&
                          ib::psn_distance(sent.seen.psn, sent.end_psn) == std::int64_t{sent.seen.packets};
    const bool is_cut = begins_message(at.opcode.position) && !at.packet.ib.has_reth;
    if (sent.seen.type != OperationType::write || !is_whole || is_cut || !sent.asked_bytes) return;
    judge_octets(at, sent, sent.seen.bytes);
}

/// Responses that came one after the other from the READ's beginning on. Who asks again may ask for a part.
void Streams::judge_read_length(const At& at, const Pending& read) {
    ReadSoFar& so_far = at.half.read_so_far;
    if (at.psn == read.seen.psn) so_far = {at.psn, 0};
    else if (at.psn != so_far.next) return;
    so_far.next = psn_after(at.psn);
    so_far.octets += at.packet.ib.payload_length;
    if (!ends_message(at.opcode.position)) return;
    so_far.next = at.psn;  // nothing goes on behind it
    if (!read.asked_bytes || read.seen.retransmitted != 0) return;
    judge_octets(at, read, so_far.octets);
}

void Streams::judge_octets(const At& at, const Pending& asked, std::uint64_t octets) {
    if (octets == *asked.asked_bytes) return verdicts_.satisfied(rules::message_length);
    std::vector<std::uint64_t> frames{at.packet.number};
    if (asked.seen.first.frame != at.packet.number) frames.insert(frames.begin(), asked.seen.first.frame);
    verdicts_.broken(
        rules::message_length, std::move(frames), {at.half.stream->id},
        fmt::format(
            "the {} with PSN {} {} {} octets, and its RETH says {}", asked.sends() ? "WRITE" : "READ", asked.seen.psn,
            asked.sends() ? "carries" : "is answered with", octets, *asked.asked_bytes));
}

}  // namespace fabricscope::engine::rdma
