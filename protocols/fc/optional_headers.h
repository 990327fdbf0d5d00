// SPDX-License-Identifier: GPL-2.0-or-later
// What may stand before the Frame_Header (Extended_Headers of FC-FS-2 and later) and, as DF_CTL says,
// between it and the payload (optional headers: FC-PH 19; ESP: FC-FS, FC-SP).
#pragma once

#include "protocols/fc/frame_header.h"

namespace fabricscope::fc {

/// Virtual Fabric Tagging: which Virtual Fabric the frame belongs to.
struct VftHeader {
    std::uint8_t r_ctl = r_ctl_vft_header;
    std::uint8_t version = 0;
    std::uint8_t type = 0;  ///< 0: what follows is a Fibre Channel frame
    std::uint8_t reserved_1 = 0;
    std::uint8_t priority = 0;
    std::uint16_t vf_id = 0;  ///< 12 bits
    bool reserved_2 = false;
    std::uint8_t hop_count = 0;  ///< Virtual Fabrics it may still cross; 0: no limit
    Bytes<3> reserved_3;
    bool operator==(const VftHeader&) const = default;
};

/// Inter-Fabric Routing. Only its size matters here; what is in it is left as it stands.
struct IfrHeader {
    std::uint8_t r_ctl = r_ctl_ifr_header;
    Bytes<7> routing;
    bool operator==(const IfrHeader&) const = default;
};

/// Encapsulation: an outer Frame_Header, whose R_CTL says so.
struct EncHeader {
    std::uint8_t r_ctl = r_ctl_enc_header;
    std::uint32_t d_id = 0;
    std::uint8_t cs_ctl = 0;
    std::uint32_t s_id = 0;
    Bytes<16> rest;  ///< words 2 to 5 as in a Frame_Header
    bool operator==(const EncHeader&) const = default;
};

/// Encapsulating Security Payload. What follows is protected, and opaque if it is encrypted.
struct EspHeader {
    std::uint32_t spi = 0;
    std::uint32_t sequence = 0;
};
/// The end of the ESP_Trailer, before the Integrity Check Value; behind `pad_length` octets of padding.
struct EspTrailer {
    std::uint8_t pad_length = 0;
    std::uint8_t reserved = 0;
};

/// Names of the ends of the way, for bridges and routers.
struct NetworkHeader {
    std::uint64_t destination = 0;
    std::uint64_t source = 0;
    bool operator==(const NetworkHeader&) const = default;
};

/// Processes and operations behind the ports.
struct AssociationHeader {
    bool originator_process_valid = false;
    bool responder_process_valid = false;
    bool originator_operation_valid = false;
    bool responder_operation_valid = false;
    std::uint8_t validity_reserved = 0;
    std::uint64_t originator_process = 0;  ///< 56 bits
    std::uint8_t reserved = 0;
    std::uint64_t responder_process = 0;  ///< 56 bits
    std::uint64_t originator_operation = 0;
    std::uint64_t responder_operation = 0;
    bool operator==(const AssociationHeader&) const = default;
};

}  // namespace fabricscope::fc

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<fc::VftHeader> = layout<fc::VftHeader>(
    "VFT_Header", "FC-FS-2, VFT_Header", octets(0, 8),
    field<&fc::VftHeader::r_ctl>(at(0), "fabricscope.fc.vft.r_ctl", "R_CTL", hex, names(fc::r_ctl_names)),
    field<&fc::VftHeader::version>(bits(1, 0xC0), "fabricscope.fc.vft.version", "Version"),
    field<&fc::VftHeader::type>(bits(1, 0x3C), "fabricscope.fc.vft.type", "Type"),
    field<&fc::VftHeader::reserved_1>(bits(1, 0x03), "fabricscope.fc.vft.reserved_1", "Reserved", hex, reserved),
    field<&fc::VftHeader::priority>(bits(2, 0xE000, 2), "fabricscope.fc.vft.priority", "Priority"),
    field<&fc::VftHeader::vf_id>(bits(2, 0x1FFE, 2), "fabricscope.fc.vft.vf_id", "VF_ID"),
    field<&fc::VftHeader::reserved_2>(bits(2, 0x0001, 2), "fabricscope.fc.vft.reserved_2", "Reserved", reserved),
    field<&fc::VftHeader::hop_count>(at(4), "fabricscope.fc.vft.hop_count", "HopCt"),
    field<&fc::VftHeader::reserved_3>(at(5), "fabricscope.fc.vft.reserved_3", "Reserved", reserved));

