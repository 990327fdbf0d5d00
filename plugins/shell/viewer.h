// SPDX-License-Identifier: GPL-2.0-or-later
// Tools > fabricscope > Show in viewer: the file, the selected frame and its session go to `fabricscope view`.
#pragma once

#include <span>

namespace fabricscope::plugin {

class Plugin;

/// Once. `protocol` is the one that the menu is of.
void register_viewer_menu(int protocol, std::span<Plugin* const> plugins);

}  // namespace fabricscope::plugin
