// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fc/registry.h"

#include "protocols/fc/basic_links.h"
#include "protocols/fc/ct.h"
#include "protocols/fc/els.h"
#include "protocols/fc/encapsulation.h"
#include "protocols/fc/frame.h"

namespace fabricscope::fc {

namespace {

constexpr auto all_layouts = layout::infos_of<
    FrameHeader, VftHeader, IfrHeader, EncHeader, EspHeader, EspTrailer, NetworkHeader, AssociationHeader, Crc, BaAcc,
    BaRjt, AckParameter, RejectParameter, BusyParameter, ElsHeader, LsRjt, PortServiceParameters, FabricServiceRequest,
    FabricServiceAccept, LoginNames, ClassServiceParameters, VendorVersion, ProcessHeader, PrliPage, PrliAcceptPage,
    PrloPage, Logo, Adisc, Fan, Farp, RlsRequest, RlsAccept, RtvAccept, Rrq, Csu, CtHeader, GidIppRequest, PortIdEntry,
    FcoeHeader, FcoeTrailer, EncapsulationHeader, DelimiterWord, MdsHeader, MdsTrailer, BoardwalkHeader,
    BoardwalkTrailer, FipHeader, FipDescriptor, FipMac, FipName, FipVnPort>();

}  // namespace

std::span<const layout::LayoutInfo> layouts() { return all_layouts; }

}  // namespace fabricscope::fc
