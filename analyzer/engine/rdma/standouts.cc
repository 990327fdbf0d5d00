// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma/standouts.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocols/ib/headers.h"

namespace fabricscope::engine::rdma {

namespace {

double share_of(std::uint64_t part, std::uint64_t whole) {
    return whole != 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string seconds_text(Time duration) {
    const double milliseconds = static_cast<double>(duration) / static_cast<double>(capture::millisecond);
    if (milliseconds >= 1000) return fmt::format("{:.3g} s", milliseconds / 1000);
    return milliseconds >= 1 ? fmt::format("{:.3g} ms", milliseconds) : fmt::format("{:.3g} us", 1000 * milliseconds);
}

std::string plural(std::uint64_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "all after NAKs", "12 after NAKs, 3 after time-outs of up to 4.3 s"
std::string causes_text(const Direction& direction) {
    const Retransmitted& again = direction.retransmitted;
    const std::uint64_t unknown = again.packets - again.nak - again.timeout - again.rnr - again.implied;
    const std::string timeouts = direction.longest_timeout != 0
                                     ? "after time-outs of up to " + seconds_text(direction.longest_timeout)
                                     : "after time-outs";
    const std::array<std::pair<std::uint64_t, std::string>, 5> causes{{
        {again.nak, "after NAKs"},
        {again.timeout, timeouts},
        {again.rnr, "after RNR NAKs"},
        {again.implied, "because responses were missed"},
        {unknown, "for no reason that was captured"},
    }};
    std::string text;
    for (const auto& [count, words] : causes) {
        if (count == 0) continue;
        if (count == again.packets) return count == 1 ? words : "all " + words;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words);
    }
    return text;
}

void add_retransmissions(std::vector<Standout>& all, const Stream& stream, Side side) {
    const Direction& direction = stream.from[side];
    if (direction.retransmitted.packets == 0) return;
    const double share = share_of(direction.retransmitted.packets, direction.packets);
    constexpr double remarkable = 0.01;
    all.push_back(
        {share >= remarkable || direction.timeouts != 0 ? Severity::warning : Severity::note,
         fmt::format(
             "{} of {} sent by {} again ({:.2g} %), {}", direction.retransmitted.packets,
             plural(direction.packets, "packet"), to_string(stream.end[side].address), 100 * share,
             causes_text(direction)),
         direction.retransmitted.packets});
}

void add_rnr(std::vector<Standout>& all, const Stream& stream, Side side) {
    const Direction& direction = stream.from[side];
    if (direction.rnr_naks == 0) return;
    std::string text = fmt::format(
        "{} had no receive buffer ready, {}", to_string(stream.end[other(side)].address),
        plural(direction.rnr_naks, "RNR NAK"));
    if (direction.rnr_waited != 0) text += ", waits of " + seconds_text(direction.rnr_waited) + " in all";
    all.push_back({Severity::warning, std::move(text), direction.rnr_naks});
}

void add_congestion(std::vector<Standout>& all, const Stream& stream, Side side) {
    const Direction& direction = stream.from[side];
    if (direction.ce_marked == 0 && direction.cnps == 0) return;
    all.push_back(
        {Severity::note,
         fmt::format(
             "congestion on the way from {}: {} marked ({:.2g} %), {} came back", to_string(stream.end[side].address),
             plural(direction.ce_marked, "packet"), 100 * share_of(direction.ce_marked, direction.packets),
             plural(direction.cnps, "CNP")),
         direction.ce_marked + direction.cnps});
}

void add_end(std::vector<Standout>& all, const Stream& stream) {
    if (stream.fatal)
        all.push_back(
            {Severity::error,
             fmt::format(
                 "{} refused a request with {} in frame {}", to_string(stream.end[stream.fatal->by].address),
                 ib::to_string(ib::AethSyndrome::of(stream.fatal->syndrome)), stream.fatal->seen.frame),
             1});
    if (stream.ending == End::retries_exhausted)
        all.push_back({Severity::error, "requests were repeated until their sender gave up; nothing answered", 1});
}

}  // namespace

std::vector<Standout> standouts_of(const Stream& stream) {
    std::vector<Standout> all;
    add_end(all, stream);
    for (const Side side : {a, b}) add_retransmissions(all, stream, side);
    for (const Side side : {a, b}) add_rnr(all, stream, side);
    for (const Side side : {a, b}) add_congestion(all, stream, side);
    std::ranges::stable_sort(all, [](const Standout& x, const Standout& y) { return x.severity > y.severity; });
    return all;
}

double trouble_of(const Stream& stream) {
    constexpr double fatal = 10, timeout = 1;
    double trouble = stream.fatal || stream.ending == End::retries_exhausted ? fatal : 0;
    for (const Direction& direction : stream.from) {
        trouble += share_of(direction.retransmitted.packets + direction.rnr_naks, direction.packets);
        trouble += direction.timeouts != 0 ? timeout : 0;
    }
    return trouble;
}

}  // namespace fabricscope::engine::rdma
