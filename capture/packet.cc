// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/packet.h"

#include <algorithm>
#include <cstring>

#include "protocols/fc/encapsulation.h"
#include "protocols/ib/psn.h"
#include "protocols/net/headers.h"
#include "protocols/net/internet_checksum.h"
#include "protocols/net/tunnels.h"

namespace fabricscope::capture {
namespace {

// Filled in place: copying an address that has just been put together would wait for its stores.
void assign(Address& address, const Ipv4& ipv4) {
    const auto end = std::ranges::copy(ipv4_mapped_prefix, address.bytes.begin()).out;
    std::ranges::copy(ipv4.octets, end);
    address.kind = Address::Kind::ipv4;
}

void assign(Address& address, const Gid& gid, Address::Kind kind) {
    address.bytes = gid.octets;
    address.kind = kind;
}

bool announces_tag(std::uint16_t type) {
    return type == net::ether_type_vlan || type == net::ether_type_provider_vlan ||
           type == net::ether_type_old_double_vlan || type == net::ether_type_vn_tag;
}

/// Peels one header after the other off a frame. What is left for the next layer is `captured_`, and
/// `wire_` octets on the wire, which are never fewer.
class Decoder {
public:
    Decoder(const Frame& frame, Packet& packet)
        : frame_(frame),
          packet_(packet),
          captured_(frame.data),
          wire_(std::max(frame.wire_length, static_cast<std::uint32_t>(frame.data.size()))) {}

    void decode_link() {
        switch (frame_.link) {
            case LinkType::ethernet: return decode_ethernet();
            case LinkType::linux_cooked_v1: return decode_cooked<net::LinuxCooked>();
            case LinkType::linux_cooked_v2: return decode_cooked<net::LinuxCooked2>();
            case LinkType::raw_ip: return decode_raw_ip();
            case LinkType::infiniband: return decode_infiniband();
            case LinkType::fc2: return decode_fc(decode_fc2);
            case LinkType::fc2_with_delimiters: return decode_fc(decode_fc2_with_delimiters);
            case LinkType::unknown: return stop(DecodeState::unsupported, Layer::link);
        }
    }

private:
    // ---- the octets at hand ----

    std::uint32_t offset() const { return static_cast<std::uint32_t>(captured_.data() - frame_.data.data()); }

    void stop(DecodeState state, Layer layer) {
        packet_.state = state;
        packet_.layer = layer;
    }

    /// Whether `size` octets were captured; if not, says why there are too few.
    bool have(std::size_t size, Layer layer) {
        if (captured_.size() >= size) return true;
        stop(wire_ >= size ? DecodeState::truncated : DecodeState::malformed, layer);
        return false;
    }

    void skip(std::size_t size) {
        captured_ = captured_.subspan(size);
        wire_ -= static_cast<std::uint32_t>(size);
    }

    template <class T> bool peek(T& header, Layer layer) {
        if (!have(layout::size_of<T>, layer)) return false;
        layout::parse_into(header, captured_);
        return true;
    }

    template <class T> bool take(T& header, Layer layer) {
        if (!peek(header, layer)) return false;
        skip(layout::size_of<T>);
        return true;
    }

    /// A header says that `length` octets are left; what follows them is link-layer padding. It is
    /// believed when the frame is shorter: then the frame was cut by a tool that did not say so.
    void limit(std::uint32_t length) {
        wire_ = length;
        captured_ = captured_.first(std::min<std::size_t>(captured_.size(), length));
    }

    // ---- link layers ----

    void decode_ethernet() {
        net::Ethernet header;
        if (!take(header, Layer::link)) return;
        packet_.source_mac = header.source;
        packet_.destination_mac = header.destination;
        if (header.type >= net::ether_type_minimum) decode_ether_type(header.type);
    }

