// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark looks for in a plugin: one that registers all protocols.
#include <array>

#include "plugins/fc_ae_rdma/plugin.h"
#include "plugins/fcvi/plugin.h"
#include "plugins/rdma/plugin.h"
#include "plugins/rdma_cm/plugin.h"
#include "plugins/shell/observations.h"
#include "plugins/shell/viewer.h"
#include "plugins/smcr/plugin.h"

namespace fabricscope::plugin {
namespace {

std::span<Plugin* const> plugins() {
    static const std::array<Plugin*, 5> all{
        &smcr::plugin(), &rdma_cm::plugin(), &fcvi::plugin(), &fc_ae_rdma::plugin(), &rdma::plugin()};
    return all;
}

void register_protocols() {
    for (Plugin* plugin : plugins()) plugin->register_protocol();
    register_viewer_menu(register_observations(), plugins());
    register_init_routine(begin_capture);
    register_postseq_cleanup_routine(settle_capture);
    register_cleanup_routine(end_capture);
}

void install() { install_hooks(plugins()); }

}  // namespace
}  // namespace fabricscope::plugin

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
    plugin.register_protoinfo = fabricscope::plugin::register_protocols;
    plugin.register_handoff = fabricscope::plugin::install;
    proto_register_plugin(&plugin);
}
}
