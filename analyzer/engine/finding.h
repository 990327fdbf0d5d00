// SPDX-License-Identifier: GPL-2.0-or-later
// Rules, what became of them in a capture, and where traffic broke them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/engine/undecided.h"
#include "capture/frame.h"

namespace fabricscope::engine {

using capture::Time;

enum class Severity : std::uint8_t { note, warning, error };
/// "note", "warning", "error"
const char* name_of(Severity severity);

/// What traffic is judged by.
enum class Profile : std::uint8_t {
    standard,  ///< the standard's words alone
    linux_,    ///< and what Linux does otherwise is no error
    avionics,  ///< and FC-AE-RDMA's ports keep to the example profile of its annex A
};
/// "rfc7609", "linux", "fc-ae-rdma-annex-a"
const char* name_of(Profile profile);

/// What a capture must hold for a rule to be decided.
struct Evidence {
    const char* text;  ///< "the message"
    bool in_messages, in_stretch;
};
/// What was captured decides: what was not has no value that could break the rule.
consteval Evidence messages(const char* text) { return {text, true, false}; }
/// That nothing else was sent counts, too: no frame of it may be missing.
consteval Evidence stretch(const char* text) { return {text, false, true}; }
/// The one or the other, as the text says.
consteval Evidence messages_or_stretch(const char* text) { return {text, true, true}; }

/// A requirement of a standard that a capture can decide.
struct Rule {
    const char* id;  ///< "SMCR-R02"
    Severity severity;
    const char* clause;    ///< "RFC 7609, A.2"
    const char* sentence;  ///< what must hold
    Evidence evidence;
    const char* deviation = nullptr;   ///< what Linux does otherwise
    std::optional<Profile> only_in{};  ///< asked for in this profile only
};

/// The rules of all protocols: their catalogues, one after the other.
std::span<const Rule* const> rules();

/// A rule of a protocol's catalogue, by its position there. It is made of the rule's constant while compiling; what
/// is not in the catalogue does not compile.
template <const auto& catalogue> class RuleOfMessages;
template <const auto& catalogue> class RuleIn {
public:
    using OfMessages = RuleOfMessages<catalogue>;

    consteval RuleIn(const Rule& rule) : position_(position_of(rule.id)) {}
    constexpr std::size_t position() const { return position_; }
    constexpr const Rule& operator*() const { return *catalogue[position_]; }
    bool operator==(const RuleIn&) const = default;

private:
    // Ids differ; addresses are no constants to GCC when it instruments.
    static consteval std::size_t position_of(std::string_view id) {
        for (std::size_t i = 0; i < catalogue.size(); ++i)
            if (catalogue[i]->id == id) return i;
        throw "the rule is not in the catalogue";
    }

    std::size_t position_;
};

/// A rule that messages decide. One that needs a stretch of the capture does not compile.
template <const auto& catalogue> class RuleOfMessages : public RuleIn<catalogue> {
public:
    consteval RuleOfMessages(const Rule& rule) : RuleIn<catalogue>(rule) {
        if (!rule.evidence.in_messages) throw "the rule needs a stretch of the capture";
    }
};

/// How often a rule was decided, and how.
struct Tally {
    std::uint64_t satisfied = 0;
    std::uint64_t broken = 0;
    std::uint64_t waived = 0;            ///< broken by a deviation that the profile allows
    std::uint64_t undecided = 0;         ///< something that matters was not captured
    std::optional<UndecidedReason> why;  ///< undecided: for what reason at first
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
    /// Not the sender of the last frame broke the rule, but its receiver, who should have answered.
    bool by_silence = false;
};

/// What became of the rules of one protocol in a capture.
struct RuleOutcomes {
    std::span<const Rule* const> rules{};
    std::span<const Tally> tallies{};  ///< of each of them
    std::span<const Finding> findings{};
};

/// The same, in the protocol's model.
template <const auto& catalogue> struct RuleRecord {
    std::array<Tally, catalogue.size()> tallies{};  ///< by position in the catalogue
    std::vector<Finding> findings;
    /// How often a limit kept a finding from being remembered.
    std::uint64_t dropped_findings = 0;
    std::uint64_t further_findings = 0;  ///< of these: there were enough of the same rule and session already

    /// Findings of which nothing but a rule's count tells.
    std::uint64_t lost_findings() const { return dropped_findings - further_findings; }
    RuleOutcomes outcomes() const { return {catalogue, tallies, findings}; }
    const Tally& of(RuleIn<catalogue> rule) const { return tallies[rule.position()]; }
};

}  // namespace fabricscope::engine
