// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/frame_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analyzer/report/frame_layers.h"
#include "analyzer/report/protocol.h"
#include "protocols/net/headers.h"

namespace fabricscope::report {

std::string octets_text(ByteView octets) {
    constexpr std::size_t most = 24;
    const bool cut = octets.size() > most;
    return fmt::format("{:02x}{}", fmt::join(octets.first(std::min(octets.size(), most)), " "), cut ? " ..." : "");
}

std::string number_text(const layout::FieldInfo& info, std::uint64_t value) {
    std::string text = info.base == layout::Base::hex ? fmt::format("0x{:0{}x}", value, 2 * info.width)
                                                      : fmt::format("{}", value);
    if (const char* const name = layout::name_of(info.names, value)) text += fmt::format(" ({})", name);
    return text;
}

bool FrameLayers::is_of(std::string_view protocol) const {
    const auto kind = kind_of(session_);
    return kind && kind->protocol->protocol.token == protocol;
}

FrameField& FrameLayers::add(std::string name, std::size_t offset, std::size_t length) {
    offset = std::min(offset, frame_.data.size());
    return layers_.emplace_back(FrameField{std::move(name), offset, std::min(length, frame_.data.size() - offset)});
}

void FrameLayers::add_octets(const char* name, ByteView octets, std::size_t offset) {
    if (octets.empty()) return;
    add(fmt::format("{} ({}): {}", name, counted(octets.size(), "byte"), octets_text(octets)), offset, octets.size());
}

namespace {

void add_frame(FrameLayers& layers) {
    const capture::Frame& frame = layers.frame();
    const capture::Packet& packet = layers.packet();
    FrameField& all = layers.add(
        fmt::format("Frame {}: {} on the wire", frame.number, counted(frame.wire_length, "byte")), 0,
        frame.data.size());
    const auto remark = [&](std::string words) { all.fields.push_back({std::move(words), 0, 0}); };
    remark("Time: " + timestamp_text(frame.time));
    if (frame.data.size() < frame.wire_length) remark("Captured: " + counted(frame.data.size(), "byte"));
    if (packet.tunnels != 0) remark(fmt::format("Inside {}", counted(packet.tunnels, "tunnel")));
    if (!layers.session().empty()) remark("Session: " + layers.session());
    if (packet.unread != capture::Unread::none) remark(fmt::format("Not decoded: {}", name_of(packet.unread)));
}

/// Right before the transport's header, unless there are options.
void add_ip(FrameLayers& layers) {
    const capture::Packet& packet = layers.packet();
    if (packet.segment.empty() || packet.ip_protocol == 0) return;
    const auto transport = static_cast<std::size_t>(packet.segment.data() - layers.frame().data.data());
    constexpr std::size_t ipv4_size = layout::size_of<net::Ipv4Header>, ipv6_size = layout::size_of<net::Ipv6Header>;
    if (packet.source.kind == capture::Address::Kind::ipv4 && transport >= ipv4_size)
        layers.add_header<net::Ipv4Header>("Internet Protocol 4", transport - ipv4_size);
    else if (packet.source.kind == capture::Address::Kind::ipv6 && transport >= ipv6_size)
        layers.add_header<net::Ipv6Header>("Internet Protocol 6", transport - ipv6_size);
}

void add_ib(FrameLayers& layers) {
    const capture::IbPacket& ib = layers.packet().ib;
    constexpr std::size_t grh_size = layout::size_of<ib::Grh>, udp_size = layout::size_of<net::UdpHeader>;
    if (ib.carrier == capture::IbCarrier::roce_v1) layers.add_header<ib::Grh>("Global Route", ib.bth_offset - grh_size);
    if (ib.carrier == capture::IbCarrier::roce_v2) layers.add_header<net::UdpHeader>("UDP", ib.bth_offset - udp_size);
    FrameField& headers = layers.add(
        fmt::format("InfiniBand: {}", ib::opcode_name(ib.bth.opcode)), ib.bth_offset,
        ib.payload_offset - ib.bth_offset);
    FieldParts parts = layers.parts_of(headers, ib.bth_offset);
    layout::Walker walker(parts);
    walker.part(ib.bth);
    layout::PartReader reader(ib.extended, ib.extended.size());
    ib::for_each_extended(ib.opcode(), [&](auto header) {
        reader.read(header);
        if (!reader.error()) walker.part(header);
    });
}

void add_transport(FrameLayers& layers) {
    const capture::Packet& packet = layers.packet();
    switch (packet.transport) {
        case capture::Transport::tcp: return layers.add_header<net::TcpHeader>("TCP", packet.tcp.header_offset);
        case capture::Transport::udp:
            return layers.add_header<net::UdpHeader>(
                "UDP", packet.udp.payload_offset - layout::size_of<net::UdpHeader>);
        case capture::Transport::ib: return add_ib(layers);
        case capture::Transport::fc: {
            const capture::FcPacket& fc = *packet.fc;
            FrameField& headers = layers.add("Fibre Channel", fc.frame_offset, fc.octets.size());
            fc::walk(fc.frame, layers.parts_of(headers, fc.frame_offset));
            return;
        }
        case capture::Transport::none: return;
    }
}

/// What no protocol knows as its own.
void add_payload(FrameLayers& layers) {
    const capture::Packet& packet = layers.packet();
    if (packet.transport == capture::Transport::tcp)
        layers.add_octets("Payload", packet.tcp.payload, packet.tcp.payload_offset);
    if (packet.transport == capture::Transport::udp)
        layers.add_octets("Payload", packet.udp.payload, packet.udp.payload_offset);
    if (packet.transport == capture::Transport::ib)
        layers.add_octets("Payload", packet.ib.payload, packet.ib.payload_offset);
}

}  // namespace

std::vector<FrameField> fields_of(
    const capture::Frame& frame, const engine::Engine& engine, const std::string& session) {
    FrameLayers layers(frame, engine, session);
    add_frame(layers);
    if (frame.link == capture::LinkType::ethernet && layers.packet().tunnels == 0)
        layers.add_header<net::Ethernet>("Ethernet", 0);
    add_ip(layers);
    add_transport(layers);
    const bool is_known = std::ranges::any_of(protocol_reports(), [&](const ProtocolReport* report) {
        return report->add_fields != nullptr && report->add_fields(layers);
    });
    if (!is_known) add_payload(layers);
    return layers.take();
}

}  // namespace fabricscope::report
