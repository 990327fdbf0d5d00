// SPDX-License-Identifier: GPL-2.0-or-later
// Every part of the RDMA IP CM service that has a name: what the plugin registers and
// `fabricscope fields` prints.
#pragma once

#include <span>

#include "protocols/layout/parts.h"

namespace fabricscope::rdma_cm {

std::span<const layout::LayoutInfo> layouts();
/// What has a name, but no layout.
std::span<const layout::OctetsInfo> octets();

}  // namespace fabricscope::rdma_cm
