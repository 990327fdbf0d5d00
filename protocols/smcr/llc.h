// SPDX-License-Identifier: GPL-2.0-or-later
// Link Layer Control: the messages that peers exchange on a RoCE link about the link group itself
// (RFC 7609, A.3; version 2: IBM SMC v2 as Linux net/smc/smc_llc.h has it).
//
// Like CLC messages these are chains of parts: a header of three octets by version, a body from
// octet 3 by type, lists, padding.
#pragma once

#include <variant>

#include "protocols/smcr/clc.h"
#include "protocols/smcr/names.h"

namespace fabricscope::smcr {

inline constexpr std::size_t llc_size = 44;             ///< of every version 1 message, and the least in version 2
inline constexpr std::size_t llc_v2_max_length = 8192;  ///< what Linux accepts

/// The type without the version nibble.
enum class LlcType : std::uint8_t {
    confirm_link = 1,
    add_link = 2,
    add_link_continuation = 3,
    delete_link = 4,
    request_add_link = 5,
    confirm_rkey = 6,
    test_link = 7,
    confirm_rkey_continuation = 8,
    delete_rkey = 9,
};

/// Types as they stand in octet 0, version nibble included.
inline constexpr std::array llc_type_names{
    ValueName{0x01, "CONFIRM LINK"},
    ValueName{0x02, "ADD LINK"},
    ValueName{0x03, "ADD LINK CONTINUATION"},
    ValueName{0x04, "DELETE LINK"},
    ValueName{0x06, "CONFIRM RKEY"},
    ValueName{0x07, "TEST LINK"},
    ValueName{0x08, "CONFIRM RKEY CONTINUATION"},
    ValueName{0x09, "DELETE RKEY"},
    ValueName{0x21, "CONFIRM LINK"},
    ValueName{0x22, "ADD LINK"},
    ValueName{0x24, "DELETE LINK"},
    ValueName{0x25, "REQUEST ADD LINK"},
    ValueName{0x26, "CONFIRM RKEY"},
    ValueName{0x27, "TEST LINK"},
    ValueName{0x29, "DELETE RKEY"},
    ValueName{0xFE, "CDC"}};

inline constexpr std::array add_link_reject_names{ValueName{1, "no alternate path"}, ValueName{2, "invalid MTU"}};

/// Reasons of DELETE LINK replies (RFC 7609, A.3.4 and C.7.1; Linux).
inline constexpr std::uint32_t unknown_link = 0x0010'0000, unknown_link_group = 0x0020'0000;

inline constexpr std::array delete_link_reason_names{
    ValueName{0x00010000, "lost path"},
    ValueName{0x00020000, "operator initiated"},
    ValueName{0x00030000, "program initiated (inactivity)"},
    ValueName{0x00040000, "LLC protocol violation"},
    ValueName{0x00050000, "asymmetric link no longer needed"},
    ValueName{unknown_link, "unknown link"},
    ValueName{unknown_link_group, "unknown link group"}};

// ---- headers: octets 0 to 2 ----------------------------------------------------------------------

struct LlcHeaderV1 {
    std::uint8_t type = 0;
    std::uint8_t length = llc_size;
    std::uint8_t reserved = 0;
};

/// A version 1 ADD LINK has its reject reason in the header's last octet.
struct AddLinkHeaderV1 {
    std::uint8_t type = 2;
    std::uint8_t length = llc_size;
    std::uint8_t reserved = 0;
    std::uint8_t reject_reason = 0;
};

/// Version 2 has a 16-bit length. Linux stores it in the order of its CPU, so both orders are met.
struct LlcHeaderV2 {
    std::uint8_t type = 0;
    std::uint16_t length = llc_size;
};
struct LlcHeaderV2Big : LlcHeaderV2 {};
struct LlcHeaderV2Little : LlcHeaderV2 {};

// ---- bodies: from octet 3 ------------------------------------------------------------------------

struct ConfirmLink {
    bool reply = false;
    std::uint8_t reserved1 = 0;
    std::uint8_t no_rmbe_eye_catcher = 0;  ///< Linux: both bits set; cursors then start at 0 instead of 4
    Mac mac;
    Gid gid;
    std::uint32_t qpn = 0;
    std::uint8_t link = 0;
    std::uint32_t link_user_id = 0;
    std::uint8_t max_links = 0;
    std::uint8_t max_connections = 0;  ///< version 2 release 1; reserved before
    Bytes<8> reserved2;
};

/// As every implementation sends it: two reserved octets between MAC and GID, unlike RFC 7609's figure.
struct AddLink {
    bool reply = false;
    bool reject = false;
    std::uint8_t reserved1 = 0;
    std::uint8_t reject_reason_v2 = 0;
    Mac mac;
    Bytes<2> reserved2;
    Gid gid;
    std::uint32_t qpn = 0;
    std::uint8_t link = 0;
    std::uint8_t reserved3 = 0;
    std::uint8_t mtu = 0;
    std::uint32_t initial_psn = 0;
    Bytes<8> reserved4;
};

/// As RFC 7609 draws it.
struct AddLinkRfc {
    bool reply = false;
    bool reject = false;
    std::uint8_t reserved1 = 0;
    Mac mac;
    Gid gid;
    std::uint32_t qpn = 0;
    std::uint8_t link = 0;
    std::uint8_t reserved2 = 0;
    std::uint8_t mtu = 0;
    std::uint32_t initial_psn = 0;
    Bytes<10> reserved3;
};

/// What version 2 adds to ADD LINK; its counts are in the order of the header's length.
struct AddLinkV2 {
    bool direct = false;
    std::uint8_t reserved1 = 0;
    std::uint8_t reserved2 = 0;
    Gid target_gid;
    Bytes<8> reserved3;
    std::uint16_t rkey_count = 0;
};
struct AddLinkV2Big : AddLinkV2 {};
struct AddLinkV2Little : AddLinkV2 {};

/// An RMB known by `reference_rkey` on the link that carries the message has this RToken on the new link.
struct RkeyPair {
    std::uint32_t reference_rkey = 0;
    std::uint32_t rkey = 0;
    std::uint64_t address = 0;
};

struct AddLinkContinuation {
    bool reply = false;
    std::uint8_t reserved1 = 0;
    std::uint8_t link = 0;
    std::uint8_t rtokens_left = 0;  ///< including those in this message
    Bytes<2> reserved2;
};

struct DeleteLink {
    bool reply = false;
    bool all = false;
    bool orderly = false;
    std::uint8_t reserved1 = 0;
    std::uint8_t link = 0;  ///< 0 if all
    std::uint32_t reason = 0;
    Bytes<35> reserved2;
};

struct RequestAddLink {
    bool reply = false;
    std::uint8_t reserved1 = 0;
    Bytes<20> reserved2;
    std::uint8_t gid_count = 0;
    Bytes<3> reserved3;
};

/// The RToken of a new RMB on the link that carries the message; those on other links follow.
struct ConfirmRkey {
    bool reply = false;
    bool reserved1 = false;
    bool negative = false;
    bool retry = false;  ///< C: sent again after the configuration changed
    std::uint8_t reserved2 = 0;
    std::uint8_t other_links = 0;  ///< count of RTokens for other links, here and in continuations
    std::uint32_t rkey = 0;
    std::uint64_t address = 0;
};

struct ConfirmRkeyContinuation {
    bool reply = false;
    bool reserved1 = false;
    bool negative = false;
    std::uint8_t reserved2 = 0;
    std::uint8_t rtokens_left = 0;  ///< including those in this message
};

struct LinkRtoken {
    std::uint8_t link = 0;
    std::uint32_t rkey = 0;
    std::uint64_t address = 0;
};

struct DeleteRkey {
    bool reply = false;
    bool reserved1 = false;
    bool negative = false;
    std::uint8_t reserved2 = 0;
    std::uint8_t count = 0;
    /// Version 1: the most significant bit is the first key. Version 2: how many are invalid.
    std::uint8_t error_mask = 0;
    Bytes<2> reserved3;
};

struct DeletedRkey {
    std::uint32_t rkey = 0;
};

struct TestLink {
    bool reply = false;
    std::uint8_t reserved1 = 0;
    Bytes<16> user_data;
    Bytes<24> reserved2;
};

// ---- messages ------------------------------------------------------------------------------------

struct AddLinkMessage {
    std::variant<AddLink, AddLinkRfc> body;
    std::variant<std::monostate, AddLinkV2Big, AddLinkV2Little> v2;
    layout::List<RkeyPair> rkeys;

