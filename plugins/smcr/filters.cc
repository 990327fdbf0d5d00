// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/smcr/filters.h"

#include "plugins/smcr/hooks.h"

namespace fabricscope::plugin {
namespace {

FrameFacts facts_of(std::uint32_t frame) {
    FrameFacts facts;
    if (const Record* record = current_record()) record->find_facts(frame, facts);
    return facts;
}

}  // namespace

std::uint32_t connection_of(std::uint32_t frame) { return facts_of(frame).connection; }

char* connection_filter(std::uint32_t frame) {
    const std::uint32_t connection = connection_of(frame);
    return connection != 0 ? filter_for_connection(connection) : nullptr;
}

char* link_group_filter(std::uint32_t frame) {
    const std::uint32_t group = facts_of(frame).link_group;
    return group != 0 ? g_strdup_printf("smcr.link_group == \"lg-%u\"", group) : nullptr;
}

char* filter_for_connection(unsigned number) { return g_strdup_printf("smcr.connection == \"smcr-%u\"", number); }

}  // namespace fabricscope::plugin
