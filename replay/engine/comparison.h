// SPDX-License-Identifier: GPL-2.0-or-later
// Where a run differs from the recording: messages field by field after substitution of names, data and final states
// by their meaning. What is left to implementations is reported, but is no difference.
#pragma once

#include "replay/engine/conversation.h"

namespace fabricscope::replay {

enum class Level : std::uint8_t {
    exact,     ///< a field, or a message as a whole
    semantic,  ///< data, outcomes, final states
    policy,    ///< left to implementations: no difference in the sense of the exit status
};
/// "exact", "semantic", "policy"
const char* name_of(Level level);

struct Difference {
    Level level{};
    std::string where;    ///< channel, or what a fact or a stream is about
    std::string message;  ///< exact: the message's name
    std::string field;    ///< exact: display filter name; empty: the message as a whole. Else the fact's name
    std::string recorded, actual;
    std::uint64_t recorded_frame = 0, actual_frame = 0;  ///< 0: none
    std::string clause;                                  ///< where the field is described; may be empty
    std::string cause{};                                 ///< what it only follows from; empty: nothing is known
};

/// A message of the recording beside that of the run.
struct Pairing {
    std::optional<std::size_t> recorded, actual;
    bool differs = false;  ///< other than in policy
};

struct Comparison {
    std::vector<Pairing> pairs;  ///< in order of the recording
    std::vector<Difference> differences;
    std::vector<engine::Finding> broken;  ///< rules that the run broke and the recording did not
    std::vector<engine::Finding> own;     ///< the same, by what the played side did: no fault of the peer's
    /// No difference but of policy, and no rule of severity error broken by the peer.
    bool same() const;
};

/// `played`: the side that was played, whose messages are shown but not judged; nothing: neither was, as in two
/// captures.
Comparison compare(const Conversation& recorded, const Conversation& actual, std::optional<Side> played);
/// The difference as one line, without its values: "link 1: LLC CONFIRM LINK, smcr.llc.mac".
std::string title_of(const Difference& difference);

}  // namespace fabricscope::replay
