// SPDX-License-Identifier: GPL-2.0-or-later
// A network of emulated endpoints on a virtual clock: links with a delay and a rate, faults, and taps that see every
// frame. All that happens follows from the endpoints, the scheduled actions and the seeds.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "replay/stack/core/endpoint.h"
#include "replay/stack/core/random.h"

namespace fabricscope::stack {

/// A port of the fabric, from 0.
using PortId = std::size_t;

struct LinkProperties {
    Time delay = 5 * microsecond;                    ///< one way
    std::uint64_t bits_per_second = 10'000'000'000;  ///< frames of a port follow each other at this rate
    Time processing = 2 * microsecond;               ///< between a frame's arrival and what is sent because of it
    Time jitter = 0;                                 ///< processing varies by up to this
};

/// What becomes of a frame between two ports.
struct Delivery {
    bool lost = false;
    bool corrupted = false;  ///< one bit is turned over
    /// An octet close to the frame's end is another one: of Fibre Channel one of the CRC, so that all else is intact.
    bool corrupted_near_end = false;
    bool marked = false;      ///< it met congestion, and arrives as the marking leaves it
    unsigned duplicates = 0;  ///< further copies
    Time extra_delay = 0;     ///< later frames may overtake it
};

/// Turns over what is to be turned over.
void damage(Octets& octets, const Delivery& delivery, Random& random);

/// A frame on its way.
struct FrameInFlight {
    Time sent = 0;
    PortId from = 0;
    PortId to = 0;
    ByteView octets;
};

/// Decides over each frame, in the order in which they are sent.
using FaultPolicy = std::function<Delivery(const FrameInFlight&, Random&)>;

/// Marks a frame, if its sender is capable of being told of congestion.
using Marking = std::function<void(Octets& frame)>;

/// Where a frame goes, or nothing if nobody wants it.
using Routing = std::function<std::optional<PortId>(PortId from, ByteView frame)>;

/// What a tap sees. A frame is seen once as sent, if the fabric does not lose it, as received by each port that gets
/// it.
struct TappedFrame {
    enum class Moment : std::uint8_t { sent, received };
    Moment moment = Moment::sent;
    Time time = 0;
    PortId port = 0;  ///< where this happens
    ByteView octets;
    const std::string* note = nullptr;  ///< the sender's; never null
    Delivery delivery{};                ///< sent: what becomes of it
};
using Tap = std::function<void(const TappedFrame&)>;

class Fabric {
public:
    /// Time begins at `start`, nanoseconds since 1970.
    Fabric(std::uint64_t seed, Time start);

    /// Attaches a port of an endpoint, which must live as long. Ports are numbered in this order.
    PortId attach(Endpoint& endpoint, std::size_t port_of_endpoint, LinkProperties link = {});
    void set_routing(Routing routing) { routing_ = std::move(routing); }
    void set_faults(FaultPolicy faults) { faults_ = std::move(faults); }
    void set_marking(Marking marking) { marking_ = std::move(marking); }
    void set_tap(Tap tap) { tap_ = std::move(tap); }

    Time now() const { return now_; }
    /// Runs `action` when the time has come; not before now. Actions may act on endpoints and schedule others.
    void at(Time time, std::function<void()> action);
    /// Until nothing is left to happen, or `limit`. False if the limit was reached.
    bool run(Time limit);

private:
    struct Attachment {
        Endpoint* endpoint = nullptr;
        std::size_t port_of_endpoint = 0;
        LinkProperties link;
        Time free_at = 0;  ///< when the last frame has left
    };
    /// Something that happens at a time; in order of scheduling where the time is the same.
    struct Event {
        Time time = 0;
        std::uint64_t order = 0;
        PortId port = 0;
        Octets frame{};  ///< arrives at `port`, unless there is an action
        std::function<void()> action{};
        std::string note{};

        bool operator>(const Event& other) const {
            return time != other.time ? time > other.time : order > other.order;
        }
    };

    void push(Event event);
    Event pop();
    std::optional<std::size_t> earliest_endpoint() const;
    void step_endpoint(std::size_t index);
    void handle(Event event);
    void collect(Endpoint& endpoint);
    void send(PortId from, OutgoingFrame frame);
    void deliver(PortId to, Time time, const Octets& octets, const std::string& note);
    PortId port_of(const Endpoint& endpoint, std::size_t port) const;

    Time now_;
    Random random_;
    Random processing_;
    std::vector<Attachment> ports_;
    std::vector<Endpoint*> endpoints_;
    std::vector<Event> events_;  ///< a heap, the earliest first
    std::uint64_t scheduled_ = 0;
    std::vector<OutgoingFrame> outgoing_;
    Routing routing_;
    FaultPolicy faults_;
    Marking marking_;
    Tap tap_;
};

/// Routing for Ethernet: to the port whose endpoint claimed the destination address.
class EthernetSwitch {
public:
    void add(PortId port, const Mac& address) { addresses_.push_back({address, port}); }
    std::optional<PortId> operator()(PortId from, ByteView frame) const;

private:
    struct Entry {
        Mac address;
        PortId port;
    };
    std::vector<Entry> addresses_;
};

/// Chances in parts per million, for each frame that `concerns` (all if empty).
struct RandomFaults {
    std::uint32_t loss = 0;
    std::uint32_t duplication = 0;
    std::uint32_t corruption = 0;
    std::uint32_t marking = 0;
    std::uint32_t reordering = 0;
    Time reorder_delay = 50 * microsecond;  ///< at most
    std::function<bool(const FrameInFlight&)> concerns;

    Delivery operator()(const FrameInFlight& frame, Random& random) const;
};

}  // namespace fabricscope::stack
