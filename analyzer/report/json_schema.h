// SPDX-License-Identifier: GPL-2.0-or-later
// What analyze --json writes, as a JSON Schema (draft 2020-12) from the same columns.
#pragma once

#include <iosfwd>

namespace fabricscope::report {

void write_json_schema(std::ostream& out);

}  // namespace fabricscope::report
