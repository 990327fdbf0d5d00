// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/psn_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "analyzer/report/rdma_report.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"
#include "protocols/ib/headers.h"
#include "protocols/ib/psn.h"

namespace fabricscope::report {
namespace {

using namespace engine::rdma;
using engine::Latencies;
using engine::rdma::Stream;
using Align = Table::Align;
using Kind = PsnSample::Kind;

// 1.5 GB; a stream that has not got its peer may turn out to be half of one that is wanted, or of none.
constexpr std::size_t most_packets = 16'000'000;
constexpr std::size_t most_without_peer = 4'096;

Kind kind_of(const FrameFacts& facts, const capture::Packet& packet) {
    if (facts.cnp) return Kind::cnp;
    if (facts.request) return Kind::request;
    if (facts.nak)
        return ib::AethSyndrome::of(*facts.nak).kind == ib::AethSyndrome::Class::rnr_nak ? Kind::rnr_nak : Kind::nak;
    return packet.ib.opcode().operation == ib::Operation::acknowledge ? Kind::acknowledgment : Kind::response;
}

/// Counts on where 24 bits begin anew.
class Unwrapped {
public:
    std::uint64_t of(std::uint32_t psn) {
        latest_ += ib::psn_distance(static_cast<std::uint32_t>(latest_) & ib::psn_mask, psn);
        return latest_ > 0 ? static_cast<std::uint64_t>(latest_) : 0;
    }

private:
    std::int64_t latest_ = 0;
};

}  // namespace

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::request: return "request";
        case Kind::response: return "response";
        case Kind::acknowledgment: return "acknowledgment";
        case Kind::nak: return "nak";
        case Kind::rnr_nak: return "rnr_nak";
        case Kind::cnp: return "cnp";
    }
    return "";
}

// ---- what is kept --------------------------------------------------------------------------------

std::size_t PsnCollector::room_for(const FrameFacts& facts) const {
    if (streams_.empty() || streams_.contains(facts.stream)) return most_packets;
    // Halves join earlier streams.
    const bool may_join = !facts.source_qpn && facts.stream > *streams_.begin();
    return may_join ? most_without_peer : 0;
}

void PsnCollector::on_packet(const FrameFacts& facts, const capture::Packet& packet) {
    const std::size_t room = room_for(facts);
    if (room == 0) return;
    Packets& packets = packets_[facts.stream];
    if (packets.kept.size() >= room) {
        ++packets.dropped;
        return;
    }
    const engine::QueuePairKey receiver{packet.destination, packet.ib.bth.destination_qpn};
    const auto known = std::ranges::find(packets.receivers, receiver);
    const auto place = static_cast<std::uint8_t>(known - packets.receivers.begin());
    if (known == packets.receivers.end()) packets.receivers.push_back(receiver);
    Kept& kept = packets.kept.emplace_back();
    kept.to = place;
    kept.has_relative = facts.relative_psn.has_value();
    kept.relative = facts.relative_psn.value_or(0);
    kept.sample = {
        .time = facts.time,
        .frame = facts.frame,
        .psn = facts.psn,
        .bytes = packet.ib.payload_length,
        .relative = {},
        .packets_in_flight = facts.packets_in_flight,
        .bytes_in_flight = facts.bytes_in_flight,
        .kind = kind_of(facts, packet),
        .again = facts.retransmission,
        .began_again = facts.waited.has_value(),
        .ce = facts.ce};
}

void PsnCollector::on_merged(std::uint32_t stream, std::uint32_t into) {
    const auto found = packets_.find(stream);
    if (found == packets_.end()) return;
    Packets half = std::move(found->second);
    packets_.erase(found);
    if (!streams_.empty() && !streams_.contains(into)) return;
    Packets& whole = packets_[into];
    for (Kept& kept : half.kept) {
        const engine::QueuePairKey& receiver = half.receivers[kept.to];
        const auto known = std::ranges::find(whole.receivers, receiver);
        kept.to = static_cast<std::uint8_t>(known - whole.receivers.begin());
        if (known == whole.receivers.end()) whole.receivers.push_back(receiver);
    }
    const auto middle = static_cast<std::ptrdiff_t>(whole.kept.size());
    whole.kept.insert(whole.kept.end(), half.kept.begin(), half.kept.end());
    std::ranges::inplace_merge(
        whole.kept, whole.kept.begin() + middle, {}, [](const Kept& kept) { return kept.sample.frame; });
    whole.dropped += half.dropped;
}

