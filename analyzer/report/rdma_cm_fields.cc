// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/frame_layers.h"
#include "analyzer/report/rdma_cm_report.h"
#include "protocols/ib/mad.h"
#include "protocols/rdma_cm/message.h"
#include "protocols/rdma_cm/message_walk.h"

namespace fabricscope::report {

bool add_rdma_cm_fields(FrameLayers& layers) {
    const capture::Packet& packet = layers.packet();
    const capture::IbPacket& ib = packet.ib;
    const bool is_there = packet.transport == capture::Transport::ib && ib.bth.destination_qpn == ib::gsi_qpn &&
                          fabricscope::rdma_cm::is_cm(ib.payload, ib.payload_length);
    if (is_there)
        layers.add_message(
            "Communication Management", fabricscope::rdma_cm::parse(ib.payload), ib.payload, ib.payload_offset);
    return is_there;
}

}  // namespace fabricscope::report