    template <class Header> void decode_cooked() {
        Header header;
        if (!take(header, Layer::link)) return;
        std::copy_n(header.address.octets.begin(), packet_.source_mac.octets.size(), packet_.source_mac.octets.begin());
        decode_ether_type(header.protocol);
    }

    void decode_raw_ip() {
        if (!have(1, Layer::ip)) return;
        decode_ether_type(captured_[0] >> 4 == 6 ? net::ether_type_ipv6 : net::ether_type_ipv4);
    }

    void decode_ether_type(std::uint16_t type) {
        while (announces_tag(type)) {
            if (type == net::ether_type_vn_tag) {
                net::VnTag tag;
                if (!take(tag, Layer::link)) return;
                type = tag.type;
                continue;
            }
            net::VlanTag tag;
            if (!take(tag, Layer::link)) return;
            packet_.vlan = tag.identifier;
            type = tag.type;
        }
        packet_.ether_type = type;
        switch (type) {
            case net::ether_type_ipv4: return decode_ipv4();
            case net::ether_type_ipv6: return decode_ipv6();
            case ib::roce_v1_ether_type: return decode_grh(captured_, IbCarrier::roce_v1);
            case fc::fcoe_ether_type: return decode_fc(decode_fcoe);
            case fc::fip_ether_type: return decode_fip();
            case fc::mds_ether_type: return decode_fc(decode_mds);
            case fc::boardwalk_ether_type: return decode_fc(decode_boardwalk);
            case net::ether_type_mac_control: return decode_mac_control();
            case net::ether_type_mpls:
            case net::ether_type_mpls_upstream: return decode_mpls();
            case net::ether_type_pppoe_session: return leave_unread(Unread::pppoe);
            case net::ether_type_macsec: return leave_unread(Unread::macsec);
            case net::ether_type_provider_backbone: return leave_unread(Unread::provider_backbone);
            default: return;
        }
    }

    void decode_mac_control() {
        net::MacControl header;
        if (!take(header, Layer::link)) return;
        packet_.mac_control = header.opcode;
        begin_segment();
    }

    void decode_infiniband() {
        const ByteView packet = captured_;
        ib::Lrh header;
        if (!take(header, Layer::link)) return;
        const std::uint32_t length = header.packet_length * 4U;
        if (length < layout::size_of<ib::Lrh>) return stop(DecodeState::malformed, Layer::link);
        limit(length - static_cast<std::uint32_t>(layout::size_of<ib::Lrh>));
        packet_.source = Address::of_lid(header.source_lid);
        packet_.destination = Address::of_lid(header.destination_lid);
        switch (static_cast<ib::LinkNextHeader>(header.link_next_header)) {
            case ib::LinkNextHeader::local_bth: return decode_bth(packet, ib::IcrcStart::lrh, IbCarrier::native);
            case ib::LinkNextHeader::global_grh: return decode_grh(packet, IbCarrier::native);
            case ib::LinkNextHeader::raw:
            case ib::LinkNextHeader::ip: return;
        }
    }

    // ---- Fibre Channel ----

    /// A switch is taken for the F_Port that it has for each virtual link.
    void decode_fip() {
        packet_.fip_control = fip_control_of(captured_);
        if (packet_.fip_control == FipControl::none) return decode_fc(capture::decode_fip);
        begin_segment();
        const Address f_port = Address::of_port_id(fc::f_port_server);
        if (packet_.fip_control == FipControl::keep_alive) {
            packet_.destination = f_port;
            return;
        }
        packet_.source = f_port;
        if (const auto port = cleared_port(captured_, 0)) packet_.destination = Address::of_port_id(*port);
        if (captured_.size() < wire_) stop(DecodeState::truncated, Layer::fc);
    }

    using FcDecoder = DecodeState (*)(ByteView captured, std::uint32_t wire, FcPacket& fc);

