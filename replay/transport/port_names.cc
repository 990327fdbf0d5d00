// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/port_names.h"

#include "capture/fc_packet.h"
#include "protocols/fc/els.h"
#include "protocols/fc/encapsulation.h"
#include "replay/transport/ethernet.h"

namespace fabricscope::replay {

namespace {

template <layout::WireFormat T> std::optional<T> read(ByteView octets) {
    T part;
    if (layout::parse_into(part, octets)) return std::nullopt;
    return part;
}

/// What the descriptors of a FIP frame say, as far as it matters here.
struct Told {
    Mac mac;             ///< of the sender, or one that it asks for
    bool named = false;  ///< the name is that of the sender's Node or switch
    Mac port;            ///< of the VN_Port that has the name
};

Told told_in(ByteView list, std::uint64_t name) {
    Told told;
    while (const auto head = read<fc::FipDescriptor>(list)) {
        const std::size_t size = head->words * std::size_t{4};
        if (size == 0 || size > list.size()) break;
        const ByteView content = list.first(size).subspan(layout::size_of<fc::FipDescriptor>);
        const auto mac = read<fc::FipMac>(content);
        const auto named = read<fc::FipName>(content);
        const auto port = read<fc::FipVnPort>(content);
        if (head->type == fc::fip_mac_type && mac) told.mac = mac->mac;
        if (head->type == fc::fip_name_type && named && named->name == name) told.named = true;
        if (head->type == fc::fip_vn_port_type && port && port->port_name == name) told.port = port->mac;
        list = list.subspan(size);
    }
    return told;
}

/// A port that has no N_Port_ID yet has no MAC address for its frames either.
bool is_login_of(std::uint64_t name, const fc::Frame& frame) {
    if (frame.error || !frame.header.is_els() || frame.header.s_id == 0) return false;
    const fc::ElsMessage els = fc::parse_els(frame.payload, frame.payload_length, fc::els_plogi);
    const auto* const login = std::get_if<fc::Login>(&els.body);
    return login != nullptr && !els.error && login->names.port_name == name;
}

Mac mac_in_fip(ByteView fip, std::uint64_t name) {
    const auto header = read<fc::FipHeader>(fip);
    if (!header) return {};
    const ByteView list = fip.subspan(layout::size_of<fc::FipHeader>);
    const Told told = told_in(list.first(std::min<std::size_t>(list.size(), header->descriptor_words * 4U)), name);
    switch (header->operation) {
        case fc::fip_discovery: return told.named && header->subcode == fc::fip_advertisement ? told.mac : Mac{};
        case fc::fip_control: return header->subcode == fc::fip_keep_alive ? told.port : Mac{};
        // Who probes does not have the address yet.
        case fc::fip_vn2vn: return header->subcode != fc::fip_probe_request ? told.port : Mac{};
        case fc::fip_link_service: {
            // The address in the answer to a login, and that in one to a Fabric, is only what is asked for or given.
            capture::FcPacket login;
            capture::decode_fip(fip, static_cast<std::uint32_t>(fip.size()), login);
            const bool is_to_port = header->subcode == fc::fip_request && login.frame.header.d_id != fc::f_port_server;
            return is_to_port && is_login_of(name, login.frame) ? told.mac : Mac{};
        }
        default: return {};
    }
}

Mac mac_in_fcoe(const Mac& sender, ByteView fcoe, std::uint64_t name) {
    capture::FcPacket packet;
    capture::decode_fcoe(fcoe, static_cast<std::uint32_t>(fcoe.size()), packet);
    return packet.has_header() && is_login_of(name, packet.frame) ? sender : Mac{};
}

}  // namespace

std::optional<Mac> mac_of_port(ByteView frame, std::uint64_t name) {
    const auto header = read<net::Ethernet>(frame);
    if (!header) return std::nullopt;
    const ByteView content = frame.subspan(frame_offset);
    Mac mac;
    if (header->type == fc::fip_ether_type) mac = mac_in_fip(content, name);
    if (header->type == fc::fcoe_ether_type) mac = mac_in_fcoe(header->source, content, name);
    return is_of_a_host(mac) ? std::optional(mac) : std::nullopt;
}

}  // namespace fabricscope::replay
