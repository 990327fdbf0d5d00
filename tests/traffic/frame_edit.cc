// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/frame_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "protocols/fc/ct.h"
#include "protocols/fc/els.h"
#include "protocols/fc_ae_rdma/command.h"
#include "protocols/fc_ae_rdma/response.h"
#include "protocols/fcvi/connect.h"
#include "protocols/fcvi/device_header.h"
#include "protocols/net/headers.h"
#include "protocols/net/internet_checksum.h"
#include "protocols/rdma_cm/message.h"
#include "protocols/smcr/cdc.h"
#include "protocols/smcr/clc.h"
#include "protocols/smcr/llc.h"
#include "protocols/smcr/tcp_option.h"
#include "replay/synth/message_names.h"

namespace fabricscope::traffic {
namespace {

using replay::FieldAt;
using replay::FieldCollector;
using Fields = std::vector<FieldAt>;

capture::Packet decoded(const FrameToEdit& frame) {
    capture::Frame captured;
    captured.wire_length = static_cast<std::uint32_t>(frame.octets.size());
    captured.data = frame.octets;
    captured.link = frame.link;
    return capture::decode(captured);
}

std::size_t place_of(const FrameToEdit& frame, ByteView part) {
    return static_cast<std::size_t>(part.data() - frame.octets.data());
}

template <layout::WireFormat T> T parsed_at(const FrameToEdit& frame, std::size_t at) {
    T part{};
    layout::parse_into(part, ByteView(frame.octets).subspan(at));
    return part;
}

template <layout::WireFormat T> void put_at(const FrameToEdit& frame, std::size_t at, const T& part) {
    layout::build_into(part, std::span(frame.octets).subspan(at));
}

/// A part of which only the place counts.
template <layout::WireFormat T> void add(Fields& fields, std::size_t at) {
    FieldCollector(fields, at).part(T{}, 0, {});
}

// ---- Ethernet, IP and what is in it --------------------------------------------------------------

/// Where the header behind that of the link begins.
std::size_t network_of(const FrameToEdit& frame) {
    switch (frame.link) {
        case capture::LinkType::ethernet: break;
        case capture::LinkType::linux_cooked_v1: return layout::size_of<net::LinuxCooked>;
        case capture::LinkType::linux_cooked_v2: return layout::size_of<net::LinuxCooked2>;
        default: return 0;
    }
    std::size_t at = layout::size_of<net::Ethernet>;
    while (at + layout::size_of<net::VlanTag> <= frame.octets.size() && frame.octets[at - 2] == 0x81 &&
           frame.octets[at - 1] == 0x00)
        at += layout::size_of<net::VlanTag>;
    return at;
}

enum class Network : std::uint8_t { none, ipv4, ipv6, grh };

Network network_kind(const FrameToEdit& frame, const capture::Packet& packet) {
    if (packet.ib.carrier == capture::IbCarrier::roce_v1) return Network::grh;
    if (packet.ip_protocol == 0) return Network::none;
    return frame.octets[network_of(frame)] >> 4 == 4 ? Network::ipv4 : Network::ipv6;
}

void add_network(Fields& fields, const FrameToEdit& frame, const capture::Packet& packet) {
    if (frame.link == capture::LinkType::ethernet) add<net::Ethernet>(fields, 0);
    const std::size_t at = network_of(frame);
    switch (network_kind(frame, packet)) {
        case Network::none: break;
        case Network::ipv4: add<net::Ipv4Header>(fields, at); break;
        case Network::ipv6: add<net::Ipv6Header>(fields, at); break;
        case Network::grh: add<ib::Grh>(fields, at); break;
    }
}

void add_tcp(Fields& fields, const FrameToEdit& frame, const capture::TcpSegment& tcp) {
    add<net::TcpHeader>(fields, tcp.header_offset);
    for (std::size_t i = 0; i + layout::size_of<smcr::TcpOption> <= tcp.options.size(); ++i)
        if (tcp.options[i] == smcr::TcpOption{}.kind && smcr::find_tcp_option(tcp.options.subspan(i))) {
            add<smcr::TcpOption>(fields, place_of(frame, tcp.options) + i);
            break;
        }
    if (smcr::clc_length(tcp.payload) != 0)
        walk(smcr::parse_clc(tcp.payload), FieldCollector(fields, tcp.payload_offset));
}

template <layout::WireFormat T> void add_extended(Fields& fields, bool there, std::size_t& at) {
    if (!there) return;
    add<T>(fields, at);
    at += layout::size_of<T>;
}

void add_ib(Fields& fields, const capture::IbPacket& packet) {
    std::size_t at = packet.bth_offset;
    add_extended<ib::Bth>(fields, true, at);
    add_extended<ib::Deth>(fields, packet.has_deth, at);
    add_extended<ib::Reth>(fields, packet.has_reth, at);
    add_extended<ib::Aeth>(fields, packet.has_aeth, at);
    add_extended<ib::ImmDt>(fields, packet.has_immdt, at);
    const ByteView payload = packet.payload;
    FieldCollector collector(fields, packet.payload_offset);
    if (packet.has_deth && fabricscope::rdma_cm::is_cm(payload, payload.size()))
        walk(fabricscope::rdma_cm::parse(payload), collector);
    else if (packet.opcode().operation != ib::Operation::send) return;
    else if (smcr::looks_like_cdc(payload, payload.size())) add<smcr::Cdc>(fields, packet.payload_offset);
    else if (smcr::looks_like_llc(payload, payload.size())) walk(smcr::parse_llc(payload, payload.size()), collector);
}

// ---- Fibre Channel -------------------------------------------------------------------------------

/// ISO's opcodes are unambiguous but for two, which differ by the Device_Header's size from those of revision 1.0.
fcvi::DeviceHeader device_header_of(ByteView octets) {
    for (const fcvi::Version version : {fcvi::Version::iso, fcvi::Version::rev_1_0}) {
        fcvi::DeviceHeader header = fcvi::parse_device_header(octets, octets.size(), version);
        const fcvi::IuInfo* iu = header.error ? nullptr : header.iu();
        if (iu != nullptr && iu->device_header == octets.size()) return header;
    }
    return fcvi::parse_device_header(octets, octets.size(), fcvi::Version::iso);
}

void add_fcvi(Fields& fields, const FrameToEdit& frame, const fc::Frame& fc) {
    const fcvi::DeviceHeader header = device_header_of(fc.device_header());
    fcvi::walk(header, FieldCollector(fields, place_of(frame, fc.device_header())));
    const fcvi::IuInfo* iu = header.iu();
    if (iu != nullptr && iu->payload == fcvi::Content::connect_info)
        fcvi::walk(
            fcvi::parse_connect(fc.payload, fc.payload.size(), header.version),
            FieldCollector(fields, place_of(frame, fc.payload)));
}

void add_fcp(Fields& fields, const FrameToEdit& frame, const capture::FcPacket& packet) {
    const fc::Frame& fc = packet.frame;
    const std::size_t payload = place_of(frame, fc.payload);
    const auto iu = static_cast<fc_ae_rdma::Iu>(fc.header.r_ctl);
    if (iu == fc_ae_rdma::Iu::command && fc.payload.size() >= layout::size_of<fc_ae_rdma::Command>) {
        const std::size_t header = place_of(frame, packet.octets) + fc.extended_headers.size();
        add<fc_ae_rdma::CommandParameter>(
            fields, header + layout::layout_of<fc_ae_rdma::CommandParameter>.extent.begin);
        add<fc_ae_rdma::Command>(fields, payload);
    }
    if (iu == fc_ae_rdma::Iu::response && fc.payload.size() >= layout::size_of<fc_ae_rdma::Response>)
        add<fc_ae_rdma::Response>(fields, payload);
}

void add_fc(Fields& fields, const FrameToEdit& frame, const capture::FcPacket& packet) {
    const fc::Frame& fc = packet.frame;
    walk(fc, FieldCollector(fields, place_of(frame, packet.octets)));
    if (!fc.header.is_data()) return;
    FieldCollector payload(fields, fc.payload.empty() ? 0 : place_of(frame, fc.payload));
    const std::uint8_t request = frame.els_request;
    switch (fc.header.type) {
        case fc::type_els:
            walk(
                fc::parse_els(fc.payload, fc.payload.size(), request != 0 ? std::optional(request) : std::nullopt),
                payload);
            break;
        case fc::type_ct: walk(fc::parse_ct(fc.payload, fc.payload.size()), payload); break;
        case fc::type_fcp: add_fcp(fields, frame, packet); break;
        case fc::type_fcvi: add_fcvi(fields, frame, fc); break;
        default: break;
    }
}

// ---- checksums -----------------------------------------------------------------------------------

void repair_ipv4(const FrameToEdit& frame, std::size_t at) {
    auto header = parsed_at<net::Ipv4Header>(frame, at);
    header.checksum = 0;
    put_at(frame, at, header);
    header.checksum = net::checksum_of(
        net::checksum_sum(ByteView(frame.octets).subspan(at, header.header_length * std::size_t{4})));
    put_at(frame, at, header);
}

/// Over the pseudo header and the `covered` octets, in which the checksum is 0.
std::uint16_t transport_checksum(
    const FrameToEdit& frame, Network network, std::size_t at, std::uint8_t protocol, ByteView covered) {
    const bool is_ipv4 = network == Network::ipv4;
    const ByteView addresses = ByteView(frame.octets).subspan(at + (is_ipv4 ? 12 : 8), is_ipv4 ? 8 : 32);
    const auto length = static_cast<std::uint32_t>(covered.size());
    return net::checksum_of(
        net::checksum_sum(covered, net::checksum_sum(addresses, protocol + (length >> 16) + (length & 0xFFFF))));
}

template <layout::WireFormat Header>
void repair_transport(
    const FrameToEdit& frame, Network network, std::size_t at, std::uint8_t protocol, std::size_t size) {
    auto header = parsed_at<Header>(frame, at);
    header.checksum = 0;
    put_at(frame, at, header);
    const ByteView covered = ByteView(frame.octets).subspan(at, size);
    header.checksum = transport_checksum(frame, network, network_of(frame), protocol, covered);
    put_at(frame, at, header);
}

void repair_icrc(const FrameToEdit& frame, const capture::IbPacket& packet) {
    if (!packet.icrc_present()) return;
    const ByteView covered = packet.covered.first(packet.covered.size() - layout::size_of<ib::Icrc>);
    const std::size_t begin = place_of(frame, covered);
    if (const auto icrc = ib::icrc(packet.icrc_start, covered, packet.bth_offset - begin))
        put_at(frame, begin + covered.size(), ib::Icrc{*icrc});
}

// ---- lengths -------------------------------------------------------------------------------------

template <class T> void grow(T& length, std::ptrdiff_t by) { length = static_cast<T>(length + by); }

template <layout::WireFormat Header, class T>
void grow_at(const FrameToEdit& frame, std::size_t at, T Header::*length, std::ptrdiff_t by) {
    auto header = parsed_at<Header>(frame, at);
    grow(header.*length, by);
    put_at(frame, at, header);
}

/// What the headers around the payload say of its length, once it has grown by so many octets.
void repair_lengths(const FrameToEdit& frame, const capture::Packet& before, Network network, std::ptrdiff_t by) {
    const std::size_t at = network_of(frame);
    switch (network) {
        case Network::none: break;
        case Network::ipv4: grow_at(frame, at, &net::Ipv4Header::total_length, by); break;
        case Network::ipv6: grow_at(frame, at, &net::Ipv6Header::payload_length, by); break;
        case Network::grh: grow_at(frame, at, &ib::Grh::payload_length, by); break;
    }
    if (before.udp.payload_offset != 0)
        grow_at(frame, before.udp.payload_offset - layout::size_of<net::UdpHeader>, &net::UdpHeader::length, by);
}

void set_padding(const FrameToEdit& frame, const capture::Packet& before, std::size_t padding) {
    if (before.transport == capture::Transport::ib) {
        auto bth = parsed_at<ib::Bth>(frame, before.ib.bth_offset);
        bth.pad_count = static_cast<std::uint8_t>(padding);
        put_at(frame, before.ib.bth_offset, bth);
    } else if (before.fc) {
        const std::size_t at = before.fc->frame_offset + before.fc->frame.extended_headers.size();
        auto header = parsed_at<fc::FrameHeader>(frame, at);
        header.f_ctl.fill_bytes = static_cast<std::uint8_t>(padding);
        put_at(frame, at, header);
    }
}

}  // namespace

std::string message_name_of(ByteView octets, capture::LinkType link) {
    std::string name = synth::fc_message_name(octets, link);
    return name.empty() ? synth::message_name(octets) : name;
}

std::vector<FieldAt> fields_of(const FrameToEdit& frame) {
    const capture::Packet packet = decoded(frame);
    Fields fields;
    switch (packet.transport) {
        case capture::Transport::fc: add_fc(fields, frame, *packet.fc); return fields;
        case capture::Transport::tcp:
            add_network(fields, frame, packet);
            add_tcp(fields, frame, packet.tcp);
            break;
        case capture::Transport::ib:
            add_network(fields, frame, packet);
            add_ib(fields, packet.ib);
            break;
        default: add_network(fields, frame, packet); break;
    }
    return fields;
}

const FieldAt* find_field(const std::vector<FieldAt>& fields, std::string_view name) {
    const auto called = [&](const FieldAt& field) {
        if (field.info == nullptr || !name.starts_with(field.filter())) return false;
        std::string label = field.label != nullptr ? field.label : "";
        std::ranges::replace(label, ' ', '_');
        const std::string_view part = name.substr(field.filter().size());
        return part.empty() || part == fmt::format("[{}]", field.index) || part == fmt::format("({})", label);
    };
    const auto found = std::ranges::find_if(fields, called);
    return found == fields.end() ? nullptr : &*found;
}

Payload payload_of(const FrameToEdit& frame) {
    const capture::Packet packet = decoded(frame);
    switch (packet.transport) {
        case capture::Transport::tcp: return {packet.tcp.payload_offset, packet.tcp.payload.size(), 0};
        case capture::Transport::ib:
            return {packet.ib.payload_offset, packet.ib.payload.size(), packet.ib.bth.pad_count};
        case capture::Transport::fc:
            return {packet.fc->payload_offset, packet.fc->frame.payload.size(), packet.fc->frame.fill.size()};
        default: return {frame.octets.size(), 0, 0};
    }
}

void replace(const FrameToEdit& frame, std::ptrdiff_t at, std::size_t count, ByteView octets) {
    const capture::Packet before = decoded(frame);
    const Network network = network_kind(frame, before);
    const Payload payload = payload_of(frame);
    if (at < -static_cast<std::ptrdiff_t>(payload.begin) || at > static_cast<std::ptrdiff_t>(payload.size))
        throw std::runtime_error(fmt::format("the payload has no octet {}", at));
    Octets& all = frame.octets;
    const auto place = all.begin() + static_cast<std::ptrdiff_t>(payload.begin) + at;
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(payload.begin + payload.size);
    const auto replaced = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(count), end - place);
    const bool padded = before.transport == capture::Transport::ib || (before.fc && before.fc->frame.header.is_data());
    const std::ptrdiff_t by = static_cast<std::ptrdiff_t>(octets.size()) - replaced;
    const std::size_t size = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(payload.size) + by);
    const std::size_t padding = padded ? (4 - size % 4) % 4 : 0;
    // From the end on, so that places before it stay what they are.
    all.insert(all.erase(end, end + static_cast<std::ptrdiff_t>(payload.padding)), padding, 0);
    const auto hole = all.begin() + static_cast<std::ptrdiff_t>(payload.begin) + at;
    const auto after = all.erase(hole, hole + replaced);
    all.insert(after, octets.begin(), octets.end());
    const auto more_padding = static_cast<std::ptrdiff_t>(padding) - static_cast<std::ptrdiff_t>(payload.padding);
    repair_lengths(frame, before, network, by + more_padding);
    if (padded) set_padding(frame, before, padding);
    repair_checksums(frame);
}

