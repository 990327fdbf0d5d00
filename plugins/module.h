// SPDX-License-Identifier: GPL-2.0-or-later
// What each plugin defines, and Wireshark calls by way of module.cc.
#pragma once

namespace fabricscope::plugin {

/// Once, before anything else.
void register_protocol();
/// Once, when all dissectors have been registered.
void install_hooks();

}  // namespace fabricscope::plugin
