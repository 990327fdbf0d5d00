// SPDX-License-Identifier: GPL-2.0-or-later
// Between vipl.h's structures and the Provider's.
#pragma once

#include "replay/vipl/objects.h"

namespace fabricscope::vipl {

constexpr VIP_RETURN code(vi::Return result) { return static_cast<VIP_RETURN>(result); }
/// Milliseconds.
stack::Time duration(VIP_ULONG timeout);

/// Nothing, if the lengths are not those of an address.
std::optional<vi::NetAddress> address_of(const VIP_NET_ADDRESS* address);
/// There is room for it (vipl.h, 4.9).
void write_address(const vi::NetAddress& address, VIP_NET_ADDRESS& to);
/// And only the host, if `to` has room for it; else false.
bool write_host(const Gid& host, VIP_NET_ADDRESS& to);

VIP_RETURN read_attributes(const Opened& opened, const VIP_VI_ATTRIBUTES& from, vi::Attributes& to);
VIP_RETURN read_attributes(const VIP_MEM_ATTRIBUTES& from, vi::MemoryAttributes& to);
/// Of a remote end.
void write_attributes(const vi::Attributes& from, VIP_VI_ATTRIBUTES* to);
void write_attributes(const vi::MemoryAttributes& from, VIP_MEM_ATTRIBUTES& to);
void write_attributes(const vi::NicAttributes& from, const Opened& opened, VIP_NIC_ATTRIBUTES& to);

}  // namespace fabricscope::vipl
