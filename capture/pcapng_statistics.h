// SPDX-License-Identifier: GPL-2.0-or-later
// What a pcapng file says was lost before it was written: Interface Statistics Blocks
// (https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-02.html, section 4.6).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::capture {

/// What one interface lost.
struct InterfaceLoss {
    std::uint32_t interface = 0;  ///< its number in the section
    std::uint64_t frames = 0;     ///< isb_ifdrop and isb_osdrop
};

/// Of the blocks at the end of the file, where capture programs put them; those that lost nothing are left out. Empty
/// if it is no pcapng file, or none that can be read from its end.
std::vector<InterfaceLoss> losses_told_at_the_end_of(const std::string& path);

/// An Interface Statistics Block in this host's byte order, as PcapngWriter's files have it: `received` and `dropped`
/// are numbers of frames until `time`.
std::array<std::uint32_t, 13> interface_statistics_block(
    std::uint32_t interface, Time time, std::uint64_t received, std::uint64_t dropped);

}  // namespace fabricscope::capture
