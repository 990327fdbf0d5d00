// SPDX-License-Identifier: GPL-2.0-or-later
// What carries Fibre Channel frames over other links: FCoE (FC-BB-5), FCIP (RFC 3643, RFC 3821), and the
// header that Cisco's MDS switches put before frames they mirror.
#pragma once

#include "protocols/layout/layout.h"

namespace fabricscope::fc {

// ---- FCoE ----------------------------------------------------------------------------------------

inline constexpr std::uint16_t fcoe_ether_type = 0x8906;
inline constexpr std::uint16_t fip_ether_type = 0x8914;

struct FcoeHeader {
    std::uint8_t version = 0;  ///< 4 bits
    std::uint8_t reserved_4 = 0;
    Bytes<12> reserved;
    std::uint8_t sof = 0;  ///< see code_of(Sof)
};
/// Behind the CRC; an Ethernet frame may have padding after it.
struct FcoeTrailer {
    std::uint8_t eof = 0;  ///< see code_of(Eof)
    Bytes<3> reserved;
};

// ---- FCIP ----------------------------------------------------------------------------------------

inline constexpr std::uint16_t fcip_tcp_port = 3225;
inline constexpr std::uint8_t encapsulation_protocol_fcip = 1;
/// In words, header to EOF word (RFC 3821 5.6.2.2).
inline constexpr std::uint16_t encapsulation_min_words = 16;
inline constexpr std::uint16_t encapsulation_max_words = 544;

/// FC Frame Encapsulation header, words 0 to 6, as FCIP uses it (RFC 3643 3.1; RFC 3821 5.6.1). Fields that
/// end in _inverted hold the ones complement of the field they are named after.
struct EncapsulationHeader {
    std::uint8_t protocol = encapsulation_protocol_fcip;
    std::uint8_t version = 1;
    std::uint8_t protocol_inverted = 0xFE;
    std::uint8_t version_inverted = 0xFE;
    std::uint32_t word_0_again = 0x0101'FEFE;
    bool changed = false;  ///< Ch, of an FCIP Special Frame that is echoed
    std::uint8_t pflags_reserved = 0;
    bool special_frame = false;  ///< SF: no FC frame follows, but an FCIP Special Frame
    std::uint8_t reserved = 0;
    std::uint8_t pflags_inverted = 0xFF;
    std::uint8_t reserved_inverted = 0xFF;
    std::uint8_t flags = 0;          ///< 6 bits; the last: the header's CRC is valid
    std::uint16_t frame_length = 0;  ///< 10 bits, in words, this header and the EOF word included
    std::uint8_t flags_inverted = 0x3F;
    std::uint16_t frame_length_inverted = 0x3FF;
    std::uint32_t seconds = 0;
    std::uint32_t fraction = 0;
    std::uint32_t crc = 0;  ///< 0 in FCIP
};

/// SOF and EOF, each twice and twice inverted, before and behind the frame and its CRC.
struct DelimiterWord {
    std::uint8_t code = 0;  ///< see code_of(Sof), code_of(Eof)
    std::uint8_t again = 0;
    std::uint8_t inverted = 0xFF;
    std::uint8_t inverted_again = 0xFF;

