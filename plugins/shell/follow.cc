// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/follow.h"

#include <span>
#include <string>

#include "plugins/shell/menu.h"

namespace fabricscope::plugin {
namespace {

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
        if (text.size() > most) return text + "\n[There is more: export it with File > Export Objects]\n";
    }
    return text.empty() ? "No application data in this capture" : text;
}

}  // namespace

void add_followed(void* listener, const packet_info* pinfo, ByteView octets, bool from_server) {
    auto* follow = static_cast<follow_info_t*>(listener);
    const auto length = static_cast<unsigned>(octets.size());
    follow_record_t* made = g_new0(follow_record_t, 1);
    made->is_server = from_server;
    made->packet_num = pinfo->num;
    made->abs_ts = pinfo->abs_ts;
    made->data = g_byte_array_append(g_byte_array_sized_new(length), octets.data(), length);
    follow->bytes_written[from_server ? 1 : 0] += length;
    follow->payload = g_list_prepend(follow->payload, made);
}

void follow_in_window(const Follower& follower, const char* protocol) {
    const std::uint32_t connection = follower.connection_of(selected_frame());
    const funnel_ops_t* gui = funnel_get_funnel_ops();
    if (connection == 0 || gui == nullptr || gui->new_text_window == nullptr) return;
    auto* follow = g_new0(follow_info_t, 1);
    follow->filter_out_filter = follower.filter_for(connection, 0);
    GString* error = register_tap_listener(
        follower.tap, follow, follow->filter_out_filter, TL_REQUIRES_NOTHING, nullptr,
        get_follow_tap_handler(get_follow_by_name(protocol)), nullptr, nullptr);
    if (error != nullptr) {
        g_string_free(error, true);
    } else {
        const std::string title = follower.title + std::to_string(connection);
        gui->retap_packets(gui->ops_id);
        gui->set_text(gui->new_text_window(gui->ops_id, title.c_str()), text_of(*follow).c_str());
        remove_tap_listener(follow);
    }
    follow_info_free(follow);
}

}  // namespace fabricscope::plugin
