// SPDX-License-Identifier: GPL-2.0-or-later
// What became of FC-VI's connections and Messages, in words.
#pragma once

#include <string>

#include "analyzer/engine/fcvi/model.h"
#include "analyzer/observations/observation.h"

namespace fabricscope::observations {

extern const Source fcvi_source;

/// Why a connection did not come about, "refused by the server: Connect Reject"; empty if it did.
std::string why_not(const engine::fcvi::Connection& connection);
/// What kept a Message from an ordinary end, "failed: protection error"; empty if nothing did.
std::string trouble_of(const engine::fcvi::Message& message);

}  // namespace fabricscope::observations