    static constexpr DelimiterWord of(std::uint8_t code) {
        const auto inverted = static_cast<std::uint8_t>(~code);
        return {code, code, inverted, inverted};
    }
    constexpr bool consistent() const {
        return again == code && inverted == static_cast<std::uint8_t>(~code) && inverted_again == inverted;
    }
};

// ---- Cisco MDS -----------------------------------------------------------------------------------

inline constexpr std::uint16_t mds_ether_type = 0xFCFC;

/// As Wireshark's "mdshdr" knows it; the rest is not published.
struct MdsHeader {
    std::uint8_t version = 0;
    std::uint8_t sof_high = 0;
    std::uint8_t sof = 0;  ///< 4 bits, see mds_of(Sof)
    std::uint8_t length_high = 0;
    std::uint16_t packet_length = 0;  ///< 13 bits: octets of the frame, its CRC and the trailer
    std::uint8_t unknown_4 = 0;
    std::uint8_t index_high = 0;
    std::uint16_t destination_index = 0;  ///< 10 bits
    std::uint16_t source_index = 0;       ///< 10 bits
    Bytes<5> unknown_8;
    std::uint8_t span = 0;   ///< 4 bits: the SPAN session
    std::uint16_t vsan = 0;  ///< 12 bits
    std::uint8_t unknown_15 = 0;
};
/// Behind the frame; the frame's CRC follows.
struct MdsTrailer {
    std::uint8_t eof = 0;  ///< see mds_of(Eof)
    std::uint8_t unknown = 0;
};

/// What an MDS switch's Port Analyzer Adapter makes of mirrored frames ("Boardwalk").
inline constexpr std::uint16_t boardwalk_ether_type = 0x88AE;

struct BoardwalkHeader {
    std::uint8_t sof = 0;    ///< 4 bits, see mds_of(Sof)
    std::uint16_t vsan = 0;  ///< 12 bits
};
/// The end of the Ethernet frame, behind the CRC. If `length_present`, a word before it holds the frame's
/// length on the wire in words, CRC included.
struct BoardwalkTrailer {
    std::uint16_t packet_count = 0;
    std::uint8_t errors = 0;  ///< 6 bits
    bool empty = false;
    bool length_present = false;
    std::uint8_t eof = 0;  ///< see mds_of(Eof)
};

// ---- FIP -------------------------------------------------------------------------------------------

/// FCoE Initialization Protocol: logins are the only Fibre Channel frames in it (FC-BB-5, FIP; VN2VN: FC-BB-6).
struct FipHeader {
    std::uint8_t version = 1;  ///< 4 bits
    std::uint16_t reserved_1 = 0;
    std::uint16_t operation = 0;  ///< 2: link service
    std::uint8_t reserved_2 = 0;
    std::uint8_t subcode = 0;
    std::uint16_t descriptor_words = 0;  ///< behind this header
    std::uint16_t flags = 0;
};
inline constexpr std::uint16_t fip_discovery = 1;
inline constexpr std::uint16_t fip_link_service = 2;
inline constexpr std::uint16_t fip_control = 3;
inline constexpr std::uint16_t fip_vn2vn = 5;
// Subcodes, each of one operation.
inline constexpr std::uint8_t fip_advertisement = 2;
inline constexpr std::uint8_t fip_request = 1;              ///< of a link service
inline constexpr std::uint8_t fip_keep_alive = 1;           ///< of control
inline constexpr std::uint8_t fip_clear_virtual_links = 2;  ///< of control
inline constexpr std::uint8_t fip_probe_request = 1;

/// The head of each descriptor.
struct FipDescriptor {
    std::uint8_t type = 0;
    std::uint8_t words = 0;  ///< with these two octets
};
/// FLOGI, FDISC, LOGO, ELP: two reserved octets, then an FC frame without CRC.
constexpr bool holds_frame(const FipDescriptor& descriptor) { return descriptor.type >= 7 && descriptor.type <= 10; }

// The descriptors that tell who somebody is, behind their heads.
inline constexpr std::uint8_t fip_mac_type = 2;
struct FipMac {
    Mac mac;
};
inline constexpr std::uint8_t fip_name_type = 4;
struct FipName {
    Bytes<2> reserved;
    std::uint64_t name = 0;  ///< of a Node or a switch
};
inline constexpr std::uint8_t fip_vn_port_type = 11;
struct FipVnPort {
    Mac mac;  ///< FCoE frames to it have this address
    std::uint8_t reserved = 0;
    std::uint32_t port_id = 0;
    std::uint64_t port_name = 0;
};

}  // namespace fabricscope::fc

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<fc::BoardwalkHeader> = layout<fc::BoardwalkHeader>(
    "Boardwalk header", "Cisco; as Wireshark's brdwlk", octets(0, 2),
    field<&fc::BoardwalkHeader::sof>(bits(0, 0xF000, 2), "fabricscope.fc.boardwalk.sof", "SOF", hex),
    field<&fc::BoardwalkHeader::vsan>(bits(0, 0x0FFF, 2), "fabricscope.fc.boardwalk.vsan", "VSAN"));