PsnTimeline PsnCollector::timeline_of(const engine::rdma::Stream& stream, Time start) const {
    PsnTimeline timeline{.stream = stream, .start = start};
    const auto found = packets_.find(stream.id);
    if (found == packets_.end()) return timeline;
    const Packets& packets = found->second;
    timeline.dropped = packets.dropped;
    const auto is_end = [&](Side side, const engine::QueuePairKey& receiver) {
        const Endpoint& end = stream.end[side];
        return end.address == receiver.address && (!end.qpn || *end.qpn == receiver.qpn);
    };
    std::array<Unwrapped, 2> unwrapped;
    for (const Kept& kept : packets.kept) {
        const Side to = is_end(b, packets.receivers[kept.to]) ? b : a;
        const Side requester = kept.sample.kind == Kind::request ? other(to) : to;
        PsnSample& sample = timeline.of[requester].emplace_back(kept.sample);
        if (kept.has_relative) sample.relative = unwrapped[requester].of(kept.relative);
    }
    return timeline;
}

// ---- curves --------------------------------------------------------------------------------------

namespace {

/// The PSN behind a request, and behind the responses that a READ asks for, if it is known how many they are.
std::uint64_t behind_requests(const PsnCurves& curves, const PsnSample& sample) {
    const bool known = sample.packets_in_flight && !curves.acknowledged.empty();
    const std::uint64_t in_flight = known ? curves.acknowledged.back().value + *sample.packets_in_flight : 0;
    return std::max(*sample.relative + 1, in_flight);
}

void add_psn(PsnCurves& curves, const PsnSample& sample) {
    const std::uint64_t psn = *sample.relative;
    const auto raise = [&](std::vector<StepValue>& steps, std::uint64_t to) {
        if (steps.empty() || steps.back().value < to) steps.push_back({sample.time, to});
    };
    switch (sample.kind) {
        case Kind::request:
            raise(curves.highest, behind_requests(curves, sample));
            curves.sent.push_back({sample.time, sample.again ? psn + 1 : curves.highest.back().value});
            break;
        case Kind::response:
            curves.responses.push_back({sample.time, psn + 1});
            raise(curves.acknowledged, psn + 1);
            break;
        case Kind::acknowledgment: raise(curves.acknowledged, psn + 1); break;
        case Kind::nak:
        case Kind::rnr_nak: raise(curves.acknowledged, psn); break;
        case Kind::cnp: return;
    }
    if (!curves.highest.empty()) curves.most_psn = curves.highest.back().value;
    const bool refused = sample.kind == Kind::nak || sample.kind == Kind::rnr_nak;
    if (refused || sample.again) curves.marks.push_back({sample.time, psn, sample.kind, sample.again});
}

/// Octets tell more, where they are known as often as packets.
bool has_bytes_in_flight(std::span<const PsnSample> samples) {
    const auto packets = std::ranges::count_if(samples, [](const PsnSample& s) { return s.packets_in_flight > 0U; });
    const auto bytes = std::ranges::count_if(samples, [](const PsnSample& s) { return s.bytes_in_flight > 0U; });
    return bytes > 0 && 10 * bytes >= 9 * packets;
}

}  // namespace

PsnCurves curves_of(std::span<const PsnSample> samples) {
    PsnCurves curves;
    curves.in_flight_is_bytes = has_bytes_in_flight(samples);
    for (const PsnSample& sample : samples) {
        if (sample.relative) add_psn(curves, sample);
        const auto& in_flight = curves.in_flight_is_bytes ? sample.bytes_in_flight : sample.packets_in_flight;
        if (!in_flight || sample.kind == Kind::cnp) continue;
        curves.in_flight.push_back({sample.time, *in_flight});
        curves.most_in_flight = std::max(curves.most_in_flight, *in_flight);
    }
    return curves;
}

std::vector<PsnMoments> moments_of(const PsnTimeline& timeline, Side requester) {
    PsnMoments again{"retransmit", 'R', Ink::yellow, palette::orange}, naks{"NAK", 'N', Ink::red, palette::vermilion},
        timeouts{"timeout", 'T', Ink::red, palette::vermilion}, rnr{"RNR NAK", 'W', Ink::yellow, palette::purple},
        marked{"ECN marked", 'E', Ink::yellow, palette::sky}, cnps{"CNP", 'C', Ink::yellow, palette::blue};
    for (const PsnSample& sample : timeline.of[requester]) {
        if (sample.again) again.times.push_back(sample.time);
        if (sample.began_again && sample.again == Cause::timeout) timeouts.times.push_back(sample.time);
        if (sample.kind == Kind::nak) naks.times.push_back(sample.time);
        if (sample.kind == Kind::rnr_nak) rnr.times.push_back(sample.time);
        if (sample.kind == Kind::cnp) cnps.times.push_back(sample.time);
        if (sample.ce) marked.times.push_back(sample.time);
    }
    std::vector<PsnMoments> moments;
    for (PsnMoments* kind : {&again, &timeouts, &naks, &rnr, &marked, &cnps})
        if (!kind->times.empty()) moments.push_back(std::move(*kind));
    return moments;
}

