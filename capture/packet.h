// SPDX-License-Identifier: GPL-2.0-or-later
// From a frame down to "this is a TCP segment", "this is an InfiniBand packet" or "this is a Fibre Channel frame".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include "capture/decode_state.h"
#include "capture/fc_packet.h"
#include "capture/frame.h"
#include "protocols/ib/headers.h"
#include "protocols/ib/icrc.h"
#include "protocols/layout/types.h"

namespace fabricscope::capture {

/// Who sent or receives a packet. An IPv4 address is held IPv4-mapped (::ffff:a.b.c.d), so that the
/// IP address of a RoCEv2 packet equals the GID that a message names.
struct Address {
    enum class Kind : std::uint8_t { none, ipv4, ipv6, gid, lid, port_id };

    std::array<std::uint8_t, 16> bytes{};  ///< lid: the LID in the last two; port_id: an N_Port_ID in the last three
    Kind kind = Kind::none;

    static Address of(const Gid& gid) { return {gid.octets, Kind::gid}; }
    static Address of(const Ipv4& ipv4);
    static Address of_port_id(std::uint32_t port_id);
    static Address of_lid(std::uint16_t lid);

    /// IPv4, IPv6 and GID are equal when their 16 octets are; a LID only equals a LID, an N_Port_ID an N_Port_ID.
    friend bool operator==(const Address& a, const Address& b) {
        return a.front() == b.front() && a.back() == b.back() &&
               (a.kind == b.kind || (a.is_internet() && b.is_internet()));
    }

    // The octets as two numbers: compared and hashed for every packet, each read where it is.
    std::uint64_t front() const { return number_at(0); }
    std::uint64_t back() const { return number_at(sizeof(std::uint64_t)); }

private:
    bool is_internet() const { return kind != Kind::lid && kind != Kind::port_id; }
    std::uint64_t number_at(std::size_t place) const {
        std::uint64_t number = 0;
        std::memcpy(&number, bytes.data() + place, sizeof number);
        return number;
    }
};

/// "192.0.2.1", "2001:db8::1", "LID 7", "01.02.03", "none"
std::string to_string(const Address& address);

enum class Transport : std::uint8_t { none, tcp, udp, ib, fc };
inline constexpr std::size_t transport_count = 5;

/// What carries something that is not decoded.
enum class Unread : std::uint8_t { none, gtp_u, l2tp, pppoe, macsec, esp, provider_backbone, joined };
inline constexpr std::size_t unread_count = 8;
/// "GTP-U", "L2TP", ...
const char* name_of(Unread carrier);

enum TcpFlag : std::uint8_t { fin = 0x01, syn = 0x02, rst = 0x04, psh = 0x08, ack = 0x10, urg = 0x20 };

struct TcpSegment {
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
    std::uint32_t sequence = 0;
    std::uint32_t acknowledgment = 0;
    std::uint8_t flags = 0;            ///< TcpFlag bits
    std::uint16_t window = 0;          ///< as it stands in the header, unscaled
    ByteView options;                  ///< the captured part
    ByteView payload;                  ///< the captured part
    std::uint32_t payload_length = 0;  ///< on the wire, from the IP length
    std::uint32_t header_offset = 0;   ///< in the frame
    std::uint32_t payload_offset = 0;  ///< in the frame

    bool has(TcpFlag flag) const { return (flags & flag) != 0; }
};

struct UdpDatagram {
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
    ByteView payload;                  ///< the captured part
    std::uint32_t payload_length = 0;  ///< on the wire
    std::uint32_t payload_offset = 0;  ///< in the frame
};

enum class IbCarrier : std::uint8_t { none, native, roce_v1, roce_v2 };

/// An InfiniBand packet: BTH, the extended headers that were captured whole, and the payload.
struct IbPacket {
    IbCarrier carrier = IbCarrier::none;
    ib::Bth bth{};
    bool has_reth = false;
    bool has_aeth = false;
    bool has_immdt = false;
    bool has_deth = false;
    ib::Reth reth{};
    ib::Aeth aeth{};
    ib::ImmDt immdt{};
    ib::Deth deth{};
    ByteView extended;                 ///< the extended headers, as far as they were captured
    ByteView payload;                  ///< the captured part, without padding and ICRC
    std::uint32_t payload_length = 0;  ///< on the wire, without padding and ICRC
    std::uint32_t bth_offset = 0;      ///< in the frame
    std::uint32_t payload_offset = 0;  ///< in the frame
    ib::IcrcStart icrc_start = ib::IcrcStart::lrh;
    ByteView covered;  ///< from `icrc_start` up to and with the ICRC; empty when not captured whole

