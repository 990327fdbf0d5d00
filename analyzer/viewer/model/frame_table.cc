// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/frame_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/engine/sides.h"
#include "protocols/fc/frame_header.h"
#include "protocols/ib/opcode.h"

namespace fabricscope::viewer {
namespace {

using capture::Packet;
using capture::Transport;

std::string tcp_text(const capture::TcpSegment& tcp) {
    constexpr std::array<std::pair<capture::TcpFlag, const char*>, 5> flags{
        {{capture::syn, "SYN"},
         {capture::fin, "FIN"},
         {capture::rst, "RST"},
         {capture::psh, "PSH"},
         {capture::ack, "ACK"}}};
    std::string text;
    for (const auto& [flag, name] : flags)
        if (tcp.has(flag)) text += (text.empty() ? "" : ", ") + std::string(name);
    return "TCP " + text;
}

std::string fc_text(const fc::FrameHeader& header) {
    const char* const information = layout::name_of(fc::r_ctl_names, header.r_ctl);
    const std::string words = information != nullptr ? information : fmt::format("R_CTL {:02X}h", header.r_ctl);
    if (!header.is_data()) return words;  // only there is TYPE the protocol
    const char* const type = layout::name_of(fc::type_names, header.type);
    return (type != nullptr ? type : fmt::format("TYPE {:02X}h", header.type)) + ", " + words;
}

std::string summary_of(const Packet& packet) {
    switch (packet.transport) {
        case Transport::tcp: return tcp_text(packet.tcp);
        case Transport::udp: return "UDP";
        case Transport::ib: return ib::opcode_name(packet.ib.bth.opcode);
        case Transport::fc: return fc_text(packet.fc->frame.header);
        case Transport::none: break;
    }
    if (packet.unread != capture::Unread::none) return name_of(packet.unread);
    if (packet.state != capture::DecodeState::ok) return "not decoded";
    constexpr std::uint16_t arp = 0x0806;
    if (packet.ether_type == arp) return "ARP";
    return packet.ether_type != 0 && packet.ip_protocol == 0 ? fmt::format("EtherType 0x{:04x}", packet.ether_type)
                                                             : "other traffic";
}

struct Ends {
    FrameTable::End source, destination;
};

Ends ends_of(const Packet& packet) {
    using Kind = FrameTable::End::Kind;
    Ends ends{{packet.source}, {packet.destination}};
    const auto add_ports = [&](const auto& of) {
        ends.source = {packet.source, Kind::port, of.source_port};
        ends.destination = {packet.destination, Kind::port, of.destination_port};
    };
    if (packet.transport == Transport::tcp) add_ports(packet.tcp);
    if (packet.transport == Transport::udp) add_ports(packet.udp);
    if (packet.transport == Transport::ib)
        ends.destination = {packet.destination, Kind::queue_pair, packet.ib.bth.destination_qpn};
    return ends;
}

/// "192.0.2.10:40000", "[2001:db8::1]:80", "192.0.2.10 QP 17"
std::string name_of(const FrameTable::End& end) {
    switch (end.kind) {
        case FrameTable::End::Kind::host: break;
        case FrameTable::End::Kind::queue_pair: return fmt::format("{} QP {}", to_string(end.address), end.number);
        case FrameTable::End::Kind::port:
            return to_string(engine::SocketAddress{end.address, static_cast<std::uint16_t>(end.number)});
    }
    return to_string(end.address);
}

std::uint32_t common_branch(const report::Overview& overview, std::uint32_t one, std::uint32_t other) {
    const auto above = [&](std::uint32_t node) {
        const std::size_t parent = overview.nodes[node].parent;
        return parent == report::Node::none ? FrameRow::no_node : static_cast<std::uint32_t>(parent);
    };
    std::size_t depth = overview.depth_of(one), other_depth = overview.depth_of(other);
    for (; depth > other_depth; --depth) one = above(one);
    for (; other_depth > depth; --other_depth) other = above(other);
    while (one != other) one = above(one), other = above(other);
    return one;
}

}  // namespace

std::uint32_t Words::number_of(std::string_view words) {
    const auto [place, is_new] = numbers_.try_emplace(std::string(words), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(place->first);
    return place->second;
}

/// Most frames are between ends that were seen a moment ago.
std::uint32_t FrameTable::number_of(const End& end) {
    Recent& recent = recent_[EndHash()(end) % recent_.size()];
    if (recent.end != end) recent = {end, number_in_table(end)};
    return recent.number;
}

std::uint32_t FrameTable::number_in_table(const End& end) {
    const auto [place, is_new] = ends_.try_emplace(end, 0);
    if (is_new) place->second = words.number_of(name_of(end));
    return place->second;
}

/// Most frames are of a few opcodes: their words are not made again.
std::uint32_t FrameTable::summary_number(const Packet& packet) {
    if (packet.transport != Transport::ib) return words.number_of(summary_of(packet));
    auto& known = opcodes_[packet.ib.bth.opcode];
    if (!known) known = words.number_of(summary_of(packet));
    return *known;
}

void FrameTable::add(const Packet& packet) {
    if (rows.size() >= most) {
        ++left_out;
        return;
    }
    const Ends ends = ends_of(packet);
    FrameRow row{.number = packet.number, .time = packet.time, .octets = packet.wire_length};
    const bool has_addresses = packet.source.kind != capture::Address::Kind::none;
    const bool is_ethernet = packet.ether_type != 0 || packet.mac_control != 0;
    row.source = has_addresses || !is_ethernet ? number_of(ends.source) : words.number_of(to_string(packet.source_mac));
    row.destination = has_addresses || !is_ethernet ? number_of(ends.destination)
                                                    : words.number_of(to_string(packet.destination_mac));
    row.summary = summary_number(packet);
    row.is_numbered = packet.transport == Transport::ib || packet.transport == Transport::tcp;
    if (packet.transport == Transport::ib) row.sequence = packet.ib.bth.psn;
    if (packet.transport == Transport::tcp) row.sequence = packet.tcp.sequence;
    rows.push_back(row);
}

void FrameTable::sort() {
    if (!std::ranges::is_sorted(rows, {}, &FrameRow::number)) std::ranges::stable_sort(rows, {}, &FrameRow::number);
}

void FrameTable::mark(std::uint64_t frame, std::size_t node) {
    const std::size_t row = row_of(frame);
    if (row < rows.size() && rows[row].node == FrameRow::no_node) rows[row].node = static_cast<std::uint32_t>(node);
}

void FrameTable::take_operations_of(const report::Overview& overview, bool counted) {
    for (std::size_t i = 0; i < overview.nodes.size(); ++i) {
        const report::Node& node = overview.nodes[i];
        if ((node.octets || node.packets) != counted) continue;
        for (const report::Lane& lane : node.lanes)
            for (const report::Slice& slice : lane.slices) mark(slice.frame, i);
    }
}

void FrameTable::spread_over_flows(const report::Overview& overview, const std::vector<Flow>& flows) {
    const auto flow_of = [](std::uint32_t from, std::uint32_t to) { return std::uint64_t{from} << 32 | to; };
    using Branches = std::unordered_map<std::uint64_t, std::uint32_t>;
    const auto add = [&](Branches& branches, std::uint64_t flow, std::uint32_t node) {
        const auto [place, is_new] = branches.try_emplace(flow, node);
        if (!is_new && place->second != FrameRow::no_node && place->second != node)
            place->second = common_branch(overview, place->second, node);
    };
    Branches branches, unknown;
    for (const FrameRow& row : rows)
        if (row.node != FrameRow::no_node) add(branches, flow_of(row.source, row.destination), row.node);
    for (const Flow& flow : flows) {
        const auto from = ends_.find(flow.from), to = ends_.find(flow.to);
        if (from != ends_.end() && to != ends_.end()) add(unknown, flow_of(from->second, to->second), flow.node);
    }
    branches.merge(unknown);
    for (FrameRow& row : rows) {
        if (row.node != FrameRow::no_node) continue;
        if (const auto place = branches.find(flow_of(row.source, row.destination)); place != branches.end())
            row.node = place->second;
    }
}

void FrameTable::take_nodes_from(const report::Overview& overview, const std::vector<Flow>& flows) {
    for (const bool counted : {true, false}) {
        take_operations_of(overview, counted);
        spread_over_flows(overview, flows);
    }
}

std::size_t FrameTable::row_of(std::uint64_t frame) const {
    // Of one file without gaps, which is the rule, it can be told at once.
    if (!rows.empty() && frame >= rows.front().number) {
        const std::uint64_t guess = frame - rows.front().number;
        if (guess < rows.size() && rows[guess].number == frame) return guess;
    }
    const auto row = std::ranges::lower_bound(rows, frame, {}, &FrameRow::number);
    return row != rows.end() && row->number == frame ? static_cast<std::size_t>(row - rows.begin()) : rows.size();
}

}  // namespace fabricscope::viewer
