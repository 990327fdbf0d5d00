// SPDX-License-Identifier: GPL-2.0-or-later
// Whether captures that are read together can be of one network: whether the links of one file end at a host of the
// other's, be it by way of a third one.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/fabric.h"
#include "capture/origins.h"

namespace fabricscope::report {

/// A sentence for each file that has no host in common with the first one; those in which no link begins are left out.
/// `origins` has all frames, `files` stand as its sources do.
std::vector<std::string> strangers(
    const Fabric& fabric, const capture::Origins& origins, const std::vector<std::string>& files);

}  // namespace fabricscope::report
