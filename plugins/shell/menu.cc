// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/menu.h"

#include "plugins/shell/plugin.h"

namespace fabricscope::plugin {
namespace {

// Wireshark keeps what an entry is added with, as data of no type, and gives it back.
template <class T> void* kept(const T& object) { return const_cast<T*>(&object); }

void apply_frame_filter(ext_menubar_gui_type, void*, void* filter) {
    char* made = static_cast<const FrameFilter*>(filter)->of_frame(selected_frame());
    if (made != nullptr) plugin_if_apply_filter(made, true);
    g_free(made);
}

void apply_menu_filter(ext_menubar_gui_type, void*, void* filter) {
    plugin_if_apply_filter(static_cast<const MenuFilter*>(filter)->filter, true);
}

void follow(ext_menubar_gui_type, void*, void* of) {
    const auto& description = *static_cast<const Description*>(of);
    follow_in_window(*description.follower, description.protocol.title);
}

}  // namespace

std::uint32_t selected_frame() {
    const auto number = [](frame_data* frame, void*) -> void* { return GUINT_TO_POINTER(frame->num); };
    return GPOINTER_TO_UINT(plugin_if_get_frame_data(number, nullptr));
}

void register_menu(int protocol, const Description& description) {
    ext_menu_t* menu = ext_menubar_register_menu(protocol, description.protocol.title, true);
    ext_menubar_set_parentmenu(menu, "Tools");
    for (const FrameFilter& filter : description.frame_filters) {
        ext_menubar_add_entry(menu, filter.menu, filter.tooltip, apply_frame_filter, kept(filter));
        filter.register_for_packet(description.protocol.filter, filter.conversation);
    }
    for (const MenuFilter& filter : description.menu_filters)
        ext_menubar_add_entry(menu, filter.menu, filter.tooltip, apply_menu_filter, kept(filter));
    if (follow_menu_is_fixed && description.follower != nullptr) {
        ext_menubar_add_separator(menu);
        const Follower& follower = *description.follower;
        ext_menubar_add_entry(menu, follower.menu, follower.tooltip, follow, kept(description));
    }
    if (description.document.url == nullptr) return;
    ext_menubar_add_separator(menu);
    ext_menubar_add_website(menu, description.document.label, "The protocol's description", description.document.url);
}

}  // namespace fabricscope::plugin
