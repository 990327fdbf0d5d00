// SPDX-License-Identifier: GPL-2.0-or-later
// Whether captures that are read together can be of one network: whether the sessions of one file have an address in
// common with those of another, be it by way of a third one, or of what an SMC-R or RDMA IP CM message tells of a port.
#pragma once

#include <string>
#include <vector>

#include "analyzer/engine/protocols.h"
#include "capture/origins.h"

namespace fabricscope::report {

/// A sentence for each file that has no address in common with the first one; those without any session are left out.
/// `origins` has all frames, `files` stand as its sources do. None if there are too many sessions to tell.
std::vector<std::string> strangers(
    const engine::Models& models, const capture::Origins& origins, const std::vector<std::string>& files);

}  // namespace fabricscope::report
