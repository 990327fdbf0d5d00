// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of all that is reported: of the document, and of each protocol's part of it.
#pragma once

#include "analyzer/report/columns.h"

namespace fabricscope::report {

/// From here everything is reached that is reported.
extern const ColumnsElsewhere<Results> document_columns;
extern const TableOf<Results> document_table;

extern const ColumnsElsewhere<engine::smcr::Model> smcr_columns;
extern const ColumnsElsewhere<engine::rdma_cm::Model> rdma_cm_columns;
extern const ColumnsElsewhere<engine::fibre_channel::Model> fc_columns;
extern const ColumnsElsewhere<engine::fcvi::Model> fcvi_columns;
extern const ColumnsElsewhere<engine::fc_ae_rdma::Model> fc_ae_rdma_columns;

extern const ColumnsElsewhere<engine::Rule> rule_columns;

Context context_of(const Results& results, bool cursors);

}  // namespace fabricscope::report
