// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fcvi/filters.h"

#include "plugins/common/wireshark_compat.h"
#include "plugins/fcvi/hooks.h"

namespace fabricscope::plugin {
namespace {

FrameEntry entry_of(std::uint32_t frame) {
    const Record* record = current_record();
    if (record == nullptr) return {};
    const std::span<const FrameEntry> entries = record->entries(frame);
    return entries.empty() ? FrameEntry{} : entries.front();
}

}  // namespace

std::uint32_t connection_of(std::uint32_t frame) { return entry_of(frame).connection; }
char* filter_for_connection(unsigned number) { return g_strdup_printf("fcvi.connection == \"fcvi-%u\"", number); }

char* connection_filter(std::uint32_t frame) {
    const std::uint32_t connection = connection_of(frame);
    return connection != 0 ? filter_for_connection(connection) : nullptr;
}

char* message_filter(std::uint32_t frame) {
    const std::uint32_t message = entry_of(frame).message;
    return message != 0 ? g_strdup_printf("fcvi.message == \"fcvi-message-%u\"", message) : nullptr;
}

char* exchange_filter(std::uint32_t frame) {
    const std::uint32_t exchange = entry_of(frame).exchange;
    return exchange != 0 ? g_strdup_printf("fcvi.exchange == \"xchg-%u\"", exchange) : nullptr;
}

}  // namespace fabricscope::plugin
