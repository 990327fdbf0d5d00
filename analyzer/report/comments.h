// SPDX-License-Identifier: GPL-2.0-or-later
// Findings and observations as comments on the frames that show them.
#pragma once

#include "analyzer/report/results.h"
#include "capture/pcapng_copy.h"

namespace fabricscope::report {

/// "SMCR-R31 error, lg-1: the reply has other user data [RFC 7609, A.3.8]" on the frame that broke the rule;
/// on the frames that are further evidence, the same with that frame's number. An observation is told in full on its
/// last frame.
capture::Comments comments_of(const Results& results);

}  // namespace fabricscope::report