// ---- text ----------------------------------------------------------------------------------------

std::string ends_text(const engine::rdma::Stream& stream) {
    return fmt::format("{}  {} → {}", stream_name(stream.id), end_text(stream.end[a]), end_text(stream.end[b]));
}

std::string about_text(const engine::rdma::Stream& stream) {
    std::string text = fmt::format("{}, {}", name_of(stream.transport), counted(stream.packets(), "packet"));
    if (stream.mtu) text += fmt::format(", path MTU {}", *stream.mtu);
    if (const std::string session = session_name(stream); !session.empty()) text += ", set up by " + session;
    return text + ", end: " + name_of(stream.ending);
}

namespace {

std::optional<TimeAxis> axis_of(const PsnTimeline& timeline) {
    std::optional<TimeAxis> axis;
    for (const auto& samples : timeline.of)
        for (const PsnSample& sample : samples) {
            if (!axis) axis = TimeAxis{.begin = sample.time, .end = sample.time};
            axis->begin = std::min(axis->begin, sample.time);
            axis->end = std::max(axis->end, sample.time);
        }
    return axis;
}

class Page {
public:
    Page(std::ostream& out, const PsnTimeline& timeline, const Style& style)
        : out_(out), timeline_(timeline), stream_(timeline.stream), style_(style), axis_(axis_of(timeline)) {}

    void write() {
        out_ << style_.paint(
                    Ink::bold, fmt::format(
                                   "{}  {} {} {}", stream_name(stream_.id), end_text(stream_.end[a]), style_.arrow(),
                                   end_text(stream_.end[b])))
             << '\n'
             << about_text(stream_) << '\n';
        if (timeline_.dropped != 0)
            out_ << counted(timeline_.dropped, "packet") << " beyond the limit are not shown.\n";
        for (const Side requester : {a, b}) charts(requester);
        numbers();
    }

private:
    void charts(Side requester);
    void draw_psns(const PsnCurves& curves, std::vector<Marks> marks);
    void draw_in_flight(const PsnCurves& curves);
    void numbers();
    std::string direction(Side requester) const {
        return fmt::format("{} {} {}", name_of(requester), style_.arrow(), name_of(other(requester)));
    }
    static const char* name_of(Side side) { return side == a ? "a" : "b"; }

