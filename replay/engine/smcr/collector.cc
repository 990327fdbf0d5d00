// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/collector.h"

#include <algorithm>

#include "protocols/smcr/tcp_option.h"
#include "replay/engine/ethernet_addresses.h"

namespace fabricscope::replay::smcr {

namespace {

/// Of application data, of all connections together.
constexpr std::uint64_t most_octets = std::uint64_t{1} << 30;
constexpr std::size_t stream_limit = std::size_t{1} << 24;
constexpr std::uint64_t longest_packet = 65'535;
/// Octets that positions may claim beyond what was captured, of all connections together.
constexpr std::uint64_t most_missing = std::uint64_t{1} << 24;

}  // namespace

const std::vector<Seen>& Collector::seen() const {
    // What had to wait for the message that announces its link is told late.
    if (!std::exchange(sorted_, true))
        std::ranges::stable_sort(seen_, {}, [](const Seen& seen) { return std::pair(seen.time, seen.frame); });
    return seen_;
}

const Collected& Collector::of(std::uint32_t connection) const {
    static const Collected nothing;
    const auto found = collected_.find(connection);
    return found == collected_.end() ? nothing : found->second;
}

std::optional<capture::IbCarrier> Collector::carrier(std::uint32_t link_group) const {
    const auto found = carriers_.find(link_group);
    return found == carriers_.end() ? std::nullopt : std::optional(found->second);
}

/// What was not captured is believed as far as cut frames tell it, and a little beyond: it may be a flipped bit.
bool Collector::reserve(std::uint64_t octets, std::uint64_t missing) {
    if (octets > most_octets - kept_ || missing_ + missing > most_missing + cut_off_) return false;
    kept_ += octets;
    missing_ += missing;
    return true;
}

void Collector::on_facts(const tracker::FrameFacts& facts) {
    using What = tracker::FrameFacts::What;
    if (!facts.from) return;
    sorted_ = false;
    if (facts.packet != nullptr)
        cut_off_ += std::min<std::uint64_t>(
            facts.packet->wire_length - std::min(facts.packet->wire_length, facts.packet->captured_length),
            longest_packet);
    if (facts.packet != nullptr && facts.what != What::tcp && facts.link_group != 0)
        carriers_.try_emplace(facts.link_group, facts.packet->ib.carrier);
    if (facts.what == What::tcp) return on_tcp(facts);
    if (facts.retransmission) return;
    if (facts.what == What::cdc && facts.connection != 0) return on_cdc(facts);
    if (facts.what != What::llc) return;
    seen_.push_back(
        {.kind = Seen::Kind::llc,
         .time = facts.time,
         .frame = facts.frame,
         .link_group = facts.link_group,
         .link = facts.link.value_or(0),
         .from = *facts.from,
         .roles_known = facts.roles_known,
         .octets = {facts.message.begin(), facts.message.end()},
         .cut = facts.message.size() < facts.message_length,
         .request_frame = facts.request_frame});
}

void Collector::on_cdc(const tracker::FrameFacts& facts) {
    std::uint64_t& read = read_[facts.connection][*facts.from];
    const std::int64_t moved = facts.consumer_delta.value_or(0);
    if (moved > 0) read += static_cast<std::uint64_t>(moved);
    seen_.push_back(
        {.kind = Seen::Kind::cdc,
         .time = facts.time,
         .frame = facts.frame,
         .connection = facts.connection,
         .link_group = facts.link_group,
         .link = facts.link.value_or(0),
         .from = *facts.from,
         .octets = {facts.message.begin(), facts.message.end()},
         .cut = facts.message.size() < facts.message_length,
         .written = facts.produced.value_or(0),
         .read = read});
}

void Collector::on_clc(const tracker::ClcSeen& clc) {
    sorted_ = false;
    collected_[clc.connection].clc[clc.from] += clc.octets.size();
    const std::size_t length = fabricscope::smcr::clc_length(clc.octets);
    seen_.push_back(
        {.kind = Seen::Kind::clc,
         .time = clc.time,
         .frame = clc.frame,
         .connection = clc.connection,
         .from = clc.from,
         .octets = {clc.octets.begin(), clc.octets.end()},
         .cut = clc.octets.size() < length,
         .request_frame = clc.request_frame});
}

void Collector::on_stream(const tracker::StreamPiece& piece) {
    Collected& collected = collected_[piece.of.connection];
    Octets& data = collected.data[piece.of.from];
    const std::uint64_t end = piece.position + piece.octets.size() + piece.missing;
    if (piece.implausible || end < data.size() ||
        !reserve(end - data.size(), end - data.size() - std::min(end - data.size(), piece.octets.size()))) {
        collected.too_much = true;
        return;
    }
    data.resize(end);
    std::ranges::copy(piece.octets, data.begin() + static_cast<std::ptrdiff_t>(piece.position));
    collected.missing[piece.of.from] += piece.missing;
}

// ---- TCP -----------------------------------------------------------------------------------------

void Collector::on_syn(const tracker::FrameFacts& facts, Tcp& tcp) {
    const capture::TcpSegment& segment = facts.packet->tcp;
    if (tcp.start[*facts.from]) return;
    tcp.start[*facts.from] = segment.sequence + 1;
    tcp.stream[*facts.from].emplace(stream_limit).start(segment.sequence + 1);
    Seen syn{
        .kind = segment.has(capture::ack) ? Seen::Kind::syn_ack : Seen::Kind::syn,
        .time = facts.time,
        .frame = facts.frame,
        .connection = facts.connection,
        .from = *facts.from};
    if (const auto option = fabricscope::smcr::find_tcp_option(segment.options))
        syn.octets = layout::octets_of(*option);
    seen_.push_back(std::move(syn));
    Collected& collected = collected_[facts.connection];
    learn_addresses(collected.mac, *facts.from, *facts.packet);
}

void Collector::on_tcp(const tracker::FrameFacts& facts) {
    if (facts.packet == nullptr) return;
    const capture::TcpSegment& segment = facts.packet->tcp;
    Tcp& tcp = tcp_[facts.connection];
    const Side from = *facts.from;
    if (segment.has(capture::syn)) return on_syn(facts, tcp);
    if (!tcp.start[from]) return;
    Collected& collected = collected_[facts.connection];
    capture::TcpStream& stream = *tcp.stream[from];
    stream.insert(segment.sequence, segment.payload, segment.payload_length, facts.frame);
    if (const ByteView more = stream.readable(); !more.empty() && reserve(more.size(), 0)) {
        collected.tcp[from].insert(collected.tcp[from].end(), more.begin(), more.end());
        stream.consume(more.size());
    }
    collected.tcp_has_holes[from] = stream.has_hole() || stream.lost() != 0;
    if (segment.payload_length == 0 && !segment.has(capture::fin) && !segment.has(capture::rst)) return;
    const std::uint64_t written = segment.sequence + segment.payload_length - *tcp.start[from];
    if (written > UINT32_MAX / 2) return;  // before the stream's begin
    std::uint64_t& known = collected.tcp_end[from];
    const std::uint64_t more = written - std::min(written, known);
    if (more > segment.payload_length && !reserve(0, more - segment.payload_length)) {
        collected.too_much = true;
        return;
    }
    known += more;
    Seen seen{
        .kind = Seen::Kind::tcp,
        .time = facts.time,
        .frame = facts.frame,
        .connection = facts.connection,
        .from = from,
        .written = written,
        .fin = segment.has(capture::fin),
        .reset = segment.has(capture::rst)};
    const auto peer = tcp.start[engine::other(from)];
    if (segment.has(capture::ack) && peer) seen.read = segment.acknowledgment - *peer;
    seen_.push_back(std::move(seen));
}

}  // namespace fabricscope::replay::smcr
