// SPDX-License-Identifier: GPL-2.0-or-later
// Follow Stream: what the applications of a connection sent each other (tshark -z follow,smcr,...).
#include "plugins/common/addresses.h"
#include "plugins/smcr/fields.h"
#include "plugins/smcr/filters.h"
#include "plugins/smcr/taps.h"

namespace fabricscope::plugin {
namespace {

using engine::smcr::Side;

char* filter_for_packet(epan_dissect_t*, packet_info* pinfo, unsigned* stream, unsigned* sub_stream) {
    *sub_stream = 0;
    *stream = connection_of(pinfo->num);
    return connection_filter(pinfo->num);
}

char* filter_for_index(unsigned stream, unsigned) { return filter_for_connection(stream); }

/// Addresses and ports of the TCP connection.
char* filter_for_addresses(address* source, address* destination, int source_port, int destination_port) {
    const auto text = [](const address* of, int port) {
        char* host = address_to_str(nullptr, of);
        char* made = g_strdup_printf(of->type == AT_IPv6 ? "[%s]:%d" : "%s:%d", host, port);
        wmem_free(nullptr, host);
        return made;
    };
    char* from = text(source, source_port);
    char* to = text(destination, destination_port);
    char* filter = g_strdup_printf(R"(smcr.endpoint == "%s" && smcr.endpoint == "%s")", from, to);
    g_free(from);
    g_free(to);
    return filter;
}

char* port_text(wmem_allocator_t* allocator, unsigned port) { return wmem_strdup_printf(allocator, "%u", port); }

void note_parties(follow_info_t* follow, const packet_info* pinfo, const Record::Parties& parties, Side from) {
    if (follow->client_ip.type != AT_NONE) return;
    if (parties.text[Side::client].empty()) {
        copy_address(&follow->client_ip, from == Side::client ? &pinfo->net_src : &pinfo->net_dst);
        copy_address(&follow->server_ip, from == Side::client ? &pinfo->net_dst : &pinfo->net_src);
        return;
    }
    const address client = address_of(parties.address[Side::client].address);
    const address server = address_of(parties.address[Side::server].address);
    copy_address(&follow->client_ip, &client);
    copy_address(&follow->server_ip, &server);
    follow->client_port = parties.address[Side::client].port;
    follow->server_port = parties.address[Side::server].port;
}

void add_piece(follow_info_t* follow, const packet_info* pinfo, const StreamReader::Piece& piece) {
    follow_record_t* made = g_new0(follow_record_t, 1);
    const auto length = static_cast<unsigned>(piece.octets.size());
    made->is_server = piece.from == Side::server;
    made->packet_num = pinfo->num;
    made->abs_ts = pinfo->abs_ts;
    made->data = g_byte_array_append(g_byte_array_sized_new(length), piece.octets.data(), length);
    follow->bytes_written[made->is_server ? 1 : 0] += length;
    follow->payload = g_list_prepend(follow->payload, made);
}

tap_packet_status follow_packet(void* listener, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t) {
    auto* follow = static_cast<follow_info_t*>(listener);
    const auto& tap = *static_cast<const StreamTapData*>(data);
    note_parties(follow, pinfo, tap.record->parties(tap.connection), tap.from);
    for (const StreamReader::Piece& piece : *tap.pieces) add_piece(follow, pinfo, piece);
    return TAP_PACKET_DONT_REDRAW;
}

}  // namespace

void register_follow() {
    register_tap(kFollowTap);
    register_follower(
        fields().protocol, kFollowTap, filter_for_packet, filter_for_index, filter_for_addresses, port_text,
        follow_packet);
}

}  // namespace fabricscope::plugin
