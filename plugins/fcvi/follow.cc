// SPDX-License-Identifier: GPL-2.0-or-later
// Follow Stream: the VI Messages of a connection (tshark -z follow,fcvi,...).
#include "plugins/fcvi/fields.h"
#include "plugins/fcvi/filters.h"
#include "plugins/fcvi/taps.h"

namespace fabricscope::plugin {
namespace {

char* filter_for_packet(epan_dissect_t*, packet_info* pinfo, unsigned* stream, unsigned* sub_stream) {
    *sub_stream = 0;
    *stream = connection_of(pinfo->num);
    return connection_filter(pinfo->num);
}

char* filter_for_index(unsigned stream, unsigned) { return filter_for_connection(stream); }

/// Of the ports; connections have no other addresses.
char* filter_for_addresses(address* source, address* destination, int, int) {
    char* from = address_to_str(nullptr, source);
    char* to = address_to_str(nullptr, destination);
    char* filter = g_strdup_printf(R"(fcvi.endpoint == "%s" && fcvi.endpoint == "%s")", from, to);
    wmem_free(nullptr, from);
    wmem_free(nullptr, to);
    return filter;
}

char* port_text(wmem_allocator_t* allocator, unsigned) { return wmem_strdup(allocator, ""); }

void note_parties(follow_info_t* follow, const TapData& tap) {
    if (follow->client_ip.type != AT_NONE || !tap.entry.iu || tap.entry.connection == 0) return;
    const PortAddress source(tap.frame.header.s_id), destination(tap.frame.header.d_id);
    const bool by_client = tap.entry.from() == Side::client;
    const address client = (by_client ? source : destination).get();
    const address server = (by_client ? destination : source).get();
    copy_address(&follow->client_ip, &client);
    copy_address(&follow->server_ip, &server);
}

tap_packet_status follow_packet(void* listener, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    auto* follow = static_cast<follow_info_t*>(listener);
    const auto& tap = *static_cast<const TapData*>(data);
    note_parties(follow, tap);
    const Assembly* assembly = finished_message(tap);
    if (assembly == nullptr) return TAP_PACKET_DONT_REDRAW;
    const Message& message = *tap.record->message(tap.entry.message);
    const Side from = message.reads() ? other(message.from) : message.from;
    follow_record_t* made = g_new0(follow_record_t, 1);
    const ByteView octets = assembly->octets(pinfo->pool);
    const auto length = static_cast<unsigned>(octets.size());
    made->is_server = from == Side::server;
    made->packet_num = pinfo->num;
    made->abs_ts = pinfo->abs_ts;
    made->data = g_byte_array_append(g_byte_array_sized_new(length), octets.data(), length);
    follow->bytes_written[made->is_server ? 1 : 0] += length;
    follow->payload = g_list_prepend(follow->payload, made);
    return TAP_PACKET_DONT_REDRAW;
}

}  // namespace

void register_follow() {
    register_follower(
        fields().protocol, kFrameTap, filter_for_packet, filter_for_index, filter_for_addresses, port_text,
        follow_packet);
}

}  // namespace fabricscope::plugin
