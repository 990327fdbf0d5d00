// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/port_names.h"

#include "capture/fc_packet.h"
#include "capture/fip_descriptors.h"
#include "protocols/fc/els.h"
#include "protocols/fc/encapsulation.h"
#include "replay/transport/ethernet.h"

namespace fabricscope::replay {

namespace {

using capture::Content;

/// What the descriptors of a FIP frame say, as far as it matters here.
struct Told {
    Mac mac;             ///< of the sender, or one that it asks for
    bool named = false;  ///< the name is that of the sender's Node or switch
    Mac port;            ///< of the VN_Port that has the name
};

Told told_in(const Content& fip, const fc::FipHeader& header, std::uint64_t name) {
    Told told;
    capture::for_each_fip_descriptor(fip, header, [&](const auto& head, const Content& descriptor) {
        const Content content = descriptor.behind(layout::size_of<fc::FipDescriptor>);
        const auto mac = content.at<fc::FipMac>(0);
        const auto named = content.at<fc::FipName>(0);
        const auto port = content.at<fc::FipVnPort>(0);
        if (head.type == fc::fip_mac_type && mac) told.mac = mac->mac;
        if (head.type == fc::fip_name_type && named && named->name == name) told.named = true;
        if (head.type == fc::fip_vn_port_type && port && port->port_name == name) told.port = port->mac;
        return false;
    });
    return told;
}

/// A port that has no N_Port_ID yet has no MAC address for its frames either.
bool is_login_of(std::uint64_t name, const fc::Frame& frame) {
    if (frame.error || !frame.header.is_els() || frame.header.s_id == 0) return false;
    const fc::ElsMessage els = fc::parse_els(frame.payload, frame.payload_length, fc::els_plogi);
    const auto* const login = std::get_if<fc::Login>(&els.body);
    return login != nullptr && !els.error && login->names.port_name == name;
}

Mac mac_in_fip(const Content& fip, std::uint64_t name) {
    const auto header = fip.at<fc::FipHeader>(0);
    if (!header) return {};
    const Told told = told_in(fip, *header, name);
    switch (header->operation) {
        case fc::fip_discovery: return told.named && header->subcode == fc::fip_advertisement ? told.mac : Mac{};
        case fc::fip_control: return header->subcode == fc::fip_keep_alive ? told.port : Mac{};
        // Who probes does not have the address yet.
        case fc::fip_vn2vn: return header->subcode != fc::fip_probe_request ? told.port : Mac{};
        case fc::fip_link_service: {
            // The address in the answer to a login, and that in one to a Fabric, is only what is asked for or given.
            capture::FcPacket login;
            capture::decode_fip(fip.captured, fip.wire, login);
            const bool is_to_port = header->subcode == fc::fip_request && login.frame.header.d_id != fc::f_port_server;
            return is_to_port && is_login_of(name, login.frame) ? told.mac : Mac{};
        }
        default: return {};
    }
}

Mac mac_in_fcoe(const Mac& sender, const Content& fcoe, std::uint64_t name) {
    capture::FcPacket packet;
    capture::decode_fcoe(fcoe.captured, fcoe.wire, packet);
    return packet.has_header() && is_login_of(name, packet.frame) ? sender : Mac{};
}

}  // namespace

std::optional<Mac> mac_of_port(ByteView frame, std::uint64_t name) {
    const Content whole{frame, static_cast<std::uint32_t>(frame.size())};
    const auto header = whole.at<net::Ethernet>(0);
    if (!header) return std::nullopt;
    const Content content = whole.behind(frame_offset);
    Mac mac;
    if (header->type == fc::fip_ether_type) mac = mac_in_fip(content, name);
    if (header->type == fc::fcoe_ether_type) mac = mac_in_fcoe(header->source, content, name);
    return is_of_a_host(mac) ? std::optional(mac) : std::nullopt;
}

}  // namespace fabricscope::replay
