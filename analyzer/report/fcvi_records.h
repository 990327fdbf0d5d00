// SPDX-License-Identifier: GPL-2.0-or-later
// FC-VI connections and Messages as records: what JSON writes, and tables spread over columns.
#pragma once

#include "analyzer/engine/fcvi/model.h"
#include "analyzer/report/records.h"

namespace fabricscope::report {

/// "fcvi-3"
std::string fcvi_connection_name(std::uint32_t id);
/// "fcvi-message-3"
std::string fcvi_message_name(std::uint64_t id);

Json record_of(const engine::fcvi::Connection& connection, const Clock& clock);
Json record_of(const engine::fcvi::Message& message, const Clock& clock);
/// What was left out because a limit was reached.
Json limits_record(const engine::fcvi::Model& model);

}  // namespace fabricscope::report
