// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/smcr/application_reader.h"

#include <algorithm>
#include <utility>

namespace fabricscope::replay::smcr {

using engine::other;

void ApplicationReader::on(const Seen& seen) {
    if (over_tcp_ != (seen.kind == Seen::Kind::tcp)) return;
    if (seen.kind == Seen::Kind::cdc) on_cdc(seen);
    if (seen.kind == Seen::Kind::tcp) on_tcp(seen);
}

void ApplicationReader::finish(RecordedConnection& connection) {
    for (const Side side : {Side::client, Side::server}) {
        auto script = std::make_shared<AppScript>();
        script->octets = stream(side);
        script->octets.resize(extent(side));
        script->steps = std::move(steps_[side]);
        for (AppStep& step : script->steps) {
            step.written = std::min(step.written, extent(side));
            step.read = std::min(step.read, extent(other(side)));
            step.arrived = std::min(step.arrived, extent(other(side)));
        }
        connection.script[side] = std::move(script);
        connection.step_time[side] = std::move(times_[side]);
    }
}

std::uint64_t ApplicationReader::extent(Side side) const {
    if (!over_tcp_) return collected_.data[side].size();
    const std::uint64_t end = std::max<std::uint64_t>(collected_.tcp_end[side], collected_.tcp[side].size());
    return end - std::min(end, collected_.clc[side]);
}

Octets ApplicationReader::stream(Side side) const {
    if (!over_tcp_) return collected_.data[side];
    const Octets& tcp = collected_.tcp[side];
    return {
        tcp.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(collected_.clc[side], tcp.size())),
        tcp.end()};
}

void ApplicationReader::on_cdc(const Seen& seen) {
    Progress& own = progress_[seen.from];
    const CdcState before = own.state;
    const CdcState state = cdc_state(seen.octets, before);
    AppStep step{.read = std::max(own.read, seen.read), .written = std::max(own.written, seen.written)};
    step.urgent = cdc_name(seen.octets, {true, true, true}) == "CDC urgent" && step.written > own.written;
    if (state.sending_done && !before.sending_done) step.end = AppEnd::shutdown;
    if (state.closed && !before.closed) step.end = AppEnd::close;
    // An abort is answered in kind by the stack, not by the application.
    if (state.aborted && !before.aborted && !progress_[other(seen.from)].state.aborted) step.end = AppEnd::abort;
    own.state = state;
    add(seen, step);
}

void ApplicationReader::on_tcp(const Seen& seen) {
    Progress& own = progress_[seen.from];
    const Progress& peer = progress_[other(seen.from)];
    const auto behind_clc = [&](std::uint64_t position, Side side) {
        return position - std::min(position, collected_.clc[side]);
    };
    AppStep step{.read = own.read, .written = std::max(own.written, behind_clc(seen.written, seen.from))};
    step.read = std::max(step.read, std::min(behind_clc(seen.read, other(seen.from)), peer.written));
    if (seen.fin && !own.fin) step.end = AppEnd::shutdown;
    if (seen.reset) step.end = AppEnd::abort;
    own.fin = own.fin || seen.fin || seen.reset;
    add(seen, step);
}

void ApplicationReader::add(const Seen& seen, AppStep step) {
    Progress& own = progress_[seen.from];
    const Progress& peer = progress_[other(seen.from)];
    if (!over_tcp_ && step.read > peer.written) add_unseen(other(seen.from), step.read, seen.time);
    const Time before = std::exchange(last_, seen.time);
    if (step.read == own.read && step.written == own.written && !step.end) return;
    own.read = step.read;
    own.written = step.written;
    if (before != 0) step.pause = seen.time - before;
    if (step.end) {
        step.arrived = peer.written;
        (*step.end == AppEnd::abort ? step.after_end : step.until_end) = peer.ended();
        // What closes has read everything, an urgent octet apart from the cursor; else it would have aborted.
        if (*step.end == AppEnd::close) step.read = peer.written;
    }
    steps_[seen.from].push_back(step);
    times_[seen.from].push_back(seen.time);
}

void ApplicationReader::add_unseen(Side writer, std::uint64_t written, Time until) {
    Progress& own = progress_[writer];
    own.written = written;
    steps_[writer].push_back({.read = own.read, .written = written});
    times_[writer].push_back(until);
}

}  // namespace fabricscope::replay::smcr
