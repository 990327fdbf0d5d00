// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_ae_rdma_report.h"
#include "analyzer/report/frame_layers.h"
#include "protocols/fc_ae_rdma/command.h"
#include "protocols/fc_ae_rdma/response.h"

namespace fabricscope::report {

/// Other FCP is not its own.
bool add_fc_ae_rdma_fields(FrameLayers& layers) {
    namespace wire = fabricscope::fc_ae_rdma;
    constexpr std::uint8_t information = 0x0F, unsolicited_command = 6, command_status = 7;
    if (layers.packet().transport != capture::Transport::fc || !layers.is_of("fc-ae-rdma")) return false;
    const capture::FcPacket& packet = *layers.packet().fc;
    const auto& header = packet.frame.header;
    if (header.type != wire::fc_type) return false;
    if ((header.r_ctl & information) == unsolicited_command)
        layers.add_header<wire::Command>("FCP_CMND", packet.payload_offset);
    if ((header.r_ctl & information) == command_status)
        layers.add_header<wire::Response>("FCP_RSP", packet.payload_offset);
    return true;
}

}  // namespace fabricscope::report