    void decode_fc(FcDecoder decode) {
        FcPacket& fc = packet_.fc.emplace();
        const DecodeState state = decode(captured_, wire_, fc);
        if (state != DecodeState::ok) stop(state, Layer::fc);
        if (!fc.has_header()) return packet_.fc.reset();
        take_fc_packet(packet_);
        const auto offset_in_frame = [&](ByteView part) {
            return static_cast<std::uint32_t>(part.data() - frame_.data.data());
        };
        fc.frame_offset = offset_in_frame(fc.octets);
        fc.payload_offset = fc.frame.payload.empty() ? fc.frame_offset + static_cast<std::uint32_t>(fc.octets.size())
                                                     : offset_in_frame(fc.frame.payload);
    }

    // ---- network layers ----

    void decode_grh(ByteView packet, IbCarrier carrier) {
        ib::Grh header;
        if (!take(header, Layer::grh)) return;
        if (header.ip_version != 6) return stop(DecodeState::malformed, Layer::grh);
        assign(packet_.source, header.source, Address::Kind::gid);
        assign(packet_.destination, header.destination, Address::Kind::gid);
        if (header.next_header != ib::next_header_bth) return;
        limit(header.payload_length);
        decode_bth(packet, carrier == IbCarrier::native ? ib::IcrcStart::lrh : ib::IcrcStart::grh, carrier);
    }

    void decode_ipv4() {
        const ByteView datagram = captured_;
        net::Ipv4Header header;
        if (!peek(header, Layer::ip)) return;
        const std::uint32_t header_length = header.header_length * 4U;
        if (header.version != 4 || header_length < layout::size_of<net::Ipv4Header>)
            return stop(DecodeState::malformed, Layer::ip);
        assign(packet_.source, header.source);
        assign(packet_.destination, header.destination);
        packet_.ip_protocol = header.protocol;
        packet_.ip_identification = header.identification;
        packet_.traffic_class = static_cast<std::uint8_t>(header.dscp << 2 | header.ecn);
        // A sender that leaves segmentation to the interface may be captured with a length of 0.
        if (header.total_length != 0) {
            if (header.total_length < header_length) return stop(DecodeState::malformed, Layer::ip);
            limit(header.total_length);
        }
        if (!have(header_length, Layer::ip)) return;
        skip(header_length);
        if (header.more_fragments || header.fragment_offset != 0) return stop(DecodeState::unsupported, Layer::ip);
        decode_transport(datagram, ib::IcrcStart::ipv4, header.protocol);
    }

    void decode_ipv6() {
        const ByteView datagram = captured_;
        net::Ipv6Header header;
        if (!take(header, Layer::ip)) return;
        if (header.version != 6) return stop(DecodeState::malformed, Layer::ip);
        packet_.traffic_class = header.traffic_class;
        assign(packet_.source, header.source, Address::Kind::ipv6);
        assign(packet_.destination, header.destination, Address::Kind::ipv6);
        if (header.payload_length != 0) limit(header.payload_length);  // 0: a jumbogram, or as for IPv4
        std::uint8_t protocol = header.next_header;
        if (!skip_ipv6_extensions(protocol)) return;
        packet_.ip_protocol = protocol;
        decode_transport(datagram, ib::IcrcStart::ipv6, protocol);
    }

    /// Leaves in `protocol` what follows the extension headers; false if it cannot be got at.
    bool skip_ipv6_extensions(std::uint8_t& protocol) {
        while (true) {
            switch (protocol) {
                case net::protocol_hop_by_hop:
                case net::protocol_ipv6_routing:
                case net::protocol_ipv6_destination_options:
                case net::protocol_mobility:
                case net::protocol_hip:
                case net::protocol_shim6: {
                    net::Ipv6Extension extension;
                    if (!peek(extension, Layer::ip) || !have(extension.octets(), Layer::ip)) return false;
                    skip(extension.octets());
                    protocol = extension.next_header;
                    break;
                }
                case net::protocol_ipv6_fragment: {
                    net::Ipv6Fragment fragment;
                    if (!take(fragment, Layer::ip)) return false;
                    if (fragment.more_fragments || fragment.offset != 0) {
                        stop(DecodeState::unsupported, Layer::ip);
                        return false;
                    }
                    protocol = fragment.next_header;
                    break;
                }
                default: return true;
            }
        }
    }

