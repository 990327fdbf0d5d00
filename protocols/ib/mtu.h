// SPDX-License-Identifier: GPL-2.0-or-later
// The path MTU as InfiniBand codes it (InfiniBand Architecture Specification Volume 1, 9.7.1).
#pragma once

#include <array>
#include <cstdint>

#include "protocols/layout/layout.h"

namespace fabricscope::ib {

inline constexpr std::array mtu_names{
    layout::ValueName{1, "256"}, layout::ValueName{2, "512"}, layout::ValueName{3, "1024"},
    layout::ValueName{4, "2048"}, layout::ValueName{5, "4096"}};

/// In octets; 0 for a reserved code.
constexpr std::uint32_t mtu_octets(std::uint8_t code) { return code >= 1 && code <= 5 ? 128u << code : 0; }

}  // namespace fabricscope::ib
