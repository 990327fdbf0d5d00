// SPDX-License-Identifier: GPL-2.0-or-later
// Every part of the RDMA IP CM service that has a layout: what the plugin registers and
// `fabricscope fields` prints.
#pragma once

#include <span>

#include "protocols/layout/layout.h"

namespace fabricscope::rdma_ip_cm {

std::span<const layout::LayoutInfo> layouts();

}  // namespace fabricscope::rdma_ip_cm