    // ---- transport layers ----

    void begin_segment() {
        packet_.segment = captured_;
        packet_.segment_length = wire_;
    }

    void decode_transport(ByteView datagram, ib::IcrcStart start, std::uint8_t protocol) {
        begin_segment();
        switch (protocol) {
            case net::protocol_tcp: return decode_tcp();
            case net::protocol_udp: return decode_udp(datagram, start);
            case net::protocol_ipv4:
                if (enter_tunnel()) decode_ether_type(net::ether_type_ipv4);
                return;
            case net::protocol_ipv6:
                if (enter_tunnel()) decode_ether_type(net::ether_type_ipv6);
                return;
            case net::protocol_gre: return decode_gre();
            case net::protocol_esp: return leave_unread(Unread::esp);
            default: return;
        }
    }

    // ---- tunnels ----

    static constexpr std::uint8_t most_tunnels = 8;

    /// What follows is a frame or packet of another network. What was said of the outer one is forgotten.
    bool enter_tunnel() {
        if (packet_.tunnels == most_tunnels) {
            stop(DecodeState::unsupported, Layer::ip);
            return false;
        }
        ++packet_.tunnels;
        packet_.transport = Transport::none;
        packet_.udp = {};
        packet_.segment = {};
        packet_.source = packet_.destination = {};
        packet_.ip_protocol = 0;
        packet_.ip_identification = 0;
        packet_.traffic_class = 0;
        packet_.ether_type = packet_.vlan = 0;
        return true;
    }

    void leave_unread(Unread carrier) {
        packet_.unread = carrier;
        packet_.transport = Transport::none;
    }

    void decode_tunnelled(std::uint16_t type) {
        if (!enter_tunnel()) return;
        if (type == net::tunnelled_ethernet) decode_ethernet();
        else decode_ether_type(type);
    }

    /// Behind the last label stands an IP packet, or an Ethernet frame, perhaps behind a control word, which begins
    /// with a zero (RFC 4385).
    void decode_mpls() {
        constexpr std::size_t control_word = 4;
        for (net::MplsLabel label{}; !label.bottom_of_stack;)
            if (!take(label, Layer::link)) return;
        if (!have(1, Layer::link)) return;
        const int version = captured_[0] >> 4;
        if (version == 4) return decode_tunnelled(net::ether_type_ipv4);
        if (version == 6) return decode_tunnelled(net::ether_type_ipv6);
        if (version == 0) {
            if (!have(control_word, Layer::link)) return;
            skip(control_word);
        }
        decode_tunnelled(net::tunnelled_ethernet);
    }

    void decode_gre() {
        net::Gre header;
        if (!take(header, Layer::ip) || header.version != 0 || header.routing_present) return;
        const int options = header.checksum_present + header.key_present + header.sequence_present;
        std::size_t more = net::gre_option_size * static_cast<std::size_t>(options);
        if (header.protocol == net::tunnelled_erspan && header.sequence_present) more += net::erspan_2_size;
        if (!have(more, Layer::ip)) return;
        skip(more);
        if (header.protocol == net::tunnelled_erspan_3 && !skip_erspan_3()) return;
        const bool mirrored = header.protocol == net::tunnelled_erspan || header.protocol == net::tunnelled_erspan_3;
        decode_tunnelled(mirrored ? std::uint16_t{net::tunnelled_ethernet} : header.protocol);
    }

    bool skip_erspan_3() {
        net::Erspan3 header;
        if (!take(header, Layer::ip)) return false;
        const std::size_t more = header.subheader_present ? net::erspan_3_subheader_size : 0;
        if (!have(more, Layer::ip)) return false;
        skip(more);
        return true;
    }

