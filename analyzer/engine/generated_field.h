// SPDX-License-Identifier: GPL-2.0-or-later
// What a tracker adds to a frame beyond its octets, as display-filter fields: the plugins register them,
// `fabricscope fields` prints them.
#pragma once

#include <cstdint>

namespace fabricscope::engine {

enum class GeneratedType : std::uint8_t {
    text,
    unsigned_number,
    address,  ///< a number, in hexadecimal digits
    signed_number,
    boolean,
    frame,
    time_span,
    octets,
    presence,
    expert_info  ///< the plugin has it among its expert infos
};

struct GeneratedField {
    const char* filter;  ///< display filter name, "smcr.in_flight"
    const char* label;   ///< for people, "Bytes in flight"
    GeneratedType type;
    const char* description;       ///< a sentence without its full stop; of an expert info, what it says
    const char* clause = nullptr;  ///< where a document says so; null for what is fabricscope's own
};

}  // namespace fabricscope::engine
