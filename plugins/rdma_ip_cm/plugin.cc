// SPDX-License-Identifier: GPL-2.0-or-later
// Registration, preferences, the start and end of a capture.
#include "plugins/common/wireshark_compat.h"
#include "plugins/module.h"
#include "plugins/rdma_ip_cm/fields.h"
#include "plugins/rdma_ip_cm/hooks.h"
#include "plugins/rdma_ip_cm/taps.h"

namespace fabricscope::plugin {
namespace {

wireshark_bool write_columns = true;

void register_preferences() {
    module_t* module = prefs_register_protocol(fields().protocol, nullptr);
    prefs_register_bool_preference(
        module, "columns", "Write the columns",
        "Whether addresses, Protocol and Info of messages are this plugin's, or those of Wireshark's InfiniBand "
        "dissector",
        &write_columns);
}

void open_capture() { begin_capture({}, write_columns != 0); }

}  // namespace

void register_protocol() {
    register_fields();
    register_preferences();
    register_conversations();
    register_statistics();
    register_ladder();
    register_menu();
    register_init_routine(open_capture);
    register_cleanup_routine(end_capture);
}

}  // namespace fabricscope::plugin
