// SPDX-License-Identifier: GPL-2.0-or-later
// Conversation and endpoint tables of parties that are no addresses of Wireshark's: each is a text, and
// filters compare fields of text.
#pragma once

#include "plugins/common/wireshark_compat.h"

namespace fabricscope::plugin {

/// The fields that hold a frame's sender, its receiver, and both of them.
struct PartyFields {
    const char* source;
    const char* destination;
    const char* any;
};

/// One for each protocol; lives as long as the process.
template <const PartyFields& fields> struct ConversationTable {
    /// `id` tells conversations of the same two parties apart.
    static void add_conversation(
        void* table, packet_info* pinfo, tap_flags_t flags, const char* from, const char* to, std::uint32_t id) {
        auto* hash = static_cast<conv_hash_t*>(table);
        hash->flags = flags;
        const address source = text_address(from);
        const address destination = text_address(to);
        add_conversation_table_data_with_conv_id(
            hash, &source, &destination, 0, 0, id, 1, static_cast<int>(pinfo->fd->pkt_len), &pinfo->rel_ts,
            &pinfo->abs_ts, &conversation_info, CONVERSATION_NONE);
    }

    static void add_endpoints(void* table, packet_info* pinfo, tap_flags_t flags, const char* from, const char* to) {
        auto* hash = static_cast<conv_hash_t*>(table);
        hash->flags = flags;
        const int length = static_cast<int>(pinfo->fd->pkt_len);
        const address source = text_address(from);
        const address destination = text_address(to);
        add_endpoint_table_data(hash, &source, 0, true, 1, length, &endpoint_info, ENDPOINT_NONE);
        add_endpoint_table_data(hash, &destination, 0, false, 1, length, &endpoint_info, ENDPOINT_NONE);
    }

private:
    static address text_address(const char* text) {
        address made;
        set_address(&made, AT_STRINGZ, static_cast<int>(strlen(text)) + 1, text);
        return made;
    }
    static const char* field_for(conv_filter_type_e type) {
        switch (type) {
            case CONV_FT_SRC_ADDRESS: return fields.source;
            case CONV_FT_DST_ADDRESS: return fields.destination;
            case CONV_FT_ANY_ADDRESS: return fields.any;
            default: return CONV_FILTER_INVALID;
        }
    }

    static inline ct_dissector_info_t conversation_info{
        [](conv_item_t*, conv_filter_type_e type) { return field_for(type); }};
    static inline et_dissector_info_t endpoint_info{
        [](endpoint_item_t*, conv_filter_type_e type) { return field_for(type); }};
};

}  // namespace fabricscope::plugin
