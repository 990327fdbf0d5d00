// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/smcr/registry.h"

#include "protocols/smcr/cdc.h"
#include "protocols/smcr/clc.h"
#include "protocols/smcr/llc.h"
#include "protocols/smcr/tcp_option.h"

namespace fabricscope::smcr {

namespace {

constexpr auto all_layouts = layout::infos_of<
    TcpOption, ClcHeader, ProposalVersion1, ProposalVersion2, ProposalBody, SmcdArea, IpArea, Ipv6Prefix,
    ProposalV2Extension, Eid, SmcdV2Extension, IsmGid, SmcrAcceptConfirmBody, SmcrAcceptConfirmV2,
    FirstContactExtension, FirstContactExtensionV2x, GidListHeader, GidEntry, SmcdAcceptConfirmBody,
    SmcdAcceptConfirmV1, SmcdAcceptConfirmV2, DeclineBody, DeclineV2, ClcTrailer, LlcHeaderV1, AddLinkHeaderV1,
    LlcHeaderV2Big, LlcHeaderV2Little, ConfirmLink, AddLink, AddLinkRfc, AddLinkV2Big, AddLinkV2Little, RkeyPair,
    AddLinkContinuation, DeleteLink, RequestAddLink, ConfirmRkey, ConfirmRkeyContinuation, LinkRtoken, DeleteRkey,
    DeletedRkey, TestLink, Cdc>();

}  // namespace

std::span<const layout::LayoutInfo> layouts() { return all_layouts; }

}  // namespace fabricscope::smcr
