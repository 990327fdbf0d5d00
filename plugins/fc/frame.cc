// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fc/frame.h"

#include <type_traits>

namespace fabricscope::plugin {
namespace {

static_assert(std::is_trivially_destructible_v<FcView>);

tvbuff_t* part_of(const FcView& view, ByteView part, std::size_t length) {
    if (part.empty()) return tvb_new_subset_length_caplen(view.tvb, view.offset, 0, static_cast<int>(length));
    return tvb_new_subset_length_caplen(
        view.tvb, view.offset_of(part), static_cast<int>(part.size()), static_cast<int>(length));
}

pref_t* reassembly_preference() {
    static pref_t* const preference = [] {
        module_t* module = prefs_find_module("fc");
        return module == nullptr ? nullptr : prefs_find_preference(module, "reassemble");
    }();
    return preference;
}

}  // namespace

tvbuff_t* FcView::device_header() const {
    return part_of(*this, frame.device_header(), frame.header.df_ctl.device_header_octets());
}

tvbuff_t* FcView::payload() const { return part_of(*this, frame.payload, frame.payload_length); }

FcView view_in_packet(const Visit& visit) {
    const capture::Packet& packet = visit.packet;
    if (packet.transport != capture::Transport::fc) return {};
    return {visit.tvb, static_cast<int>(packet.fc->frame_offset), packet.fc->octets, packet.fc->frame};
}

FcView view_of_octets(const Visit& visit, ByteView octets) {
    const auto length = static_cast<unsigned>(octets.size());
    tvbuff_t* tvb = tvb_new_child_real_data(visit.tvb, octets.data(), length, static_cast<int>(length));
    add_new_data_source(visit.pinfo, tvb, "Fibre Channel frame");
    return {tvb, 0, octets, fc::parse_frame(octets, octets.size())};
}

void FcReassemblyPause::begin() {
    pref_t* preference = reassembly_preference();
    active_ = preference != nullptr && prefs_get_bool_value(preference, pref_current) != 0;
    if (active_) prefs_set_bool_value(preference, false, pref_current);
}

void FcReassemblyPause::end() {
    if (active_) prefs_set_bool_value(reassembly_preference(), true, pref_current);
    active_ = false;
}

void hide_data(proto_tree* tree) {
    static const int data = proto_get_id_by_filter_name("data");
    if (tree == nullptr) return;
    for (proto_node* node = tree->first_child; node != nullptr; node = node->next)
        if (PNODE_FINFO(node) != nullptr && PNODE_FINFO(node)->hfinfo->id == data) proto_item_set_hidden(node);
}

}  // namespace fabricscope::plugin
