// SPDX-License-Identifier: GPL-2.0-or-later
// A rule that traffic broke, and where.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::engine {

using capture::Time;

enum class Severity : std::uint8_t { note, warning, error };
/// "note", "warning", "error"
const char* name_of(Severity severity);

/// A requirement of a standard that a capture can decide.
struct Rule {
    const char* id;  ///< "SMCR-R02"
    Severity severity;
    const char* clause;    ///< "RFC 7609, A.2"
    const char* sentence;  ///< what must hold
};

/// The catalogue, in order of ids.
std::span<const Rule> rules();

struct Finding {
    const Rule* rule = nullptr;
    std::vector<std::uint64_t> frames;
    std::string session;  ///< "smcr-1", "lg-1"; empty if none
    std::string text;     ///< what was seen
};

}  // namespace fabricscope::engine
