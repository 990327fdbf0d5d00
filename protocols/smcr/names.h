// SPDX-License-Identifier: GPL-2.0-or-later
// Value names that several SMC-R messages share.
#pragma once

#include <array>
#include <cstdint>

#include "protocols/layout/layout.h"

namespace fabricscope::smcr {

using layout::ValueName;

/// "SMCR" and "SMCD" in EBCDIC (RFC 7609, A.2; SMC-D: IBM SMC v2).
inline constexpr std::uint32_t kEyeCatcherSmcR = 0xE2D4C3D9;
inline constexpr std::uint32_t kEyeCatcherSmcD = 0xE2D4C3C4;
inline constexpr std::array kEyeCatcherNames{ValueName{kEyeCatcherSmcR, "SMC-R"}, ValueName{kEyeCatcherSmcD, "SMC-D"}};

/// Which of SMC-R and SMC-D a CLC message speaks for (IBM SMC v2; Linux net/smc/smc_clc.h).
inline constexpr std::array kSmcTypeNames{
    ValueName{0, "SMC-R"}, ValueName{1, "SMC-D"}, ValueName{2, "neither"}, ValueName{3, "SMC-R and SMC-D"}};

/// Path MTU as an InfiniBand enumeration (RFC 7609, A.2.3).
inline constexpr std::array kMtuNames{
    ValueName{1, "256"}, ValueName{2, "512"}, ValueName{3, "1024"}, ValueName{4, "2048"}, ValueName{5, "4096"}};

/// Compressed RMB element size: 2^(value+14) octets (RFC 7609, A.2.3, has 0..5; Linux goes on).
inline constexpr std::array kBufferSizeNames{
    ValueName{0, "16 KiB"},  ValueName{1, "32 KiB"},   ValueName{2, "64 KiB"},   ValueName{3, "128 KiB"},
    ValueName{4, "256 KiB"}, ValueName{5, "512 KiB"},  ValueName{6, "1 MiB"},    ValueName{7, "2 MiB"},
    ValueName{8, "4 MiB"},   ValueName{9, "8 MiB"},    ValueName{10, "16 MiB"},  ValueName{11, "32 MiB"},
    ValueName{12, "64 MiB"}, ValueName{13, "128 MiB"}, ValueName{14, "256 MiB"}, ValueName{15, "512 MiB"}};

/// RMB element size in octets for a compressed size 0..15.
constexpr std::uint64_t buffer_size(std::uint8_t compressed) {
    return std::uint64_t{1} << ((compressed & 0x0Fu) + 14u);
}

/// Path MTU in octets; 0 for a reserved value.
constexpr std::uint32_t mtu_octets(std::uint8_t code) { return code >= 1 && code <= 5 ? 128u << code : 0; }

inline constexpr std::array kOsTypeNames{ValueName{1, "z/OS"}, ValueName{2, "Linux"}, ValueName{3, "AIX"}};

}  // namespace fabricscope::smcr
