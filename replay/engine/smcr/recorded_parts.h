// SPDX-License-Identifier: GPL-2.0-or-later
// Steps by which a session is put together: recorded.cc has the messages, these find out what they mean.
#pragma once

#include "replay/engine/smcr/recorded.h"

namespace fabricscope::replay::smcr {

/// Why a link group that was set up before the capture began cannot be played.
inline constexpr const char* unknown_links =
    "the link group has several links and was set up before the capture began, so that not all its links and keys are "
    "known";

/// nullptr: the connection is in none.
const tracker::LinkGroup* group_of(const engine::Engine& engine, const tracker::Connection& connection);

/// Which of its links a connection gets, and where it goes when one is lost, depends on the other connections.
inline bool has_choice(const tracker::LinkGroup& group) { return group.links.size() > 1; }

/// The connection that set up the link group of a later one; nullptr if there is none.
const tracker::Connection* first_contact_of(const engine::Engine& engine, const tracker::Connection& connection);

/// Nothing came of the link that CLC agreed on: a side waited for its confirmation in vain.
bool waited_in_vain(const RecordedConnection& connection);

/// It ended, and neither side had told over RoCE that it is done.
bool is_left_without_a_word(const tracker::Connection& model);

/// Of links that were lost, that never came to be, and that were there before: what Recorded tells of them. The
/// messages have to be there.
void find_what_became_of_links(Recorded& recorded, bool set_up_before);

/// What is compared besides messages. `alone`: the others of its link group are not played.
void tell_facts(Recorded& recorded, bool alone);

/// Why a run cannot be the same in everything, for the user who sees that.
void tell_causes(Recorded& recorded);

}  // namespace fabricscope::replay::smcr
