// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fcvi/registry.h"

#include "protocols/fcvi/connect.h"
#include "protocols/fcvi/device_header.h"

namespace fabricscope::fcvi {

namespace {

constexpr auto all_layouts = layout::infos_of<
    UnknownHead, MessageRequestHead, MessageRequestHeadRev10, MessageResponseHead, ConnectRequestHead,
    ConnectRequestHeadRev10, ConnectResponseHead, ConnectResponseHeadRev10, DisconnectHead, Parameter, ImmediateData,
    ConnectionStatus, ConnectionStatusRev10, RdmaTarget, SendTarget, ConnectionTarget, ConnectHead, ConnectHeadRev10,
    LocalAddress, LocalAddressRev10, RemoteAddress, RemoteAddressRev10, Attributes, AttributesRev10, ConnectInfo>();

}  // namespace

std::span<const layout::LayoutInfo> layouts() { return all_layouts; }

}  // namespace fabricscope::fcvi
