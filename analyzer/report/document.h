// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of all that is reported.
#pragma once

#include "analyzer/report/columns.h"

namespace fabricscope::report {

/// From here everything is reached that is reported.
extern const ColumnsElsewhere<Results> document_columns;
extern const TableOf<Results> document_table;

extern const ColumnsElsewhere<engine::Rule> rule_columns;

Context context_of(const Results& results, bool cursors);

}  // namespace fabricscope::report
