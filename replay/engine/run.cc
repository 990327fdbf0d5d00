// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/stack/core/fabric.h"
#include "replay/stack/net/tcp.h"

namespace fabricscope::replay {

namespace {

using stack::Fabric;
using stack::PortId;

/// How long the run goes on after all has been played, for what still comes of itself.
constexpr Time settling = 2 * capture::second;
constexpr Time slice = 10 * capture::millisecond;

/// Ethernet goes by address; another link joins the same ports of both.
stack::Routing routing_of(const AttachedPlayer& player, const AttachedEndpoint& peer) {
    const std::size_t ports = std::max<std::size_t>(player.addresses.size(), 1);
    if (player.link != capture::LinkType::ethernet)
        return [ports](PortId from, ByteView) { return from < ports ? from + ports : from - ports; };
    stack::EthernetSwitch ethernet;
    for (std::size_t i = 0; i < player.addresses.size(); ++i) ethernet.add(i, player.addresses[i]);
    for (std::size_t i = 0; i < peer.addresses.size(); ++i) ethernet.add(ports + i, peer.addresses[i]);
    return ethernet;
}

template <class Attached> void attach(Fabric& fabric, const Attached& attached) {
    for (std::size_t port = 0; port < std::max<std::size_t>(attached.addresses.size(), 1); ++port)
        fabric.attach(*attached.endpoint, port);
}

/// Who sent the frame that broke the rule, or should have answered it.
bool is_of_played(const engine::Finding& finding, const Run& run) {
    if (finding.frames.empty() || finding.frames.back() > run.frames.size()) return false;
    return run.frames[finding.frames.back() - 1].sent != finding.by_silence;
}

/// What did not come because the run stopped at something that did not come.
void fold_what_follows(Comparison& comparison, const Run& run) {
    const Difference* first = nullptr;
    for (const Difference& difference : comparison.differences)
        if (difference.level == Level::exact && difference.actual_frame == 0 && difference.field.empty() &&
            difference.cause.empty() && (first == nullptr || difference.recorded_frame < first->recorded_frame))
            first = &difference;
    if (run.over || first == nullptr) return;
    const std::string cause = fmt::format("the run ended at {}, which did not come", title_of(*first));
    for (Difference& difference : comparison.differences) {
        const bool later = difference.actual_frame == 0 && difference.recorded_frame > first->recorded_frame;
        const bool state = difference.level != Level::exact && difference.recorded_frame == 0;
        if (&difference != first && difference.cause.empty() && (later || state)) difference.cause = cause;
    }
}

}  // namespace

Comparison compare(const Conversation& recorded, const Conversation& actual, Side played, const Run& run) {
    Comparison comparison = compare(recorded, actual, played);
    std::vector<engine::Finding>& broken = comparison.broken;
    const auto own = std::stable_partition(
        broken.begin(), broken.end(), [&](const engine::Finding& finding) { return !is_of_played(finding, run); });
    comparison.own.assign(std::make_move_iterator(own), std::make_move_iterator(broken.end()));
    broken.erase(own, broken.end());
    fold_what_follows(comparison, run);
    return comparison;
}

std::unique_ptr<Session> playable_session(const Reader& reader, const engine::Engine& engine, std::string_view id) {
    std::unique_ptr<Session> session = reader.session(engine, id);
    if (!session || session->conversation().messages.empty()) throw NotPlayable("no message of it was captured whole");
    return session;
}

Run run_emulated(AttachedPlayer player, AttachedEndpoint peer, const RunLimits& limits) {
    Run run;
    run.link = player.link;
    run.ports = std::max<std::size_t>(player.addresses.size(), 1);
    Fabric fabric(1, limits.start);
    attach(fabric, player);
    attach(fabric, peer);
    fabric.set_routing(routing_of(player, peer));
    if (limits.faults)
        fabric.set_faults([&](stack::FrameInFlight frame, stack::Random& random) {
            frame.from = frame.from < run.ports ? from_player : from_peer;
            frame.to = 1 - frame.from;
            return limits.faults(frame, random);
        });
    Time latest = limits.start;
    std::uint64_t octets = 0;
    fabric.set_tap([&](const stack::TappedFrame& frame) {
        latest = frame.time;
        const bool sent = frame.moment == stack::TappedFrame::Moment::sent;
        if (frame.port >= run.ports) return;
        octets += frame.octets.size();
        run.frames.push_back({frame.time, frame.port, sent, {frame.octets.begin(), frame.octets.end()}, *frame.note});
    });
    fabric.at(limits.start, [&] { player.endpoint->start(fabric.now()); });
    for (Time until = limits.start + slice;; until += slice) {
        const bool idle = fabric.run(until);
        run.over = player.endpoint->over();
        if (idle || run.frames.size() >= limits.frames || octets >= limits.octets ||
            until - limits.start >= limits.most)
            break;
        if (run.over && until > latest + settling) break;
        if (limits.stop && limits.stop()) {
            run.broken_off = "interrupted";
            break;
        }
    }
    // A frame that waited for its turn on the wire is tapped before its time.
    std::ranges::stable_sort(run.frames, {}, &RunFrame::time);
    run.judged = run.frames.size();
    if (!run.over) run.waiting_for = player.endpoint->waiting_for();
    run.notes = player.endpoint->notes();
    return run;
}

capture::Frame frame_of(const Run& run, std::size_t index) {
    const RunFrame& from = run.frames[index];
    capture::Frame frame;
    frame.number = index + 1;
    frame.time = from.time;
    frame.wire_length = static_cast<std::uint32_t>(from.octets.size());
    frame.data = from.octets;
    frame.link = run.link;
    frame.interface = static_cast<std::uint32_t>(from.port);
    return frame;
}

std::unique_ptr<Session> session_of(const Run& run, const Protocol& protocol, const Conversation& recorded) {
    const std::unique_ptr<Reader> reader = protocol.make_reader();
    engine::Options options;
    options.interfaces = static_cast<std::uint32_t>(run.ports);
    options.smcr = false;
    engine::Observers observers;
    reader->prepare(options, observers);
    engine::Engine engine(options, observers);
    for (std::size_t i = 0; i < run.judged; ++i) {
        const capture::Packet packet = capture::decode(frame_of(run, i));
        // What was damaged on the way, its receiver drops.
        if (capture::icrc_is_good(packet).value_or(true) && capture::fc_crc_is_good(packet).value_or(true) &&
            !stack::is_damaged(packet))
            engine.on_packet(packet);
    }
    engine.finish();
    return reader->session_like(engine, recorded);
}

}  // namespace fabricscope::replay
