// SPDX-License-Identifier: GPL-2.0-or-later
// RC traffic of any size in which nothing is wrong, and whose set-up was not captured: for measuring.
#pragma once

#include <cstdint>
#include <functional>

#include "capture/frame.h"

namespace fabricscope::traffic {

struct RcOptions {
    std::uint64_t frames = 1'000'000;  ///< at least
    std::uint32_t streams = 120;       ///< pairs of queue pairs between two hosts
};

/// What all streams did together.
struct RcTruth {
    std::uint64_t frames = 0;
    std::uint64_t writes = 0, reads = 0, sends = 0;
    std::uint64_t bytes = 0;
};

/// Streams take turns: a WRITE of 16,384 octets in packets of 1,024, a SEND of 64, a READ of 4,096. The same options
/// give the same frames.
RcTruth generate_rc(const RcOptions& options, const std::function<void(capture::Time, ByteView)>& sink);

}  // namespace fabricscope::traffic
