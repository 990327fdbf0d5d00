// SPDX-License-Identifier: GPL-2.0-or-later
// Follow Stream from the Tools menu: Wireshark 4.0 has no place for followers of plugins in its own.
#pragma once

namespace fabricscope::plugin {

struct Followed {
    const char* tap;
    const char* name;  ///< of the follower: the protocol's, as in its column
    char* filter;      ///< taken; of the conversation
    const char* title;
};
/// Has Wireshark dissect the capture once more and shows what the parties sent each other in a window.
void follow_in_window(const Followed& followed);

}  // namespace fabricscope::plugin