void resize_payload(const FrameToEdit& frame, std::size_t size) {
    const Payload payload = payload_of(frame);
    const std::size_t kept = std::min(size, payload.size);
    replace(frame, static_cast<std::ptrdiff_t>(kept), payload.size - kept, Octets(size - kept));
}

void repair_checksums(const FrameToEdit& frame) {
    const capture::Packet packet = decoded(frame);
    const Network network = network_kind(frame, packet);
    if (network == Network::ipv4) repair_ipv4(frame, network_of(frame));
    if (packet.fc && packet.fc->crc)
        put_at(frame, packet.fc->frame_offset + packet.fc->octets.size(), fc::Crc{fc::crc_of(packet.fc->octets)});
    if (packet.transport == capture::Transport::tcp)
        repair_transport<net::TcpHeader>(
            frame, network, packet.tcp.header_offset, net::protocol_tcp, packet.segment.size());
    if (packet.transport != capture::Transport::ib) return;
    repair_icrc(frame, packet.ib);
    const std::size_t udp = packet.udp.payload_offset - layout::size_of<net::UdpHeader>;
    if (packet.udp.payload_offset != 0 && parsed_at<net::UdpHeader>(frame, udp).checksum != 0)
        repair_transport<net::UdpHeader>(
            frame, network, udp, net::protocol_udp, parsed_at<net::UdpHeader>(frame, udp).length);
}

}  // namespace fabricscope::traffic
