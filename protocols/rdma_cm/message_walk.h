// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of each message, in order.
#pragma once

#include "protocols/rdma_cm/message.h"

namespace fabricscope::rdma_cm {

namespace detail {

template <class V, layout::WireFormat T> void walk_body(layout::Walker<V>& w, const T& body) { w.part(body); }

template <class V> void walk_body(layout::Walker<V>&, const Unknown&) {}

template <class V> void walk_ip(layout::Walker<V>& w, const std::optional<IpHeader>& ip) {
    if (!ip) return;
    w.part(ip->versions);
    if (const auto* ipv4 = std::get_if<Ipv4Addresses>(&ip->addresses)) w.part(*ipv4);
    if (const auto* ipv6 = std::get_if<Ipv6Addresses>(&ip->addresses)) w.part(*ipv6);
}

template <class V> void walk_body(layout::Walker<V>& w, const Req& message) {
    w.part(message.body);
    w.part(message.primary, {.label = "Primary path"});
    w.part(message.alternate, {.label = "Alternate path"});
    walk_ip(w, message.ip);
}

template <class V> void walk_body(layout::Walker<V>& w, const SidrReq& message) {
    w.part(message.body);
    walk_ip(w, message.ip);
}

template <class V> void walk_body(layout::Walker<V>& w, const Rej& message) {
    w.part(message.body);
    w.part(message.information);
    w.part(message.layer);
    const std::size_t suggested = message.information ? message.information->suggested_length : 0;
    const std::size_t split = std::min(suggested, message.additional.size());
    w.octets(message.additional.first(split), {.octets = &suggested_value_octets});
    w.octets(message.additional.subspan(split), {.octets = &additional_octets});
}

/// The messages with additional information.
template <class V, class Message>
requires requires(Message m) { m.additional; }
void walk_body(layout::Walker<V>& w, const Message& message) {
    w.part(message.body);
    w.octets(message.additional, {.octets = &additional_octets});
}

}  // namespace detail

template <class Visitor> void walk(const Message& message, Visitor&& visit) {
    layout::Walker walker(visit);
    walker.part(message.mad);
    std::visit([&](const auto& body) { detail::walk_body(walker, body); }, message.body);
    walker.octets(message.private_data, {.octets = &private_data_octets});
}

}  // namespace fabricscope::rdma_cm
