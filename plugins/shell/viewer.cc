// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/viewer.h"

#include <cfile.h>
#include <wsutil/report_message.h>

#include <string>
#include <vector>

#include "plugins/shell/plugin.h"

namespace fabricscope::plugin {
namespace {

std::span<Plugin* const> viewed_plugins;

std::string capture_file_name() {
    const auto name = [](capture_file* file, void*) -> void* { return file->filename; };
    const auto* found = static_cast<const char*>(plugin_if_get_capture_file(name, nullptr));
    return found != nullptr ? found : "";
}

/// The value in a filter that a frame's session is found by: smcr.connection == "smcr-3".
std::string session_in(const std::string& filter) {
    const std::size_t begin = filter.find('"'), end = filter.rfind('"');
    return begin != end ? filter.substr(begin + 1, end - begin - 1) : "";
}

/// Of the first protocol that knows one; empty if none does.
std::string session_of(std::uint32_t frame) {
    for (const Plugin* plugin : viewed_plugins)
        for (const FrameFilter& filter : plugin->description().frame_filters) {
            char* const made = plugin->is_enabled() ? filter.of_frame(frame) : nullptr;
            if (made == nullptr) continue;
            const std::string shown = session_in(made);
            g_free(made);
            if (!shown.empty()) return shown;
        }
    return {};
}

void show_in_viewer(ext_menubar_gui_type, void*, void*) {
    const std::string file = capture_file_name();
    if (file.empty()) return report_failure("There is no capture that could be shown.");
    std::vector<std::string> words{"fabricscope", "view", "--reuse"};
    if (const std::uint32_t frame = selected_frame(); frame != 0) {
        words.push_back("--frame=" + std::to_string(frame));
        if (const std::string shown = session_of(frame); !shown.empty()) words.push_back("--session=" + shown);
    }
    words.insert(words.end(), {"--", file});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    GError* error = nullptr;
    if (g_spawn_async(nullptr, arguments.data(), nullptr, G_SPAWN_SEARCH_PATH, nullptr, nullptr, nullptr, &error))
        return;
    report_failure("The viewer could not be started: %s", error->message);
    g_error_free(error);
}

}  // namespace

void register_viewer_menu(int protocol, std::span<Plugin* const> plugins) {
    viewed_plugins = plugins;
    ext_menu_t* const menu = ext_menubar_register_menu(protocol, "fabricscope", true);
    ext_menubar_set_parentmenu(menu, "Tools");
    ext_menubar_add_entry(
        menu, "Show in &viewer", "Show the selected frame and its session over time in fabricscope's viewer",
        show_in_viewer, nullptr);
}

}  // namespace fabricscope::plugin
