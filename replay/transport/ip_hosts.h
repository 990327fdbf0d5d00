// SPDX-License-Identifier: GPL-2.0-or-later
// IP hosts of their own beside this one, on an Ethernet: with addresses that nobody has, made-up MAC addresses, and
// ARP. So the kernel, which knows nothing of the connections that are played, does not reset them.
#pragma once

#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

#include "replay/transport/arp.h"
#include "replay/transport/packet_socket.h"

namespace fabricscope::replay {

struct IpHostsConfig {
    std::string interface;
    Gid first;           ///< IPv4, of the first host; the others have those behind it
    unsigned count = 1;  ///< at most `most_ip_hosts`
    /// The only one that is sent to. Nothing: those who ask for one of these hosts, and nobody else.
    std::optional<Gid> peer{};
    Time timeout = 10 * capture::second;  ///< for the peer's answer to ARP
    bool join = false;                    ///< packets that are sent, see PacketSocket::send()
    std::function<bool()> stop{};         ///< whether not to wait for that answer any longer, and go on without it
};
inline constexpr unsigned most_ip_hosts = 1024;

/// The IPv4 address so many behind it.
Gid ip_behind(const Gid& first, unsigned host);
/// Hosts with the addresses from `options.address` on. `peer`: if only one is to be spoken to. Throws TransportError if
/// one of the addresses is not to be had, Unreachable if no interface leads there.
IpHostsConfig hosts_at(const TransportOptions& options, unsigned count, const std::optional<Gid>& peer);
/// The same, to speak to this host, which must be another one than this.
IpHostsConfig hosts_towards(const std::string& peer, const TransportOptions& options, unsigned count);

class IpHosts {
public:
    /// Throws TransportError, for instance if another host has one of the addresses; Unreachable if the peer does not
    /// answer ARP.
    explicit IpHosts(const IpHostsConfig& config);

    unsigned count() const { return count_; }
    Gid ip(unsigned host) const { return ip_behind(first_, host); }
    Mac mac(unsigned host) const;
    const Mac& peer_mac() const { return peer_mac_; }

    /// In their order, with as few calls of the system as possible. Frames to others are left out.
    void send(std::span<const ByteView> frames);

    struct Arrived {
        bool any = false;   ///< whether something came
        unsigned host = 0;  ///< to which it was sent
        ByteView frame{};   ///< empty: it was none of the hosts' business
    };
    /// What comes within `wait` nanoseconds; valid until the next call.
    Arrived receive(Time wait);
    /// Frames that came and were lost, because they were not taken in time.
    std::uint64_t dropped() { return interface_.dropped(); }

private:
    ByteView next(Time wait);
    std::optional<unsigned> host_of(const Mac& mac) const;
    std::optional<unsigned> host_of(const Ipv4& ip) const;
    bool may_send_to(const Mac& mac) const;
    void claim_addresses();
    void find_peer(const Gid& peer, Time timeout, const std::function<bool()>& stop);
    void accept_arp(ByteView frame);
    void send_arp(
        ArpOperation operation, unsigned host, const Mac& to, const Mac& target, const Ipv4& sender_ip,
        const Ipv4& target_ip);

    PacketSocket interface_;
    Gid first_;
    unsigned count_;
    bool join_;
    std::vector<ByteView> allowed_;  ///< of what is sent
    std::optional<Gid> peer_;
    Mac peer_mac_{};
    bool found_ = false;
    std::unordered_set<std::uint64_t> guests_;  ///< MAC addresses of those who asked, if there is no peer
};

}  // namespace fabricscope::replay