    /// Whether a datagram to a tunnel's port looks like one of it: others use these ports, too.
    bool decode_udp_tunnel(std::uint16_t port) {
        if (port == net::port_vxlan) {
            net::Vxlan header;
            if (captured_.size() < layout::size_of<net::Vxlan> || !peek(header, Layer::udp)) return false;
            if ((header.flags & net::vxlan_has_vni) == 0 || header.reserved_8 != 0) return false;
            skip(layout::size_of<net::Vxlan>);
            decode_tunnelled(net::tunnelled_ethernet);
            return true;
        }
        if (port != net::port_geneve) return false;
        net::Geneve header;
        if (captured_.size() < layout::size_of<net::Geneve> || !peek(header, Layer::udp) || header.version != 0)
            return false;
        const std::size_t size = layout::size_of<net::Geneve> + 4 * std::size_t{header.options_length};
        if (captured_.size() < size) return false;
        skip(size);
        decode_tunnelled(header.protocol);
        return true;
    }

    void decode_tcp() {
        const std::uint32_t header_offset = offset();
        net::TcpHeader header;
        if (!peek(header, Layer::tcp)) return;
        const std::size_t header_length = header.header_length * std::size_t{4};
        if (header_length < layout::size_of<net::TcpHeader> || header_length > wire_)
            return stop(DecodeState::malformed, Layer::tcp);

        packet_.transport = Transport::tcp;
        TcpSegment& tcp = packet_.tcp;
        tcp.source_port = header.source_port;
        tcp.destination_port = header.destination_port;
        tcp.sequence = header.sequence;
        tcp.acknowledgment = header.acknowledgment;
        tcp.flags = header.flags;
        tcp.window = header.window;
        tcp.header_offset = header_offset;
        tcp.options = captured_.first(std::min(captured_.size(), header_length))
                          .subspan(layout::size_of<net::TcpHeader>);
        tcp.payload_length = wire_ - static_cast<std::uint32_t>(header_length);
        tcp.payload_offset = header_offset + static_cast<std::uint32_t>(header_length);
        if (!have(header_length, Layer::tcp)) return;
        skip(header_length);
        tcp.payload = captured_;
        have(wire_, Layer::payload);
    }

    void decode_udp(ByteView datagram, ib::IcrcStart start) {
        net::UdpHeader header;
        if (!peek(header, Layer::udp)) return;
        if (header.length != 0) {  // 0: longer than 16 bits can say
            if (header.length < layout::size_of<net::UdpHeader> || header.length > wire_)
                return stop(DecodeState::malformed, Layer::udp);
            limit(header.length);
        }
        skip(layout::size_of<net::UdpHeader>);
        packet_.transport = Transport::udp;
        packet_.udp = {header.source_port, header.destination_port, captured_, wire_, offset()};
        if (decode_udp_tunnel(header.destination_port)) return;
        if (header.destination_port == net::port_gtp_u) return leave_unread(Unread::gtp_u);
        if (header.destination_port == net::port_l2tp) return leave_unread(Unread::l2tp);
        if (header.destination_port != ib::roce_v2_udp_port || wire_ < shortest_ib) return;
        if (!peek(packet_.ib.bth, Layer::bth) || !may_be_ib()) return;
        if (header.checksum != 0 && is_joined()) return leave_unread(Unread::joined);
        take_bth(datagram, start, IbCarrier::roce_v2);
    }

    /// Whether behind the packet's BTH, which stands next, another one to the same queue pair follows. In front of
    /// segmentation offload (`fabricscope load --gso` on a virtual interface) a datagram has many packets, and UDP's
    /// checksum, which RoCE does without.
    bool is_joined() const {
        constexpr std::size_t qpn_at = 5, qpn_size = 3;
        const ib::Bth& first = packet_.ib.bth;
        for (std::size_t at = shortest_ib; at + layout::size_of<ib::Bth> <= captured_.size(); at += 4) {
            if (std::memcmp(captured_.data() + at + qpn_at, captured_.data() + qpn_at, qpn_size) != 0) continue;
            ib::Bth next;
            layout::parse_into(next, captured_.subspan(at));
            if (next.p_key == first.p_key && next.version == 0 && ib::opcode_info(next.opcode).known() &&
                ib::psn_distance(first.psn, next.psn) > 0)
                return true;
        }
        return false;
    }

