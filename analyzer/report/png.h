// SPDX-License-Identifier: GPL-2.0-or-later
// Drawings as PNG.
#pragma once

#include <iosfwd>

#include "analyzer/report/drawing.h"

namespace fabricscope::report {

/// The longest side that a PNG may have, in units of the drawing.
inline constexpr double largest_png_side = 16'000;

/// Two pixels for each unit of the drawing. `generator` names the program in the file. Throws
/// std::runtime_error if the drawing is too large.
void write_png(std::ostream& out, const Drawing& drawing, std::string_view generator);

}  // namespace fabricscope::report
