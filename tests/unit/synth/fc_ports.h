// SPDX-License-Identifier: GPL-2.0-or-later
// Two emulated N_Ports and a Fabric on a virtual clock, and what they send.
#pragma once

#include <gtest/gtest.h>

#include "replay/stack/core/fabric.h"
#include "replay/stack/fc/fabric_services.h"
#include "replay/stack/fc/host.h"

namespace fabricscope::stack::fibre_channel::test {

inline constexpr std::uint32_t id_of_a = 0x01'0100, id_of_b = 0x01'0200;
inline constexpr std::uint8_t test_type = 0xE0;  ///< vendor specific
inline constexpr std::uint64_t fabric_name = 0x2000'0000'0000'00FF;

/// What uses Exchanges, and takes down what comes of it.
struct User final : ExchangeUser {
    void on_iu(Time /*now*/, const IncomingIu& iu) override {
        received.push_back(iu.payload);
        exchange = iu.exchange;
    }
    void on_acknowledged(Time /*now*/, ExchangeHandle /*exchange*/) override { ++acknowledged; }
    void on_failure(Time now, ExchangeHandle /*exchange*/, Failure failure) override {
        failures.push_back(failure);
        failed_at = now;
    }
    bool repeats_busy() const override { return repeats; }

    std::vector<Octets> received;
    ExchangeHandle exchange = 0;  ///< of the latest
    std::vector<Failure> failures;
    Time failed_at = 0;
    unsigned acknowledged = 0;
    bool repeats = true;
};

class TestHost final : public Host {
public:
    explicit TestHost(const HostConfig& config, bool has_user = true) : Host(config) {
        if (has_user) exchanges().set_user(test_type, user);
    }
    std::size_t count(NPortEvent::What what) const {
        return static_cast<std::size_t>(std::ranges::count(events, what, &NPortEvent::what));
    }

    User user;
    std::vector<NPortEvent> events;

protected:
    void on_port_event(Time /*now*/, const NPortEvent& event) override { events.push_back(event); }
};

inline Gid ip_of(std::uint8_t number) { return builders::fc_ip({{192, 0, 2, number}}); }

inline HostConfig host_config(std::uint8_t number, const ExchangeConfig& exchanges = {}) {
    HostConfig config;
    config.seed = number;
    config.port.exchanges = exchanges;
    config.port.port_name = config.port.node_name = 0x2000'0000'0000'0000 | number;
    config.port.ip = ip_of(number);
    config.port.resolver = Resolver::name_server;
    return config;
}

inline FabricServices make_services(const ExchangeConfig& exchanges = {}) {
    const auto member = [](std::uint8_t number, std::uint32_t id) {
        const HostConfig config = host_config(number);
        return FabricMember{config.port.port_name, config.port.node_name, id, ip_of(number)};
    };
    return {
        exchanges,
        {.port_name = fabric_name, .node_name = fabric_name},
        {member(1, id_of_a), member(2, id_of_b)},
        Random(7)};
}

/// Host A is the one that asks.
class Ports {
public:
    Ports(TestHost& a, TestHost& b, FabricServices& services) : a_(a), b_(b) {
        const PortId first = fabric_.attach(a, 0), second = fabric_.attach(b, 0), third = fabric_.attach(services, 0);
        fabric_.set_routing([=, this](PortId from, ByteView frame) -> std::optional<PortId> {
            const capture::Packet packet = decode(frame, Link::fibre);
            const std::uint32_t to = packet.fc->frame.header.d_id;
            if (stuck && from != third && stuck(packet.fc->frame.header)) return third;
            return to == id_of_a ? first : to == id_of_b ? second : third;
        });
        fabric_.set_tap([this](const TappedFrame& frame) {
            const capture::Packet packet = decode(frame.octets, Link::fibre);
            if (frame.moment == TappedFrame::Moment::sent) sent.push_back(packet.fc->frame.header);
        });
    }

    void run(Time time) { fabric_.run(fabric_.now() + time); }
    void at_once(const std::function<void(Time)>& action) {
        fabric_.at(fabric_.now(), [this, action] { action(fabric_.now()); });
        run(second);
    }
    /// Both are online, and logged in with each other.
    void log_in() {
        at_once([this](Time now) { a_.port().start(now), b_.port().start(now); });
        at_once([this](Time now) { a_.port().reach(now, ip_of(2)); });
        ASSERT_EQ(a_.count(NPortEvent::What::reached), 1U);
        sent.clear();
    }
    /// A Sequence of class 2 from A to B, on an Exchange of its own.
    void send(std::size_t octets) {
        at_once([&](Time now) {
            OutgoingIu iu;
            iu.r_ctl = 0x01;
            iu.payload.assign(octets, 0x5A);
            iu.last_sequence = true;
            a_.exchanges().send(now, a_.exchanges().open(test_type, id_of_b, 2), std::move(iu));
        });
    }
    std::size_t count(std::uint8_t r_ctl) const {
        return static_cast<std::size_t>(std::ranges::count(sent, r_ctl, &fc::FrameHeader::r_ctl));
    }
    Time now() const { return fabric_.now(); }

    std::vector<fc::FrameHeader> sent;
    std::function<bool(const fc::FrameHeader&)> stuck;  ///< frames that the Fabric cannot deliver

private:
    TestHost &a_, &b_;
    Fabric fabric_{1, 0};
};

}  // namespace fabricscope::stack::fibre_channel::test
