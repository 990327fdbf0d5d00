// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/message_names.h"

#include "capture/packet.h"
#include "protocols/rdma_ip_cm/message.h"
#include "protocols/smcr/cdc.h"
#include "protocols/smcr/llc.h"
#include "replay/stack/core/endpoint.h"

namespace fabricscope::synth {
namespace {

std::string tcp_name(const capture::TcpSegment& segment) {
    if (segment.has(capture::syn)) return "SYN";
    if (segment.has(capture::rst)) return "RST";
    if (smcr::clc_length(segment.payload) != 0 && segment.payload.size() > 4)
        return std::string("CLC ") + layout::name_of(smcr::kClcTypeNames, segment.payload[4]);
    if (segment.has(capture::fin)) return "FIN";
    return segment.payload_length == 0 ? "ACK" : "DATA";
}

std::string text_or_nothing(const char* name) { return name == nullptr ? std::string() : name; }

std::string ib_name(const capture::IbPacket& packet) {
    const std::size_t size = packet.payload.size();
    if (packet.has_deth && rdma_ip_cm::is_cm(packet.payload, size))
        return text_or_nothing(
            layout::name_of(ib::cm_attribute_names, rdma_ip_cm::parse(packet.payload).mad.attribute_id));
    if (packet.opcode().operation == ib::Operation::send) {
        if (smcr::looks_like_cdc(packet.payload, size)) return "CDC";
        if (smcr::looks_like_llc(packet.payload, size))
            return std::string("LLC ") + layout::name_of(smcr::kLlcTypeNames, packet.payload[0]);
    }
    return text_or_nothing(ib::opcode_name(packet.bth.opcode));
}

}  // namespace

std::string message_name(ByteView frame) {
    const capture::Packet packet = capture::decode(stack::ethernet_frame(frame));
    switch (packet.transport) {
        case capture::Transport::tcp: return tcp_name(packet.tcp);
        case capture::Transport::ib: return ib_name(packet.ib);
        default: return {};
    }
}

}  // namespace fabricscope::synth
