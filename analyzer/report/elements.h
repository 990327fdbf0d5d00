// SPDX-License-Identifier: GPL-2.0-or-later
// The elements of a list as text.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "analyzer/report/columns.h"

namespace fabricscope::report {

/// Appends an element to a text; `is_first`: of the list.
using AppendElement = std::function<void(std::string& text, const void* element, bool is_first)>;

/// Writes all elements of a list of `record` in their order; false if there are none. For a long list `append` is
/// called by two threads at a time, where there are as many processors.
bool write_elements(
    std::ostream& out, const Column& list, const void* record, const Context& context, const AppendElement& append);

}  // namespace fabricscope::report
