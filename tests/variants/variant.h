// SPDX-License-Identifier: GPL-2.0-or-later
// Incomplete captures: what a capture would hold if frames had been lost, cut, seen twice, or seen from elsewhere.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/traffic/recording.h"
#include "tests/variants/ways.h"

namespace fabricscope::variants {

/// A frame of the whole capture, as the variant holds it.
struct Kept {
    std::size_t index = 0;                                               ///< in the whole capture, from 0
    std::uint32_t captured = std::numeric_limits<std::uint32_t>::max();  ///< octets, at most
    std::uint32_t interface = 0;
    capture::Time later = 0;  ///< how much later than in the whole capture; may be negative
    Way way = Way::as_sent;
};

struct Variant {
    std::string kind;  ///< "snap length", "one frame lost", "late start + snap length" ...
    std::string name;  ///< which of these: "128", "frame 12"
    std::vector<Kept> frames;
    std::uint32_t interfaces = 1;
    bool in_order = true;    ///< as in the whole capture
    bool same_times = true;  ///< as there
    bool to_the_end = true;  ///< it ends with the last frame of the whole capture
};

/// Calls `use` with each variant, and with nothing that equals the whole capture. `effort` says how many variants are
/// made: 1 is what a test run has time for; the larger, the more frames and lengths are tried.
void for_each_variant(
    const traffic::Recording& whole, std::size_t effort, const std::function<void(const Variant&)>& use);

/// Only those that lose frames, wherever they are, or have one direction or transport.
void for_each_loss(const traffic::Recording& whole, std::size_t effort, const std::function<void(const Variant&)>& use);

/// Calls `use` with the one that has this kind and name, whatever effort makes it. Only what loses frames has such
/// names.
void for_named(
    const traffic::Recording& whole, const std::string& kind, const std::string& name,
    const std::function<void(const Variant&)>& use);

}  // namespace fabricscope::variants
