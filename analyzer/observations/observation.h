// SPDX-License-Identifier: GPL-2.0-or-later
// What in a capture deserves attention: what failed, stalled or was repeated, what the capture itself lacks, and the
// rules that were broken.
//
// An observation is made from the models at the end, and says what was seen, the cause where the capture shows it, and
// where to look next. What follows from a cause is no observation of its own: a RoCE path that is blocked is one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/engine/engine.h"

namespace fabricscope::observations {

using engine::Severity;

/// A kind of trouble, described once for all reports.
struct Kind {
    const char* id;     ///< "SMCR-O-declined"
    Severity severity;  ///< the worst that one of the kind has
    const char* title;
    const char* meaning;  ///< what it is, and when it is told
    const char* look;     ///< the counter, setting or command that tells more
    const char* example;  ///< the text of one
};

struct Observation {
    const Kind* kind = nullptr;           ///< nullptr: a rule that was broken
    const char* id = "";                  ///< of its Kind, or of the rule that was broken
    Severity severity{};                  ///< a kind's own, or less where there is little of it
    std::string session{};                ///< "smcr-1", "lg-1"; empty if none
    std::vector<std::uint64_t> frames{};  ///< that show it, in order; the last one is the one to look at first
    std::uint64_t count = 1;              ///< how often: packets, waits, frames
    std::string text{};                   ///< what was seen: one sentence, without the session's name
    std::string cause{};                  ///< one sentence; empty if the capture does not show it
    std::string look{};                   ///< where to look next; empty if nothing is to be done
};

/// What observations are made of.
struct Evidence {
    const engine::Models& models;
    const engine::CaptureSummary& capture;
    std::span<const engine::Finding* const> findings{};
    std::span<const std::string> unread{};     ///< why files could not be read to their end
    bool interrupted = false;                  ///< that is why
    std::span<const std::string> doubts{};     ///< what else makes the capture doubtful: clocks that differ
    std::span<const std::string> dropped{};    ///< what an interface lost before it was written
    std::span<const std::string> silent{};     ///< interfaces of a live capture on which nothing was seen
    std::span<const std::string> passed_by{};  ///< adapters whose RoCE an interface of a live capture does not show

    engine::Time end_of_capture() const { return capture.start.value_or(0) + capture.duration; }
};

/// The frames that are known (0: it is not), in order.
std::vector<std::uint64_t> frames_of(std::initializer_list<std::uint64_t> frames);

class Observations {
public:
    /// Adds one and returns it, to say more of it. Its severity and where to look are the kind's.
    Observation& add(const Kind& kind, std::string session, std::vector<std::uint64_t> frames, std::string text);
    void add(Observation observation) { all_.push_back(std::move(observation)); }

    std::span<const Observation> all() const { return all_; }
    Observation& operator[](std::size_t index) { return all_[index]; }
    /// The worst first; among equals those that were seen first.
    std::vector<Observation> sorted() &&;

private:
    std::vector<Observation> all_;
};

/// One protocol's part, or the capture's.
struct Source {
    std::span<const Kind* const> kinds;
    void (*observe)(const Evidence& evidence, Observations& observations) = nullptr;  ///< nullptr: others tell of them
};

/// In the order in which kinds are listed.
std::span<const Source* const> sources();
/// Of all sources, one after the other.
std::span<const Kind* const> catalogue();
/// nullptr if there is none of that id.
const Kind* find_kind(std::string_view id);

std::vector<Observation> observe(const Evidence& evidence);

}  // namespace fabricscope::observations