    /// The body in the shape that is sent, whichever one it came in.
    AddLink common() const;
};

/// Version 1 messages have a fixed number of slots, of which the first `used` mean something.
struct AddLinkContinuationMessage {
    AddLinkContinuation body;
    layout::List<RkeyPair> slots;
    std::size_t used = 0;
};
struct RequestAddLinkMessage {
    RequestAddLink body;
    layout::List<GidEntry> gids;
};
struct ConfirmRkeyMessage {
    ConfirmRkey body;
    layout::List<LinkRtoken> slots;
    std::size_t used = 0;
};
struct ConfirmRkeyContinuationMessage {
    ConfirmRkeyContinuation body;
    layout::List<LinkRtoken> slots;
    std::size_t used = 0;
};
struct DeleteRkeyMessage {
    DeleteRkey body;
    layout::List<DeletedRkey> slots;
    std::size_t used = 0;
};
struct UnknownLlc {
    ByteView octets;  ///< from octet 3
};

struct LlcMessage {
    std::variant<LlcHeaderV1, AddLinkHeaderV1, LlcHeaderV2Big, LlcHeaderV2Little> header;
    std::variant<
        UnknownLlc, ConfirmLink, AddLinkMessage, AddLinkContinuationMessage, DeleteLink, RequestAddLinkMessage,
        ConfirmRkeyMessage, ConfirmRkeyContinuationMessage, DeleteRkeyMessage, TestLink>
        body;
    ByteView padding;          ///< what follows the last part
    layout::ParseError error;  ///< the parts before the error are filled in

