// SPDX-License-Identifier: GPL-2.0-or-later
// What entries of the Tools menu do with the selected frame.
#pragma once

#include "plugins/common/wireshark_compat.h"

namespace fabricscope::plugin {

/// 0 = none
inline std::uint32_t selected_frame() {
    const auto number = [](frame_data* frame, void*) -> void* { return GUINT_TO_POINTER(frame->num); };
    return GPOINTER_TO_UINT(plugin_if_get_frame_data(number, nullptr));
}

/// Takes `filter`, which is nullptr if the frame has nothing to filter by.
inline void apply_filter(char* filter) {
    if (filter != nullptr) plugin_if_apply_filter(filter, true);
    g_free(filter);
}

}  // namespace fabricscope::plugin
