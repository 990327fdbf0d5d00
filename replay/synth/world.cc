// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/world.h"

#include <algorithm>

#include "capture/packet.h"
#include "protocols/net/internet_checksum.h"
#include "replay/synth/vlan.h"

namespace fabricscope::synth {
namespace {

using stack::TappedFrame;

constexpr Time epoch = Time{1'767'225'600} * capture::second;  // 2026-01-01T00:00:00Z
constexpr Time longest_run = 3'600 * capture::second;
constexpr std::string_view everywhere = "network";

/// ECN of IPv4 and IPv6 (RFC 3168): of a packet whose sender is capable of it, both bits become 1.
void mark_congestion(stack::Octets& frame) {
    constexpr std::size_t ip = 14;
    constexpr std::uint8_t experienced = 3;
    const capture::Packet packet = capture::decode(stack::ethernet_frame(frame));
    if ((packet.traffic_class & experienced) == 0 || frame.size() < ip + 20) return;
    const bool is_ipv4 = frame[ip] >> 4 == 4;
    if (!is_ipv4) {
        frame[ip + 1] |= experienced << 4;
        return;
    }
    frame[ip + 1] |= experienced;
    frame[ip + 10] = frame[ip + 11] = 0;
    const std::size_t length = std::size_t{frame[ip] & 0xFU} * 4;
    const std::uint16_t checksum = net::checksum_of(net::checksum_sum(ByteView(frame).subspan(ip, length)));
    frame[ip + 10] = static_cast<std::uint8_t>(checksum >> 8);
    frame[ip + 11] = static_cast<std::uint8_t>(checksum);
}

}  // namespace

World::World(const Scenario& scenario, MessageNames names, const std::function<void(const Statement&)>& rest)
    : start_(epoch),
      random_(scenario.seed),
      fabric_(random_.next(), start_),
      names_(std::move(names)),
      limit_(longest_run) {
    for (const Statement& statement : scenario.statements) {
        if (statement.word() == "link") read_link(statement);
        else if (statement.word() == "miss") missed_.emplace_back(statement, names_, false);
        else if (statement.word() == "capture") read_capture(statement);
        else if (statement.word() == "limit") limit_ = statement.time("time", limit_);
        else if (!faults_.read(statement, names_)) rest(statement);
        statement.done();
    }
    fabric_.set_faults([this](const stack::FrameInFlight& frame, stack::Random& random) {
        return faults_(ports_[frame.from].name.host, frame, kind_, names_, random);
    });
    fabric_.set_marking(mark_congestion);
    fabric_.set_tap([this](const TappedFrame& frame) { record(frame); });
}

void World::read_link(const Statement& statement) {
    link_.delay = statement.time("delay", link_.delay);
    link_.processing = statement.time("processing", link_.processing);
    link_.jitter = statement.time("jitter", link_.jitter);
    if (statement.has("vlan")) vlan_ = static_cast<std::uint16_t>(statement.number("vlan", 0, last_vlan));
    link_.bits_per_second = statement.number("megabits", link_.bits_per_second / 1'000'000) * 1'000'000;
}

void World::read_capture(const Statement& statement) {
    const std::vector<std::string_view> places{"client", "server", everywhere};
    capture_at_ = places[statement.choice("at", 0, places)];
    capture_from_ = statement.time("from", 0);
}

void World::attach(stack::Endpoint& endpoint, std::size_t port_of_endpoint, const Mac& mac, PortName name) {
    switch_.add(attach(endpoint, port_of_endpoint, capture::LinkType::ethernet, std::move(name)), mac);
    fabric_.set_routing(switch_);
}

stack::PortId World::attach(
    stack::Endpoint& endpoint, std::size_t port_of_endpoint, capture::LinkType link, PortName name) {
    kind_ = link;
    Port port{std::move(name), {}};
    const bool here = capture_at_ == port.name.host || capture_at_ == everywhere;
    if (here && (capture_at_ != everywhere || recording_.interfaces.empty()))
        recording_.interfaces.push_back(
            {link, port.name.interface,
             capture_at_ == everywhere ? "all frames as they were sent" : port.name.description});
    if (here) port.interface = static_cast<std::uint32_t>(recording_.interfaces.size() - 1);
    ports_.push_back(std::move(port));
    return fabric_.attach(endpoint, port_of_endpoint, link_);
}

/// A host sees what it sends and what it gets; in the network every frame is seen once, as it was sent.
void World::record(const TappedFrame& frame) {
    if (!ports_[frame.port].interface) return;
    const bool sent = frame.moment == TappedFrame::Moment::sent;
    if ((capture_at_ == everywhere && !sent) || frame.time < start_ + capture_from_) return;
    for (ChosenMessages& missed : missed_)
        if (missed.include("", frame.octets, names_)) return;
    RecordedFrame recorded{frame.time, *ports_[frame.port].interface, {frame.octets.begin(), frame.octets.end()}, {}};
    if (vlan_ && kind_ == capture::LinkType::ethernet) insert_vlan_tag(recorded.octets, *vlan_);
    if (!frame.note->empty()) recorded.comments.push_back(*frame.note);
    if (const std::string fault = text_of(frame.delivery); sent && !fault.empty()) recorded.comments.push_back(fault);
    recording_.frames.push_back(std::move(recorded));
}

Recording World::run() {
    recording_.complete = fabric_.run(start_ + limit_);
    faults_.expect_all_fired();
    for (const ChosenMessages& missed : missed_) missed.expect_any();
    // What is sent is seen when it leaves, which is after the moment that made it.
    std::ranges::stable_sort(recording_.frames, {}, &RecordedFrame::time);
    return std::move(recording_);
}

}  // namespace fabricscope::synth
