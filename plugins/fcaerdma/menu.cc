// SPDX-License-Identifier: GPL-2.0-or-later
// Tools > FC-AE-RDMA: what is otherwise found in several places, for the selected frame.
#include "plugins/common/menu.h"

#include "plugins/fcaerdma/fields.h"
#include "plugins/fcaerdma/filters.h"
#include "plugins/fcaerdma/taps.h"

namespace fabricscope::plugin {
namespace {

void filter_message(ext_menubar_gui_type, void*, void*) { apply_filter(message_filter(selected_frame())); }
void filter_region(ext_menubar_gui_type, void*, void*) { apply_filter(region_filter(selected_frame())); }
void filter_failures(ext_menubar_gui_type, void*, void*) { plugin_if_apply_filter("fcaerdma.failed", true); }
void filter_findings(ext_menubar_gui_type, void*, void*) { plugin_if_apply_filter("fcaerdma.rule", true); }

}  // namespace

void register_menu() {
    ext_menu_t* menu = ext_menubar_register_menu(fields().protocol, "FC-AE-RDMA", true);
    ext_menubar_set_parentmenu(menu, "Tools");
    ext_menubar_add_entry(menu, "Filter &Message", "Show only the selected frame's message", filter_message, nullptr);
    ext_menubar_add_entry(
        menu, "Filter Memory &Region", "Show only messages of the selected frame's memory region", filter_region,
        nullptr);
    ext_menubar_add_entry(menu, "Filter F&ailures", "Show only responses that say no", filter_failures, nullptr);
    ext_menubar_add_entry(menu, "Filter &Findings", "Show only frames that break a rule", filter_findings, nullptr);
}

}  // namespace fabricscope::plugin
