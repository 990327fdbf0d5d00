// SPDX-License-Identifier: GPL-2.0-or-later
// What every protocol has behind its filter name, as in "smcr.malformed": the plugin registers it, `fabricscope fields`
// prints it.
#pragma once

#include <array>

namespace fabricscope::engine {

struct CommonField {
    const char* name;
    const char* label;
};

inline constexpr CommonField unknown_octets{"octets", "Bytes without a known meaning"};

/// Expert infos.
namespace expert {
inline constexpr CommonField malformed{"malformed", "The message contradicts itself"};
inline constexpr CommonField cut{"cut", "The message was not captured whole"};
inline constexpr CommonField reserved_set{"reserved_set", "Reserved, but not zero"};
inline constexpr CommonField repeated{"repeated", "The packet was seen before"};
inline constexpr CommonField late{"late", "From this frame on, the capture is not in order of time"};
inline constexpr CommonField note{"finding.note", "A rule is broken"};
inline constexpr CommonField warning{"finding.warning", "A rule is broken"};
inline constexpr CommonField error{"finding.error", "A rule is broken"};
inline constexpr std::array all{malformed, cut, reserved_set, repeated, late, note, warning, error};
}  // namespace expert

}  // namespace fabricscope::engine
