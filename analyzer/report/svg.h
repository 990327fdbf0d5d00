// SPDX-License-Identifier: GPL-2.0-or-later
// Drawings as SVG 1.1, with text as text.
#pragma once

#include <iosfwd>

#include "analyzer/report/drawing.h"

namespace fabricscope::report {

/// `generator` names the program in the file.
void write_svg(std::ostream& out, const Drawing& drawing, std::string_view generator);

}  // namespace fabricscope::report
