// SPDX-License-Identifier: GPL-2.0-or-later
// InfiniBand link, network and transport headers (InfiniBand Architecture Specification Volume 1,
// chapters 5, 7, 8 and 9), with Wireshark's filter names. All fields are big-endian.
#pragma once

#include <cstdint>

#include "protocols/ib/opcode.h"
#include "protocols/layout/layout.h"

namespace fabricscope::ib {

inline constexpr std::uint16_t roce_v1_ether_type = 0x8915;
inline constexpr std::uint16_t roce_v2_udp_port = 4791;
inline constexpr std::uint8_t next_header_bth = 0x1B;  ///< IBA's next header value in a GRH

/// Local Route Header: native InfiniBand only.
struct Lrh {
    std::uint8_t virtual_lane;
    std::uint8_t link_version;
    std::uint8_t service_level;
    std::uint8_t reserved_4;
    std::uint8_t link_next_header;  ///< see LinkNextHeader
    std::uint16_t destination_lid;
    std::uint8_t reserved_32;
    std::uint16_t packet_length;  ///< in 4-octet words, LRH to ICRC, without the VCRC
    std::uint16_t source_lid;
};

enum class LinkNextHeader : std::uint8_t { raw = 0, ip = 1, local_bth = 2, global_grh = 3 };

/// Global Route Header: laid out like an IPv6 header.
struct Grh {
    std::uint8_t ip_version;  ///< 6
    std::uint8_t traffic_class;
    std::uint32_t flow_label;
    std::uint16_t payload_length;  ///< octets after the GRH up to the end of the ICRC
    std::uint8_t next_header;      ///< next_header_bth
    std::uint8_t hop_limit;
    Gid source;
    Gid destination;
};

/// Base Transport Header.
struct Bth {
    std::uint8_t opcode;
    bool solicited_event;
    bool migration;
    std::uint8_t pad_count;  ///< octets of padding after the payload, 0..3
    std::uint8_t version;    ///< 0
    std::uint16_t p_key;
    bool fecn;
    bool becn;
    std::uint8_t reserved_6;
    std::uint32_t destination_qpn;  ///< 24 bits
    bool ack_request;
    std::uint8_t reserved_7;
    std::uint32_t psn;  ///< 24 bits
};

/// RDMA Extended Transport Header.
struct Reth {
    std::uint64_t virtual_address;
    std::uint32_t r_key;
    std::uint32_t dma_length;  ///< octets of the whole operation
};

/// ACK Extended Transport Header.
struct Aeth {
    std::uint8_t syndrome;  ///< see AethSyndrome
    std::uint32_t msn;      ///< 24 bits
};

/// Immediate Data.
struct ImmDt {
    std::uint32_t immediate_data;
};

/// Extended Reliable Connected Extended Transport Header (annex A14).
struct XrcEth {
    std::uint8_t reserved_32;
    std::uint32_t shared_receive_queue;  ///< 24 bits
};

/// Atomic Extended Transport Header: of an octet string of 8 that the responder takes for a number.
inline constexpr std::uint32_t atomic_size = 8;
struct AtomicEth {
    std::uint64_t virtual_address;
    std::uint32_t r_key;
    std::uint64_t swap_or_add;  ///< what is put there, or added
    std::uint64_t compare;      ///< Compare and Swap: only if this stands there
};

/// Atomic Acknowledge Extended Transport Header.
struct AtomicAckEth {
    std::uint64_t original;  ///< what stood there before
};

/// Invalidate Extended Transport Header.
struct Ieth {
    std::uint32_t r_key;  ///< that the responder shall forget
};

/// Datagram Extended Transport Header.
struct Deth {
    std::uint32_t q_key;
    std::uint8_t reserved_32;
    std::uint32_t source_qpn;  ///< 24 bits
};

/// Invariant CRC, behind the payload and its padding; the only little-endian field.
struct Icrc {
    std::uint32_t value;
};

/// The meaning of AETH's syndrome: bits 6..5 are the class, bits 4..0 its value.
struct AethSyndrome {
    enum class Class : std::uint8_t { ack = 0, rnr_nak = 1, reserved = 2, nak = 3 };
    enum Nak : std::uint8_t {
        psn_sequence_error = 0,
        invalid_request = 1,
        remote_access_error = 2,
        remote_operational_error = 3,
        invalid_rd_request = 4,
    };
    Class kind;
    std::uint8_t value;  ///< ACK: credit count code; RNR NAK: timer code; NAK: error code

