// SPDX-License-Identifier: GPL-2.0-or-later
// FC-VI connections for people.
#pragma once

#include <iosfwd>
#include <string>

#include "analyzer/engine/fcvi/model.h"
#include "analyzer/report/summary.h"

namespace fabricscope::report {

void write_fcvi(std::ostream& out, const engine::fcvi::Model& model, const SummaryOptions& options);

/// Why a connection did not come about, "refused by the server: Connect Reject"; empty if it did.
std::string why_not(const engine::fcvi::Connection& connection);
/// What kept a Message from an ordinary end, "failed: protection error"; empty if nothing did.
std::string trouble_of(const engine::fcvi::Message& message);

/// "ISO", "rev 1.0"
const char* version_text(engine::fcvi::wire::Version version);
/// "Reliable Delivery"; "?" if it is not known, or not the same at both ends
const char* level_text(const engine::fcvi::Connection& connection);
/// The N_Port_ID, and the Connectionpoint's address where a setup tells it.
std::string end_text(const engine::fcvi::End& end);

}  // namespace fabricscope::report