template <>
inline constexpr auto layout_of<fc::BoardwalkTrailer> = layout<fc::BoardwalkTrailer>(
    "Boardwalk trailer", "Cisco; as Wireshark's brdwlk", octets(0, 4),
    field<&fc::BoardwalkTrailer::packet_count>(at(0), "fabricscope.fc.boardwalk.packet_count", "Packet count"),
    field<&fc::BoardwalkTrailer::errors>(bits(2, 0xFC), "fabricscope.fc.boardwalk.errors", "Errors", hex),
    field<&fc::BoardwalkTrailer::empty>(bits(2, 0x02), "fabricscope.fc.boardwalk.empty", "Empty frame"),
    field<&fc::BoardwalkTrailer::length_present>(
        bits(2, 0x01), "fabricscope.fc.boardwalk.length_present", "Length present"),
    field<&fc::BoardwalkTrailer::eof>(at(3), "fabricscope.fc.boardwalk.eof", "EOF", hex));

template <>
inline constexpr auto layout_of<fc::FipHeader> = layout<fc::FipHeader>(
    "FIP header", "FC-BB-5, FIP operation", octets(0, 10),
    field<&fc::FipHeader::version>(bits(0, 0xF000, 2), "fabricscope.fc.fip.version", "Version"),
    field<&fc::FipHeader::reserved_1>(bits(0, 0x0FFF, 2), "fabricscope.fc.fip.reserved_1", "Reserved", hex, reserved),
    field<&fc::FipHeader::operation>(at(2), "fabricscope.fc.fip.operation", "Operation code", hex),
    field<&fc::FipHeader::reserved_2>(at(4), "fabricscope.fc.fip.reserved_2", "Reserved", hex, reserved),
    field<&fc::FipHeader::subcode>(at(5), "fabricscope.fc.fip.subcode", "Subcode", hex),
    field<&fc::FipHeader::descriptor_words>(
        at(6), "fabricscope.fc.fip.descriptor_words", "Descriptor list length (words)"),
    field<&fc::FipHeader::flags>(at(8), "fabricscope.fc.fip.flags", "Flags", hex));

template <>
inline constexpr auto layout_of<fc::FipDescriptor> = layout<fc::FipDescriptor>(
    "FIP descriptor", "FC-BB-5, FIP descriptors", octets(0, 2),
    field<&fc::FipDescriptor::type>(at(0), "fabricscope.fc.fip.descriptor.type", "Type"),
    field<&fc::FipDescriptor::words>(at(1), "fabricscope.fc.fip.descriptor.words", "Length (words)"));

template <>
inline constexpr auto layout_of<fc::FipMac> = layout<fc::FipMac>(
    "FIP MAC address", "FC-BB-5, FIP descriptors", octets(0, 6),
    field<&fc::FipMac::mac>(at(0), "fabricscope.fc.fip.mac", "MAC address"));

template <>
inline constexpr auto layout_of<fc::FipName> = layout<fc::FipName>(
    "FIP Name_Identifier", "FC-BB-5, FIP descriptors", octets(0, 10),
    field<&fc::FipName::reserved>(at(0), "fabricscope.fc.fip.name_reserved", "Reserved", reserved),
    field<&fc::FipName::name>(at(2), "fabricscope.fc.fip.name", "Name_Identifier", hex));

template <>
inline constexpr auto layout_of<fc::FipVnPort> = layout<fc::FipVnPort>(
    "FIP VN_Port", "FC-BB-5, FIP descriptors", octets(0, 18),
    field<&fc::FipVnPort::mac>(at(0), "fabricscope.fc.fip.vn_port.mac", "VN_Port MAC address"),
    field<&fc::FipVnPort::reserved>(at(6), "fabricscope.fc.fip.vn_port.reserved", "Reserved", hex, reserved),
    field<&fc::FipVnPort::port_id>(at(7, 3), "fabricscope.fc.fip.vn_port.port_id", "N_Port_ID", hex),
    field<&fc::FipVnPort::port_name>(at(10), "fabricscope.fc.fip.vn_port.port_name", "Port_Name", hex));

