// SPDX-License-Identifier: GPL-2.0-or-later
// The configuration of a recorded side, deduced from its messages: implementation, devices, limits.
#pragma once

#include "replay/engine/smcr/recorded.h"
#include "replay/stack/smcr/peer.h"

namespace fabricscope::replay::smcr {

/// As its cursors and messages show them.
stack::smcr::Profile profile_of(const Recorded& recorded, Side side);
/// Why that side did not want SMC-R for the connection, if it declined for reasons that only it knows.
std::optional<stack::smcr::Refusal> refusal_of(const RecordedConnection& connection, Side side);
/// The configuration of a host that would have sent what that side sent, declines included where they follow from it.
/// `profile`: "linux", "rfc7609", or empty for profile_of(). Throws NotPlayable.
stack::smcr::PeerConfig config_of(const Recorded& recorded, Side side, const std::string& profile);

}  // namespace fabricscope::replay::smcr