    static constexpr std::size_t shortest_ib = layout::size_of<ib::Bth> + layout::size_of<ib::Icrc>;

    /// Whether everything that the opcode asks for has room behind the BTH, which stands next.
    bool may_be_ib() const {
        if (wire_ % 4 != 0) return false;
        const ib::Bth& bth = packet_.ib.bth;
        const ib::OpcodeInfo& opcode = ib::opcode_info(bth.opcode);
        return bth.version == 0 && opcode.known() && shortest_ib + opcode.headers_size + bth.pad_count <= wire_;
    }

    void decode_bth(ByteView packet, ib::IcrcStart start, IbCarrier carrier) {
        if (!peek(packet_.ib.bth, Layer::bth)) return;
        if (!may_be_ib()) return stop(DecodeState::malformed, Layer::bth);
        take_bth(packet, start, carrier);
    }

    /// The BTH has been parsed. `packet` is what the ICRC covers, and more if the frame is padded.
    void take_bth(ByteView packet, ib::IcrcStart start, IbCarrier carrier) {
        begin_segment();
        packet_.transport = Transport::ib;
        IbPacket& ib = packet_.ib;
        ib.carrier = carrier;
        ib.bth_offset = offset();
        ib.icrc_start = start;
        const auto covered = static_cast<std::size_t>(captured_.data() - packet.data()) + wire_;
        if (captured_.size() == wire_) ib.covered = packet.first(covered);

        const ib::OpcodeInfo& opcode = ib.opcode();
        if (constexpr std::size_t before = layout::size_of<ib::Bth>; captured_.size() > before)
            ib.extended = captured_.subspan(
                before, std::min<std::size_t>(captured_.size() - before, opcode.headers_size));
        ib.has_deth = ib.parse_header(ib::deth, ib.deth);
        ib.has_reth = ib.parse_header(ib::reth, ib.reth);
        ib.has_aeth = ib.parse_header(ib::aeth, ib.aeth);
        ib.has_immdt = ib.parse_header(ib::immdt, ib.immdt);
        decode_ib_payload(layout::size_of<ib::Bth> + opcode.headers_size);
    }

    void decode_ib_payload(std::size_t headers_length) {
        IbPacket& ib = packet_.ib;
        const auto trailer = ib.bth.pad_count + static_cast<std::uint32_t>(layout::size_of<ib::Icrc>);
        ib.payload_length = wire_ - static_cast<std::uint32_t>(headers_length) - trailer;
        ib.payload_offset = offset() + static_cast<std::uint32_t>(headers_length);
        if (!have(headers_length, Layer::bth)) return;
        skip(headers_length);
        limit(ib.payload_length);
        ib.payload = captured_;
        have(wire_, Layer::payload);
    }

