// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/core/fabric.h"

#include <algorithm>

namespace fabricscope::stack {
namespace {

constexpr std::size_t place_near_end = 6;  ///< behind the CRC of a frame there are 4 octets, with delimiters or on FCoE

Time transmission_time(std::size_t octets, std::uint64_t bits_per_second) {
    if (bits_per_second == 0) return 0;
    return static_cast<Time>(octets * 8 * static_cast<std::uint64_t>(second) / bits_per_second);
}

}  // namespace

void damage(Octets& octets, const Delivery& delivery, Random& random) {
    if (delivery.corrupted && !octets.empty()) {
        const std::uint64_t bit = random.below(8 * octets.size());
        octets[bit / 8] = static_cast<std::uint8_t>(octets[bit / 8] ^ (1U << (bit % 8)));
    }
    if (delivery.corrupted_near_end && octets.size() >= place_near_end) octets[octets.size() - place_near_end] ^= 0xFF;
}

Fabric::Fabric(std::uint64_t seed, Time start)
    : now_(start),
      random_(seed),
      processing_(random_.split()),
      routing_([](PortId, ByteView) { return std::nullopt; }) {}

PortId Fabric::attach(Endpoint& endpoint, std::size_t port_of_endpoint, LinkProperties link) {
    ports_.push_back({&endpoint, port_of_endpoint, link});
    if (std::ranges::find(endpoints_, &endpoint) == endpoints_.end()) endpoints_.push_back(&endpoint);
    return ports_.size() - 1;
}

void Fabric::push(Event event) {
    event.order = scheduled_++;
    events_.push_back(std::move(event));
    std::ranges::push_heap(events_, std::greater{});
}

Fabric::Event Fabric::pop() {
    std::ranges::pop_heap(events_, std::greater{});
    Event event = std::move(events_.back());
    events_.pop_back();
    return event;
}

void Fabric::at(Time time, std::function<void()> action) {
    push({.time = std::max(time, now_), .action = std::move(action)});
}

std::optional<std::size_t> Fabric::earliest_endpoint() const {
    std::optional<std::size_t> earliest;
    for (std::size_t i = 0; i < endpoints_.size(); ++i)
        if (endpoints_[i]->wakeup() != never &&
            (!earliest || endpoints_[i]->wakeup() < endpoints_[*earliest]->wakeup()))
            earliest = i;
    return earliest;
}

bool Fabric::run(Time limit) {
    for (Endpoint* endpoint : endpoints_) collect(*endpoint);
    while (true) {
        const std::optional<std::size_t> endpoint = earliest_endpoint();
        const Time timer = endpoint ? endpoints_[*endpoint]->wakeup() : never;
        const Time event = events_.empty() ? never : events_.front().time;
        const Time next = std::min(timer, event);
        if (next == never) return true;
        if (next > limit) {
            now_ = limit;
            return false;
        }
        now_ = std::max(now_, next);
        if (event <= timer) handle(pop());
        else step_endpoint(*endpoint);
    }
}

void Fabric::step_endpoint(std::size_t index) {
    endpoints_[index]->on_timer(now_);
    collect(*endpoints_[index]);
}

void Fabric::handle(Event event) {
    if (event.action) {
        event.action();
        for (Endpoint* endpoint : endpoints_) collect(*endpoint);
        return;
    }
    const Attachment& port = ports_[event.port];
    if (tap_)
        tap_(
            {.moment = TappedFrame::Moment::received,
             .time = now_,
             .port = event.port,
             .octets = event.frame,
             .note = &event.note});
    port.endpoint->on_frame(now_, port.port_of_endpoint, event.frame);
    collect(*port.endpoint);
}

void Fabric::collect(Endpoint& endpoint) {
    endpoint.take_frames(outgoing_);
    for (OutgoingFrame& frame : outgoing_) {
        const PortId port = port_of(endpoint, frame.port);
        send(port, std::move(frame));
    }
    outgoing_.clear();
}

PortId Fabric::port_of(const Endpoint& endpoint, std::size_t port) const {
    const auto found = std::ranges::find_if(ports_, [&](const Attachment& attachment) {
        return attachment.endpoint == &endpoint && attachment.port_of_endpoint == port;
    });
    return static_cast<PortId>(found - ports_.begin());
}

/// Leaves after the processing time, behind what its port sent before.
void Fabric::send(PortId from, OutgoingFrame frame) {
    if (from >= ports_.size()) return;  // a port that nobody attached leads nowhere
    Attachment& port = ports_[from];
    const Time jitter = port.link.jitter == 0
                            ? 0
                            : static_cast<Time>(processing_.below(static_cast<std::uint64_t>(port.link.jitter)));
    const Time departure = std::max(now_ + port.link.processing + jitter, port.free_at);
    port.free_at = departure + transmission_time(frame.octets.size(), port.link.bits_per_second);
    const std::optional<PortId> to = routing_(from, frame.octets);
    Delivery delivery;
    if (to && faults_) delivery = faults_({departure, from, *to, frame.octets}, random_);
    if (!to) delivery.lost = true;
    if (tap_)
        tap_(
            {.moment = TappedFrame::Moment::sent,
             .time = departure,
             .port = from,
             .octets = frame.octets,
             .note = &frame.note,
             .delivery = delivery});
    if (delivery.lost) return;
    if (delivery.marked && marking_) marking_(frame.octets);
    damage(frame.octets, delivery, random_);
    const Time arrival = port.free_at + port.link.delay + delivery.extra_delay;
    for (unsigned copy = 0; copy <= delivery.duplicates; ++copy) deliver(*to, arrival, frame.octets, frame.note);
}

void Fabric::deliver(PortId to, Time time, const Octets& octets, const std::string& note) {
    push({.time = time, .port = to, .frame = octets, .note = note});
}

std::optional<PortId> EthernetSwitch::operator()(PortId from, ByteView frame) const {
    const auto found = std::ranges::find_if(addresses_, [&](const Entry& entry) {
        return frame.size() >= entry.address.octets.size() &&
               std::ranges::equal(frame.first(entry.address.octets.size()), entry.address.octets);
    });
    if (found == addresses_.end() || found->port == from) return std::nullopt;
    return found->port;
}

Delivery RandomFaults::operator()(const FrameInFlight& frame, Random& random) const {
    Delivery delivery;
    if (concerns && !concerns(frame)) return delivery;
    delivery.lost = random.chance(loss);
    delivery.duplicates = random.chance(duplication) ? 1 : 0;
    delivery.corrupted = random.chance(corruption);
    delivery.marked = marking != 0 && random.chance(marking);
    if (random.chance(reordering))
        delivery.extra_delay = static_cast<Time>(random.between(1, static_cast<std::uint64_t>(reorder_delay)));
    return delivery;
}

}  // namespace fabricscope::stack
