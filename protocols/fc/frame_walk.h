// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of a frame, in order. Included by frame.h.
#pragma once

#include "protocols/fc/frame.h"

namespace fabricscope::fc {

namespace detail {

template <layout::WireFormat T, class V> ByteView walk_header(layout::Walker<V>& w, ByteView octets) {
    T header;
    layout::parse_into(header, octets);
    w.part(header);
    return octets.subspan(layout::size_of<T>);
}

template <class V> void walk_extended(layout::Walker<V>& w, ByteView octets) {
    while (!octets.empty()) {
        const std::uint8_t r_ctl = octets[0];
        if (r_ctl == r_ctl_vft_header && octets.size() >= layout::size_of<VftHeader>)
            octets = walk_header<VftHeader>(w, octets);
        else if (r_ctl == r_ctl_ifr_header && octets.size() >= layout::size_of<IfrHeader>)
            octets = walk_header<IfrHeader>(w, octets);
        else if (r_ctl == r_ctl_enc_header && octets.size() >= layout::size_of<EncHeader>)
            octets = walk_header<EncHeader>(w, octets);
        else return w.octets(octets, {.label = "Extended_Header"});
    }
}

/// Headers that were cut off are octets.
template <class V> void walk_optional(layout::Walker<V>& w, const Frame& frame) {
    ByteView octets = frame.optional_headers;
    const DfCtl& df_ctl = frame.header.df_ctl;
    if (df_ctl.esp_header && octets.size() >= layout::size_of<EspHeader>) octets = walk_header<EspHeader>(w, octets);
    if (df_ctl.network_header && octets.size() >= layout::size_of<NetworkHeader>)
        octets = walk_header<NetworkHeader>(w, octets);
    if (df_ctl.association_header && octets.size() >= layout::size_of<AssociationHeader>)
        octets = walk_header<AssociationHeader>(w, octets);
    w.octets(octets, {.label = "Device_Header"});
}

}  // namespace detail

template <class Visitor> void walk(const Frame& frame, Visitor&& visit) {
    layout::Walker walker(visit);
    detail::walk_extended(walker, frame.extended_headers);
    walker.part(frame.header);
    detail::walk_optional(walker, frame);
    walker.octets(frame.payload, {.label = "Payload"});
    walker.octets(frame.fill, {.label = "Fill"});
}

}  // namespace fabricscope::fc
