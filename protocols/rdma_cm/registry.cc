// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/rdma_cm/registry.h"

#include "protocols/rdma_cm/message.h"

namespace fabricscope::rdma_cm {

namespace {

constexpr auto all_layouts = layout::infos_of<
    ib::MadHeader, ib::CmReq, ib::CmPath, ib::CmMra, ib::CmRej, ib::CmRep, ib::CmRtu, ib::CmDreq, ib::CmDrep,
    ib::CmSidrReq, ib::CmSidrRep, ib::CmLap, ib::CmApr, ib::ClassPortInfo, IpVersions, Ipv4Addresses, Ipv6Addresses,
    RejectLayer, RejectInformation>();

}  // namespace

std::span<const layout::LayoutInfo> layouts() { return all_layouts; }
std::span<const layout::OctetsInfo> octets() { return named_octets; }

}  // namespace fabricscope::rdma_cm
