// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/ip_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "replay/transport/ethernet.h"

namespace fabricscope::replay {

namespace {

constexpr Mac broadcast{{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}};
constexpr Time arp_interval = 500 * capture::millisecond;
constexpr unsigned probes = 3;
constexpr Time probe_interval = 200 * capture::millisecond;
/// Who may be answered, if there is no peer.
constexpr std::size_t most_guests = 65'536;
/// Of the kernel, for frames that have not been taken yet.
constexpr int kernel_buffer = 16 << 20;

using Moment = std::chrono::steady_clock::time_point;

Moment in(Time time) { return std::chrono::steady_clock::now() + std::chrono::nanoseconds(time); }

/// Nanoseconds; negative when it is over.
Time left_until(Moment end) { return std::chrono::nanoseconds(end - std::chrono::steady_clock::now()).count(); }

Ipv4 ipv4_of(const Gid& ip) {
    Ipv4 address;
    std::copy_n(ip.octets.begin() + 12, 4, address.octets.begin());
    return address;
}

std::uint32_t number_of(std::span<const std::uint8_t> four) {
    return std::uint32_t{four[0]} << 24 | std::uint32_t{four[1]} << 16 | std::uint32_t{four[2]} << 8 | four[3];
}

std::uint64_t number_of(const Mac& mac) {
    return std::uint64_t{mac.octets[0]} << 40 | std::uint64_t{mac.octets[1]} << 32 |
           number_of(std::span(mac.octets).subspan(2));
}

/// To all made-up hosts, and ARP.
constexpr std::array<sock_filter, 6> to_made_up_hosts{{
    BPF_STMT(BPF_LD | BPF_H | BPF_ABS, frame_offset - 2),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ether_type_arp, 2, 0),
    BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02FA, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
    BPF_STMT(BPF_RET | BPF_K, 0),
}};

}  // namespace

