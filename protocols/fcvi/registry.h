// SPDX-License-Identifier: GPL-2.0-or-later
// Every part of FC-VI that has a layout: what a plugin registers and `fabricscope fields` prints.
#pragma once

#include <span>

#include "protocols/layout/layout.h"

namespace fabricscope::fcvi {

std::span<const layout::LayoutInfo> layouts();

}  // namespace fabricscope::fcvi
