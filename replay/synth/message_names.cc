// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/message_names.h"

#include <algorithm>

#include "capture/packet.h"
#include "protocols/fc/ct.h"
#include "protocols/fc/els.h"
#include "protocols/fc_ae_rdma/command.h"
#include "protocols/fcvi/device_header.h"
#include "protocols/rdma_cm/message.h"
#include "protocols/smcr/cdc.h"
#include "protocols/smcr/llc.h"
#include "replay/stack/core/endpoint.h"

namespace fabricscope::synth {
namespace {

std::string tcp_name(const capture::TcpSegment& segment) {
    if (segment.has(capture::syn)) return "SYN";
    if (segment.has(capture::rst)) return "RST";
    if (smcr::clc_length(segment.payload) != 0 && segment.payload.size() > 4)
        return std::string("CLC ") + layout::name_of(smcr::clc_type_names, segment.payload[4]);
    if (segment.has(capture::fin)) return "FIN";
    return segment.payload_length == 0 ? "ACK" : "DATA";
}

std::string text_or_nothing(const char* name) { return name == nullptr ? std::string() : name; }

std::string ib_name(const capture::IbPacket& packet) {
    const std::size_t size = packet.payload.size();
    if (packet.has_deth && fabricscope::rdma_cm::is_cm(packet.payload, size))
        return text_or_nothing(
            layout::name_of(ib::cm_attribute_names, fabricscope::rdma_cm::parse(packet.payload).mad.attribute_id));
    if (packet.opcode().operation == ib::Operation::send) {
        if (smcr::looks_like_cdc(packet.payload, size)) return "CDC";
        if (smcr::looks_like_llc(packet.payload, size))
            return std::string("LLC ") + layout::name_of(smcr::llc_type_names, packet.payload[0]);
    }
    return text_or_nothing(ib::opcode_name(packet.bth.opcode));
}

/// ISO's opcodes are unambiguous but for two, which differ by the Device_Header's size from those of revision 1.0.
std::string fcvi_name(const fc::Frame& frame) {
    const ByteView octets = frame.device_header();
    for (const fcvi::Version version : {fcvi::Version::iso, fcvi::Version::rev_1_0}) {
        const fcvi::DeviceHeader header = fcvi::parse_device_header(octets, octets.size(), version);
        const fcvi::IuInfo* iu = header.error ? nullptr : header.iu();
        if (iu != nullptr && iu->device_header == octets.size()) return iu->name;
    }
    return {};
}

std::string ct_name(const fc::Frame& frame) {
    const fc::CtMessage message = fc::parse_ct(frame.payload, frame.payload_length);
    return text_or_nothing(layout::name_of(fc::ct_command_names, message.header.command));
}

}  // namespace

std::string fc_message_name(ByteView octets, capture::LinkType link) {
    capture::Frame captured = stack::ethernet_frame(octets);
    captured.link = link;
    const capture::Packet packet = capture::decode(captured);
    if (!packet.fc) return {};
    const fc::Frame& frame = packet.fc->frame;
    const fc::FrameHeader& header = frame.header;
    if (!header.is_data()) return text_or_nothing(layout::name_of(fc::r_ctl_names, header.r_ctl));
    switch (header.type) {
        case fc::type_els:
            return frame.payload.empty() ? ""
                                         : text_or_nothing(layout::name_of(fc::els_command_names, frame.payload[0]));
        case fc::type_ct: return ct_name(frame);
        case fc::type_fcp: return text_or_nothing(layout::name_of(fc_ae_rdma::iu_names, header.r_ctl));
        case fc::type_fcvi: return fcvi_name(frame);
        default: return {};
    }
}

std::string message_name(ByteView frame) {
    const capture::Packet packet = capture::decode(stack::ethernet_frame(frame));
    switch (packet.transport) {
        case capture::Transport::tcp: return tcp_name(packet.tcp);
        case capture::Transport::ib: return ib_name(packet.ib);
        default: return {};
    }
}

namespace {

/// Names that several values have are one.
template <class Named> void append(std::vector<std::string>& names, const Named& more, const std::string& prefix = "") {
    for (const auto& one : more)
        if (std::string name = prefix + one.name; std::ranges::find(names, name) == names.end())
            names.push_back(std::move(name));
}

}  // namespace

std::vector<std::string> message_names() {
    std::vector<std::string> names{"SYN", "RST", "FIN", "ACK", "DATA", "CDC"};
    append(names, smcr::clc_type_names, "CLC ");
    append(names, smcr::llc_type_names, "LLC ");
    append(names, ib::cm_attribute_names);
    append(names, ib::opcode_names);
    return names;
}

std::vector<std::string> fc_message_names() {
    std::vector<std::string> names;
    append(names, fc::r_ctl_names);
    append(names, fc::els_command_names);
    append(names, fc::ct_command_names);
    append(names, fc_ae_rdma::iu_names);
    append(names, fcvi::iso_ius);
    append(names, fcvi::rev_1_0_ius);
    return names;
}

}  // namespace fabricscope::synth