template <>
inline constexpr auto layout_of<fc::FcoeHeader> = layout<fc::FcoeHeader>(
    "FCoE header", "FC-BB-5, FCoE PDU", octets(0, 14),
    field<&fc::FcoeHeader::version>(bits(0, 0xF0), "fabricscope.fc.fcoe.version", "Version"),
    field<&fc::FcoeHeader::reserved_4>(bits(0, 0x0F), "fabricscope.fc.fcoe.reserved_4", "Reserved", hex, reserved),
    field<&fc::FcoeHeader::reserved>(at(1), "fabricscope.fc.fcoe.reserved", "Reserved", reserved),
    field<&fc::FcoeHeader::sof>(at(13), "fabricscope.fc.fcoe.sof", "SOF", hex));

template <>
inline constexpr auto layout_of<fc::FcoeTrailer> = layout<fc::FcoeTrailer>(
    "FCoE trailer", "FC-BB-5, FCoE PDU", octets(0, 4),
    field<&fc::FcoeTrailer::eof>(at(0), "fabricscope.fc.fcoe.eof", "EOF", hex),
    field<&fc::FcoeTrailer::reserved>(at(1), "fabricscope.fc.fcoe.trailer_reserved", "Reserved", reserved));

template <>
inline constexpr auto layout_of<fc::EncapsulationHeader> = layout<fc::EncapsulationHeader>(
    "FC Frame Encapsulation header", "RFC 3643 3.1; RFC 3821 5.6.1", octets(0, 28),
    field<&fc::EncapsulationHeader::protocol>(at(0), "fabricscope.fc.fcip.protocol", "Protocol"),
    field<&fc::EncapsulationHeader::version>(at(1), "fabricscope.fc.fcip.version", "Version"),
    field<&fc::EncapsulationHeader::protocol_inverted>(
        at(2), "fabricscope.fc.fcip.protocol_inverted", "Protocol, inverted", hex),
    field<&fc::EncapsulationHeader::version_inverted>(
        at(3), "fabricscope.fc.fcip.version_inverted", "Version, inverted", hex),
    field<&fc::EncapsulationHeader::word_0_again>(at(4), "fabricscope.fc.fcip.word_0_again", "Word 0 again", hex),
    field<&fc::EncapsulationHeader::changed>(bits(8, 0x80), "fabricscope.fc.fcip.changed", "Ch"),
    field<&fc::EncapsulationHeader::pflags_reserved>(
        bits(8, 0x7E), "fabricscope.fc.fcip.pflags_reserved", "Reserved", hex, reserved),
    field<&fc::EncapsulationHeader::special_frame>(bits(8, 0x01), "fabricscope.fc.fcip.special_frame", "SF"),
    field<&fc::EncapsulationHeader::reserved>(at(9), "fabricscope.fc.fcip.reserved", "Reserved", hex, reserved),
    field<&fc::EncapsulationHeader::pflags_inverted>(
        at(10), "fabricscope.fc.fcip.pflags_inverted", "pFlags, inverted", hex),
    field<&fc::EncapsulationHeader::reserved_inverted>(
        at(11), "fabricscope.fc.fcip.reserved_inverted", "Reserved, inverted", hex),
    field<&fc::EncapsulationHeader::flags>(bits(12, 0xFC00, 2), "fabricscope.fc.fcip.flags", "Flags", hex),
    field<&fc::EncapsulationHeader::frame_length>(
        bits(12, 0x03FF, 2), "fabricscope.fc.fcip.frame_length", "Frame length (words)"),
    field<&fc::EncapsulationHeader::flags_inverted>(
        bits(14, 0xFC00, 2), "fabricscope.fc.fcip.flags_inverted", "Flags, inverted", hex),
    field<&fc::EncapsulationHeader::frame_length_inverted>(
        bits(14, 0x03FF, 2), "fabricscope.fc.fcip.frame_length_inverted", "Frame length, inverted", hex),
    field<&fc::EncapsulationHeader::seconds>(at(16), "fabricscope.fc.fcip.seconds", "Time stamp, seconds"),
    field<&fc::EncapsulationHeader::fraction>(at(20), "fabricscope.fc.fcip.fraction", "Time stamp, fraction", hex),
    field<&fc::EncapsulationHeader::crc>(at(24), "fabricscope.fc.fcip.crc", "CRC of the header", hex));

