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

inline constexpr std::size_t kLlcSize = 44;           ///< of every version 1 message, and the least in version 2
inline constexpr std::size_t kLlcV2MaxLength = 8192;  ///< what Linux accepts

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
inline constexpr std::array kLlcTypeNames{
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

inline constexpr std::array kAddLinkRejectNames{ValueName{1, "no alternate path"}, ValueName{2, "invalid MTU"}};

inline constexpr std::array kDeleteLinkReasonNames{
    ValueName{0x00010000, "lost path"},
    ValueName{0x00020000, "operator initiated"},
    ValueName{0x00030000, "program initiated (inactivity)"},
    ValueName{0x00040000, "LLC protocol violation"},
    ValueName{0x00050000, "asymmetric link no longer needed"},
    ValueName{0x00100000, "unknown link"},
    ValueName{0x00200000, "unknown link group"}};

// ---- headers: octets 0 to 2 ----------------------------------------------------------------------

struct LlcHeaderV1 {
    std::uint8_t type = 0;
    std::uint8_t length = kLlcSize;
    std::uint8_t reserved = 0;
};

/// A version 1 ADD LINK has its reject reason in the header's last octet.
struct AddLinkHeaderV1 {
    std::uint8_t type = 2;
    std::uint8_t length = kLlcSize;
    std::uint8_t reserved = 0;
    std::uint8_t reject_reason = 0;
};

/// Version 2 has a 16-bit length. Linux stores it in the order of its CPU, so both orders are met.
struct LlcHeaderV2 {
    std::uint8_t type = 0;
    std::uint16_t length = kLlcSize;
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

#include "protocols/smcr/llc_layout.h"
