// SPDX-License-Identifier: GPL-2.0-or-later
// Display filters that the plugin hands out.
#pragma once

#include "plugins/common/wireshark_compat.h"

namespace fabricscope::plugin {

/// The number of the frame's connection, 0 if it has none.
std::uint32_t connection_of(std::uint32_t frame);
/// For the frame's connection or link group; to be freed with g_free, nullptr if it has none.
char* connection_filter(std::uint32_t frame);
char* link_group_filter(std::uint32_t frame);
/// For the connection "smcr-N".
char* filter_for_connection(unsigned number);

}  // namespace fabricscope::plugin