    const Frame& frame_;
    Packet& packet_;
    ByteView captured_;
    std::uint32_t wire_;
};

}  // namespace

Address Address::of_lid(std::uint16_t lid) {
    Address address{{}, Address::Kind::lid};
    address.bytes[14] = static_cast<std::uint8_t>(lid >> 8);
    address.bytes[15] = static_cast<std::uint8_t>(lid);
    return address;
}

Address Address::of(const Ipv4& ipv4) {
    Address address;
    assign(address, ipv4);
    return address;
}

Address Address::of_port_id(std::uint32_t port_id) {
    Address address{{}, Kind::port_id};
    for (std::size_t i = 0; i < 3; ++i) address.bytes[15 - i] = static_cast<std::uint8_t>(port_id >> (8 * i));
    return address;
}

const char* name_of(Unread carrier) {
    switch (carrier) {
        case Unread::none: return "";
        case Unread::gtp_u: return "GTP-U";
        case Unread::l2tp: return "L2TP";
        case Unread::pppoe: return "PPPoE";
        case Unread::macsec: return "MACsec";
        case Unread::esp: return "IPsec ESP";
        case Unread::provider_backbone: return "IEEE 802.1ah";
        case Unread::joined: return "datagrams of several RoCE packets (segmentation offload)";
    }
    return "";
}

std::string to_string(const Address& address) {
    switch (address.kind) {
        case Address::Kind::none: return "none";
        case Address::Kind::lid: return "LID " + std::to_string(address.bytes[14] << 8 | address.bytes[15]);
        case Address::Kind::port_id:
            return fc::port_id_text(
                std::uint32_t{address.bytes[13]} << 16 | std::uint32_t{address.bytes[14]} << 8 | address.bytes[15]);
        case Address::Kind::ipv4:
        case Address::Kind::ipv6:
        case Address::Kind::gid: break;
    }
    return short_text(Gid{address.bytes});
}

Packet decode(const Frame& frame) {
    Packet packet;
    packet.number = frame.number;
    packet.time = frame.time;
    packet.wire_length = frame.wire_length;
    packet.interface = frame.interface;
    packet.captured_length = static_cast<std::uint32_t>(frame.data.size());
    Decoder(frame, packet).decode_link();
    return packet;
}

std::optional<bool> icrc_is_good(const Packet& packet) {
    const IbPacket& ib = packet.ib;
    if (packet.transport != Transport::ib || !ib.icrc_present()) return std::nullopt;
    const auto bth = static_cast<std::size_t>(packet.segment.data() - ib.covered.data());
    return ib::icrc_is_good(ib.icrc_start, ib.covered, bth);
}

std::optional<bool> tcp_checksum_is_good(const Packet& packet) {
    const TcpSegment& tcp = packet.tcp;
    if (packet.transport != Transport::tcp) return std::nullopt;
    const std::uint32_t length = tcp.payload_offset - tcp.header_offset + tcp.payload_length;
    net::TcpHeader header{};
    if (packet.segment.size() < length || layout::parse_into(header, packet.segment)) return std::nullopt;
    // What makes an IPv4 address one of IPv6 adds nothing in ones' complement.
    const std::uint32_t addresses = net::checksum_sum(packet.destination.bytes, net::checksum_sum(packet.source.bytes));
    const std::uint32_t pseudo_header = addresses + net::protocol_tcp + length;
    if (header.checksum == static_cast<std::uint16_t>(~net::checksum_of(pseudo_header))) return std::nullopt;
    return net::checksum_of(net::checksum_sum(packet.segment.first(length), pseudo_header)) == 0;
}

void take_fc_packet(Packet& packet) {
    packet.transport = Transport::fc;
    const fc::Frame& frame = packet.fc->frame;
    packet.segment = packet.fc->octets;
    const std::size_t headers = packet.segment.size() - frame.payload.size() - frame.fill.size();
    packet.segment_length = static_cast<std::uint32_t>(headers) + frame.payload_length;
    packet.source = Address::of_port_id(packet.fc->frame.header.s_id);
    packet.destination = Address::of_port_id(packet.fc->frame.header.d_id);
}

std::optional<bool> fc_crc_is_good(const Packet& packet) {
    if (packet.transport != Transport::fc || !packet.fc->crc) return std::nullopt;
    if (packet.fc->crc_good) return packet.fc->crc_good;
    return *packet.fc->crc == fc::crc_of(packet.fc->octets);
}

void check_fc_crc(Packet& packet) {
    if (packet.transport == Transport::fc) packet.fc->crc_good = fc_crc_is_good(packet);
}

}  // namespace fabricscope::capture
