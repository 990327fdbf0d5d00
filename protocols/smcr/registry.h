// SPDX-License-Identifier: GPL-2.0-or-later
// Every SMC-R part that has a layout: what the plugin registers and `fabricscope fields` prints.
#pragma once

#include <span>

#include "protocols/layout/layout.h"

namespace fabricscope::smcr {

std::span<const layout::LayoutInfo> layouts();

}  // namespace fabricscope::smcr
