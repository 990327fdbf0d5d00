// SPDX-License-Identifier: GPL-2.0-or-later
// Connection Layer Control: the messages on the TCP connection (RFC 7609, A.2; version 2: IBM SMC v2
// as Linux net/smc/smc_clc.h has it).
//
// A message is a chain of parts: a header, a body by type and version, optional extensions and a
// trailer. Each part is a struct with a layout; parse() finds the parts, walk() visits them in order
// with their offsets, build() puts them back.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "protocols/smcr/names.h"

namespace fabricscope::smcr {

enum class ClcType : std::uint8_t { proposal = 1, accept = 2, confirm = 3, decline = 4 };
inline constexpr std::array kClcTypeNames{
    ValueName{1, "PROPOSAL"}, ValueName{2, "ACCEPT"}, ValueName{3, "CONFIRM"}, ValueName{4, "DECLINE"}};

/// A DECLINE's peer diagnosis code, as Linux uses them (RFC 7609 leaves them open).
inline constexpr std::array kDeclineNames{
    ValueName{0x01010000, "out of memory"},
    ValueName{0x02010000, "timeout waiting for CONFIRM LINK"},
    ValueName{0x02020000, "timeout waiting for ADD LINK"},
    ValueName{0x03000000, "configuration error"},
    ValueName{0x03010000, "peer does not do SMC"},
    ValueName{0x03020000, "IPsec in use"},
    ValueName{0x03030000, "no SMC device found"},
    ValueName{0x03030001, "no SMC-D device found"},
    ValueName{0x03030002, "no SMC-R device found"},
    ValueName{0x03030003, "no ISMv2 support"},
    ValueName{0x03030004, "peer sent no version 2 extension"},
    ValueName{0x03030005, "peer sent no SMC-Dv2 extension"},
    ValueName{0x03030006, "peer sent no SEID"},
    ValueName{0x03030007, "no SMC-Dv2 device found"},
    ValueName{0x03030008, "peer sent no user defined EID"},
    ValueName{0x03030009, "release cannot be negotiated"},
    ValueName{0x0303000A, "maximum connections cannot be negotiated"},
    ValueName{0x0303000B, "maximum links cannot be negotiated"},
    ValueName{0x03040000, "mode mismatch (SMC-R versus SMC-D)"},
    ValueName{0x03050000, "peer has RMBE eye catchers"},
    ValueName{0x03060000, "unsupported socket option"},
    ValueName{0x03070000, "IP subnet or prefix differs"},
    ValueName{0x03080000, "VLAN error"},
    ValueName{0x03090000, "VLAN registration error"},
    ValueName{0x030A0000, "no active link in the link group"},
    ValueName{0x030B0000, "the server's link was not found"},
    ValueName{0x030C0000, "version mismatch"},
    ValueName{0x030D0000, "too many DMBs for the SMC-D connection"},
    ValueName{0x030E0000, "no route to the peer"},
    ValueName{0x030F0000, "direct and indirect routing mismatch"},
    ValueName{0x04000000, "out of synchronization"},
    ValueName{0x05000000, "peer declined"},
    ValueName{0x09990000, "internal error"},
    ValueName{0x09990001, "internal error: RToken"},
    ValueName{0x09990002, "internal error: link could not be made ready"},
    ValueName{0x09990003, "internal error: buffer registration"}};

/// Octets of a CLC message that must be known to know its length.
inline constexpr std::size_t kClcHeaderSize = 7;
/// No CLC message of any known version is longer: PROPOSAL with 8 prefixes, 8 EIDs and 8 ISM GIDs has 648.
inline constexpr std::size_t kClcMaxLength = 2048;

struct ClcHeader {
    std::uint32_t eye_catcher = kEyeCatcherSmcR;
    ClcType type{};
    std::uint16_t length = 0;  ///< octets of the whole message, trailer included
};

struct ClcTrailer {
    std::uint32_t eye_catcher = kEyeCatcherSmcR;
};

struct PeerId {
    std::uint16_t instance = 0;  ///< changes when the peer restarts
    Mac mac;                     ///< of one of the peer's RNICs
    auto operator<=>(const PeerId&) const = default;
};

// ---- PROPOSAL (A.2.2) ----------------------------------------------------------------------------

struct ProposalVersion1 {
    std::uint8_t version = 1;
    bool reserved_flag = false;
    bool reserved = false;
    std::uint8_t path = 0;
};

struct ProposalVersion2 {
    std::uint8_t version = 2;
    std::uint8_t type_v2 = 0;  ///< what is offered as version 2
    std::uint8_t type_v1 = 0;  ///< what is offered as version 1
};

struct ProposalBody {
    PeerId peer_id;
    Gid gid;                           ///< preferred
    Mac mac;                           ///< preferred
    std::uint16_t ip_area_offset = 0;  ///< of the IP area, counted from octet 40
};

/// What Linux and z/OS put into the growth area since SMC-D exists.
struct SmcdArea {
    std::uint64_t ism_gid = 0;
    std::uint16_t ism_chid = 0;
    std::uint16_t v2_extension_offset = 0;  ///< counted from octet 52; 0 = no extension
    Bytes<3> vendor_oui;
    Bytes<5> vendor_options;
    Bytes<20> reserved;
};

struct IpArea {
    Ipv4 subnet;                   ///< the RFC calls it a mask and uses it as the subnet's number
    std::uint8_t mask_length = 0;  ///< bits
    Bytes<2> reserved;
    std::uint8_t prefix_count = 0;  ///< of the IPv6 prefixes that follow, at most 8
};

struct Ipv6Prefix {
    Gid prefix;
    std::uint8_t length = 0;  ///< bits
};

struct ProposalV2Extension {
    std::uint8_t eid_count = 0;
    std::uint8_t ism_gid_count = 0;
    std::uint8_t reserved1 = 0;
    std::uint8_t release = 0;
    std::uint8_t reserved2 = 0;
    bool seid_present = false;
    Bytes<2> reserved3;
    std::uint16_t smcd_extension_offset = 0;  ///< counted from octet 8 of this part; 0 = none
    Gid roce_gid;                             ///< an IPv4 address is in the last four octets
    std::uint8_t max_connections = 0;
    std::uint8_t max_links = 0;
    std::uint16_t features = 0;
    Bytes<12> reserved4;
};

/// An Enterprise ID: peers with none in common do not do SMC version 2.
struct Eid {
    Text<32> text;
};

struct SmcdV2Extension {
    Text<32> seid;
    Bytes<16> reserved;
};

struct IsmGid {
    std::uint64_t gid = 0;
    std::uint16_t chid = 0;
};

struct Proposal {
    std::variant<ProposalVersion1, ProposalVersion2> version;
    ProposalBody body;
    std::optional<SmcdArea> smcd;
    std::optional<IpArea> ip;
    layout::List<Ipv6Prefix> prefixes;
    std::optional<ProposalV2Extension> v2;
    layout::List<Eid> eids;
    std::optional<SmcdV2Extension> smcd_v2;
    layout::List<IsmGid> ism_gids;
    // Octets between the parts above that no known version gives a meaning to.
    ByteView before_ip, before_v2, before_smcd_v2, before_trailer;
};

// ---- ACCEPT and CONFIRM (A.2.3, A.2.4) -----------------------------------------------------------

struct SmcrAcceptConfirmBody {
    std::uint8_t version = 1;
    bool first_contact = false;
    bool reserved1 = false;
    std::uint8_t path = 0;
    PeerId peer_id;
    Gid gid;
    Mac mac;
    std::uint32_t qpn = 0;       ///< 24 bits
    std::uint32_t rkey = 0;      ///< of the RMB
    std::uint8_t rmb_index = 0;  ///< of the element, from 1
    std::uint32_t alert_token = 0;
    std::uint8_t buffer_size = 0;  ///< compressed, see buffer_size()
    std::uint8_t mtu = 0;          ///< coded, see mtu_octets()
    std::uint8_t reserved2 = 0;
    std::uint64_t rmb_address = 0;  ///< virtual address of the RMB
    std::uint8_t reserved3 = 0;
    std::uint32_t initial_psn = 0;  ///< 24 bits
};

struct SmcrAcceptConfirmV2 {
    Eid eid;
    Bytes<8> reserved;
};

struct FirstContactExtension {
    bool direct = false;
    std::uint8_t reserved1 = 0;
    std::uint8_t os_type = 0;
    std::uint8_t release = 0;
    Bytes<2> reserved2;
    Text<32> hostname;
};

/// Follows FirstContactExtension in SMC-R and, from release 1, in SMC-D; release 0 sends zeros here.
struct FirstContactExtensionV2x {
    std::uint8_t max_connections = 0;
    std::uint8_t max_links = 0;
    std::uint16_t features = 0;
    Bytes<4> vendor_options;
    Bytes<8> reserved;
};

struct GidListHeader {
    std::uint8_t count = 0;
    Bytes<3> reserved;
};

struct GidEntry {
    Gid gid;
};

struct SmcrAcceptConfirm {
    SmcrAcceptConfirmBody body;
    std::optional<SmcrAcceptConfirmV2> v2;
    std::optional<FirstContactExtension> first_contact;
    std::optional<FirstContactExtensionV2x> first_contact_v2x;
    std::optional<GidListHeader> gid_list;  ///< CONFIRM only: the client's RoCEv2 GIDs
    layout::List<GidEntry> gids;
    ByteView before_trailer;
};

struct SmcdAcceptConfirmBody {
    std::uint8_t version = 1;
    bool first_contact = false;
    bool reserved1 = false;
    std::uint8_t path = 1;
    std::uint64_t gid = 0;
    std::uint64_t token = 0;  ///< of the DMB
    std::uint8_t dmb_index = 0;
    std::uint8_t buffer_size = 0;
    std::uint8_t reserved2 = 0;
    Bytes<2> reserved3;
    std::uint32_t link_id = 0;
};

struct SmcdAcceptConfirmV1 {
    Bytes<12> reserved;
};

struct SmcdAcceptConfirmV2 {
    std::uint16_t chid = 0;
    Eid eid;
    Bytes<8> extended_gid;
};

struct SmcdAcceptConfirm {
    SmcdAcceptConfirmBody body;
    std::variant<SmcdAcceptConfirmV1, SmcdAcceptConfirmV2> tail;
    std::optional<FirstContactExtension> first_contact;
    std::optional<FirstContactExtensionV2x> first_contact_v2x;
    ByteView before_trailer;
};

// ---- DECLINE (A.2.5) -----------------------------------------------------------------------------

struct DeclineBody {
    std::uint8_t version = 1;
    bool out_of_sync = false;  ///< S: the receiver must forget the link group
    bool reserved1 = false;
    std::uint8_t path = 0;
    PeerId peer_id;
    std::uint32_t diagnosis = 0;
    std::uint8_t os_type = 0;  ///< version 2; reserved in version 1
    std::uint8_t reserved2 = 0;
    Bytes<3> reserved3;
};

/// More codes of the sender's own choosing.
struct DeclineV2 {
    std::uint32_t diagnosis1 = 0;
    std::uint32_t diagnosis2 = 0;
    std::uint32_t diagnosis3 = 0;
    std::uint32_t diagnosis4 = 0;
};

struct Decline {
    DeclineBody body;
    std::optional<DeclineV2> v2;
    ByteView before_trailer;
};

// ---- any message ---------------------------------------------------------------------------------

struct UnknownClc {
    ByteView octets;  ///< between header and trailer
};

struct ClcMessage {
    ClcHeader header;
    std::variant<UnknownClc, Proposal, SmcrAcceptConfirm, SmcdAcceptConfirm, Decline> body;
    std::optional<ClcTrailer> trailer;
    layout::ParseError error;  ///< the parts before the error are filled in

    std::uint8_t version() const;  ///< 1 or 2; 0 if unknown
};

/// The length that a message beginning with `stream` claims, if `stream` can be the begin of a CLC
/// message at all: eye catcher, type and a length that the type can have. Fewer than kClcHeaderSize
/// octets: kClcHeaderSize while they agree with an eye catcher. 0 = this is not CLC.
std::size_t clc_length(ByteView stream);

/// Parses one message. `octets` is what was captured of it (at most header.length are read). The
/// views in the result point into `octets`.
ClcMessage parse_clc(ByteView octets);

/// visit.part(const T& part, std::size_t offset, PartInfo) for every part in order, and
/// visit.octets(ByteView, std::size_t offset, PartInfo) for octets without a layout.
template <class Visitor> void walk(const ClcMessage& message, Visitor&& visit);

/// The message as it stands on the wire.
std::vector<std::uint8_t> build(const ClcMessage& message);

}  // namespace fabricscope::smcr

#include "protocols/smcr/clc_layout.h"
