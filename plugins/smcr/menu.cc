// SPDX-License-Identifier: GPL-2.0-or-later
// Tools > SMC-R: what is otherwise found in several places, for the selected frame.
#include <span>
#include <string>

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

/// Who sent it, and its octets as far as they are printable.
void append_record(std::string& text, const follow_record_t& record) {
    text += record.is_server ? "\n[server, frame " : "\n[client, frame ";
    text += std::to_string(record.packet_num) + "]\n";
    for (const std::uint8_t octet : std::span(record.data->data, record.data->len))
        text += octet == '\n' || octet == '\t' || g_ascii_isprint(octet) != 0 ? static_cast<char>(octet) : '.';
    text += '\n';
}

std::string text_of(const follow_info_t& follow) {
    constexpr std::size_t most = 8 * 1024 * 1024;  // a text window takes no more
    std::string text;
    for (const GList* entry = g_list_last(follow.payload); entry != nullptr; entry = g_list_previous(entry)) {
        append_record(text, *static_cast<const follow_record_t*>(entry->data));
        if (text.size() > most) return text + "\n[There is more: export it with File > Export Objects > SMC-R]\n";
    }
    return text.empty() ? "No application data in this capture" : text;
}

void follow_connection(ext_menubar_gui_type, void*, void*) {
    const funnel_ops_t* gui = funnel_get_funnel_ops();
    const std::uint32_t connection = connection_of(selected_frame());
    if (connection == 0 || gui == nullptr || gui->new_text_window == nullptr) return;
    auto* follow = g_new0(follow_info_t, 1);
    follow->filter_out_filter = filter_for_connection(connection);
    register_follow_t* follower = get_follow_by_name("SMC-R");
    GString* error = register_tap_listener(
        kFollowTap, follow, follow->filter_out_filter, TL_REQUIRES_NOTHING, nullptr, get_follow_tap_handler(follower),
        nullptr, nullptr);
    if (error != nullptr) {
        g_string_free(error, true);
    } else {
        gui->retap_packets(gui->ops_id);
        const std::string title = "SMC-R stream of smcr-" + std::to_string(connection);
        gui->set_text(gui->new_text_window(gui->ops_id, title.c_str()), text_of(*follow).c_str());
        remove_tap_listener(follow);
    }
    follow_info_free(follow);
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
