// SPDX-License-Identifier: GPL-2.0-or-later
// Every part of Fibre Channel's frames and link services that has a layout.
#pragma once

#include <span>

#include "protocols/layout/layout.h"

namespace fabricscope::fc {

std::span<const layout::LayoutInfo> layouts();

}  // namespace fabricscope::fc