template <>
inline constexpr auto layout_of<fc::IfrHeader> = layout<fc::IfrHeader>(
    "IFR_Header", "FC-FS-2, IFR_Header", octets(0, 8),
    field<&fc::IfrHeader::r_ctl>(at(0), "fabricscope.fc.ifr.r_ctl", "R_CTL", hex, names(fc::r_ctl_names)),
    field<&fc::IfrHeader::routing>(at(1), "fabricscope.fc.ifr.routing", "Fabrics and limits of the way"));

template <>
inline constexpr auto layout_of<fc::EncHeader> = layout<fc::EncHeader>(
    "Enc_Header", "FC-FS-2, Encapsulation Extended_Header", octets(0, 24),
    field<&fc::EncHeader::r_ctl>(at(0), "fabricscope.fc.enc.r_ctl", "R_CTL", hex, names(fc::r_ctl_names)),
    field<&fc::EncHeader::d_id>(at(1, 3), "fabricscope.fc.enc.d_id", "D_ID", hex, names(fc::address_names)),
    field<&fc::EncHeader::cs_ctl>(at(4), "fabricscope.fc.enc.cs_ctl", "CS_CTL or Priority", hex),
    field<&fc::EncHeader::s_id>(at(5, 3), "fabricscope.fc.enc.s_id", "S_ID", hex, names(fc::address_names)),
    field<&fc::EncHeader::rest>(at(8), "fabricscope.fc.enc.rest", "Words 2 to 5"));

template <>
inline constexpr auto layout_of<fc::EspHeader> = layout<fc::EspHeader>(
    "ESP_Header", "FC-FS, ESP_Header", octets(0, 8),
    field<&fc::EspHeader::spi>(at(0), "fabricscope.fc.esp.spi", "Security Parameters Index", hex),
    field<&fc::EspHeader::sequence>(at(4), "fabricscope.fc.esp.sequence", "Sequence number"));

template <>
inline constexpr auto layout_of<fc::EspTrailer> = layout<fc::EspTrailer>(
    "ESP_Trailer", "FC-FS, ESP_Trailer", octets(0, 2),
    field<&fc::EspTrailer::pad_length>(at(0), "fabricscope.fc.esp.pad_length", "Pad length"),
    field<&fc::EspTrailer::reserved>(at(1), "fabricscope.fc.esp.reserved", "Reserved", hex, reserved));

template <>
inline constexpr auto layout_of<fc::NetworkHeader> = layout<fc::NetworkHeader>(
    "Network_Header", "FC-PH 19.3; FC-FS, Network_Header", octets(0, 16),
    field<&fc::NetworkHeader::destination>(at(0), "fabricscope.fc.network.destination", "Network destination", hex),
    field<&fc::NetworkHeader::source>(at(8), "fabricscope.fc.network.source", "Network source", hex));

template <>
inline constexpr auto layout_of<fc::AssociationHeader> = layout<fc::AssociationHeader>(
    "Association_Header", "FC-PH 19.4; FC-FS, Association_Header", octets(0, 32),
    field<&fc::AssociationHeader::originator_process_valid>(
        bits(0, 0x80), "fabricscope.fc.association.originator_process_valid", "Originator Process_Associator valid"),
    field<&fc::AssociationHeader::responder_process_valid>(
        bits(0, 0x40), "fabricscope.fc.association.responder_process_valid", "Responder Process_Associator valid"),
    field<&fc::AssociationHeader::originator_operation_valid>(
        bits(0, 0x20), "fabricscope.fc.association.originator_operation_valid",
        "Originator Operation_Associator meaningful"),
    field<&fc::AssociationHeader::responder_operation_valid>(
        bits(0, 0x10), "fabricscope.fc.association.responder_operation_valid",
        "Responder Operation_Associator meaningful"),
    field<&fc::AssociationHeader::validity_reserved>(
        bits(0, 0x0F), "fabricscope.fc.association.validity_reserved", "Other validity bits", hex),
    field<&fc::AssociationHeader::originator_process>(
        at(1, 7), "fabricscope.fc.association.originator_process", "Originator Process_Associator", hex),
    field<&fc::AssociationHeader::reserved>(at(8), "fabricscope.fc.association.reserved", "Reserved", hex, reserved),
    field<&fc::AssociationHeader::responder_process>(
        at(9, 7), "fabricscope.fc.association.responder_process", "Responder Process_Associator", hex),
    field<&fc::AssociationHeader::originator_operation>(
        at(16), "fabricscope.fc.association.originator_operation", "Originator Operation_Associator", hex),
    field<&fc::AssociationHeader::responder_operation>(
        at(24), "fabricscope.fc.association.responder_operation", "Responder Operation_Associator", hex));

}  // namespace fabricscope::layout
