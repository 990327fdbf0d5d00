// SPDX-License-Identifier: GPL-2.0-or-later
// Requests and replies of LLC (RFC 7609, 3.5.5.3 and A.3).
#pragma once

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::engine::smcr {

/// Whether a reply says no.
bool is_refusal(const wire::LlcMessage& message);

/// What a request is about, which its reply repeats: the number of a link, an RKey; 0 = nothing.
std::uint32_t subject_of(const wire::LlcMessage& message);

/// Whether a request of `from` changes the link group, so that no other may be under way. What the
/// client says of links are mere notifications, and DELETE LINK for all of them interrupts everything.
bool is_serialized(const wire::LlcMessage& request, Side from);

/// Nothing of messages that neither add nor delete a link.
LinkChange link_change(const wire::LlcMessage& message);
/// " 2", " of all links"; empty if it is about none
std::string target_text(const LinkChange& change);
/// "lost path", "reason 0x00060000"; empty if there is none
std::string reason_text(wire::LlcType type, const LinkChange& change);

/// "CONFIRM LINK"
const char* name_of(wire::LlcType type);

}  // namespace fabricscope::engine::smcr
