// SPDX-License-Identifier: GPL-2.0-or-later
// A Fibre Channel conversation in which nothing is wrong, over any carrier.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "capture/frame.h"
#include "tests/traffic/fc_builder.h"

namespace fabricscope::traffic {

struct FcTrafficOptions {
    std::uint64_t frames = 100;  ///< of Fibre Channel, at least
};

/// Class 2 with ACKs, an aborted Exchange, Sequences of several frames with Device_Headers of each size, all of a
/// vendor's TYPE; then scenarios of FC-VI and FC-AE-RDMA, over and over until there are enough frames.
void generate_fc(
    const FcTrafficOptions& options, const std::function<void(capture::Time time, const FcFrame& frame)>& sink);

/// A way to carry frames, and the link type of its captures.
struct FcCarrierName {
    std::string_view name;
    std::uint32_t link;                    ///< as pcap files name it
    Octets (*wrap)(const FcFrame& frame);  ///< nullptr: FCIP, which takes more than one packet
};
std::span<const FcCarrierName> fc_carriers();

}  // namespace fabricscope::traffic
