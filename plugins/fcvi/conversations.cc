// SPDX-License-Identifier: GPL-2.0-or-later
// Conversations and endpoints: connections between N_Ports; and filters for what a frame belongs to.
#include "plugins/common/conversations.h"

#include "plugins/fcvi/fields.h"
#include "plugins/fcvi/filters.h"
#include "plugins/fcvi/taps.h"

namespace fabricscope::plugin {
namespace {

constexpr PartyFields party_fields{"fcvi.source", "fcvi.destination", "fcvi.endpoint"};
using Table = ConversationTable<party_fields>;

tap_packet_status conversation_packet(
    void* table, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t flags) {
    const auto& tap = *static_cast<const TapData*>(data);
    const Ends ends = ends_of(*tap.record, tap.entry);
    if (ends.source == nullptr) return TAP_PACKET_DONT_REDRAW;
    Table::add_conversation(table, pinfo, flags, ends.source, ends.destination, tap.entry.connection);
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
    register_packet_filter<of_packet<connection_filter>>("fcvi", "FC-VI connection");
    register_packet_filter<of_packet<message_filter>>("fcvi", "FC-VI Message");
    register_packet_filter<of_packet<exchange_filter>>("fcvi", "FC-VI Exchange");
}

}  // namespace fabricscope::plugin
