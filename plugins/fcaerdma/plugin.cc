// SPDX-License-Identifier: GPL-2.0-or-later
// Registration, preferences, the start and end of a capture.
#include "plugins/common/wireshark_compat.h"
#include "plugins/fcaerdma/fields.h"
#include "plugins/fcaerdma/hooks.h"
#include "plugins/fcaerdma/show.h"
#include "plugins/fcaerdma/taps.h"
#include "plugins/module.h"

namespace fabricscope::plugin {
namespace {

wireshark_bool write_columns_preference = true;
int profile = static_cast<int>(engine::Profile::standard);

void register_preferences() {
    module_t* module = prefs_register_protocol(fields().protocol, nullptr);
    prefs_register_bool_preference(
        module, "columns", "Write the columns",
        "Whether Protocol and Info of RDMA messages are this plugin's, or those of Wireshark's FCP dissector",
        &write_columns_preference);
    static const enum_val_t profiles[] = {
        {"standard", "ISO/IEC TR 14165-314", static_cast<int>(engine::Profile::standard)},
        {"annex-a", "The same and the example profile of its annex A", static_cast<int>(engine::Profile::avionics)},
        {nullptr, nullptr, 0},
    };
    prefs_register_enum_preference(
        module, "profile", "Hold traffic against", "What counts as breaking a rule", &profile, profiles, false);
}

void open_capture() {
    set_writes_columns(write_columns_preference != 0);
    begin_capture({.profile = static_cast<engine::Profile>(profile)});
}

}  // namespace

void register_protocol() {
    register_fields();
    register_preferences();
    register_conversations();
    register_statistics();
    register_ladder();
    register_export();
    register_menu();
    register_init_routine(open_capture);
    register_cleanup_routine(end_capture);
}

}  // namespace fabricscope::plugin
