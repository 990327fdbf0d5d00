// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of FC-VI: connections and Messages.
#pragma once

#include <memory>
#include <string>

#include "analyzer/observations/fcvi.h"
#include "analyzer/report/protocol.h"

namespace fabricscope::report {

extern const ProtocolReport fcvi_report;
extern const ColumnsElsewhere<engine::fcvi::Model> fcvi_columns;

bool add_fcvi_fields(FrameLayers& layers);

void write_fcvi(std::ostream& out, const engine::fcvi::Model& model, const SummaryOptions& options);

/// The IUs that the model keeps, and the aborts.
Ladder ladder_of(const engine::fcvi::Connection& connection, engine::Time start);

/// The data that one end of a connection sent, Message by Message, in the order in which these began.
std::unique_ptr<Stream> fcvi_stream(const StreamChoice& choice, OctetSink& sink);

void fcvi_overview(const engine::Models& models, Overview& overview);
void fcvi_fabric(const engine::Models& models, Fabric& fabric);
/// Of each end, what the other one wrote and read in its memory.
std::vector<Memory> fcvi_memories(const engine::fcvi::Model& model, std::size_t index);
std::string fcvi_memory_title(engine::Side owner);
std::unique_ptr<DetailListener> fcvi_detail(const engine::fcvi::Model& model, std::uint32_t connection);

/// "fcvi-3"
std::string fcvi_connection_name(std::uint32_t id);
/// "fcvi-message-3"
std::string fcvi_message_name(std::uint64_t id);

using observations::trouble_of;
using observations::why_not;

/// "ISO", "rev 1.0"
const char* version_text(engine::fcvi::wire::Version version);
/// "Reliable Delivery"; "?" if it is not known, or not the same at both ends
const char* level_text(const engine::fcvi::Connection& connection);
/// The N_Port_ID, and the Connectionpoint's address where a setup tells it.
std::string end_text(const engine::fcvi::End& end);

}  // namespace fabricscope::report
