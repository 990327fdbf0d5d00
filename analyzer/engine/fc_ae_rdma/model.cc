// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc_ae_rdma/model.h"

#include <algorithm>

namespace fabricscope::engine::fc_ae_rdma {

const char* name_of(MessageState state) {
    switch (state) {
        case MessageState::open: return "open";
        case MessageState::complete: return "complete";
        case MessageState::failed: return "failed";
        case MessageState::aborted: return "aborted";
    }
    return "";
}

std::uint64_t Region::end() const {
    std::uint64_t highest = 0;
    for (const RangeSet* ranges : {&read, &written})
        if (!ranges->ranges().empty()) highest = std::max(highest, ranges->ranges().back().end);
    return highest;
}

}  // namespace fabricscope::engine::fc_ae_rdma
