// SPDX-License-Identifier: GPL-2.0-or-later
// Display filters that the plugin hands out.
#pragma once

#include <cstdint>

namespace fabricscope::plugin {

/// For the frame's connection; to be freed with g_free, nullptr if it has none.
char* connection_filter(std::uint32_t frame);

}  // namespace fabricscope::plugin
