// SPDX-License-Identifier: GPL-2.0-or-later
// Rules, what became of them in a capture, and where traffic broke them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::engine {

using capture::Time;

enum class Severity : std::uint8_t { note, warning, error };
/// "note", "warning", "error"
const char* name_of(Severity severity);

/// What traffic is held against.
enum class Profile : std::uint8_t {
    standard,  ///< the standard's words alone
    linux_,    ///< and what Linux does otherwise is no error
    avionics,  ///< and FC-AE-RDMA's ports keep to the example profile of its annex A
};
/// "rfc7609", "linux", "fc-ae-rdma-annex-a"
const char* name_of(Profile profile);

/// A requirement of a standard that a capture can decide.
struct Rule {
    const char* id;  ///< "SMCR-R02"
    Severity severity;
    const char* clause;                ///< "RFC 7609, A.2"
    const char* sentence;              ///< what must hold
    const char* evidence;              ///< what a capture must hold for the rule to be decided
    const char* habit = nullptr;       ///< what Linux does otherwise
    std::optional<Profile> only_in{};  ///< asked for in this profile only
};

/// The catalogue, in order of ids.
std::span<const Rule> rules();

/// How often a rule was decided, and how.
struct Tally {
    std::uint64_t held = 0;
    std::uint64_t broken = 0;
    std::uint64_t excused = 0;    ///< broken by a habit that the profile allows
    std::uint64_t undecided = 0;  ///< something that matters was not captured
    const char* why = nullptr;    ///< undecided: for what reason at first
};

struct RuleResult {
    const Rule* rule = nullptr;
    Tally tally;
};

struct Finding {
    const Rule* rule = nullptr;
    std::vector<std::uint64_t> frames;  ///< the evidence; the last one is the frame that broke the rule
    std::string session;                ///< "smcr-1", "lg-1"; empty if none
    std::string text;                   ///< what was seen
};

/// What became of the rules of one protocol in a capture.
template <std::size_t rules> struct RuleRecord {
    std::array<Tally, rules> tallies{};  ///< by position in the protocol's table
    std::vector<Finding> findings;
    /// How often a limit kept a finding from being remembered.
    std::uint64_t dropped_findings = 0;
};

}  // namespace fabricscope::engine