Gid ip_behind(const Gid& first, unsigned host) {
    Gid ip = first;
    const std::uint32_t number = number_of(std::span(first.octets).subspan(12)) + host;
    for (unsigned i = 0; i < 4; ++i) ip.octets[12 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
    return ip;
}

IpHosts::IpHosts(const IpHostsConfig& config)
    : interface_(config.interface, to_made_up_hosts, kernel_buffer),
      first_(config.first),
      count_(config.count),
      join_(config.join) {
    claim_addresses();
    if (config.peer) find_peer(*config.peer, config.timeout, config.stop);
}

Mac IpHosts::mac(unsigned host) const { return made_up_mac(ip(host)); }

std::optional<unsigned> IpHosts::host_of(const Ipv4& ip) const {
    const std::uint32_t host = number_of(ip.octets) - number_of(std::span(first_.octets).subspan(12));
    return host < count_ ? std::optional(host) : std::nullopt;
}

std::optional<unsigned> IpHosts::host_of(const Mac& mac) const {
    Ipv4 ip;
    std::copy_n(mac.octets.begin() + 2, 4, ip.octets.begin());
    return mac.octets[0] == 0x02 && mac.octets[1] == 0xFA ? host_of(ip) : std::nullopt;
}

// ---- frames --------------------------------------------------------------------------------------

bool IpHosts::may_send_to(const Mac& mac) const { return peer_ ? mac == peer_mac_ : guests_.contains(number_of(mac)); }

void IpHosts::send(std::span<const ByteView> frames) {
    allowed_.clear();
    std::ranges::copy_if(frames, std::back_inserter(allowed_), [this](ByteView frame) {
        return frame.size() >= frame_offset && may_send_to(header_of(frame).destination);
    });
    interface_.send(allowed_, join_);
}

ByteView IpHosts::next(Time wait) {
    ByteView frame = interface_.next();
    if (frame.empty() && wait != 0 && readable_within(interface_.descriptor(), wait)) frame = interface_.next();
    return frame.size() >= frame_offset ? frame : ByteView{};
}

IpHosts::Arrived IpHosts::receive(Time wait) {
    const ByteView frame = next(wait);
    if (frame.empty()) return {};
    const net::Ethernet header = header_of(frame);
    if (header.type == ether_type_arp) {
        accept_arp(frame);
        return {.any = true};
    }
    const std::optional<unsigned> host = host_of(header.destination);
    if (!host || (peer_ && header.source != peer_mac_)) return {.any = true};
    return {.any = true, .host = *host, .frame = frame};
}

// ---- ARP -----------------------------------------------------------------------------------------

/// Throws if another host has one of the addresses, or is about to take it. As RFC 5227, 2.1.1, but in less time.
void IpHosts::claim_addresses() {
    for (unsigned probe = 0; probe < probes; ++probe) {
        for (unsigned host = 0; host < count_; ++host)
            send_arp(ArpOperation::request, host, broadcast, {}, {}, ipv4_of(ip(host)));
        const Moment end = in(probe_interval);
        for (Time left = probe_interval; left > 0; left = left_until(end)) {
            const ByteView frame = next(left);
            if (frame.empty()) continue;
            Arp arp;
            if (header_of(frame).type != ether_type_arp || layout::parse_into(arp, frame.subspan(frame_offset)))
                continue;
            const bool probes_too = arp.sender_ip == Ipv4{} && host_of(arp.target_ip);
            if (!host_of(arp.sender_ip) && !probes_too) continue;
            const unsigned host = host_of(probes_too ? arp.target_ip : arp.sender_ip).value();
            throw TransportError(
                fmt::format("--address {} is in use, by {}", short_text(ip(host)), to_string(arp.sender_mac)));
        }
    }
}

void IpHosts::find_peer(const Gid& peer, Time timeout, const std::function<bool()>& stop) {
    peer_ = peer;
    const Moment end = in(timeout);
    while (!found_ && left_until(end) > 0) {
        if (stop && stop()) return;
        send_arp(ArpOperation::request, 0, broadcast, {}, ipv4_of(ip(0)), ipv4_of(peer));
        const Moment again = std::min(end, in(arp_interval));
        for (Time left = left_until(again); left > 0 && !found_; left = left_until(again))
            if (const ByteView frame = next(left); !frame.empty()) accept_arp(frame);
    }
    if (!found_)
        throw Unreachable(
            fmt::format("nobody on {} has the address {}: no answer to ARP", interface_.name(), short_text(peer)));
    // So that the peer knows all of them.
    for (unsigned host = 1; host < count_; ++host)
        send_arp(ArpOperation::request, host, peer_mac_, {}, ipv4_of(ip(host)), ipv4_of(peer));
}

/// Answers those who ask for one of these hosts, and learns the peer's address.
void IpHosts::accept_arp(ByteView frame) {
    if (header_of(frame).type != ether_type_arp) return;
    Arp arp;
    if (layout::parse_into(arp, frame.subspan(frame_offset))) return;
    // Somebody else has one of the addresses by now (RFC 5227, 2.4): it is left to him.
    if (const auto host = host_of(arp.sender_ip); host && arp.sender_mac != mac(*host))
        throw TransportError(fmt::format(
            "another host has taken the address {} meanwhile: {}", short_text(ip(*host)), to_string(arp.sender_mac)));
    const bool of_peer = peer_ && arp.sender_ip == ipv4_of(*peer_);
    if (of_peer) peer_mac_ = arp.sender_mac, found_ = true;
    const auto asked = host_of(arp.target_ip);
    if (arp.operation != ArpOperation::request || !asked || arp.sender_ip == Ipv4{}) return;
    if (peer_ ? !of_peer : (arp.sender_mac.octets[0] & 1) != 0 || guests_.size() >= most_guests) return;
    if (!peer_) guests_.insert(number_of(arp.sender_mac));
    send_arp(ArpOperation::reply, *asked, arp.sender_mac, arp.sender_mac, ipv4_of(ip(*asked)), arp.sender_ip);
}

void IpHosts::send_arp(
    ArpOperation operation, unsigned host, const Mac& to, const Mac& target, const Ipv4& sender_ip,
    const Ipv4& target_ip) {
    Arp arp;
    arp.operation = operation;
    arp.sender_mac = mac(host);
    arp.sender_ip = sender_ip;
    arp.target_mac = target;
    arp.target_ip = target_ip;
    std::array<std::uint8_t, frame_offset + layout::size_of<Arp>> frame{};
    layout::build_into(net::Ethernet{to, arp.sender_mac, ether_type_arp}, std::span(frame));
    layout::build_into(arp, std::span(frame).subspan(frame_offset));
    const ByteView only = frame;
    interface_.send({&only, 1}, false);
}

}  // namespace fabricscope::replay
