// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/components.h"

#include <algorithm>
#include <array>
#include <concepts>

#include "capture/fcip.h"
#include "protocols/ib/mad.h"
#include "protocols/rdma_cm/message.h"
#include "protocols/smcr/clc.h"
#include "protocols/smcr/llc.h"

namespace fabricscope::engine {
namespace {

namespace smc = fabricscope::smcr;
namespace cm = fabricscope::rdma_cm;

using capture::Address;
using capture::Packet;
using capture::Transport;

/// Stand for what must not be told apart: addresses that no port has.
const Address any_native_port = Address::of_lid(0);
const Address any_fc_port = Address::of_port_id(0xFF'FFFE);

/// A peer ID as an address that equals no other one: a LID's first octets are zero.
Address address_of_peer(const smc::PeerId& peer) {
    Address address{.kind = Address::Kind::lid};
    address.bytes[0] = static_cast<std::uint8_t>(peer.instance >> 8);
    address.bytes[1] = static_cast<std::uint8_t>(peer.instance);
    std::ranges::copy(peer.mac.octets, address.bytes.begin() + 2);
    return address;
}

bool is_multicast(const Address& address) {
    if (address.kind == Address::Kind::ipv4) return address.bytes[12] >= 224;
    return (address.kind == Address::Kind::ipv6 || address.kind == Address::Kind::gid) && address.bytes[0] == 0xFF;
}

bool is_plain_udp(const Packet& packet) {
    return packet.transport == Transport::udp && packet.udp.source_port != ib::roce_v2_udp_port &&
           packet.udp.destination_port != ib::roce_v2_udp_port;
}

/// Hands on the ports and peers that a message's parts name.
template <class Take> struct Names {
    const Take& hand_on;

    void take(const Address& address) const {
        if (says_who(address)) hand_on(address);
    }

    template <class T> void part(const T& part, std::size_t, const layout::PartInfo&) const {
        if constexpr (requires {
                          { part.gid } -> std::same_as<const Gid&>;
                      })
            take(Address::of(part.gid));
        if constexpr (requires { part.roce_gid; }) take(Address::of(part.roce_gid));
        if constexpr (requires { part.target_gid; }) take(Address::of(part.target_gid));
        if constexpr (requires { part.local_gid; }) take(Address::of(part.local_gid));
        if constexpr (requires { part.remote_gid; }) take(Address::of(part.remote_gid));
        if constexpr (requires { part.redirect_gid; }) take(Address::of(part.redirect_gid));
        if constexpr (requires { part.peer_id; }) take(address_of_peer(part.peer_id));
    }
    void octets(ByteView, std::size_t, const layout::PartInfo&) const {}
};

template <class Message, class Take> void for_each_name(const Message& message, const Take& take) {
    walk(message, Names<Take>{take});
}

}  // namespace

bool says_who(const Address& address) {
    switch (address.kind) {
        case Address::Kind::none: return false;
        case Address::Kind::port_id: return true;
        case Address::Kind::ipv4:
            return !is_multicast(address) &&
                   std::any_of(address.bytes.begin() + 12, address.bytes.end(), [](auto octet) { return octet != 0; });
        default: return !is_multicast(address) && (address.front() | address.back()) != 0;
    }
}

void Components::add(const Packet& packet, std::uint64_t octets) {
    if (full_) return;
    const bool from = says_who(packet.source), to = says_who(packet.destination);
    if (!from && !to) return;
    const std::optional<std::uint32_t> node = node_of(from ? packet.source : packet.destination);
    if (!node) return;
    nodes_[*node].octets += octets;
    if (from && to && !is_plain_udp(packet)) unite(packet.source, packet.destination);
    read_messages(packet);
}

void Components::finish() {
    if (full_) return;
    if (fc_is_one_)
        for (std::uint32_t node = 0; node < nodes_.size(); ++node)
            if (nodes_[node].fc_port) sets_.unite(node, *index_.find(any_fc_port) - 1);
    sets_.flatten();
}

std::optional<std::uint32_t> Components::of(const Packet& packet) const {
    const std::uint32_t* const node = find_either(index_, packet);
    return node != nullptr ? std::optional(sets_.root_of(*node - 1)) : std::nullopt;
}

std::vector<Components::Component> Components::list() const {
    std::vector<std::uint64_t> octets(nodes_.size());
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) octets[sets_.root_of(node)] += nodes_[node].octets;
    std::vector<Component> components;
    for (std::uint32_t node = 0; node < nodes_.size(); ++node)
        if (octets[node] != 0) components.push_back({node, octets[node]});
    return components;
}

// ---- sets of addresses ---------------------------------------------------------------------------

std::optional<std::uint32_t> Components::node_of(const Address& address) {
    if (const std::uint32_t* const known = index_.find(address)) return *known - 1;
    if (nodes_.size() >= most_addresses) {
        full_ = true;
        return std::nullopt;
    }
    nodes_.emplace_back();
    const std::uint32_t node = sets_.add();
    index_[address] = node + 1;
    return node;
}

void Components::unite(const Address& one, const Address& other) {
    const auto a = node_of(one), b = node_of(other);
    if (a && b) sets_.unite(*a, *b);
}

// ---- messages ------------------------------------------------------------------------------------

void Components::read_messages(const Packet& packet) {
    // Which one came first decides how fabrics are called.
    if (fcoe_vlans_.further(packet) != 0) join_fc(packet);
    if (packet.fip_control == capture::FipControl::clear_virtual_links)
        for (std::size_t n = 1; const auto port = capture::cleared_port(packet.segment, n); ++n)
            unite(packet.source, Address::of_port_id(*port));
    switch (packet.transport) {
        case Transport::tcp: return read_tcp(packet);
        case Transport::ib: return read_ib(packet);
        case Transport::fc:
            for (const Address& port : {packet.source, packet.destination})
                if (const auto node = node_of(port)) nodes_[*node].fc_port = true;
            return;
        default: return;
    }
}

/// All of Fibre Channel, and with it this packet's source.
void Components::join_fc(const Packet& packet) {
    fc_is_one_ = true;
    unite(packet.source, any_fc_port);
}

void Components::read_tcp(const Packet& packet) {
    if (capture::FcipStreams::takes(packet)) join_fc(packet);
    // A message in pieces is read as far as its first piece goes. Each of the three names a GID, and one suffices.
    if (smc::clc_length(packet.tcp.payload) <= smc::clc_header_size) return;
    name_smcr(packet, smc::parse_clc(packet.tcp.payload));
}

void Components::read_ib(const Packet& packet) {
    const capture::IbPacket& ib = packet.ib;
    if (ib.carrier == capture::IbCarrier::native) unite(packet.source, any_native_port);
    if (ib.bth.destination_qpn == ib::gsi_qpn) {
        if (cm::claims_cm(ib.payload))
            for_each_name(cm::parse(ib.payload), [&](const Address& named) { unite(packet.source, named); });
        return;
    }
    if (ib.opcode().operation != ib::Operation::send) return;
    // Of a long message, and of one that was cut off, only the sender tells that it is LLC.
    const std::uint32_t* const sender = index_.find(packet.source);
    const bool from_smcr = sender != nullptr && nodes_[*sender - 1].smcr;
    if (!from_smcr && !smc::looks_like_llc(ib.payload, ib.payload_length)) return;
    const smc::LlcMessage message = smc::parse_llc(ib.payload, ib.payload_length);
    const smc::LlcType type = message.type();
    if (type == smc::LlcType::confirm_link || type == smc::LlcType::add_link || type == smc::LlcType::request_add_link)
        name_smcr(packet, message);
}

template <class Message> void Components::name_smcr(const Packet& packet, const Message& message) {
    for_each_name(message, [&](const Address& named) {
        unite(packet.source, named);
        if (const auto node = node_of(named)) nodes_[*node].smcr = true;
    });
}

}  // namespace fabricscope::engine
