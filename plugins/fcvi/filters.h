// SPDX-License-Identifier: GPL-2.0-or-later
// Display filters that the plugin hands out. All are to be freed with g_free.
#pragma once

#include <cstdint>

namespace fabricscope::plugin {

/// Number of the frame's connection; 0 = none
std::uint32_t connection_of(std::uint32_t frame);
char* filter_for_connection(unsigned number);

// nullptr if the frame has none
char* connection_filter(std::uint32_t frame);
char* message_filter(std::uint32_t frame);
char* exchange_filter(std::uint32_t frame);

}  // namespace fabricscope::plugin
