// SPDX-License-Identifier: GPL-2.0-or-later
// Captures of Fibre Channel frames, over any carrier.
#pragma once

#include <algorithm>

#include "tests/traffic/fc_traffic.h"
#include "tests/traffic/frame_builder.h"
#include "tests/traffic/pcap_writer.h"

namespace fabricscope::traffic {

class FcWriter {
public:
    FcWriter(const std::string& path, const FcCarrierName& carrier)
        : wrap_(carrier.wrap), writer_(path, carrier.link) {}

    void write(capture::Time time, const FcFrame& frame) {
        if (wrap_ != nullptr) writer_.write(time, wrap_(frame));
        else send(time, as_fcip(frame));
    }
    /// Whether all has been written.
    bool finish() { return writer_.finish(); }

private:
    /// One FCIP connection: everything goes one way, as a bridge sends it.
    void send(capture::Time time, const Octets& octets) {
        constexpr std::size_t segment = 1400;
        for (std::size_t at = 0; at < octets.size(); at += segment) {
            const ByteView payload = ByteView(octets).subspan(at, std::min(segment, octets.size() - at));
            writer_.write(time, builder_.tcp(between(from_, to_), {50000, 3225, sequence_, 1, 0x18}, {}, payload));
            sequence_ += static_cast<std::uint32_t>(payload.size());
        }
    }

    Octets (*wrap_)(const FcFrame& frame);
    PcapWriter writer_;
    FrameBuilder builder_;
    Port from_{{{0, 0, 0x5E, 0, 0x53, 0x0A}}, {{192, 0, 2, 10}}};
    Port to_{{{0, 0, 0x5E, 0, 0x53, 0x14}}, {{192, 0, 2, 20}}};
    std::uint32_t sequence_ = 1;
};

}  // namespace fabricscope::traffic
