// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/export_objects.h"

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

ExportObjects::Growing& ExportObjects::find_or_make(const Key& key, std::uint32_t frame, const ObjectName& name) {
    auto found = objects_.find(key);
    if (found == objects_.end()) found = objects_.emplace(key, make(key, frame, name)).first;
    return found->second;
}

void ExportObjects::grow(Growing& object, std::size_t size) {
    auto& [entry, capacity] = object;
    if (size > capacity) {
        capacity = std::max(size, 2 * capacity);
        entry->payload_data = static_cast<guint8*>(g_realloc(entry->payload_data, capacity));
    }
    if (size > entry->payload_len) std::fill(entry->payload_data + entry->payload_len, entry->payload_data + size, 0);
    entry->payload_len = std::max<std::size_t>(entry->payload_len, size);
}

void ExportObjects::append(const Key& key, std::uint32_t frame, const ObjectName& name, ByteView octets) {
    Growing& object = find_or_make(key, frame, name);
    const std::size_t begin = object.entry->payload_len;
    grow(object, begin + octets.size());
    std::ranges::copy(octets, object.entry->payload_data + begin);
}

void ExportObjects::put(
    const Key& key, std::uint32_t frame, const ObjectName& name, std::uint64_t offset, ByteView octets) {
    if (octets.empty() || offset + octets.size() > most) return;
    Growing& object = find_or_make(key, frame, name);
    grow(object, std::max<std::size_t>(object.entry->payload_len, offset + octets.size()));
    std::ranges::copy(octets, object.entry->payload_data + offset);
}

}  // namespace fabricscope::plugin
