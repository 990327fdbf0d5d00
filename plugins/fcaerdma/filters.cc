// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fcaerdma/filters.h"

#include "plugins/common/wireshark_compat.h"
#include "plugins/fcaerdma/hooks.h"

namespace fabricscope::plugin {
namespace {

const Message* message_of(std::uint32_t frame) {
    const Record* record = current_record();
    if (record == nullptr) return nullptr;
    const std::span<const FrameEntry> entries = record->entries(frame);
    return entries.empty() ? nullptr : record->message(entries.front().message);
}

}  // namespace

char* message_filter(std::uint32_t frame) {
    const Message* message = message_of(frame);
    if (message == nullptr) return nullptr;
    return g_strdup_printf("fcaerdma.message == \"fc-ae-rdma-%" G_GUINT64_FORMAT "\"", message->id);
}

char* region_filter(std::uint32_t frame) {
    const Message* message = message_of(frame);
    if (message == nullptr) return nullptr;
    const char* target = current_record()->parties(*message).target.c_str();
    return g_strdup_printf("fcaerdma.region == \"%s LUN %u\"", target, message->lun);
}

}  // namespace fabricscope::plugin
