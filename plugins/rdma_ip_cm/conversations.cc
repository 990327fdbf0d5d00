// SPDX-License-Identifier: GPL-2.0-or-later
// Conversations and endpoints: connections with the addresses and ports of the RDMA IP CM service, their
// messages and their traffic together; and a filter for the connection of a frame.
#include "plugins/common/conversations.h"

#include "plugins/rdma_ip_cm/fields.h"
#include "plugins/rdma_ip_cm/filters.h"
#include "plugins/rdma_ip_cm/hooks.h"
#include "plugins/rdma_ip_cm/taps.h"

namespace fabricscope::plugin {
namespace {

constexpr PartyFields party_fields{"rdma_ip_cm.source", "rdma_ip_cm.destination", "rdma_ip_cm.endpoint"};
using Table = ConversationTable<party_fields>;

tap_packet_status conversation_packet(
    void* table, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t flags) {
    const auto* tap = static_cast<const TapData*>(data);
    const Ends ends = ends_of(pinfo, *tap->record, *tap->facts);
    if (ends.source == nullptr) return TAP_PACKET_DONT_REDRAW;
    Table::add_conversation(table, pinfo, flags, ends.source, ends.destination, tap->facts->connection);
    return TAP_PACKET_REDRAW;
}

tap_packet_status endpoint_packet(
    void* table, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t flags) {
    const auto* tap = static_cast<const TapData*>(data);
    const Ends ends = ends_of(pinfo, *tap->record, *tap->facts);
    if (ends.source == nullptr) return TAP_PACKET_DONT_REDRAW;
    Table::add_endpoints(table, pinfo, flags, ends.source, ends.destination);
    return TAP_PACKET_REDRAW;
}

char* connection_of_packet(packet_info* pinfo) { return connection_filter(pinfo->num); }

}  // namespace

Ends ends_of(packet_info* pinfo, const Record& record, const FrameFacts& facts) {
    if (facts.connection == 0) return {};
    const Record::Parties& parties = record.parties(facts.connection);
    if (parties[Side::client].empty())
        return {address_to_str(pinfo->pool, &pinfo->src), address_to_str(pinfo->pool, &pinfo->dst)};
    return {parties[facts.from].c_str(), parties[other(facts.from)].c_str()};
}

char* connection_filter(std::uint32_t frame) {
    FrameFacts facts;
    const Record* record = current_record();
    if (record == nullptr || !record->find_facts(frame, facts) || facts.connection == 0) return nullptr;
    return g_strdup_printf("rdma_ip_cm.connection == \"cm-%u\"", facts.connection);
}

void register_conversations() {
    register_conversation_table(fields().protocol, true, conversation_packet, endpoint_packet);
    register_packet_filter<connection_of_packet>("rdma_ip_cm", "RDMA CM connection");
}

}  // namespace fabricscope::plugin
