// SPDX-License-Identifier: GPL-2.0-or-later
// What became of the set-up of SMC-R's connections, in words.
#pragma once

#include <optional>
#include <string>

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::observations {

/// What became of a connection on which SMC-R did not come up, and why; empty if it did. Reads on from
/// "the connection".
std::string why_not(const engine::smcr::Connection& connection);

/// What a decline's code asks to be looked at; empty if there is nothing special.
std::string where_to_look(const engine::smcr::Connection& connection);

/// What a first contact waited for in vain, as it says when it ends; nothing if it ended otherwise.
std::optional<engine::smcr::wire::LlcType> waited_in_vain(const engine::smcr::Connection& connection);

/// Whether the server's answer to the SYN was a reset.
bool was_refused(const engine::smcr::Connection& connection);

/// How long the client has repeated its SYN, if nothing else of the connection was captured; 0: it did not, or the same
/// SYN was captured twice.
engine::Time repeated_syn(const engine::smcr::Connection& connection);

/// ": the SMC option of the SYN was removed ..."; empty if nothing suggests that.
std::string option_lost_text(const engine::smcr::Connection& connection);

/// "CONFIRM LINK"
std::string llc_name(const engine::smcr::LlcExchange& exchange);

}  // namespace fabricscope::observations
