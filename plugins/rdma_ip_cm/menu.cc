// SPDX-License-Identifier: GPL-2.0-or-later
// Tools > RDMA CM: what is otherwise found in several places, for the selected frame.
#include "plugins/common/menu.h"

#include "plugins/rdma_ip_cm/fields.h"
#include "plugins/rdma_ip_cm/filters.h"
#include "plugins/rdma_ip_cm/taps.h"

namespace fabricscope::plugin {
namespace {

void filter_connection(ext_menubar_gui_type, void*, void*) { apply_filter(connection_filter(selected_frame())); }
void filter_messages(ext_menubar_gui_type, void*, void*) { plugin_if_apply_filter("rdma_ip_cm", true); }
void filter_rejections(ext_menubar_gui_type, void*, void*) { plugin_if_apply_filter("rdma_ip_cm.rejection", true); }
void filter_findings(ext_menubar_gui_type, void*, void*) { plugin_if_apply_filter("rdma_ip_cm.rule", true); }

}  // namespace

void register_menu() {
    ext_menu_t* menu = ext_menubar_register_menu(fields().protocol, "RDMA CM", true);
    ext_menubar_set_parentmenu(menu, "Tools");
    ext_menubar_add_entry(
        menu, "Filter &Connection", "Show only the selected frame's connection, messages and traffic",
        filter_connection, nullptr);
    ext_menubar_add_entry(
        menu, "Filter &Messages", "Show only how connections begin and end", filter_messages, nullptr);
    ext_menubar_add_entry(
        menu, "Filter &Rejections", "Show only messages of connections that were rejected", filter_rejections, nullptr);
    ext_menubar_add_entry(menu, "Filter &Findings", "Show only frames that break a rule", filter_findings, nullptr);
}

}  // namespace fabricscope::plugin
