// SPDX-License-Identifier: GPL-2.0-or-later
// Tools > FC-VI: what is otherwise found in several places, for the selected frame.
#include "plugins/common/menu.h"

#include <string>

#include "plugins/common/follow_window.h"
#include "plugins/fcvi/fields.h"
#include "plugins/fcvi/filters.h"
#include "plugins/fcvi/taps.h"

namespace fabricscope::plugin {
namespace {

void filter_connection(ext_menubar_gui_type, void*, void*) { apply_filter(connection_filter(selected_frame())); }
void filter_message(ext_menubar_gui_type, void*, void*) { apply_filter(message_filter(selected_frame())); }
void filter_exchange(ext_menubar_gui_type, void*, void*) { apply_filter(exchange_filter(selected_frame())); }
void filter_rejections(ext_menubar_gui_type, void*, void*) { plugin_if_apply_filter("fcvi.rejection", true); }
void filter_findings(ext_menubar_gui_type, void*, void*) { plugin_if_apply_filter("fcvi.rule", true); }

void follow_connection(ext_menubar_gui_type, void*, void*) {
    const std::uint32_t connection = connection_of(selected_frame());
    if (connection == 0) return;
    const std::string title = "VI Messages of fcvi-" + std::to_string(connection);
    follow_in_window({kFrameTap, kProtocolName, filter_for_connection(connection), title.c_str()});
}

}  // namespace

void register_menu() {
    ext_menu_t* menu = ext_menubar_register_menu(fields().protocol, "FC-VI", true);
    ext_menubar_set_parentmenu(menu, "Tools");
    ext_menubar_add_entry(
        menu, "Filter &Connection", "Show only the selected frame's connection", filter_connection, nullptr);
    ext_menubar_add_entry(menu, "Filter &Message", "Show only the selected frame's Message", filter_message, nullptr);
    ext_menubar_add_entry(
        menu, "Filter &Exchange", "Show only the selected frame's Exchange", filter_exchange, nullptr);
    ext_menubar_add_entry(
        menu, "Filter &Rejections", "Show only connections that were rejected", filter_rejections, nullptr);
    ext_menubar_add_entry(menu, "Filter &Findings", "Show only frames that break a rule", filter_findings, nullptr);
    if constexpr (follow_menu_is_fixed) {
        ext_menubar_add_separator(menu);
        ext_menubar_add_entry(
            menu, "Follo&w Messages", "Show the data of the Messages of the selected frame's connection",
            follow_connection, nullptr);
    }
}

}  // namespace fabricscope::plugin
