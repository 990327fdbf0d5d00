// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/entry_points.h"

#include <vector>

#include "capture/wiretap_link_type.h"

namespace fabricscope::plugin {
namespace {

constexpr int infiniband[] = {WTAP_ENCAP_ETHERNET, WTAP_ENCAP_SLL,     WTAP_ENCAP_SLL2,       WTAP_ENCAP_RAW_IP,
                              WTAP_ENCAP_RAW_IP4,  WTAP_ENCAP_RAW_IP6, WTAP_ENCAP_INFINIBAND, WTAP_ENCAP_ERF};
constexpr int fibre_channel[] = {
    WTAP_ENCAP_ETHERNET,
    WTAP_ENCAP_SLL,
    WTAP_ENCAP_SLL2,
    WTAP_ENCAP_RAW_IP,
    WTAP_ENCAP_RAW_IP4,
    WTAP_ENCAP_RAW_IP6,
    WTAP_ENCAP_ERF,
    WTAP_ENCAP_FIBRE_CHANNEL_FC2,
    WTAP_ENCAP_FIBRE_CHANNEL_FC2_WITH_FRAME_DELIMS};

struct EntryPoint {
    std::uint32_t link;
    dissector_handle_t wrapped;
};
std::vector<EntryPoint> entry_points;
FrameHooks hooks{};
std::uint32_t last_first_visit = 0;
bool inside = false;

dissector_handle_t wrapped_for(std::uint32_t link) {
    for (const EntryPoint& entry : entry_points)
        if (entry.link == link) return entry.wrapped;
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

std::span<const int> infiniband_links() { return infiniband; }
std::span<const int> fibre_channel_links() { return fibre_channel; }

void wrap_entry_points(const FrameHooks& new_hooks, std::span<const int> links) {
    hooks = new_hooks;
    dissector_table_t table = find_dissector_table("wtap_encap");
    dissector_handle_t handle = create_dissector_handle(dissect_frame, -1);
    for (const int link : links) {
        const auto number = static_cast<std::uint32_t>(link);
        dissector_handle_t wrapped = dissector_get_uint_handle(table, number);
        if (wrapped == nullptr) continue;
        entry_points.push_back({number, wrapped});
        dissector_add_uint("wtap_encap", number, handle);
    }
}

void restart_first_visits() { last_first_visit = 0; }

}  // namespace fabricscope::plugin
