// SPDX-License-Identifier: GPL-2.0-or-later
// Conversations and endpoints: Initiators and Targets; and filters for what a frame belongs to.
#include "plugins/common/conversations.h"

#include "plugins/fcaerdma/fields.h"
#include "plugins/fcaerdma/filters.h"
#include "plugins/fcaerdma/taps.h"

namespace fabricscope::plugin {
namespace {

constexpr PartyFields party_fields{"fcaerdma.source", "fcaerdma.destination", "fcaerdma.endpoint"};
using Table = ConversationTable<party_fields>;

tap_packet_status conversation_packet(
    void* table, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t flags) {
    const auto& tap = *static_cast<const TapData*>(data);
    const Ends ends = ends_of(*tap.record, tap.entry);
    if (ends.source == nullptr) return TAP_PACKET_DONT_REDRAW;
    Table::add_conversation(table, pinfo, flags, ends.source, ends.destination, 0);
    return TAP_PACKET_REDRAW;
}

tap_packet_status endpoint_packet(
    void* table, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t flags) {
    const auto& tap = *static_cast<const TapData*>(data);
    const Ends ends = ends_of(*tap.record, tap.entry);
    if (ends.source == nullptr) return TAP_PACKET_DONT_REDRAW;
    Table::add_endpoints(table, pinfo, flags, ends.source, ends.destination);
    return TAP_PACKET_REDRAW;
}

template <char* (*filter_of)(std::uint32_t frame)> char* of_packet(packet_info* pinfo) { return filter_of(pinfo->num); }

}  // namespace

void register_conversations() {
    register_conversation_table(fields().protocol, true, conversation_packet, endpoint_packet);
    register_packet_filter<of_packet<message_filter>>("fcaerdma", "FC-AE-RDMA message");
    register_packet_filter<of_packet<region_filter>>("fcaerdma", "FC-AE-RDMA memory region");
}

}  // namespace fabricscope::plugin
