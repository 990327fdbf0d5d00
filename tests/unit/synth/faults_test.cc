// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocols/builders/frame_builder.h"
#include "replay/stack/core/faulty_way.h"

namespace fabricscope::synth {
namespace {

using stack::millisecond;
using stack::Octets;
using testing::ElementsAre;
using testing::HasSubstr;

/// A segment without payload: "SYN", "ACK", "FIN", "RST" by its flags.
Octets segment(std::uint8_t flags) {
    builders::FrameBuilder builder;
    builders::FrameEnds ends;
    ends.source = builders::gid_of(Ipv4{{192, 0, 2, 10}});
    ends.destination = builders::gid_of(Ipv4{{192, 0, 2, 20}});
    const ByteView frame = builder.tcp(ends, {40'000, 7, 1, 1, flags}, {}, {});
    return {frame.begin(), frame.end()};
}

/// A way from a client (0) to a server (1) with the faults of these lines.
class Way {
public:
    explicit Way(const std::string& lines)
        : scenario_(parse_statements(lines)),
          faults_(scenario_),
          way_(
              [this](const stack::FrameInFlight& frame, stack::Random& random) {
                  return faults_(
                      frame.from == 0 ? engine::Side::client : engine::Side::server, frame, capture::LinkType::ethernet,
                      random);
              },
              1) {}

    void put(Time now, stack::PortId from, std::uint8_t flags) { way_.put(now, from, segment(flags)); }
    /// When frames arrive.
    std::vector<Time> arrivals() {
        std::vector<Time> times;
        while (way_.wakeup() != stack::never)
            for (const stack::FaultyWay::Frame& frame : way_.take_arrived(way_.wakeup())) times.push_back(frame.time);
        return times;
    }
    const PeerFaults& faults() const { return faults_; }

private:
    Scenario scenario_;
    PeerFaults faults_;
    stack::FaultyWay way_;
};

TEST(PeerFaults, DropOneOfTheClient) {
    Way way("drop message=ACK from=client skip=1\n");
    way.put(1, 0, capture::ack);
    way.put(2, 1, capture::ack);
    way.put(3, 0, capture::ack);
    way.put(4, 0, capture::ack);
    EXPECT_THAT(way.arrivals(), ElementsAre(1, 2, 4));
    EXPECT_NO_THROW(way.faults().expect_all_fired());
}

TEST(PeerFaults, DelayedFramesAreOvertaken) {
    Way way("delay message=SYN by=2ms\nduplicate message=ACK\n");
    way.put(0, 0, capture::syn);
    way.put(millisecond, 0, capture::ack);
    way.put(3 * millisecond, 0, capture::ack);
    EXPECT_THAT(way.arrivals(), ElementsAre(millisecond, millisecond, 2 * millisecond, 3 * millisecond));
}

TEST(PeerFaults, ACutWireCarriesNothingForAWhile) {
    Way way("cut message=FIN for=5ms\n");
    way.put(0, 0, capture::ack);
    way.put(1, 0, capture::fin | capture::ack);
    way.put(2, 1, capture::ack);
    way.put(5 * millisecond, 0, capture::ack);
    way.put(5 * millisecond + 1, 0, capture::ack);
    EXPECT_THAT(way.arrivals(), ElementsAre(0, 5 * millisecond + 1));
    Way forever("cut message=SYN\n");
    forever.put(0, 0, capture::syn);
    forever.put(stack::second * 1000, 1, capture::ack);
    EXPECT_THAT(forever.arrivals(), ElementsAre());
}

TEST(PeerFaults, ChancesAndDamage) {
    Way way("fault loss=50% from=server\nfault corrupt=100% what=tcp\n");
    for (stack::PortId frame = 0; frame < 200; ++frame) way.put(static_cast<Time>(frame), frame % 2, capture::ack);
    const std::size_t arrived = way.arrivals().size();
    EXPECT_GT(arrived, 130U);
    EXPECT_LT(arrived, 170U);
}

TEST(PeerFaults, WhatNeverHappenedIsTold) {
    Way way("drop message=RST\n");
    way.put(0, 0, capture::syn);
    try {
        way.faults().expect_all_fired();
        FAIL();
    } catch (const ScenarioError& error) {
        EXPECT_THAT(error.what(), HasSubstr("line 1: drop: it never happened: 0 RST came"));
    }
    EXPECT_THROW(Way("drop message=HELLO\n"), ScenarioError);
    EXPECT_THROW(Way("fault colour=1%\n"), ScenarioError);
}

}  // namespace
}  // namespace fabricscope::synth