    static constexpr AethSyndrome of(std::uint8_t syndrome) {
        return {static_cast<Class>((syndrome >> 5) & 3), static_cast<std::uint8_t>(syndrome & 0x1F)};
    }
};
/// "ACK", "RNR NAK", "NAK: PSN Sequence Error", ...
const char* to_string(AethSyndrome syndrome);

/// Calls `visit` with an empty one of each extended header that the opcode has and that has a layout, in their order.
template <class Visit> constexpr void for_each_extended(const OpcodeInfo& opcode, Visit visit) {
    if (opcode.has(deth)) visit(Deth{});
    if (opcode.has(xrceth)) visit(XrcEth{});
    if (opcode.has(reth)) visit(Reth{});
    if (opcode.has(atomic_eth)) visit(AtomicEth{});
    if (opcode.has(aeth)) visit(Aeth{});
    if (opcode.has(atomic_ack_eth)) visit(AtomicAckEth{});
    if (opcode.has(immdt)) visit(ImmDt{});
    if (opcode.has(ieth)) visit(Ieth{});
}
inline constexpr unsigned headers_with_layout = deth | xrceth | reth | atomic_eth | aeth | atomic_ack_eth | immdt |
                                                ieth;

inline constexpr layout::ValueName link_next_header_names[] = {
    {0, "Raw"}, {1, "IP Non-IBA"}, {2, "Local: BTH"}, {3, "Global: GRH"}};

}  // namespace fabricscope::ib

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<ib::Lrh> = layout<ib::Lrh>(
    "LRH", "IBA 7.7", octets(0, 8), field<&ib::Lrh::virtual_lane>(bits(0, 0xF0), "infiniband.lrh.vl", "Virtual Lane"),
    field<&ib::Lrh::link_version>(bits(0, 0x0F), "infiniband.lrh.lver", "Link Version"),
    field<&ib::Lrh::service_level>(bits(1, 0xF0), "infiniband.lrh.sl", "Service Level"),
    field<&ib::Lrh::reserved_4>(bits(1, 0x0C), "infiniband.lrh.reserved2", "Reserved", reserved),
    field<&ib::Lrh::link_next_header>(
        bits(1, 0x03), "infiniband.lrh.lnh", "Link Next Header", names(ib::link_next_header_names)),
    field<&ib::Lrh::destination_lid>(at(2), "infiniband.lrh.dlid", "Destination Local ID"),
    field<&ib::Lrh::reserved_32>(bits(4, 0xF800, 2), "infiniband.lrh.reserved5", "Reserved", reserved),
    field<&ib::Lrh::packet_length>(bits(4, 0x07FF, 2), "infiniband.lrh.pktlen", "Packet Length"),
    field<&ib::Lrh::source_lid>(at(6), "infiniband.lrh.slid", "Source Local ID"));

