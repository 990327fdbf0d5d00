// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_report.h"
#include "analyzer/report/frame_layers.h"
#include "protocols/fc/ct.h"
#include "protocols/fc/els.h"

namespace fabricscope::report {

bool add_fc_fields(FrameLayers& layers) {
    if (layers.packet().transport != capture::Transport::fc) return false;
    const capture::FcPacket& packet = *layers.packet().fc;
    const fabricscope::fc::FrameHeader& header = packet.frame.header;
    const ByteView payload = packet.frame.payload;
    const std::size_t length = packet.frame.payload_length;
    if (payload.empty()) return false;
    if (header.is_els())
        layers.add_message(
            "Extended Link Service", fabricscope::fc::parse_els(payload, length), payload, packet.payload_offset);
    else if (header.type == fabricscope::fc::type_ct)
        layers.add_message(
            "Common Transport", fabricscope::fc::parse_ct(payload, length), payload, packet.payload_offset);
    else return false;
    return true;
}

}  // namespace fabricscope::report
