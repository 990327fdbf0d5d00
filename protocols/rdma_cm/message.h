// SPDX-License-Identifier: GPL-2.0-or-later
// Whole messages of Communication Management, with what the RDMA IP CM service puts into them.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "protocols/ib/cm.h"
#include "protocols/rdma_cm/service.h"

namespace fabricscope::rdma_cm {

/// The addresses of a REQ or SIDR_REQ whose service id promises them.
struct IpHeader {
    IpVersions versions;
    /// None are read where the format is not known: of a reserved IP version, or another major version.
    std::variant<std::monostate, Ipv4Addresses, Ipv6Addresses> addresses;
};

struct Req {
    ib::CmReq body;
    ib::CmPath primary, alternate;
    std::optional<IpHeader> ip;
};
struct SidrReq {
    ib::CmSidrReq body;
    std::optional<IpHeader> ip;
};
/// A REJ's 72 octets of additional information. Where a server of the RDMA IP CM service rejects a REQ for
/// its consumer, a rejection layer is told first (A11.7, table 3).
struct Rej {
    ib::CmRej body;
    std::optional<RejectInformation> information;  ///< of the service's own layer
    std::optional<RejectLayer> layer;              ///< of any other
    ByteView additional;                           ///< behind it, or instead of it
};
struct Apr {
    ib::CmApr body;
    ByteView additional;
};
struct SidrRep {
    ib::CmSidrRep body;
    ByteView additional;
};
/// Another attribute, or another class.
struct Unknown {};

struct Message {
    ib::MadHeader mad;
    std::variant<
        Unknown, Req, ib::CmMra, Rej, ib::CmRep, ib::CmRtu, ib::CmDreq, ib::CmDrep, SidrReq, SidrRep, ib::CmLap, Apr,
        ib::ClassPortInfo>
        body;
    ByteView private_data;     ///< the consumer's; behind the addresses, if any were read
    layout::ParseError error;  ///< the parts before the error are filled in

    ib::CmAttribute attribute() const { return static_cast<ib::CmAttribute>(mad.attribute_id); }
};

/// Whether a payload to queue pair 1 is a MAD of Communication Management. `length` is its length on
/// the wire, `octets` what was captured.
bool is_cm(ByteView octets, std::size_t length);
/// The same of whatever length: a MAD that its receiver does not take has another one.
bool claims_cm(ByteView octets);

/// Octets of messages that belong to others, or whose meaning depends.
inline constexpr std::array named_octets{
    layout::OctetsInfo{"rdma_ip_cm.private_data", "Private data", "IBA 12.6; IBA A11.4"},
    layout::OctetsInfo{"rdma_ip_cm.ari.suggested_value", "Suggested value", "IBA A11.7"},
    layout::OctetsInfo{
        "rdma_ip_cm.additional_information", "Additional information", "IBA 12.6.7; IBA 12.8.2; IBA 12.11.2"}};
inline constexpr const layout::OctetsInfo& private_data_octets = named_octets[0];
inline constexpr const layout::OctetsInfo& suggested_value_octets = named_octets[1];
inline constexpr const layout::OctetsInfo& additional_octets = named_octets[2];

/// Parses a MAD. The views in the result point into `octets`. Whose additional information a REJ has, only the
/// REQ that it answers tells: `of_ip_service`, if that was one of the RDMA IP CM service.
Message parse(ByteView octets, bool of_ip_service = true);

/// visit.part(const T& part, std::size_t offset, PartInfo) for every part in order, and
/// visit.octets(ByteView, std::size_t offset, PartInfo) for octets without a layout.
template <class Visitor> void walk(const Message& message, Visitor&& visit);

/// All that was captured of a REJ's additional information.
std::vector<std::uint8_t> additional_information(const Rej& rej);

/// The message as it stands on the wire.
std::vector<std::uint8_t> build(const Message& message);

}  // namespace fabricscope::rdma_cm

#include "protocols/rdma_cm/message_walk.h"