    bool icrc_present() const { return !covered.empty(); }
    const ib::OpcodeInfo& opcode() const { return ib::opcode_info(bth.opcode); }
    /// False: the opcode has no such header, or it was not captured whole.
    template <class T> bool parse_header(ib::ExtendedHeader which, T& header) const {
        const ib::OpcodeInfo& info = opcode();
        if (!info.has(which)) return false;
        const std::size_t before = ib::size_of_headers(info.headers & (which - 1U));
        return before <= extended.size() && !layout::parse_into(header, extended.subspan(before));
    }
    /// Of those that few packets have; nothing if the opcode has none, or it was not captured whole.
    template <class T> std::optional<T> rare_header(ib::ExtendedHeader which) const {
        T header{};
        return parse_header(which, header) ? std::optional(header) : std::nullopt;
    }
};

/// A decoded frame. Views point into the frame's data and live as long. Only the member that
/// `transport` names is meaningful; a RoCEv2 packet is `ib`, with `udp` filled in besides.
struct Packet {
    std::uint64_t number = 0;  ///< these four as in the frame
    Time time = 0;
    std::uint32_t wire_length = 0;
    std::uint32_t interface = 0;
    std::uint32_t captured_length = 0;  ///< less than wire_length if the frame was cut

    DecodeState state = DecodeState::ok;
    Layer layer = Layer::none;  ///< where `state` arose
    Transport transport = Transport::none;
    std::uint8_t ip_protocol = 0;         ///< of the innermost IP header; 0 = none
    std::uint16_t ether_type = 0;         ///< behind all tags; 0 = none
    std::uint16_t vlan = 0;               ///< VLAN identifier of the innermost tag; 0 = none
    std::uint32_t ip_identification = 0;  ///< IPv4; for telling a copy from a retransmission
    std::uint8_t traffic_class = 0;       ///< of the innermost IP header: DSCP, and ECN in the last two bits
    std::uint8_t tunnels = 0;             ///< how many tunnels the frame came through; all else is of what is inside
    Unread unread = Unread::none;         ///< why there is no transport
    std::uint16_t mac_control = 0;        ///< opcode of a MAC control frame, see net::MacControl; 0 = none
    FipControl fip_control = FipControl::none;  ///< addresses: the switch as F_Port, the first VN_Port that it clears
    Mac source_mac;
    Mac destination_mac;
    Address source;
    Address destination;
    /// Captured octets from the transport header (TCP, UDP, BTH, FC headers) on; MAC control: behind the opcode;
    /// FipControl: from FIP's header on.
    ByteView segment;
    std::uint32_t segment_length = 0;  ///< on the wire

    TcpSegment tcp;
    UdpDatagram udp;
    IbPacket ib;
    std::optional<FcPacket> fc;  ///< with Transport::fc only: large, and most captures have none

    /// Whether a switch has marked the packet on its way (ECN, RFC 3168).
    bool congestion_experienced() const { return (traffic_class & 3) == 3; }
};

/// Pure, without allocation, never throws; never looks behind `frame.data`. What does not claim to be
/// InfiniBand, Fibre Channel or IP comes out as Transport::none and `ok`. Fibre Channel frames in TCP (FCIP)
/// take more than one frame: see fcip.h. UDP to port 4791 that cannot be RoCE
/// (too short, not in words, another header version, a reserved opcode) is plain UDP.
Packet decode(const Frame& frame);

/// Makes a packet one of Fibre Channel, once its `fc` has been filled in.
void take_fc_packet(Packet& packet);

/// Whether an InfiniBand packet's ICRC is right; nothing when it was not captured. Reads all of it.
std::optional<bool> icrc_is_good(const Packet& packet);

/// The same of a TCP segment's checksum. Nothing, too, where it is that of the pseudo-header alone: a host hands
/// segments so to the interface that completes it, and joins those that it receives (GRO).
std::optional<bool> tcp_checksum_is_good(const Packet& packet);

/// The same of a Fibre Channel frame's CRC.
std::optional<bool> fc_crc_is_good(const Packet& packet);
/// For who has the octets at hand: the packet tells from then on.
void check_fc_crc(Packet& packet);

}  // namespace fabricscope::capture

template <> struct std::hash<fabricscope::capture::Address> {
    std::size_t operator()(const fabricscope::capture::Address& of) const noexcept {
        constexpr std::uint64_t odd = 0x9E37'79B9'7F4A'7C15;  // 2^64 divided by the golden ratio
        std::uint64_t mixed = of.front() * odd + of.back();
        mixed = (mixed ^ mixed >> 32) * odd;
        return mixed ^ mixed >> 32;
    }
};
