// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/entry_points.h"

#include "capture/wiretap_link_type.h"

namespace fabricscope::plugin {
namespace {

struct EntryPoint {
    std::uint32_t encapsulation;
    dissector_handle_t wrapped;
};

EntryPoint entry_points[] = {
    {WTAP_ENCAP_ETHERNET, nullptr},   {WTAP_ENCAP_SLL, nullptr},     {WTAP_ENCAP_SLL2, nullptr},
    {WTAP_ENCAP_RAW_IP, nullptr},     {WTAP_ENCAP_RAW_IP4, nullptr}, {WTAP_ENCAP_RAW_IP6, nullptr},
    {WTAP_ENCAP_INFINIBAND, nullptr}, {WTAP_ENCAP_ERF, nullptr},
};
FrameHooks hooks{};
std::uint32_t last_first_visit = 0;
bool inside = false;

dissector_handle_t wrapped_for(std::uint32_t encapsulation) {
    for (const EntryPoint& entry : entry_points)
        if (entry.encapsulation == encapsulation) return entry.wrapped;
    return nullptr;
}

bool has_interface_id(const packet_info* pinfo) { return (pinfo->rec->presence_flags & WTAP_HAS_INTERFACE_ID) != 0; }

capture::Frame frame_of(tvbuff_t* tvb, const packet_info* pinfo) {
    const wtap_packet_header& header = pinfo->rec->rec_header.packet_header;
    const unsigned captured = tvb_captured_length(tvb);
    capture::Frame frame;
    frame.number = pinfo->num;
    frame.time = pinfo->abs_ts.secs * capture::second + pinfo->abs_ts.nsecs;
    frame.wire_length = tvb_reported_length(tvb);
    if (captured != 0) frame.data = {tvb_get_ptr(tvb, 0, static_cast<int>(captured)), captured};
    frame.link = capture::link_type_of(header);
    if (has_interface_id(pinfo)) frame.interface = header.interface_id;
    return frame;
}

/// Wireshark dissects a frame for the first time in the capture's order; later in any order, and a
/// frame that was ignored then may come for the first time later: the engine has gone past it.
bool is_first_visit(const packet_info* pinfo) {
    if (PINFO_FD_VISITED(pinfo) || pinfo->num <= last_first_visit) return false;
    last_first_visit = pinfo->num;
    return true;
}

int dissect_around(dissector_handle_t wrapped, const Visit& visit, void* data) {
    volatile int dissected = 0;
    hooks.before(visit);
    inside = true;
    TRY { dissected = call_dissector_only(wrapped, visit.tvb, visit.pinfo, visit.tree, data); }
    FINALLY {
        inside = false;
        hooks.after(visit);
    }
    ENDTRY;
    return dissected;
}

int dissect_frame(tvbuff_t* tvb, packet_info* pinfo, proto_tree* tree, void* data) {
    dissector_handle_t wrapped = wrapped_for(pinfo->match_uint);
    // A frame inside a frame (a capture file that is carried by a protocol) is not the capture's.
    if (inside || pinfo->rec->rec_type != REC_TYPE_PACKET) return call_dissector_only(wrapped, tvb, pinfo, tree, data);
    const Visit visit{tvb, pinfo, tree, frame_of(tvb, pinfo), has_interface_id(pinfo), is_first_visit(pinfo)};
    return dissect_around(wrapped, visit, data);
}

}  // namespace

void wrap_entry_points(const FrameHooks& new_hooks) {
    hooks = new_hooks;
    dissector_table_t table = find_dissector_table("wtap_encap");
    dissector_handle_t handle = create_dissector_handle(dissect_frame, -1);
    for (EntryPoint& entry : entry_points) {
        entry.wrapped = dissector_get_uint_handle(table, entry.encapsulation);
        if (entry.wrapped != nullptr) dissector_add_uint("wtap_encap", entry.encapsulation, handle);
    }
}

void restart_first_visits() { last_first_visit = 0; }

}  // namespace fabricscope::plugin