template <>
inline constexpr auto layout_of<ib::Grh> = layout<ib::Grh>(
    "GRH", "IBA 8.3", octets(0, 40),
    field<&ib::Grh::ip_version>(bits(0, 0xF000'0000, 4), "infiniband.grh.ipver", "IP Version"),
    field<&ib::Grh::traffic_class>(bits(0, 0x0FF0'0000, 4), "infiniband.grh.tclass", "Traffic Class"),
    field<&ib::Grh::flow_label>(bits(0, 0x000F'FFFF, 4), "infiniband.grh.flowlabel", "Flow Label", hex),
    field<&ib::Grh::payload_length>(at(4), "infiniband.grh.paylen", "Payload Length"),
    field<&ib::Grh::next_header>(at(6), "infiniband.grh.nxthdr", "Next Header", hex),
    field<&ib::Grh::hop_limit>(at(7), "infiniband.grh.hoplmt", "Hop Limit"),
    field<&ib::Grh::source>(at(8), "infiniband.grh.sgid", "Source GID"),
    field<&ib::Grh::destination>(at(24), "infiniband.grh.dgid", "Destination GID"));

template <>
inline constexpr auto layout_of<ib::Bth> = layout<ib::Bth>(
    "BTH", "IBA 9.2", octets(0, 12),
    field<&ib::Bth::opcode>(at(0), "infiniband.bth.opcode", "Opcode", names(ib::opcode_names)),
    field<&ib::Bth::solicited_event>(bits(1, 0x80), "infiniband.bth.se", "Solicited Event"),
    field<&ib::Bth::migration>(bits(1, 0x40), "infiniband.bth.m", "MigReq"),
    field<&ib::Bth::pad_count>(bits(1, 0x30), "infiniband.bth.padcnt", "Pad Count"),
    field<&ib::Bth::version>(bits(1, 0x0F), "infiniband.bth.tver", "Header Version"),
    field<&ib::Bth::p_key>(at(2), "infiniband.bth.p_key", "Partition Key", hex),
    field<&ib::Bth::fecn>(bits(4, 0x80), "infiniband.bth.fecn", "FECN"),
    field<&ib::Bth::becn>(bits(4, 0x40), "infiniband.bth.becn", "BECN"),
    field<&ib::Bth::reserved_6>(bits(4, 0x3F), "infiniband.bth.reserved8", "Reserved", reserved),
    field<&ib::Bth::destination_qpn>(at(5, 3), "infiniband.bth.destqp", "Destination Queue Pair", hex),
    field<&ib::Bth::ack_request>(bits(8, 0x80), "infiniband.bth.a", "Acknowledge Request"),
    field<&ib::Bth::reserved_7>(bits(8, 0x7F), "infiniband.bth.reserved7", "Reserved", reserved),
    field<&ib::Bth::psn>(at(9, 3), "infiniband.bth.psn", "Packet Sequence Number"));

template <>
inline constexpr auto layout_of<ib::Reth> = layout<ib::Reth>(
    "RETH", "IBA 9.3.3", octets(0, 16),
    field<&ib::Reth::virtual_address>(at(0), "infiniband.reth.va", "Virtual Address", hex),
    field<&ib::Reth::r_key>(at(8), "infiniband.reth.r_key", "Remote Key", hex),
    field<&ib::Reth::dma_length>(at(12), "infiniband.reth.dmalen", "DMA Length"));

template <>
inline constexpr auto layout_of<ib::Aeth> = layout<ib::Aeth>(
    "AETH", "IBA 9.3.5", octets(0, 4), field<&ib::Aeth::syndrome>(at(0), "infiniband.aeth.syndrome", "Syndrome", hex),
    field<&ib::Aeth::msn>(at(1, 3), "infiniband.aeth.msn", "Message Sequence Number"));

template <>
inline constexpr auto layout_of<ib::ImmDt> = layout<ib::ImmDt>(
    "ImmDt", "IBA 9.3.6", octets(0, 4),
    field<&ib::ImmDt::immediate_data>(at(0), "infiniband.immdt", "Immediate Data", hex));

template <>
inline constexpr auto layout_of<ib::XrcEth> = layout<ib::XrcEth>(
    "XRCETH", "IBA A14", octets(0, 4),
    field<&ib::XrcEth::reserved_32>(at(0), "infiniband.xrceth.reserved", "Reserved", reserved),
    field<&ib::XrcEth::shared_receive_queue>(at(1, 3), "infiniband.xrceth.srq", "Shared Receive Queue", hex));

template <>
inline constexpr auto layout_of<ib::AtomicEth> = layout<ib::AtomicEth>(
    "AtomicETH", "IBA 9.3", octets(0, 28),
    field<&ib::AtomicEth::virtual_address>(at(0), "infiniband.atomiceth.va", "Virtual Address", hex),
    field<&ib::AtomicEth::r_key>(at(8), "infiniband.atomiceth.r_key", "Remote Key", hex),
    field<&ib::AtomicEth::swap_or_add>(at(12), "infiniband.atomiceth.swapdt", "Swap (Or Add) Data", hex),
    field<&ib::AtomicEth::compare>(at(20), "infiniband.atomiceth.cmpdt", "Compare Data", hex));

template <>
inline constexpr auto layout_of<ib::AtomicAckEth> = layout<ib::AtomicAckEth>(
    "AtomicAckETH", "IBA 9.3", octets(0, 8),
    field<&ib::AtomicAckEth::original>(at(0), "infiniband.atomicacketh.origremdt", "Original Remote Data", hex));

template <>
inline constexpr auto layout_of<ib::Ieth> = layout<ib::Ieth>(
    "IETH", "IBA 9.3", octets(0, 4), field<&ib::Ieth::r_key>(at(0), "infiniband.ieth", "Remote Key", hex));

template <>
inline constexpr auto layout_of<ib::Deth> = layout<ib::Deth>(
    "DETH", "IBA 9.3.1", octets(0, 8), field<&ib::Deth::q_key>(at(0), "infiniband.deth.q_key", "Queue Key", hex),
    field<&ib::Deth::reserved_32>(at(4), "infiniband.deth.reserved8", "Reserved", reserved),
    field<&ib::Deth::source_qpn>(at(5, 3), "infiniband.deth.srcqp", "Source Queue Pair", hex));

template <>
inline constexpr auto layout_of<ib::Icrc> = layout<ib::Icrc>(
    "ICRC", "IBA 7.8.1", octets(0, 4),
    field<&ib::Icrc::value>(at(0), "infiniband.invariant.crc", "Invariant CRC", hex, little_endian));

}  // namespace fabricscope::layout
