// SPDX-License-Identifier: GPL-2.0-or-later
// Registration, preferences, the start and end of a capture.
#include "plugins/common/wireshark_compat.h"
#include "plugins/module.h"
#include "plugins/smcr/fields.h"
#include "plugins/smcr/hooks.h"
#include "plugins/smcr/taps.h"

namespace fabricscope::plugin {
namespace {

enum CursorBase : int { automatic = -1, zero = 0, four = 4 };

wireshark_bool replace_builtin = true;
int cursor_base = CursorBase::automatic;
int profile = static_cast<int>(engine::Profile::linux_);

void register_preferences() {
    static const enum_val_t bases[] = {
        {"auto", "Find out", CursorBase::automatic},
        {"0", "0 (Linux)", CursorBase::zero},
        {"4", "4 (RFC 7609)", CursorBase::four},
        {nullptr, nullptr, 0},
    };
    module_t* module = prefs_register_protocol(fields().protocol, nullptr);
    prefs_register_bool_preference(
        module, "replace_builtin", "Replace Wireshark's own decode of SMC",
        "Whether this plugin decodes instead of Wireshark's dissector \"smc\", or beside it", &replace_builtin);
    prefs_register_enum_preference(
        module, "cursor_base", "Cursors start at",
        "Offset of the first octet of data in an RMB element: 4 behind RFC 7609's eye catcher, 0 where "
        "implementations leave it out. Needed only for captures that do not tell.",
        &cursor_base, bases, false);
    static const enum_val_t profiles[] = {
        {"linux", "RFC 7609, with Linux's habits excused", static_cast<int>(engine::Profile::linux_)},
        {"rfc7609", "RFC 7609 alone", static_cast<int>(engine::Profile::standard)},
        {nullptr, nullptr, 0},
    };
    prefs_register_enum_preference(
        module, "profile", "Hold traffic against", "What counts as breaking a rule", &profile, profiles, false);
}

void open_capture() {
    engine::smcr::Options options;
    options.profile = static_cast<engine::Profile>(profile);
    if (cursor_base != CursorBase::automatic) options.cursor_base = static_cast<std::uint8_t>(cursor_base);
    begin_capture(options, replace_builtin != 0);
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
