// SPDX-License-Identifier: GPL-2.0-or-later
// What a recorded side was: the habits and the equipment that its messages show.
#pragma once

#include "replay/engine/smcr/recorded.h"
#include "replay/stack/smcr/peer.h"

namespace fabricscope::replay::smcr {

/// As its cursors and messages show them.
stack::smcr::Profile profile_of(const Recorded& recorded, Side side);
/// Why that side did not want SMC-R for the connection, if it declined for reasons that only it knows.
std::optional<stack::smcr::Refusal> refusal_of(const RecordedConnection& connection, Side side);
/// A host that would have sent what that side sent; its declines, too, where they come of what it is or has.
/// `profile`: "linux", "rfc7609", or empty for profile_of(). Throws NotPlayable.
stack::smcr::PeerConfig config_of(const Recorded& recorded, Side side, const std::string& profile);

}  // namespace fabricscope::replay::smcr
