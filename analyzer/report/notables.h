// SPDX-License-Identifier: GPL-2.0-or-later
// What in a capture deserves a reader's attention, one sentence each, the worst first.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/results.h"
#include "analyzer/report/style.h"

namespace fabricscope::report {

struct Notable {
    Ink ink;
    std::string text;
};

/// `most`: how many sessions a sentence names, and how many sentences of one kind there are.
std::vector<Notable> notables(const Results& results, const Style& style, std::size_t most);

/// A transport that the sessions of this capture use, and of which it holds nothing: a sentence each.
std::vector<std::string> missing_transports(const Results& results);

/// What became of a connection on which SMC-R did not come up, and why; empty if it did. Reads on from
/// "the connection".
std::string why_not(const engine::smcr::Connection& connection);

}  // namespace fabricscope::report
