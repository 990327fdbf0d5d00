// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/raw.h"

#include <fmt/format.h>
#include <ifaddrs.h>

#include <algorithm>
#include <cstring>

#include "capture/interface.h"
#include "protocols/net/headers.h"
#include "replay/transport/arp.h"
#include "replay/transport/sockets.h"

namespace fabricscope::replay {

namespace {

constexpr std::size_t frame_offset = layout::size_of<net::Ethernet>;
constexpr Mac broadcast{{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}};
constexpr Time arp_interval = 500 * capture::millisecond;
constexpr unsigned probes = 3;
constexpr Time probe_interval = 200 * capture::millisecond;

net::Ethernet header_of(ByteView frame) {
    net::Ethernet header{};
    layout::parse_into(header, frame);
    return header;
}

Ipv4 ipv4_of(const Gid& ip) {
    Ipv4 address;
    std::copy_n(ip.octets.begin() + 12, 4, address.octets.begin());
    return address;
}

/// What others send on an Ethernet.
class Ethernet {
public:
    explicit Ethernet(const std::string& name)
        : interface_(name, {.filter = {}, .own_frames = false, .immediate = true}) {
        if (interface_.link() != capture::LinkType::ethernet) throw TransportError(name + " is no Ethernet interface");
    }

    void send(ByteView frame) { interface_.send(frame); }

    ByteView receive(Time wait) {
        if (const ByteView frame = next(); !frame.empty()) return frame;
        if (!readable_within(interface_.descriptor(), wait)) return {};
        return next();
    }

private:
    ByteView next() {
        capture::Frame frame;
        return interface_.next(frame) && frame.data.size() >= frame_offset ? frame.data : ByteView{};
    }

    capture::Interface interface_;
};

/// One host, whose address is the recorded one or another.
class InterfaceTransport final : public Transport {
public:
    InterfaceTransport(const std::string& interface, const std::optional<Mac>& peer)
        : interface_(interface), peer_(peer) {}

    std::optional<LiveAddresses> addresses() const override { return std::nullopt; }

    void send(ByteView frame) override {
        if (frame.size() < frame_offset) return;
        const Mac to = header_of(frame).destination;
        if ((to.octets[0] & 1) != 0) return;  // many hosts
        if (!recorded_) recorded_ = to;
        if (to != *recorded_) return;
        frame_.assign(frame.begin(), frame.end());
        std::ranges::copy(peer_.value_or(to).octets, frame_.begin());
        interface_.send(frame_);
    }

    ByteView receive(Time wait) override {
        const ByteView frame = interface_.receive(wait);
        if (!peer_ || frame.empty()) return frame;
        if (header_of(frame).source != *peer_) return {};
        frame_.assign(frame.begin(), frame.end());
        if (recorded_) std::ranges::copy(recorded_->octets, frame_.begin() + sizeof(Mac));
        return frame_;
    }

private:
    Ethernet interface_;
    std::optional<Mac> peer_;      ///< nothing: the recorded one
    std::optional<Mac> recorded_;  ///< of the peer, once something has been sent
    std::vector<std::uint8_t> frame_;
};

class IpHostTransport final : public Transport {
public:
    IpHostTransport(
        const std::string& interface, const Gid& own, const Gid& peer, std::optional<std::uint16_t> peer_port,
        Time timeout)
        : interface_(interface), addresses_{made_up_mac(own), {}, own, peer, std::nullopt, peer_port} {
        claim_address();
        for (Time waited = 0; waited < timeout; waited += arp_interval) {
            send_arp(ArpOperation::request, broadcast, {}, ipv4_of(addresses_.own_ip), ipv4_of(addresses_.peer_ip));
            // A frame that is not of interest must not end the wait for the one that is.
            for (unsigned frames = 0; frames < 1000 && !found_; ++frames)
                if (const ByteView frame = interface_.receive(arp_interval); frame.empty()) break;
                else accept_arp(frame);
            if (found_) return;
        }
        throw Unreachable(
            fmt::format("nobody on {} has the address {}: no answer to ARP", interface, short_text(peer)));
    }

    std::optional<LiveAddresses> addresses() const override { return addresses_; }

    void send(ByteView frame) override {
        if (header_of(frame).destination == addresses_.peer_mac) interface_.send(frame);
    }

