// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/export_objects.h"

#include <algorithm>

namespace fabricscope::plugin {

ExportObjects::Growing ExportObjects::make(const Key& key, std::uint32_t frame, const ObjectName& name) {
    auto* entry = g_new0(export_object_entry_t, 1);
    entry->pkt_num = frame;
    entry->hostname = g_strdup(name.host);
    entry->content_type = g_strdup(name.content_type);
    entry->filename = g_strdup(name.file);
    auto* list = static_cast<export_object_list_t*>(key.first);
    list->add_entry(list->gui_data, entry);
    return {entry, 0};
}

void ExportObjects::append(const Key& key, std::uint32_t frame, const ObjectName& name, ByteView octets) {
    auto found = objects_.find(key);
    if (found == objects_.end()) found = objects_.emplace(key, make(key, frame, name)).first;
    auto& [entry, capacity] = found->second;
    const std::size_t size = entry->payload_len + octets.size();
    if (size > capacity) {
        capacity = std::max(size, 2 * capacity);
        entry->payload_data = static_cast<guint8*>(g_realloc(entry->payload_data, capacity));
    }
    std::ranges::copy(octets, entry->payload_data + entry->payload_len);
    entry->payload_len = size;
}

}  // namespace fabricscope::plugin
