// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/raw.h"

#include <fmt/format.h>
#include <ifaddrs.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "capture/interface.h"
#include "replay/transport/ethernet.h"
#include "replay/transport/ip_hosts.h"
#include "replay/transport/port_names.h"
#include "replay/transport/sockets.h"

namespace fabricscope::replay {

namespace {

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
    InterfaceTransport(const Target& target, Time timeout) : interface_(target.interface), peer_(target.mac) {
        if (target.port_name) find_port(target.interface, *target.port_name, timeout);
    }

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
        if (first_.empty()) return taken(interface_.receive(wait));
        const Octets first = std::exchange(first_, {});
        return taken(first);
    }

private:
    /// It tells itself where it is, if only one listens: ports of VN2VN do so every 8 s (FC-BB-6, BEACON_PERIOD), and
    /// others when they log in. Nobody is asked, as that would be sent to all.
    void find_port(const std::string& interface, std::uint64_t name, Time timeout) {
        using std::chrono::steady_clock;
        const auto end = steady_clock::now() + std::chrono::nanoseconds(timeout);
        for (Time left = timeout; left > 0; left = std::chrono::nanoseconds(end - steady_clock::now()).count()) {
            const ByteView frame = interface_.receive(left);
            peer_ = mac_of_port(frame, name);
            if (!peer_) continue;
            first_.assign(frame.begin(), frame.end());
            return;
        }
        throw Unreachable(fmt::format(
            "nobody on {} has said within {} s that it has the Port_Name {}: neither in FIP nor by a login", interface,
            static_cast<double>(timeout) / static_cast<double>(capture::second), fc::name_text(name)));
    }

    /// The frame, if it is of the peer; as if the recorded one had sent it.
    ByteView taken(ByteView frame) {
        if (!peer_ || frame.empty()) return frame;
        if (header_of(frame).source != *peer_) return {};
        frame_.assign(frame.begin(), frame.end());
        if (recorded_) std::ranges::copy(recorded_->octets, frame_.begin() + sizeof(Mac));
        return frame_;
    }

    Ethernet interface_;
    std::optional<Mac> peer_;      ///< nothing: the recorded one
    std::optional<Mac> recorded_;  ///< of the peer, once something has been sent
    Octets first_;                 ///< in which a port told where it is: what it says there counts
    std::vector<std::uint8_t> frame_;
};

/// One of the hosts beside this one, as a player knows it.
class IpHostTransport final : public Transport {
public:
    IpHostTransport(const IpHostsConfig& host, std::optional<std::uint16_t> peer_port)
        : hosts_(host), addresses_{hosts_.mac(0),     hosts_.peer_mac(), host.first,
                                   host.peer.value(), std::nullopt,      peer_port} {}

    std::optional<LiveAddresses> addresses() const override { return addresses_; }

    void send(ByteView frame) override { hosts_.send({&frame, 1}); }

    ByteView receive(Time wait) override { return hosts_.receive(wait).frame; }

private:
    IpHosts hosts_;
    LiveAddresses addresses_;
};

}  // namespace

std::unique_ptr<Transport> open_interface(const Target& target, Time timeout) {
    return std::make_unique<InterfaceTransport>(target, timeout);
}

std::unique_ptr<Transport> open_ip_host(const IpHostsConfig& host, std::optional<std::uint16_t> peer_port) {
    return std::make_unique<IpHostTransport>(host, peer_port);
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
