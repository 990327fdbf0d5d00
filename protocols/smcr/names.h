// SPDX-License-Identifier: GPL-2.0-or-later
// What several SMC-R messages share.
#pragma once

#include <array>
#include <cstdint>

#include "protocols/ib/mtu.h"
#include "protocols/layout/parts.h"

namespace fabricscope::smcr {

using ib::mtu_octets;
using layout::Builder;
using layout::PartInfo;
using layout::PartReader;
using layout::ValueName;
using layout::Walker;

/// "SMCR" and "SMCD" in EBCDIC (RFC 7609, A.2; SMC-D: IBM SMC v2).
inline constexpr std::uint32_t eye_catcher_smc_r = 0xE2D4C3D9;
inline constexpr std::uint32_t eye_catcher_smc_d = 0xE2D4C3C4;
inline constexpr std::array eye_catcher_names{
    ValueName{eye_catcher_smc_r, "SMC-R"}, ValueName{eye_catcher_smc_d, "SMC-D"}};

/// Which of SMC-R and SMC-D a CLC message speaks for (IBM SMC v2; Linux net/smc/smc_clc.h).
inline constexpr std::array smc_type_names{
    ValueName{0, "SMC-R"}, ValueName{1, "SMC-D"}, ValueName{2, "neither"}, ValueName{3, "SMC-R and SMC-D"}};

/// Compressed RMB element size: 2^(value+14) octets (RFC 7609, A.2.3, has 0..5; Linux goes on).
inline constexpr std::array buffer_size_names{
    ValueName{0, "16 KiB"},  ValueName{1, "32 KiB"},   ValueName{2, "64 KiB"},   ValueName{3, "128 KiB"},
    ValueName{4, "256 KiB"}, ValueName{5, "512 KiB"},  ValueName{6, "1 MiB"},    ValueName{7, "2 MiB"},
    ValueName{8, "4 MiB"},   ValueName{9, "8 MiB"},    ValueName{10, "16 MiB"},  ValueName{11, "32 MiB"},
    ValueName{12, "64 MiB"}, ValueName{13, "128 MiB"}, ValueName{14, "256 MiB"}, ValueName{15, "512 MiB"}};

/// RMB element size in octets for a compressed size 0..15.
constexpr std::uint64_t buffer_size(std::uint8_t compressed) {
    return std::uint64_t{1} << ((compressed & 0x0Fu) + 14u);
}

inline constexpr std::array os_type_names{ValueName{1, "z/OS"}, ValueName{2, "Linux"}, ValueName{3, "AIX"}};

}  // namespace fabricscope::smcr
