// SPDX-License-Identifier: GPL-2.0-or-later
// Flow graphs. Wireshark exports these functions, but does not install epan/sequence_analysis.h, so what
// plugins need of it is declared here.
#pragma once

#include "plugins/shell/wireshark_compat.h"

extern "C" {

/// The same in Wireshark 4.0 and 4.4 but for the truth values.
struct _seq_analysis_item {
    std::uint32_t frame_number;
    address src_addr;
    std::uint16_t port_src;
    address dst_addr;
    std::uint16_t port_dst;
    char* frame_label;
    char* time_str;
    char* comment;
    std::uint16_t conv_num;
    unsigned fg_color;
    unsigned bg_color;
    fabricscope::plugin::wireshark_bool has_color_filter;
    fabricscope::plugin::wireshark_bool display;
    unsigned src_node;
    unsigned dst_node;
    std::uint16_t line_style;
    std::uint32_t info_type;
    void* info_ptr;
};

/// As far as we need it.
struct _seq_analysis_info {
    const char* name;
    fabricscope::plugin::wireshark_bool any_addr;
    int nconv;
    GQueue* items;
};

WS_DLL_PUBLIC void register_seq_analysis(
    const char* name, const char* ui_name, int proto_id, const char* tap_listener, unsigned tap_flags,
    tap_packet_cb tap_func);
WS_DLL_PUBLIC _seq_analysis_item* sequence_analysis_create_sai_with_addresses(
    packet_info* pinfo, _seq_analysis_info* sainfo);
WS_DLL_PUBLIC void sequence_analysis_use_color_filter(packet_info* pinfo, _seq_analysis_item* sai);
}
