// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "capture/packet.h"
#include "protocols/net/internet_checksum.h"
#include "replay/synth/message_names.h"

namespace fabricscope::synth {
namespace {

using stack::Delivery;
using stack::TappedFrame;

constexpr Time epoch = Time{1'767'225'600} * capture::second;  // 2026-01-01T00:00:00Z
constexpr Time longest_run = 3'600 * capture::second;
constexpr std::string_view everywhere = "network";

/// Whether a fault for frames of kind `what` concerns a frame.
bool concerns(const std::string& what, ByteView octets, capture::LinkType kind) {
    if (what == "all") return true;
    capture::Frame frame = stack::ethernet_frame(octets);
    frame.link = kind;
    const capture::Packet packet = capture::decode(frame);
    if (packet.fc) {
        const fc::FrameHeader& header = packet.fc->frame.header;
        return (what == "fcvi" && header.type == fc::type_fcvi) || (what == "fcp" && header.type == fc::type_fcp);
    }
    return (packet.transport == capture::Transport::tcp) == (what == "tcp") && what != "fcvi" && what != "fcp";
}

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

/// What the fabric did to a frame, for its comment.
std::string text_of(const Delivery& delivery) {
    std::string text;
    const auto add = [&](bool holds, const char* what) {
        if (holds) text.append(text.empty() ? "Fault: " : ", ").append(what);
    };
    add(delivery.lost, "lost on the way");
    add(delivery.corrupted, "a bit turned over");
    add(delivery.corrupted_near_end, "an octet turned over");
    add(delivery.marked, "a switch marks it if it may");
    add(delivery.duplicates != 0, "arrives twice");
    add(delivery.extra_delay != 0, "delayed, others overtake it");
    return text;
}

}  // namespace

MessageNames ethernet_messages() { return {message_name, message_names(), {"all", "tcp", "roce"}}; }

MessageNames fc_messages(std::function<std::string(ByteView frame)> of) {
    return {std::move(of), fc_message_names(), {"all", "fcvi", "fcp"}};
}

World::World(const Scenario& scenario, MessageNames names, const std::function<void(const Statement&)>& rest)
    : start_(epoch),
      random_(scenario.seed),
      fabric_(random_.next(), start_),
      names_(std::move(names)),
      limit_(longest_run) {
    for (const Statement& statement : scenario.statements) {
        if (statement.word() == "link") read_link(statement);
        else if (statement.word() == "fault") read_fault(statement);
        else if (statement.word() == "drop" || statement.word() == "delay" || statement.word() == "corrupt")
            message_faults_.push_back(read_message_fault(statement));
        else if (statement.word() == "miss") capture_faults_.push_back(read_message_fault(statement));
        else if (statement.word() == "capture") read_capture(statement);
        else if (statement.word() == "limit") limit_ = statement.time("time", limit_);
        else rest(statement);
        statement.done();
    }
    fabric_.set_faults(
        [this](const stack::FrameInFlight& frame, stack::Random& random) { return delivery_of(frame, random); });
    fabric_.set_marking(mark_congestion);
    fabric_.set_tap([this](const TappedFrame& frame) { record(frame); });
}

void World::read_link(const Statement& statement) {
    link_.delay = statement.time("delay", link_.delay);
    link_.processing = statement.time("processing", link_.processing);
    link_.jitter = statement.time("jitter", link_.jitter);
    link_.bits_per_second = statement.number("megabits", link_.bits_per_second / 1'000'000) * 1'000'000;
}

void World::read_fault(const Statement& statement) {
    RandomFault fault;
    fault.faults.loss = statement.chance("loss");
    fault.faults.duplication = statement.chance("duplicate");
    fault.faults.corruption = statement.chance("corrupt");
    fault.faults.marking = statement.chance("mark");
    fault.faults.reordering = statement.chance("reorder");
    fault.faults.reorder_delay = statement.time("reorder-delay", fault.faults.reorder_delay);
    fault.from = statement.host("from");
    fault.what = names_.kinds[statement.choice("what", 0, names_.kinds)];
    fault.statement = &statement;
    const stack::RandomFaults& chances = fault.faults;
    if (chances.loss + chances.duplication + chances.corruption + chances.reordering + chances.marking == 0)
        statement.fail("which one? A chance of loss, duplicate, corrupt, reorder or mark is wanted, as loss=0.5%");
    random_faults_.push_back(std::move(fault));
}

World::MessageFault World::read_message_fault(const Statement& statement) const {
    MessageFault fault;
    fault.message = statement.text("message", "");
    if (fault.message.empty()) statement.fail("which message? Its name is wanted, as message=" + names_.all.front());
    if (std::ranges::find(names_.all, fault.message) == names_.all.end())
        statement.fail(
            fmt::format("no message has the name {}; there are {}", fault.message, fmt::join(names_.all, ", ")));
    if (statement.word() != "miss") fault.from = statement.host("from");
    fault.statement = &statement;
    fault.skip = statement.number("skip", 0);
    fault.count = statement.number("count", 1);
    if (fault.count == 0) statement.fail("count=0 is none: a number from 1 on is wanted");
    if (statement.word() == "delay") fault.delay = statement.time("by", capture::millisecond);
    fault.corrupts = statement.word() == "corrupt";
    return fault;
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

bool World::applies_to(MessageFault& fault, const std::string& host, ByteView frame) const {
    if (fault.count == 0 || !(fault.from.empty() || fault.from == host) || names_.of(frame) != fault.message)
        return false;
    ++fault.seen;
    if (fault.skip != 0) {
        --fault.skip;
        return false;
    }
    --fault.count;
    fault.fired = true;
    return true;
}

Delivery World::delivery_of(const stack::FrameInFlight& frame, stack::Random& random) {
    const std::string& host = ports_[frame.from].name.host;
    Delivery delivery;
    for (RandomFault& fault : random_faults_) {
        if (!(fault.from.empty() || fault.from == host) || !concerns(fault.what, frame.octets, kind_)) continue;
        fault.concerned = true;
        const Delivery one = fault.faults(frame, random);
        delivery.lost = delivery.lost || one.lost;
        delivery.corrupted = delivery.corrupted || one.corrupted;
        delivery.marked = delivery.marked || one.marked;
        delivery.duplicates += one.duplicates;
        delivery.extra_delay += one.extra_delay;
    }
    for (MessageFault& fault : message_faults_) {
        if (!applies_to(fault, host, frame.octets)) continue;
        delivery.corrupted_near_end = delivery.corrupted_near_end || fault.corrupts;
        delivery.lost = delivery.lost || (fault.delay == 0 && !fault.corrupts);
        delivery.extra_delay += fault.delay;
    }
    return delivery;
}

/// A host sees what it sends and what it gets; in the network every frame is seen once, as it was sent.
void World::record(const TappedFrame& frame) {
    if (!ports_[frame.port].interface) return;
    const bool sent = frame.moment == TappedFrame::Moment::sent;
    if ((capture_at_ == everywhere && !sent) || frame.time < start_ + capture_from_) return;
    for (MessageFault& fault : capture_faults_)
        if (applies_to(fault, "", frame.octets)) return;
    RecordedFrame recorded{frame.time, *ports_[frame.port].interface, {frame.octets.begin(), frame.octets.end()}, {}};
    if (!frame.note->empty()) recorded.comments.push_back(*frame.note);
    if (const std::string fault = text_of(frame.delivery); sent && !fault.empty()) recorded.comments.push_back(fault);
    recording_.frames.push_back(std::move(recorded));
}

/// A fault that nothing comes of is a scenario's mistake.
void World::expect_all_fired() const {
    for (const RandomFault& fault : random_faults_)
        if (!fault.concerned) fault.statement->fail("it concerned no frame: none of that kind was sent");
    for (const auto* faults : {&message_faults_, &capture_faults_})
        for (const MessageFault& fault : *faults)
            if (!fault.fired)
                fault.statement->fail(fmt::format(
                    "it never happened: {} {} came{}, and at least one more than are skipped is wanted", fault.seen,
                    fault.message, fault.from.empty() ? "" : " from the " + fault.from));
}

Recording World::run() {
    recording_.complete = fabric_.run(start_ + limit_);
    expect_all_fired();
    // What is sent is seen when it leaves, which is after the moment that made it.
    std::ranges::stable_sort(recording_.frames, {}, &RecordedFrame::time);
    return std::move(recording_);
}

}  // namespace fabricscope::synth