template <>
inline constexpr auto layout_of<fc::DelimiterWord> = layout<fc::DelimiterWord>(
    "SOF or EOF word", "RFC 3643 3.3", octets(0, 4),
    field<&fc::DelimiterWord::code>(at(0), "fabricscope.fc.fcip.delimiter", "SOF or EOF", hex),
    field<&fc::DelimiterWord::again>(at(1), "fabricscope.fc.fcip.delimiter_again", "Again", hex),
    field<&fc::DelimiterWord::inverted>(at(2), "fabricscope.fc.fcip.delimiter_inverted", "Inverted", hex),
    field<&fc::DelimiterWord::inverted_again>(
        at(3), "fabricscope.fc.fcip.delimiter_inverted_again", "Inverted again", hex));

template <>
inline constexpr auto layout_of<fc::MdsHeader> = layout<fc::MdsHeader>(
    "MDS header", "Cisco; as Wireshark's mdshdr", octets(0, 16),
    field<&fc::MdsHeader::version>(at(0), "fabricscope.fc.mds.version", "Version"),
    field<&fc::MdsHeader::sof_high>(bits(1, 0xF0), "fabricscope.fc.mds.sof_high", "Unknown", hex),
    field<&fc::MdsHeader::sof>(bits(1, 0x0F), "fabricscope.fc.mds.sof", "SOF", hex),
    field<&fc::MdsHeader::length_high>(bits(2, 0xE000, 2), "fabricscope.fc.mds.length_high", "Unknown", hex),
    field<&fc::MdsHeader::packet_length>(bits(2, 0x1FFF, 2), "fabricscope.fc.mds.packet_length", "Packet length"),
    field<&fc::MdsHeader::unknown_4>(at(4), "fabricscope.fc.mds.unknown_4", "Unknown", hex),
    field<&fc::MdsHeader::index_high>(bits(5, 0xF0'0000, 3), "fabricscope.fc.mds.index_high", "Unknown", hex),
    field<&fc::MdsHeader::destination_index>(
        bits(5, 0x0F'FC00, 3), "fabricscope.fc.mds.destination_index", "Destination index", hex),
    field<&fc::MdsHeader::source_index>(bits(5, 0x00'03FF, 3), "fabricscope.fc.mds.source_index", "Source index", hex),
    field<&fc::MdsHeader::unknown_8>(at(8), "fabricscope.fc.mds.unknown_8", "Unknown"),
    field<&fc::MdsHeader::span>(bits(13, 0xF000, 2), "fabricscope.fc.mds.span", "SPAN session"),
    field<&fc::MdsHeader::vsan>(bits(13, 0x0FFF, 2), "fabricscope.fc.mds.vsan", "VSAN"),
    field<&fc::MdsHeader::unknown_15>(at(15), "fabricscope.fc.mds.unknown_15", "Unknown", hex));

template <>
inline constexpr auto layout_of<fc::MdsTrailer> = layout<fc::MdsTrailer>(
    "MDS trailer", "Cisco; as Wireshark's mdshdr", octets(0, 2),
    field<&fc::MdsTrailer::eof>(at(0), "fabricscope.fc.mds.eof", "EOF", hex),
    field<&fc::MdsTrailer::unknown>(at(1), "fabricscope.fc.mds.trailer_unknown", "Unknown", hex));

}  // namespace fabricscope::layout
