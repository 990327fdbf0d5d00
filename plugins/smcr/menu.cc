// SPDX-License-Identifier: GPL-2.0-or-later
// Tools > SMC-R: what is otherwise found in several places, for the selected frame.
#include <string>

#include "plugins/common/follow_window.h"
#include "plugins/common/menu.h"
#include "plugins/smcr/fields.h"
#include "plugins/smcr/filters.h"
#include "plugins/smcr/taps.h"

namespace fabricscope::plugin {
namespace {

void filter_connection(ext_menubar_gui_type, void*, void*) { apply_filter(connection_filter(selected_frame())); }
void filter_link_group(ext_menubar_gui_type, void*, void*) { apply_filter(link_group_filter(selected_frame())); }
void filter_findings(ext_menubar_gui_type, void*, void*) { plugin_if_apply_filter("smcr.rule", true); }
void filter_stalls(ext_menubar_gui_type, void*, void*) {
    plugin_if_apply_filter("smcr.stall || smcr.stall_time", true);
}

void follow_connection(ext_menubar_gui_type, void*, void*) {
    const std::uint32_t connection = connection_of(selected_frame());
    if (connection == 0) return;
    const std::string title = "SMC-R stream of smcr-" + std::to_string(connection);
    follow_in_window({kFollowTap, "SMC-R", filter_for_connection(connection), title.c_str()});
}

}  // namespace

void register_menu() {
    ext_menu_t* menu = ext_menubar_register_menu(fields().protocol, "SMC-R", true);
    ext_menubar_set_parentmenu(menu, "Tools");
    ext_menubar_add_entry(
        menu, "Filter &Connection", "Show only the selected frame's connection", filter_connection, nullptr);
    ext_menubar_add_entry(
        menu, "Filter Link &Group", "Show only the selected frame's link group", filter_link_group, nullptr);
    ext_menubar_add_entry(menu, "Filter &Findings", "Show only frames that break a rule", filter_findings, nullptr);
    ext_menubar_add_entry(menu, "Filter &Stalls", "Show where windows are full and open again", filter_stalls, nullptr);
    if constexpr (follow_menu_is_fixed) {
        ext_menubar_add_separator(menu);
        ext_menubar_add_entry(
            menu, "Follo&w Stream", "Show what the applications of the selected frame's connection sent",
            follow_connection, nullptr);
    }
    ext_menubar_add_separator(menu);
    ext_menubar_add_website(menu, "&RFC 7609", "The protocol's description", "https://www.rfc-editor.org/rfc/rfc7609");
}

}  // namespace fabricscope::plugin
