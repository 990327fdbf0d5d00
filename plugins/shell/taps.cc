// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/taps.h"

#include <cstring>

namespace fabricscope::plugin {
namespace {

const char* field_for(const Fields& fields, conv_filter_type_e type) {
    const CommonFields& ids = fields.common;
    switch (type) {
        case CONV_FT_SRC_ADDRESS: return proto_registrar_get_abbrev(ids.source);
        case CONV_FT_DST_ADDRESS: return proto_registrar_get_abbrev(ids.destination);
        case CONV_FT_ANY_ADDRESS: return proto_registrar_get_abbrev(ids.endpoint);
        default: return CONV_FILTER_INVALID;
    }
}

/// What items of a table point to, so that they find the protocol.
struct ConversationInfo : ct_dissector_info_t {
    const Fields* fields;
};
struct EndpointInfo : et_dissector_info_t {
    const Fields* fields;
};
struct TableInfo {
    ConversationInfo conversation;
    EndpointInfo endpoint;
};

const char* conversation_field(conv_item_t* item, conv_filter_type_e type) {
    return field_for(*static_cast<ConversationInfo*>(item->dissector_info)->fields, type);
}
const char* endpoint_field(endpoint_item_t* item, conv_filter_type_e type) {
    return field_for(*static_cast<EndpointInfo*>(item->dissector_info)->fields, type);
}

TableInfo& info_of(const Fields& fields) {
    static std::unordered_map<const Fields*, TableInfo> infos;
    const auto [place, is_new] = infos.try_emplace(&fields);
    if (is_new) place->second = {{{conversation_field}, &fields}, {{endpoint_field}, &fields}};
    return place->second;
}

address text_address(const char* text) {
    address made;
    set_address(&made, AT_STRINGZ, static_cast<int>(std::strlen(text)) + 1, text);
    return made;
}

tap_packet_status conversation_packet(
    void* table, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t flags) {
    const auto& tap = *static_cast<const TapFrame*>(data);
    if (tap.ends.source == nullptr) return TAP_PACKET_DONT_REDRAW;
    auto* hash = static_cast<conv_hash_t*>(table);
    hash->flags = flags;
    const address source = text_address(tap.ends.source);
    const address destination = text_address(tap.ends.destination);
    add_conversation_table_data_with_conv_id(
        hash, &source, &destination, 0, 0, tap.conversation, 1, static_cast<int>(pinfo->fd->pkt_len), &pinfo->rel_ts,
        &pinfo->abs_ts, &info_of(*tap.fields).conversation, CONVERSATION_NONE);
    return TAP_PACKET_REDRAW;
}

tap_packet_status endpoint_packet(
    void* table, packet_info* pinfo, epan_dissect_t*, const void* data, tap_flags_t flags) {
    const auto& tap = *static_cast<const TapFrame*>(data);
    if (tap.ends.source == nullptr) return TAP_PACKET_DONT_REDRAW;
    auto* hash = static_cast<conv_hash_t*>(table);
    hash->flags = flags;
    const int length = static_cast<int>(pinfo->fd->pkt_len);
    const address source = text_address(tap.ends.source);
    const address destination = text_address(tap.ends.destination);
    EndpointInfo* info = &info_of(*tap.fields).endpoint;
    add_endpoint_table_data(hash, &source, 0, true, 1, length, info, ENDPOINT_NONE);
    add_endpoint_table_data(hash, &destination, 0, false, 1, length, info, ENDPOINT_NONE);
    return TAP_PACKET_REDRAW;
}

}  // namespace

void register_conversations(const Fields& fields) {
    register_conversation_table(fields.protocol, true, conversation_packet, endpoint_packet);
}

void tick_findings(stats_tree* tree, int node, const TapFrame& tap) {
    for (const FrameNotes::Broken& broken : tap.broken) stats_tree_tick_pivot(tree, node, broken.rule->id);
}

}  // namespace fabricscope::plugin
