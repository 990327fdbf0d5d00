// SPDX-License-Identifier: GPL-2.0-or-later
// What the RDMA tracker adds to a frame beyond its octets.
#pragma once

#include <array>

#include "analyzer/engine/generated_field.h"

namespace fabricscope::engine::rdma {

inline constexpr std::array<GeneratedField, 0> generated_fields{};

}  // namespace fabricscope::engine::rdma
