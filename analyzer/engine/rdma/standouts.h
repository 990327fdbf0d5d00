// SPDX-License-Identifier: GPL-2.0-or-later
// What deserves attention about a stream, in one sentence each.
#pragma once

#include <string>
#include <vector>

#include "analyzer/engine/finding.h"
#include "analyzer/engine/rdma/model.h"

namespace fabricscope::engine::rdma {

struct Standout {
    Severity severity{};
    std::string text;         ///< reads on from the stream's name and a colon
    std::uint64_t count = 0;  ///< packets, or how often
};

/// The worst first; none of a healthy stream.
std::vector<Standout> standouts_of(const Stream& stream);

/// 0 of a healthy stream; the larger, the worse.
double trouble_of(const Stream& stream);

}  // namespace fabricscope::engine::rdma
