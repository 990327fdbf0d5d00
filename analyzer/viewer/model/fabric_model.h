// SPDX-License-Identifier: GPL-2.0-or-later
// What the picture of the fabric is made of: links that are drawn one by one, or, where there are many between two
// ports, together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/fabric.h"

namespace fabricscope::viewer {

/// Links that are one line.
struct Bundle {
    std::vector<const report::FabricLink*> links;
    std::array<std::size_t, 2> ports{};  ///< the lower one first
    std::size_t place = 0, of = 1;       ///< among the lines between these ports
};
/// Up to six lines between two ports; more would be none to be told apart.
std::vector<Bundle> bundles_of(const report::Fabric& fabric);

struct BundleState {
    std::size_t up = 0;  ///< links
    std::uint64_t packets = 0, retransmitted = 0, failures = 0, cnps = 0;
};
BundleState state_of(const Bundle& bundle, std::optional<engine::Time> time);
/// "link 1", "40 links"
std::string name_of(const Bundle& bundle);

}  // namespace fabricscope::viewer