    std::uint8_t raw_type() const;  ///< octet 0
    LlcType type() const { return static_cast<LlcType>(raw_type() & 0x1F); }
    std::uint8_t version() const { return (raw_type() & 0xE0) == 0x20 ? 2 : 1; }
    bool is_reply() const;
};

/// Parses the payload of a SEND. `length` is its length on the wire, `octets` what was captured.
LlcMessage parse_llc(ByteView octets, std::size_t length);

/// Whether the payload of a SEND, seen without context, is so certainly an LLC or CDC message that
/// its queue pair may be taken for an SMC-R link: known type, right length, reserved octets zero.
bool looks_like_llc(ByteView octets, std::size_t length);
bool looks_like_cdc(ByteView octets, std::size_t length);

template <class Visitor> void walk(const LlcMessage& message, Visitor&& visit);

std::vector<std::uint8_t> build(const LlcMessage& message);

}  // namespace fabricscope::smcr

// ---- where the fields stand --------------------------------------------------------------------

namespace fabricscope::layout {

template <>
inline constexpr auto layout_of<smcr::LlcHeaderV1> = layout<smcr::LlcHeaderV1>(
    "LLC header", "RFC 7609, A.3", octets(0, 3),
    field<&smcr::LlcHeaderV1::type>(at(0), "smcr.llc.type", "Message type", hex, names(smcr::llc_type_names)),
    field<&smcr::LlcHeaderV1::length>(at(1), "smcr.llc.length", "Length"),
    field<&smcr::LlcHeaderV1::reserved>(at(2), "smcr.llc.reserved", "Reserved", hex, reserved));

template <>
inline constexpr auto layout_of<smcr::AddLinkHeaderV1> = layout<smcr::AddLinkHeaderV1>(
    "LLC header", "RFC 7609, A.3.2", octets(0, 3),
    field<&smcr::AddLinkHeaderV1::type>(at(0), "smcr.llc.type", "Message type", hex, names(smcr::llc_type_names)),
    field<&smcr::AddLinkHeaderV1::length>(at(1), "smcr.llc.length", "Length"),
    field<&smcr::AddLinkHeaderV1::reserved>(bits(2, 0xF0), "smcr.llc.reserved", "Reserved", hex, reserved),
    field<&smcr::AddLinkHeaderV1::reject_reason>(
        bits(2, 0x0F), "smcr.llc.add_link.reject_reason", "Reject reason", names(smcr::add_link_reject_names)));

template <>
inline constexpr auto layout_of<smcr::LlcHeaderV2Big> = layout<smcr::LlcHeaderV2Big>(
    "LLC header, version 2", "IBM SMC v2, LLC", octets(0, 3),
    field<&smcr::LlcHeaderV2::type>(at(0), "smcr.llc.type", "Message type", hex, names(smcr::llc_type_names)),
    field<&smcr::LlcHeaderV2::length>(at(1), "smcr.llc.v2_length", "Length"));

template <>
inline constexpr auto layout_of<smcr::LlcHeaderV2Little> = layout<smcr::LlcHeaderV2Little>(
    "LLC header, version 2", "IBM SMC v2, LLC", octets(0, 3),
    field<&smcr::LlcHeaderV2::type>(at(0), "smcr.llc.type", "Message type", hex, names(smcr::llc_type_names)),
    field<&smcr::LlcHeaderV2::length>(at(1), "smcr.llc.v2_length", "Length", little_endian));

template <>
inline constexpr auto layout_of<smcr::ConfirmLink> = layout<smcr::ConfirmLink>(
    "CONFIRM LINK", "RFC 7609, A.3.1", octets(3, 44),
    field<&smcr::ConfirmLink::reply>(bits(3, 0x80), "smcr.llc.reply", "Reply"),
    field<&smcr::ConfirmLink::reserved1>(bits(3, 0x7C), "smcr.llc.flags_reserved", "Reserved", hex, reserved),
    field<&smcr::ConfirmLink::no_rmbe_eye_catcher>(
        bits(3, 0x03), "smcr.llc.confirm_link.no_eye_catcher", "No RMBE eye catchers", hex,
        clause("Linux net/smc/smc_llc.h")),
    field<&smcr::ConfirmLink::mac>(at(4), "smcr.llc.mac", "RoCE MAC"),
    field<&smcr::ConfirmLink::gid>(at(10), "smcr.llc.gid", "GID"),
    field<&smcr::ConfirmLink::qpn>(at(26, 3), "smcr.llc.qpn", "QP number", hex),
    field<&smcr::ConfirmLink::link>(at(29), "smcr.llc.link", "Link number"),
    field<&smcr::ConfirmLink::link_user_id>(at(30), "smcr.llc.confirm_link.link_user_id", "Link user ID", hex),
    field<&smcr::ConfirmLink::max_links>(at(34), "smcr.llc.confirm_link.max_links", "Maximum links"),
    field<&smcr::ConfirmLink::max_connections>(
        at(35), "smcr.llc.confirm_link.max_connections", "Maximum connections", clause("IBM SMC v2.1, CONFIRM LINK")),
    field<&smcr::ConfirmLink::reserved2>(at(36), "smcr.llc.reserved_end8", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::AddLink> = layout<smcr::AddLink>(
    "ADD LINK", "RFC 7609, A.3.2; Linux net/smc/smc_llc.h", octets(3, 44),
    field<&smcr::AddLink::reply>(bits(3, 0x80), "smcr.llc.reply", "Reply"),
    field<&smcr::AddLink::reject>(bits(3, 0x40), "smcr.llc.add_link.reject", "Rejected (Z)"),
    field<&smcr::AddLink::reserved1>(bits(3, 0x30), "smcr.llc.flags_reserved", "Reserved", hex, reserved),
    field<&smcr::AddLink::reject_reason_v2>(
        bits(3, 0x0F), "smcr.llc.add_link.reject_reason_v2", "Reject reason (version 2)",
        names(smcr::add_link_reject_names)),
    field<&smcr::AddLink::mac>(at(4), "smcr.llc.mac", "RoCE MAC"),
    field<&smcr::AddLink::reserved2>(at(10), "smcr.llc.add_link.reserved2", "Reserved", reserved),
    field<&smcr::AddLink::gid>(at(12), "smcr.llc.gid", "GID"),
    field<&smcr::AddLink::qpn>(at(28, 3), "smcr.llc.qpn", "QP number", hex),
    field<&smcr::AddLink::link>(at(31), "smcr.llc.link", "Link number"),
    field<&smcr::AddLink::reserved3>(bits(32, 0xF0), "smcr.llc.add_link.reserved3", "Reserved", hex, reserved),
    field<&smcr::AddLink::mtu>(bits(32, 0x0F), "smcr.llc.add_link.mtu", "Path MTU", names(ib::mtu_names)),
    field<&smcr::AddLink::initial_psn>(at(33, 3), "smcr.llc.add_link.initial_psn", "Initial PSN", hex),
    field<&smcr::AddLink::reserved4>(at(36), "smcr.llc.reserved_end8", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::AddLinkRfc> = layout<smcr::AddLinkRfc>(
    "ADD LINK as RFC 7609 draws it", "RFC 7609, A.3.2", octets(3, 44),
    field<&smcr::AddLinkRfc::reply>(bits(3, 0x80), "smcr.llc.reply", "Reply"),
    field<&smcr::AddLinkRfc::reject>(bits(3, 0x40), "smcr.llc.add_link.reject", "Rejected (Z)"),
    field<&smcr::AddLinkRfc::reserved1>(bits(3, 0x3F), "smcr.llc.flags_reserved", "Reserved", hex, reserved),
    field<&smcr::AddLinkRfc::mac>(at(4), "smcr.llc.mac", "RoCE MAC"),
    field<&smcr::AddLinkRfc::gid>(at(10), "smcr.llc.gid", "GID"),
    field<&smcr::AddLinkRfc::qpn>(at(26, 3), "smcr.llc.qpn", "QP number", hex),
    field<&smcr::AddLinkRfc::link>(at(29), "smcr.llc.link", "Link number"),
    field<&smcr::AddLinkRfc::reserved2>(bits(30, 0xF0), "smcr.llc.add_link.reserved3", "Reserved", hex, reserved),
    field<&smcr::AddLinkRfc::mtu>(bits(30, 0x0F), "smcr.llc.add_link.mtu", "Path MTU", names(ib::mtu_names)),
    field<&smcr::AddLinkRfc::initial_psn>(at(31, 3), "smcr.llc.add_link.initial_psn", "Initial PSN", hex),
    field<&smcr::AddLinkRfc::reserved3>(at(34), "smcr.llc.add_link.reserved_end10", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::AddLinkV2Big> = layout<smcr::AddLinkV2Big>(
    "ADD LINK extension", "IBM SMC v2, ADD LINK", octets(44, 72),
    field<&smcr::AddLinkV2::direct>(bits(44, 0x80), "smcr.llc.add_link.direct", "Not routed (v2 direct)"),
    field<&smcr::AddLinkV2::reserved1>(bits(44, 0x7F), "smcr.llc.add_link.v2_reserved1", "Reserved", hex, reserved),
    field<&smcr::AddLinkV2::reserved2>(at(45), "smcr.llc.add_link.v2_reserved2", "Reserved", hex, reserved),
    field<&smcr::AddLinkV2::target_gid>(at(46), "smcr.llc.add_link.target_gid", "Client target GID"),
    field<&smcr::AddLinkV2::reserved3>(at(62), "smcr.llc.add_link.v2_reserved3", "Reserved", reserved),
    field<&smcr::AddLinkV2::rkey_count>(at(70), "smcr.llc.add_link.rkey_count", "RKey count"));

template <>
inline constexpr auto layout_of<smcr::AddLinkV2Little> = layout<smcr::AddLinkV2Little>(
    "ADD LINK extension", "IBM SMC v2, ADD LINK", octets(44, 72),
    field<&smcr::AddLinkV2::direct>(bits(44, 0x80), "smcr.llc.add_link.direct", "Not routed (v2 direct)"),
    field<&smcr::AddLinkV2::reserved1>(bits(44, 0x7F), "smcr.llc.add_link.v2_reserved1", "Reserved", hex, reserved),
    field<&smcr::AddLinkV2::reserved2>(at(45), "smcr.llc.add_link.v2_reserved2", "Reserved", hex, reserved),
    field<&smcr::AddLinkV2::target_gid>(at(46), "smcr.llc.add_link.target_gid", "Client target GID"),
    field<&smcr::AddLinkV2::reserved3>(at(62), "smcr.llc.add_link.v2_reserved3", "Reserved", reserved),
    field<&smcr::AddLinkV2::rkey_count>(at(70), "smcr.llc.add_link.rkey_count", "RKey count", little_endian));

template <>
inline constexpr auto layout_of<smcr::RkeyPair> = layout<smcr::RkeyPair>(
    "RToken on the new link", "RFC 7609, A.3.3", octets(0, 16),
    field<&smcr::RkeyPair::reference_rkey>(at(0), "smcr.llc.rtoken.reference_rkey", "Reference RKey", hex),
    field<&smcr::RkeyPair::rkey>(at(4), "smcr.llc.rtoken.rkey", "RKey", hex),
    field<&smcr::RkeyPair::address>(at(8), "smcr.llc.rtoken.address", "RMB virtual address", hex));

template <>
inline constexpr auto layout_of<smcr::AddLinkContinuation> = layout<smcr::AddLinkContinuation>(
    "ADD LINK CONTINUATION", "RFC 7609, A.3.3", octets(3, 8),
    field<&smcr::AddLinkContinuation::reply>(bits(3, 0x80), "smcr.llc.reply", "Reply"),
    field<&smcr::AddLinkContinuation::reserved1>(bits(3, 0x7F), "smcr.llc.flags_reserved", "Reserved", hex, reserved),
    field<&smcr::AddLinkContinuation::link>(at(4), "smcr.llc.link", "Link number"),
    field<&smcr::AddLinkContinuation::rtokens_left>(at(5), "smcr.llc.rtokens_left", "RTokens left"),
    field<&smcr::AddLinkContinuation::reserved2>(at(6), "smcr.llc.reserved2", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::DeleteLink> = layout<smcr::DeleteLink>(
    "DELETE LINK", "RFC 7609, A.3.4", octets(3, 44),
    field<&smcr::DeleteLink::reply>(bits(3, 0x80), "smcr.llc.reply", "Reply"),
    field<&smcr::DeleteLink::all>(bits(3, 0x40), "smcr.llc.delete_link.all", "All links (A)"),
    field<&smcr::DeleteLink::orderly>(bits(3, 0x20), "smcr.llc.delete_link.orderly", "Orderly (O)"),
    field<&smcr::DeleteLink::reserved1>(bits(3, 0x1F), "smcr.llc.flags_reserved", "Reserved", hex, reserved),
    field<&smcr::DeleteLink::link>(at(4), "smcr.llc.link", "Link number"),
    field<&smcr::DeleteLink::reason>(
        at(5), "smcr.llc.delete_link.reason", "Reason", hex, names(smcr::delete_link_reason_names)),
    field<&smcr::DeleteLink::reserved2>(at(9), "smcr.llc.delete_link.reserved", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::RequestAddLink> = layout<smcr::RequestAddLink>(
    "REQUEST ADD LINK", "IBM SMC v2, REQUEST ADD LINK", octets(3, 28),
    field<&smcr::RequestAddLink::reply>(bits(3, 0x80), "smcr.llc.reply", "Reply"),
    field<&smcr::RequestAddLink::reserved1>(bits(3, 0x7F), "smcr.llc.flags_reserved", "Reserved", hex, reserved),
    field<&smcr::RequestAddLink::reserved2>(at(4), "smcr.llc.request_add_link.reserved1", "Reserved", reserved),
    field<&smcr::RequestAddLink::gid_count>(at(24), "smcr.llc.request_add_link.gid_count", "GID count"),
    field<&smcr::RequestAddLink::reserved3>(at(25), "smcr.llc.request_add_link.reserved2", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::ConfirmRkey> = layout<smcr::ConfirmRkey>(
    "CONFIRM RKEY", "RFC 7609, A.3.5", octets(3, 17),
    field<&smcr::ConfirmRkey::reply>(bits(3, 0x80), "smcr.llc.reply", "Reply"),
    field<&smcr::ConfirmRkey::reserved1>(bits(3, 0x40), "smcr.llc.flag_reserved", "Reserved", reserved),
    field<&smcr::ConfirmRkey::negative>(bits(3, 0x20), "smcr.llc.negative", "Negative reply (Z)"),
    field<&smcr::ConfirmRkey::retry>(
        bits(3, 0x10), "smcr.llc.confirm_rkey.retry", "Retry after a configuration change (C)"),
    field<&smcr::ConfirmRkey::reserved2>(bits(3, 0x0F), "smcr.llc.flags_reserved", "Reserved", hex, reserved),
    field<&smcr::ConfirmRkey::other_links>(at(4), "smcr.llc.confirm_rkey.other_links", "RTokens for other links"),
    field<&smcr::ConfirmRkey::rkey>(at(5), "smcr.llc.rtoken.rkey", "RKey", hex),
    field<&smcr::ConfirmRkey::address>(at(9), "smcr.llc.rtoken.address", "RMB virtual address", hex));

template <>
inline constexpr auto layout_of<smcr::ConfirmRkeyContinuation> = layout<smcr::ConfirmRkeyContinuation>(
    "CONFIRM RKEY CONTINUATION", "RFC 7609, A.3.6", octets(3, 5),
    field<&smcr::ConfirmRkeyContinuation::reply>(bits(3, 0x80), "smcr.llc.reply", "Reply"),
    field<&smcr::ConfirmRkeyContinuation::reserved1>(bits(3, 0x40), "smcr.llc.flag_reserved", "Reserved", reserved),
    field<&smcr::ConfirmRkeyContinuation::negative>(bits(3, 0x20), "smcr.llc.negative", "Negative reply (Z)"),
    field<&smcr::ConfirmRkeyContinuation::reserved2>(
        bits(3, 0x1F), "smcr.llc.flags_reserved", "Reserved", hex, reserved),
    field<&smcr::ConfirmRkeyContinuation::rtokens_left>(at(4), "smcr.llc.rtokens_left", "RTokens left"));

template <>
inline constexpr auto layout_of<smcr::LinkRtoken> = layout<smcr::LinkRtoken>(
    "RToken on another link", "RFC 7609, A.3.5", octets(0, 13),
    field<&smcr::LinkRtoken::link>(at(0), "smcr.llc.link", "Link number"),
    field<&smcr::LinkRtoken::rkey>(at(1), "smcr.llc.rtoken.rkey", "RKey", hex),
    field<&smcr::LinkRtoken::address>(at(5), "smcr.llc.rtoken.address", "RMB virtual address", hex));

template <>
inline constexpr auto layout_of<smcr::DeleteRkey> = layout<smcr::DeleteRkey>(
    "DELETE RKEY", "RFC 7609, A.3.7", octets(3, 8),
    field<&smcr::DeleteRkey::reply>(bits(3, 0x80), "smcr.llc.reply", "Reply"),
    field<&smcr::DeleteRkey::reserved1>(bits(3, 0x40), "smcr.llc.flag_reserved", "Reserved", reserved),
    field<&smcr::DeleteRkey::negative>(bits(3, 0x20), "smcr.llc.negative", "Negative reply (Z)"),
    field<&smcr::DeleteRkey::reserved2>(bits(3, 0x1F), "smcr.llc.flags_reserved", "Reserved", hex, reserved),
    field<&smcr::DeleteRkey::count>(at(4), "smcr.llc.delete_rkey.count", "RKey count"),
    field<&smcr::DeleteRkey::error_mask>(
        at(5), "smcr.llc.delete_rkey.error_mask", "Error mask (version 2: invalid RKeys)", hex),
    field<&smcr::DeleteRkey::reserved3>(at(6), "smcr.llc.reserved2", "Reserved", reserved));

template <>
inline constexpr auto layout_of<smcr::DeletedRkey> = layout<smcr::DeletedRkey>(
    "RKey", "RFC 7609, A.3.7", octets(0, 4),
    field<&smcr::DeletedRkey::rkey>(at(0), "smcr.llc.delete_rkey.rkey", "RKey", hex));

template <>
inline constexpr auto layout_of<smcr::TestLink> = layout<smcr::TestLink>(
    "TEST LINK", "RFC 7609, A.3.8", octets(3, 44),
    field<&smcr::TestLink::reply>(bits(3, 0x80), "smcr.llc.reply", "Reply"),
    field<&smcr::TestLink::reserved1>(bits(3, 0x7F), "smcr.llc.flags_reserved", "Reserved", hex, reserved),
    field<&smcr::TestLink::user_data>(at(4), "smcr.llc.test_link.user_data", "User data"),
    field<&smcr::TestLink::reserved2>(at(20), "smcr.llc.test_link.reserved", "Reserved", reserved));

}  // namespace fabricscope::layout

namespace fabricscope::smcr {

namespace detail {

template <class V, class T> void walk_slots(Walker<V>& w, const layout::List<T>& slots, std::size_t used) {
    for (std::size_t i = 0; i < slots.size(); ++i) w.part(slots[i], {.index = static_cast<int>(i), .used = i < used});
}

template <class V, layout::WireFormat T> void walk_body(Walker<V>& w, const T& body) { w.part(body); }

template <class V> void walk_body(Walker<V>& w, const UnknownLlc& body) {
    w.octets(body.octets, {.label = "Unknown content"});
}

template <class V> void walk_body(Walker<V>& w, const AddLinkMessage& message) {
    std::visit([&](const auto& body) { w.part(body); }, message.body);
    if (const auto* big = std::get_if<AddLinkV2Big>(&message.v2)) w.part(*big);
    if (const auto* little = std::get_if<AddLinkV2Little>(&message.v2)) w.part(*little);
    w.list(message.rkeys);
}

template <class V> void walk_body(Walker<V>& w, const RequestAddLinkMessage& message) {
    w.part(message.body);
    w.list(message.gids);
}

/// The messages with a fixed number of slots.
template <class V, class Message>
requires requires(Message m) {
    m.slots;
    m.used;
}
void walk_body(Walker<V>& w, const Message& message) {
    w.part(message.body);
    walk_slots(w, message.slots, message.used);
}

}  // namespace detail

template <class Visitor> void walk(const LlcMessage& message, Visitor&& visit) {
    Walker walker(visit);
    std::visit([&](const auto& header) { walker.part(header); }, message.header);
    std::visit([&](const auto& body) { detail::walk_body(walker, body); }, message.body);
    walker.octets(message.padding, {.label = "Padding"});
}

}  // namespace fabricscope::smcr
