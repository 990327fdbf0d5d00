// SPDX-License-Identifier: GPL-2.0-or-later
// Registration, preferences, the start and end of a capture.
#include "plugins/common/wireshark_compat.h"
#include "plugins/fcvi/fields.h"
#include "plugins/fcvi/hooks.h"
#include "plugins/fcvi/taps.h"
#include "plugins/module.h"

namespace fabricscope::plugin {
namespace {

enum VersionChoice : int { automatic, rev_1_0, iso };

int version = VersionChoice::automatic;

void register_preferences() {
    static const enum_val_t versions[] = {
        {"auto", "As each connection's setup tells", VersionChoice::automatic},
        {"rev-1.0", "Draft revision 1.0 (1999)", VersionChoice::rev_1_0},
        {"iso", "ISO/IEC 14165-331:2007", VersionChoice::iso},
        {nullptr, nullptr, 0},
    };
    module_t* module = prefs_register_protocol(fields().protocol, nullptr);
    prefs_register_enum_preference(
        module, "version", "Version",
        "Which document frames are read with. Captures that begin after the setup may "
        "not tell.",
        &version, versions, false);
}

void open_capture() {
    engine::fcvi::Options options;
    if (version == VersionChoice::rev_1_0) options.version = fcvi::Version::rev_1_0;
    if (version == VersionChoice::iso) options.version = fcvi::Version::iso;
    begin_capture(options);
}

}  // namespace

void register_protocol() {
    register_fields();
    register_preferences();
    register_conversations();
    register_statistics();
    register_ladder();
    register_follow();
    register_export();
    register_menu();
    register_init_routine(open_capture);
    register_cleanup_routine(end_capture);
}

}  // namespace fabricscope::plugin
