// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/frame_layers.h"
#include "analyzer/report/smcr_report.h"
#include "protocols/smcr/cdc.h"
#include "protocols/smcr/clc.h"
#include "protocols/smcr/llc.h"

namespace fabricscope::report {

namespace {

/// One after the other; what a later segment completes stays octets.
bool add_clc(FrameLayers& layers) {
    ByteView octets = layers.packet().tcp.payload;
    std::size_t offset = layers.packet().tcp.payload_offset;
    bool is_there = false;
    while (octets.size() > layout::size_of<fabricscope::smcr::ClcHeader>) {
        const std::size_t length = fabricscope::smcr::clc_length(octets);
        if (length == 0 || length > octets.size()) break;
        layers.add_message(
            "SMC-R CLC", fabricscope::smcr::parse_clc(octets.first(length)), octets.first(length), offset);
        octets = octets.subspan(length);
        offset += length;
        is_there = true;
    }
    if (is_there) layers.add_octets("Payload", octets, offset);
    return is_there;
}

/// Only the session tells what a SEND carries.
bool add_llc_or_cdc(FrameLayers& layers) {
    const capture::IbPacket& ib = layers.packet().ib;
    const bool is_whole = ib.opcode().operation == ib::Operation::send && ib.opcode().position == ib::Position::only;
    if (!is_whole || ib.payload.empty() || !layers.is_of("smcr")) return false;
    if (ib.payload.front() == fabricscope::smcr::cdc_type) {
        fabricscope::smcr::Cdc cdc;
        layout::parse_into(cdc, ib.payload);
        FrameField& all = layers.add("SMC-R CDC", ib.payload_offset, ib.payload.size());
        layers.parts_of(all, ib.payload_offset).part(cdc, 0, {});
    } else {
        layers.add_message(
            "SMC-R LLC", fabricscope::smcr::parse_llc(ib.payload, ib.payload_length), ib.payload, ib.payload_offset);
    }
    return true;
}

}  // namespace

bool add_smcr_fields(FrameLayers& layers) {
    const capture::Transport transport = layers.packet().transport;
    if (transport == capture::Transport::tcp) return add_clc(layers);
    return transport == capture::Transport::ib && add_llc_or_cdc(layers);
}

}  // namespace fabricscope::report