    std::ostream& out_;
    const PsnTimeline& timeline_;
    const Stream& stream_;
    const Style& style_;
    std::optional<TimeAxis> axis_;
};

void Page::charts(Side requester) {
    const PsnCurves curves = curves_of(timeline_.of[requester]);
    if (!axis_ || curves.sent.empty()) return;
    std::vector<Marks> marks;
    for (const PsnMoments& moments : moments_of(timeline_, requester)) {
        Marks& line = marks.emplace_back(
            Marks{moments.name, moments.letter, moments.ink, std::vector<bool>(axis_->columns)});
        for (const Time time : moments.times) line.columns[axis_->column_of(time)] = true;
    }
    out_ << '\n'
         << style_.paint(Ink::bold, direction(requester))
         << fmt::format(
                ": PSNs, counted from the first one (bars: acknowledged, {}: sent)\n",
                style_.unicode ? "dots" : "ticks");
    draw_psns(curves, std::move(marks));
    if (curves.in_flight.empty()) return;
    out_ << '\n'
         << style_.paint(Ink::bold, direction(requester))
         << fmt::format(
                ": {} in flight, at most {} (bars: mean, {}: peak)\n", curves.in_flight_is_bytes ? "bytes" : "packets",
                grouped(curves.most_in_flight), style_.unicode ? "dots" : "ticks");
    draw_in_flight(curves);
}

void Page::draw_psns(const PsnCurves& curves, std::vector<Marks> marks) {
    std::vector<Bucket> buckets = buckets_of(curves.acknowledged, *axis_);
    const std::vector<Bucket> sent = buckets_of(curves.highest, *axis_);
    for (std::size_t i = 0; i < buckets.size(); ++i) buckets[i].peak = sent[i].peak;
    draw(
        out_,
        {.axis = *axis_,
         .origin = timeline_.start,
         .scale = std::max<std::uint64_t>(curves.most_psn, 1),
         .buckets = std::move(buckets),
         .marks = std::move(marks)},
        style_);
}

void Page::draw_in_flight(const PsnCurves& curves) {
    draw(
        out_,
        {.axis = *axis_,
         .origin = timeline_.start,
         .scale = std::max<std::uint64_t>(curves.most_in_flight, 1),
         .buckets = buckets_of(curves.in_flight, *axis_),
         .marks = {}},
        style_);
}

void Page::numbers() {
    out_ << '\n';
    Table table({{"Packets and bytes"}, {direction(a), Align::right}, {direction(b), Align::right}});
    const auto row = [&](const char* name, const auto& text_of) {
        table.add({{name}, {text_of(stream_.from[a])}, {text_of(stream_.from[b])}});
    };
    const auto latency = [&](const Latencies& latencies, double share) {
        return latency_text(latencies, share, style_.unicode);
    };
    using D = const Direction&;
    row("packets sent", [](D d) { return grouped(d.packets); });
    row("bytes asked for", [](D d) { return grouped(d.bytes); });
    table.add({{"goodput"}, {goodput_text(stream_, a)}, {goodput_text(stream_, b)}});
    row("retransmitted", [](D d) { return grouped(d.retransmitted.packets); });
    row("  after a NAK", [](D d) { return grouped(d.retransmitted.nak); });
    row("  after a timeout", [](D d) { return grouped(d.retransmitted.timeout); });
    row("  after an RNR NAK", [](D d) { return grouped(d.retransmitted.rnr); });
    row("  for a missed response", [](D d) { return grouped(d.retransmitted.implied); });
    row("lost", [](D d) { return grouped(d.lost); });
    row("not captured", [](D d) { return grouped(d.not_captured); });
    row("out of order", [](D d) { return grouped(d.out_of_order); });
    row("NAKs received", [](D d) { return grouped(d.naks); });
    row("RNR NAKs received", [](D d) { return grouped(d.rnr_naks); });
    row("waited for receivers",
        [&](D d) { return d.rnr_waited != 0 ? duration_text(d.rnr_waited, style_.unicode) : std::string("-"); });
    row("longest timeout",
        [&](D d) { return d.timeouts != 0 ? duration_text(d.longest_timeout, style_.unicode) : std::string("-"); });
    row("ECN marked", [](D d) { return grouped(d.ce_marked); });
    row("CNPs received", [](D d) { return grouped(d.cnps); });
    row("round trip p50", [&](D d) { return latency(d.ack_rtt, 0.5); });
    row("round trip p99", [&](D d) { return latency(d.ack_rtt, 0.99); });
    row("operation p50", [&](D d) { return latency(d.operation_time, 0.5); });
    row("operation p99", [&](D d) { return latency(d.operation_time, 0.99); });
    row("operation max", [&](D d) { return latency(d.operation_time, 1); });
    table.print(out_, style_, 2);
}

std::string text_of(const std::optional<std::uint64_t>& number) { return number ? std::to_string(*number) : ""; }

void csv_row(std::ostream& out, const PsnSample& sample, Side requester, Time start) {
    out << fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{}\n", seconds_text(sample.time - start), sample.frame,
        requester == a ? "a" : "b", name_of(sample.kind), sample.kind == Kind::cnp ? "" : std::to_string(sample.psn),
        text_of(sample.relative), sample.bytes, text_of(sample.packets_in_flight), text_of(sample.bytes_in_flight),
        sample.again ? engine::rdma::name_of(*sample.again) : "", sample.ce ? 1 : 0);
}

}  // namespace

void write_timeline(std::ostream& out, const PsnTimeline& timeline, const Style& style) {
    Page(out, timeline, style).write();
}

void write_timeline_csv(std::ostream& out, const PsnTimeline& timeline) {
    out << "time,frame,requester,kind,psn,psn_relative,bytes,packets_in_flight,bytes_in_flight,cause,ce\n";
    std::array next{timeline.of[a].begin(), timeline.of[b].begin()};
    const std::array end{timeline.of[a].end(), timeline.of[b].end()};
    while (next[a] != end[a] || next[b] != end[b]) {
        const bool of_a = next[b] == end[b] || (next[a] != end[a] && next[a]->frame < next[b]->frame);
        const Side requester = of_a ? a : b;
        csv_row(out, *next[requester]++, requester, timeline.start);
    }
}

}  // namespace fabricscope::report
