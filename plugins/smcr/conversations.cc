// SPDX-License-Identifier: GPL-2.0-or-later
// Conversations and endpoints: SMC-R connections with their TCP addresses and ports, whatever link the
// frames went by; and filters for the connection and link group of a frame.
#include "plugins/common/conversations.h"

#include "plugins/smcr/fields.h"
#include "plugins/smcr/filters.h"
#include "plugins/smcr/taps.h"

namespace fabricscope::plugin {
namespace {

using engine::smcr::Side;

constexpr PartyFields party_fields{"smcr.source", "smcr.destination", "smcr.endpoint"};
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
char* link_group_of_packet(packet_info* pinfo) { return link_group_filter(pinfo->num); }

const char* address_text(packet_info* pinfo, const address& of) { return address_to_str(pinfo->pool, &of); }

}  // namespace

Ends ends_of(packet_info* pinfo, const Record& record, const FrameFacts& facts) {
    if (facts.connection == 0) return {};
    const Record::Parties& parties = record.parties(facts.connection);
    if (!facts.from || parties.text[Side::client].empty())
        return {address_text(pinfo, pinfo->net_src), address_text(pinfo, pinfo->net_dst)};
    return {parties.text[*facts.from].c_str(), parties.text[other(*facts.from)].c_str()};
}

void register_conversations() {
    register_conversation_table(fields().protocol, true, conversation_packet, endpoint_packet);
    register_packet_filter<connection_of_packet>("smcr", "SMC-R connection");
    register_packet_filter<link_group_of_packet>("smcr", "SMC-R link group");
}

}  // namespace fabricscope::plugin
