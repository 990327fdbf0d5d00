// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fcvi_report.h"
#include "analyzer/report/frame_layers.h"
#include "protocols/fcvi/connect.h"
#include "protocols/fcvi/device_header.h"

namespace fabricscope::report {

/// How old the header is, only the connection tells.
bool add_fcvi_fields(FrameLayers& layers) {
    namespace wire = fabricscope::fcvi;
    if (layers.packet().transport != capture::Transport::fc) return false;
    const capture::FcPacket& packet = *layers.packet().fc;
    const ByteView device = packet.frame.device_header(), payload = packet.frame.payload;
    if (packet.frame.header.type != wire::fc_type || device.empty()) return false;
    const auto session = session_named(layers.engine(), layers.session());
    const bool is_known = session && layers.is_of("fcvi");
    const auto version = is_known ? layers.engine().fcvi().connections[session->index].version : wire::Version::iso;
    const wire::DeviceHeader header = wire::parse_device_header(device, device.size(), version);
    const wire::IuInfo* const iu = header.iu();
    layers.add_message(
        iu != nullptr ? iu->name : "FC-VI", header, device,
        static_cast<std::size_t>(device.data() - layers.frame().data.data()));
    if (iu != nullptr && iu->payload == wire::Content::connect_info && !payload.empty())
        layers.add_message(
            "Connection", wire::parse_connect(payload, packet.frame.payload_length, version), payload,
            packet.payload_offset);
    return true;
}

}  // namespace fabricscope::report
