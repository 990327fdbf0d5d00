// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of Fibre Channel: Exchanges, logins, addresses.
#pragma once

#include <string>

#include "analyzer/observations/fc.h"
#include "analyzer/report/protocol.h"

namespace fabricscope::report {

extern const ProtocolReport fc_report;
extern const ColumnsElsewhere<engine::fibre_channel::Model> fc_columns;

bool add_fc_fields(FrameLayers& layers);

void write_fc(std::ostream& out, const engine::fibre_channel::Model& model, const SummaryOptions& options);

/// The Sequences that the model keeps, and the abort.
Ladder ladder_of(const engine::fibre_channel::Exchange& exchange, engine::Time start);

void fc_overview(const engine::Models& models, Overview& overview);

std::unique_ptr<DetailListener> exchange_detail(const engine::fibre_channel::Exchange& exchange);

/// "xchg-3"
std::string exchange_name(std::uint32_t id);
/// "login-3"
std::string login_name(std::uint32_t id);

using observations::trouble_of;

}  // namespace fabricscope::report
