// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark looks for in a plugin; part of each one.
#include "plugins/module.h"

#include "plugins/common/wireshark_compat.h"

extern "C" {

#define FABRICSCOPE_EXPORT __attribute__((visibility("default")))

FABRICSCOPE_EXPORT extern const char plugin_version[];
FABRICSCOPE_EXPORT extern const int plugin_want_major;
FABRICSCOPE_EXPORT extern const int plugin_want_minor;
FABRICSCOPE_EXPORT void plugin_register();

const char plugin_version[] = FABRICSCOPE_VERSION;
const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

void plugin_register() {
    static proto_plugin plugin;
    plugin.register_protoinfo = fabricscope::plugin::register_protocol;
    plugin.register_handoff = fabricscope::plugin::install_hooks;
    proto_register_plugin(&plugin);
}
}
