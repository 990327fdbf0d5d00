// SPDX-License-Identifier: GPL-2.0-or-later
// Display filters that the plugin hands out: nullptr if the frame has nothing to filter by, to be freed with g_free.
#pragma once

#include <cstdint>

namespace fabricscope::plugin {

char* message_filter(std::uint32_t frame);
char* region_filter(std::uint32_t frame);

}  // namespace fabricscope::plugin
