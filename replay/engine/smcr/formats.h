// SPDX-License-Identifier: GPL-2.0-or-later
// How SMC-R's messages are compared with recorded ones: which fields are identifiers, and which are left open
// (RFC 7609, A.2 to A.4; version 2 as Linux has it).
#pragma once

#include "replay/engine/conversation.h"

namespace fabricscope::replay::smcr {

/// "CLC ACCEPT"; "CLC message" if the type is not known.
std::string clc_name(ByteView message);
const MessageFormat& clc_format();

/// "LLC ADD LINK", "LLC ADD LINK reply"
std::string llc_name(ByteView message);
/// Whose the names in a message are depends on whether it is a request, an answer of one's own or an echo.
const MessageFormat& llc_format(ByteView message);

/// CDC messages that carry more than cursors: "CDC closed", "CDC urgent" ... Empty: an ordinary one.
/// `before`: the state in the sender's previous one.
struct CdcState {
    bool sending_done = false, closed = false, aborted = false;
};
std::string cdc_name(ByteView message, const CdcState& before);
/// The state after the message. A failover validation has none (RFC 7609, 4.6.1).
CdcState cdc_state(ByteView message, const CdcState& before);
inline constexpr const char* failover_validation = "CDC failover validation";
const MessageFormat& cdc_format();

/// Of SMC-R peer ids: what tells hosts apart that have one MAC address.
inline constexpr const char* instance_kind = "peer instance";

}  // namespace fabricscope::replay::smcr