    ByteView receive(Time wait) override {
        const ByteView frame = interface_.receive(wait);
        if (frame.empty() || accept_arp(frame)) return {};
        return header_of(frame).destination == addresses_.own_mac ? frame : ByteView{};
    }

private:
    /// Throws if another host has the address, or is about to take it. As RFC 5227, 2.1.1, but in less time.
    void claim_address() {
        for (unsigned probe = 0; probe < probes; ++probe) {
            send_arp(ArpOperation::request, broadcast, {}, {}, ipv4_of(addresses_.own_ip));
            for (unsigned frames = 0; frames < 1000; ++frames) {
                const ByteView frame = interface_.receive(probe_interval);
                if (frame.empty()) break;
                Arp arp;
                if (header_of(frame).type != ether_type_arp || layout::parse_into(arp, frame.subspan(frame_offset)))
                    continue;
                const bool probes_too = arp.sender_ip == Ipv4{} && arp.target_ip == ipv4_of(addresses_.own_ip);
                if (arp.sender_ip == ipv4_of(addresses_.own_ip) || probes_too)
                    throw TransportError(fmt::format(
                        "--address {} is in use, by {}", short_text(addresses_.own_ip), to_string(arp.sender_mac)));
            }
        }
    }

    /// Somebody else has the address by now (RFC 5227, 2.4): it is left to him.
    void expect_no_conflict(const Arp& arp) const {
        if (arp.sender_ip == ipv4_of(addresses_.own_ip) && arp.sender_mac != addresses_.own_mac)
            throw TransportError(fmt::format(
                "another host has taken the address {} meanwhile: {}", short_text(addresses_.own_ip),
                to_string(arp.sender_mac)));
    }

    /// Answers those who ask for this host's address, and learns the peer's.
    bool accept_arp(ByteView frame) {
        if (header_of(frame).type != ether_type_arp) return false;
        Arp arp;
        if (layout::parse_into(arp, frame.subspan(frame_offset))) return true;
        expect_no_conflict(arp);
        const bool of_peer = arp.sender_ip == ipv4_of(addresses_.peer_ip);
        if (of_peer) addresses_.peer_mac = arp.sender_mac, found_ = true;
        if (arp.operation == ArpOperation::request && arp.target_ip == ipv4_of(addresses_.own_ip) && of_peer)
            send_arp(
                ArpOperation::reply, arp.sender_mac, arp.sender_mac, ipv4_of(addresses_.own_ip),
                ipv4_of(addresses_.peer_ip));
        return true;
    }

    void send_arp(
        ArpOperation operation, const Mac& to, const Mac& target, const Ipv4& sender_ip, const Ipv4& target_ip) {
        Arp arp;
        arp.operation = operation;
        arp.sender_mac = addresses_.own_mac;
        arp.sender_ip = sender_ip;
        arp.target_mac = target;
        arp.target_ip = target_ip;
        std::array<std::uint8_t, frame_offset + layout::size_of<Arp>> frame{};
        layout::build_into(net::Ethernet{to, addresses_.own_mac, ether_type_arp}, std::span(frame));
        layout::build_into(arp, std::span(frame).subspan(frame_offset));
        interface_.send(frame);
    }

    Ethernet interface_;
    LiveAddresses addresses_;
    bool found_ = false;
};

}  // namespace

std::unique_ptr<Transport> open_interface(const std::string& interface, const std::optional<Mac>& peer) {
    return std::make_unique<InterfaceTransport>(interface, peer);
}

std::unique_ptr<Transport> open_ip_host(
    const std::string& interface, const Gid& own, const Gid& peer, std::optional<std::uint16_t> peer_port,
    Time timeout) {
    return std::make_unique<IpHostTransport>(interface, own, peer, peer_port, timeout);
}

std::string interface_towards(const Gid& peer) {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) throw TransportError(system_error("the interfaces of this host"));
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(list, ::freeifaddrs);
    const std::uint32_t wanted = in_addr_of(peer).s_addr;
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_netmask == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        const auto ip = [](const sockaddr* address) {
            sockaddr_in result{};
            std::memcpy(&result, address, sizeof result);
            return result.sin_addr.s_addr;
        };
        if (((ip(one->ifa_addr) ^ wanted) & ip(one->ifa_netmask)) == 0) return one->ifa_name;
    }
    throw Unreachable(
        short_text(peer) +
        " is in no network of this host; raw frames do not go through routers (or name --interface)");
}

}  // namespace fabricscope::replay
