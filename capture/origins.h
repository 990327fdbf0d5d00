// SPDX-License-Identifier: GPL-2.0-or-later
// Remembers which capture each frame of a merged timeline came from.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::capture {

/// Two octets for each frame.
class Origins {
public:
    /// The frames of a timeline that merge() made, in any order.
    void add(const Frame& frame);

    /// Where these frames come from; those that were not added are left out.
    std::map<std::uint64_t, Origin> of(const std::set<std::uint64_t>& frames) const;

private:
    std::vector<std::uint16_t> sources_;  ///< by frame number - 1
};

}  // namespace fabricscope::capture
