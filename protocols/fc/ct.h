// SPDX-License-Identifier: GPL-2.0-or-later
// Common Transport (FC-GS), and of the Name Server's requests GID_IPP: which ports have this IP address
// (FC-GS-2; FC-VI 7.6).
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "protocols/fc/frame_header.h"
#include "protocols/layout/parts.h"

namespace fabricscope::fc {

enum CtGsType : std::uint8_t { gs_directory_service = 0xFC };
inline constexpr std::array ct_gs_type_names{
    ValueName{0xF7, "Security Key Service"}, ValueName{0xF8, "Alias Service"},
    ValueName{0xFA, "Management Service"},   ValueName{0xFB, "Time Service"},
    ValueName{0xFC, "Directory Service"},    ValueName{0xFD, "Fabric Controller Service"}};
inline constexpr std::uint8_t gs_name_server = 0x02;  ///< GS_Subtype of the Directory Service

enum CtCommand : std::uint16_t { ct_gid_ipp = 0x01B1, ct_reject = 0x8001, ct_accept = 0x8002 };
/// Commands of the Name Server, and the two answers.
inline constexpr std::array ct_command_names{
    ValueName{0x0100, "GA_NXT"},   ValueName{0x0112, "GPN_ID"},      ValueName{0x0113, "GNN_ID"},
    ValueName{0x0117, "GFT_ID"},   ValueName{0x0118, "GSPN_ID"},     ValueName{0x011A, "GPT_ID"},
    ValueName{0x011B, "GIPP_ID"},  ValueName{0x0121, "GID_PN"},      ValueName{0x012B, "GIPP_PN"},
    ValueName{0x0131, "GID_NN"},   ValueName{0x0135, "GIP_NN"},      ValueName{0x0171, "GID_FT"},
    ValueName{0x01A1, "GID_PT"},   ValueName{ct_gid_ipp, "GID_IPP"}, ValueName{0x01B2, "GPN_IPP"},
    ValueName{0x0212, "RPN_ID"},   ValueName{0x0213, "RNN_ID"},      ValueName{0x0214, "RCS_ID"},
    ValueName{0x0217, "RFT_ID"},   ValueName{0x0218, "RSPN_ID"},     ValueName{0x021A, "RPT_ID"},
    ValueName{0x021B, "RIPP_ID"},  ValueName{0x021F, "RFF_ID"},      ValueName{0x0235, "RIP_NN"},
    ValueName{0x0239, "RSNN_NN"},  ValueName{0x0300, "DA_ID"},       ValueName{ct_reject, "reject"},
    ValueName{ct_accept, "accept"}};

inline constexpr std::array ct_reason_names{
    ValueName{0x01, "invalid command code"},
    ValueName{0x02, "invalid version level"},
    ValueName{0x03, "logical error"},
    ValueName{0x04, "invalid CT_IU size"},
    ValueName{0x05, "logical busy"},
    ValueName{0x07, "protocol error"},
    ValueName{0x09, "unable to perform command request"},
    ValueName{0x0B, "command not supported"},
    ValueName{0xFF, "vendor specific"}};
/// Of the Name Server.
inline constexpr std::array ct_explanation_names{
    ValueName{0x00, "no additional explanation"},
    ValueName{0x01, "Port Identifier not registered"},
    ValueName{0x02, "Port Name not registered"},
    ValueName{0x03, "Node Name not registered"},
    ValueName{0x04, "Class of Service not registered"},
    ValueName{0x05, "IP Address (Node) not registered"},
    ValueName{0x06, "Initial Process Associator not registered"},
    ValueName{0x07, "FC-4 TYPEs not registered"},
    ValueName{0x08, "Symbolic Port Name not registered"},
    ValueName{0x09, "Symbolic Node Name not registered"},
    ValueName{0x0A, "Port Type not registered"},
    ValueName{0x0B, "IP Address (Port) not registered"},
    ValueName{0x0C, "Fabric Port Name not registered"},
    ValueName{0x0D, "Hard Address not registered"},
    ValueName{0x0F, "FC-4 Features not registered"},
    ValueName{0x10, "access denied"},
    ValueName{0x11, "unacceptable Port Identifier"},
    ValueName{0x12, "data base empty"},
    ValueName{0x13, "no object registered in the specified scope"}};

/// The CT_IU preamble.
struct CtHeader {
    std::uint8_t revision = 1;
    std::uint32_t in_id = 0;  ///< 24 bits; the original requester, if a server passes the request on
    std::uint8_t gs_type = gs_directory_service;
    std::uint8_t gs_subtype = gs_name_server;
    std::uint8_t options = 0;
    std::uint8_t reserved = 0;
    std::uint16_t command = 0;  ///< or the response
    std::uint16_t size = 0;     ///< request: most words of the answer, 0 any; answer: words left out
    std::uint8_t fragment_id = 0;
    std::uint8_t reason = 0;  ///< this and the next two: of a reject
    std::uint8_t explanation = 0;
    std::uint8_t vendor = 0;
};

struct GidIppRequest {
    Gid ip;  ///< IPv4 in the last 4 octets, the others 0
};
/// An entry of the answer to GID_IPP.
struct PortIdEntry {
    bool last = false;
    std::uint8_t reserved = 0;
    std::uint32_t port_id = 0;  ///< 24 bits
};
struct GidIppAccept {
    layout::List<PortIdEntry> ports;
};
struct UnknownCt {
    ByteView octets;
};

struct CtMessage {
    CtHeader header;
    std::variant<UnknownCt, GidIppRequest, GidIppAccept> body;
    ByteView padding;          ///< behind the body
    layout::ParseError error;  ///< the parts before the error are filled in

    bool is_name_server() const {
        return header.gs_type == gs_directory_service && header.gs_subtype == gs_name_server;
    }
};

/// Parses a CT_IU. `length` is its length on the wire; `request` is the command that an accept answers, which it
/// does not say itself.
CtMessage parse_ct(ByteView octets, std::size_t length, std::optional<std::uint16_t> request = std::nullopt);

template <class Visitor> void walk(const CtMessage& message, Visitor&& visit);

std::vector<std::uint8_t> build(const CtMessage& message);

}  // namespace fabricscope::fc

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<fc::CtHeader> = layout<fc::CtHeader>(
    "CT_IU preamble", "FC-GS-2, CT_HDR", octets(0, 16),
    field<&fc::CtHeader::revision>(at(0), "fabricscope.fc.ct.revision", "Revision"),
    field<&fc::CtHeader::in_id>(at(1, 3), "fabricscope.fc.ct.in_id", "IN_ID", hex),
    field<&fc::CtHeader::gs_type>(at(4), "fabricscope.fc.ct.gs_type", "GS_Type", hex, names(fc::ct_gs_type_names)),
    field<&fc::CtHeader::gs_subtype>(at(5), "fabricscope.fc.ct.gs_subtype", "GS_Subtype", hex),
    field<&fc::CtHeader::options>(at(6), "fabricscope.fc.ct.options", "Options", hex),
    field<&fc::CtHeader::reserved>(at(7), "fabricscope.fc.ct.reserved", "Reserved", hex, reserved),
    field<&fc::CtHeader::command>(
        at(8), "fabricscope.fc.ct.command", "Command or response code", hex, names(fc::ct_command_names)),
    field<&fc::CtHeader::size>(at(10), "fabricscope.fc.ct.size", "Maximum or residual size (words)"),
    field<&fc::CtHeader::fragment_id>(at(12), "fabricscope.fc.ct.fragment_id", "Fragment ID", hex),
    field<&fc::CtHeader::reason>(at(13), "fabricscope.fc.ct.reason", "Reason code", hex, names(fc::ct_reason_names)),
    field<&fc::CtHeader::explanation>(
        at(14), "fabricscope.fc.ct.explanation", "Reason code explanation", hex, names(fc::ct_explanation_names)),
    field<&fc::CtHeader::vendor>(at(15), "fabricscope.fc.ct.vendor", "Vendor specific", hex));

template <>
inline constexpr auto layout_of<fc::GidIppRequest> = layout<fc::GidIppRequest>(
    "GID_IPP request", "FC-GS-2, GID_IPP", octets(16, 32),
    field<&fc::GidIppRequest::ip>(at(16), "fabricscope.fc.gid_ipp.ip", "IP Address (Port)"));

template <>
inline constexpr auto layout_of<fc::PortIdEntry> = layout<fc::PortIdEntry>(
    "Port Identifier", "FC-GS-2, GID_IPP", octets(0, 4),
    field<&fc::PortIdEntry::last>(bits(0, 0x80), "fabricscope.fc.gid_ipp.last", "Last"),
    field<&fc::PortIdEntry::reserved>(bits(0, 0x7F), "fabricscope.fc.gid_ipp.reserved", "Reserved", hex, reserved),
    field<&fc::PortIdEntry::port_id>(at(1, 3), "fabricscope.fc.gid_ipp.port_id", "Port Identifier", hex));

}  // namespace fabricscope::layout

namespace fabricscope::fc {

namespace detail {

template <class V> void walk_ct_body(layout::Walker<V>& w, const UnknownCt& body) {
    w.octets(body.octets, {.label = "Content"});
}
template <class V> void walk_ct_body(layout::Walker<V>& w, const GidIppRequest& body) { w.part(body); }
template <class V> void walk_ct_body(layout::Walker<V>& w, const GidIppAccept& body) { w.list(body.ports); }

}  // namespace detail

template <class Visitor> void walk(const CtMessage& message, Visitor&& visit) {
    layout::Walker walker(visit);
    walker.part(message.header);
    std::visit([&](const auto& body) { detail::walk_ct_body(walker, body); }, message.body);
    walker.octets(message.padding, {.label = "Padding"});
}

}  // namespace fabricscope::fc
