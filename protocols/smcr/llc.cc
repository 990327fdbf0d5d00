// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/smcr/llc.h"

#include <algorithm>

#include "protocols/smcr/cdc.h"

namespace fabricscope::smcr {

namespace {

constexpr std::size_t header_size = 3;
constexpr std::size_t max_deleted_rkeys = 8;  // RFC 7609, A.3.7
constexpr std::uint8_t version_mask = 0xE0;   // type bits 00xxxxxx; bit 5 marks version 2 in practice
constexpr std::uint8_t version2 = 0x20;
constexpr const char* type_field = "smcr.llc.type";
constexpr const char* llc_length_name = "smcr.llc.length";

bool is_version2(std::uint8_t type) { return (type & version_mask) == version2; }

/// Linux stores the length in host order: take the order in which it is the payload's length, and
/// if neither fits, the order in which it is a possible length.
bool length_is_little_endian(ByteView octets, std::size_t payload) {
    if (octets.size() < header_size) return false;
    const std::size_t big = static_cast<std::size_t>(octets[1] << 8 | octets[2]);
    const std::size_t little = static_cast<std::size_t>(octets[2] << 8 | octets[1]);
    if (big == payload || little == payload) return big != payload;
    return little >= llc_size && little <= llc_v2_max_length;
}

template <class Header> std::size_t read_header(PartReader& reader, LlcMessage& message) {
    Header& header = message.header.emplace<Header>();
    reader.read(header);
    return header.length;
}

/// Reads the header and returns the length that it claims.
std::size_t read_header(PartReader& reader, LlcMessage& message, ByteView octets, std::size_t payload) {
    const std::uint8_t type = octets.empty() ? 0 : octets[0];
    if (is_version2(type))
        return length_is_little_endian(octets, payload) ? read_header<LlcHeaderV2Little>(reader, message)
                                                        : read_header<LlcHeaderV2Big>(reader, message);
    if (static_cast<LlcType>(type) == LlcType::add_link) return read_header<AddLinkHeaderV1>(reader, message);
    return read_header<LlcHeaderV1>(reader, message);
}

/// RFC 7609's figure lacks two reserved octets that every implementation sends. The figure's shape
/// is taken only where the other one makes no sense: those octets are not zero, or there is an MTU
/// where the figure has it and none where implementations have it.
bool has_rfc_shape(ByteView octets) {
    if (octets.size() < llc_size) return false;
    if (octets[10] != 0 || octets[11] != 0) return true;
    return mtu_octets(octets[32]) == 0 && mtu_octets(octets[30]) != 0;
}

template <class Extension> std::size_t read_add_link_extension(PartReader& reader, AddLinkMessage& message) {
    Extension& extension = message.v2.emplace<Extension>();
    reader.read(extension);
    return extension.rkey_count;
}

AddLinkMessage read_add_link(PartReader& reader, const LlcMessage& message, ByteView octets) {
    AddLinkMessage add_link;
    if (message.version() == 1 && has_rfc_shape(octets)) reader.read(add_link.body.emplace<AddLinkRfc>());
    else reader.read(add_link.body.emplace<AddLink>());
    if (message.version() == 1 || reader.remaining() < layout::size_of<AddLinkV2Big>) return add_link;
    const bool little = std::holds_alternative<LlcHeaderV2Little>(message.header);
    const std::size_t count = little ? read_add_link_extension<AddLinkV2Little>(reader, add_link)
                                     : read_add_link_extension<AddLinkV2Big>(reader, add_link);
    reader.read(add_link.rkeys, count);
    return add_link;
}

/// A body and `slots` slots, of which `used(body)` mean something.
template <class Message, class Count> Message read_slots(PartReader& reader, std::size_t slots, Count used) {
    Message message;
    reader.read(message.body);
    if (reader.error()) return message;
    reader.read(message.slots, slots);
    message.used = std::min<std::size_t>(used(message.body), message.slots.size());
    return message;
}

DeleteRkeyMessage read_delete_rkey(PartReader& reader, std::uint8_t version) {
    DeleteRkeyMessage message;
    reader.read(message.body);
    if (reader.error()) return message;
    const std::size_t slots = version == 1 ? max_deleted_rkeys : message.body.count;
    reader.read(message.slots, slots);
    message.used = std::min<std::size_t>(message.body.count, message.slots.size());
    return message;
}

RequestAddLinkMessage read_request_add_link(PartReader& reader) {
    RequestAddLinkMessage message;
    reader.read(message.body);
    if (!reader.error()) reader.read(message.gids, message.body.gid_count);
    return message;
}

template <class Body> Body read_plain(PartReader& reader) {
    Body body;
    reader.read(body);
    return body;
}

void read_body(PartReader& reader, LlcMessage& message, ByteView octets) {
    const bool known = layout::name_of(llc_type_names, message.raw_type()) != nullptr && message.raw_type() != cdc_type;
    if (known) {
        switch (message.type()) {
            case LlcType::confirm_link: message.body = read_plain<ConfirmLink>(reader); return;
            case LlcType::add_link: message.body = read_add_link(reader, message, octets); return;
            case LlcType::add_link_continuation:
                message.body = read_slots<AddLinkContinuationMessage>(
                    reader, 2, [](const auto& body) { return body.rtokens_left; });
                return;
            case LlcType::delete_link: message.body = read_plain<DeleteLink>(reader); return;
            case LlcType::request_add_link: message.body = read_request_add_link(reader); return;
            case LlcType::confirm_rkey:
                message.body = read_slots<ConfirmRkeyMessage>(
                    reader, 2, [](const auto& body) { return body.other_links; });
                return;
            case LlcType::confirm_rkey_continuation:
                message.body = read_slots<ConfirmRkeyContinuationMessage>(
                    reader, 3, [](const auto& body) { return body.rtokens_left; });
                return;
            case LlcType::delete_rkey: message.body = read_delete_rkey(reader, message.version()); return;
            case LlcType::test_link: message.body = read_plain<TestLink>(reader); return;
        }
    }
    message.body = UnknownLlc{reader.take(reader.remaining(), type_field)};
    reader.fail({layout::Fault::wrong_value, type_field, 0, 1, message.raw_type()});
}

}  // namespace

AddLink AddLinkMessage::common() const {
    if (const auto* sent = std::get_if<AddLink>(&body)) return *sent;
    const auto& rfc = std::get<AddLinkRfc>(body);
    AddLink common;
    common.reply = rfc.reply;
    common.reject = rfc.reject;
    common.mac = rfc.mac;
    common.gid = rfc.gid;
    common.qpn = rfc.qpn;
    common.link = rfc.link;
    common.mtu = rfc.mtu;
    common.initial_psn = rfc.initial_psn;
    return common;
}

std::uint8_t LlcMessage::raw_type() const {
    return std::visit([](const auto& any) { return any.type; }, header);
}

bool LlcMessage::is_reply() const {
    struct Reply {
        bool operator()(const UnknownLlc&) const { return false; }
        bool operator()(const ConfirmLink& of) const { return of.reply; }
        bool operator()(const DeleteLink& of) const { return of.reply; }
        bool operator()(const TestLink& of) const { return of.reply; }
        bool operator()(const AddLinkMessage& of) const { return of.common().reply; }
        bool operator()(const AddLinkContinuationMessage& of) const { return of.body.reply; }
        bool operator()(const RequestAddLinkMessage& of) const { return of.body.reply; }
        bool operator()(const ConfirmRkeyMessage& of) const { return of.body.reply; }
        bool operator()(const ConfirmRkeyContinuationMessage& of) const { return of.body.reply; }
        bool operator()(const DeleteRkeyMessage& of) const { return of.body.reply; }
    };
    return std::visit(Reply{}, body);
}

LlcMessage parse_llc(ByteView octets, std::size_t length) {
    LlcMessage message;
    PartReader reader(octets, length);
    const std::size_t claimed = read_header(reader, message, octets, length);
    if (!reader.error()) read_body(reader, message, octets);
    if (!reader.error()) message.padding = reader.take(reader.remaining(), llc_length_name);
    if (!reader.error() && claimed != length)
        reader.fail({layout::Fault::wrong_length, llc_length_name, 1, length, claimed});
    message.error = reader.error();
    return message;
}

bool looks_like_llc(ByteView octets, std::size_t length) {
    if (length < llc_size || octets.size() < length) return false;
    const LlcMessage message = parse_llc(octets, length);
    if (message.error || (message.version() == 1 && length != llc_size)) return false;
    layout::ReservedCheck check;
    walk(message, check);
    return !check.found;
}

bool looks_like_cdc(ByteView octets, std::size_t length) {
    if (length != cdc_size || octets.size() < cdc_meaningful || octets[0] != cdc_type || octets[1] != cdc_size)
        return false;
    Cdc cdc;
    layout::parse_into(cdc, octets);
    return cdc.alert_token != 0 && layout::reserved_in_use<Cdc>(octets) == nullptr;
}

std::vector<std::uint8_t> build(const LlcMessage& message) {
    Builder builder;
    walk(message, builder);
    return std::move(builder.message);
}

}  // namespace fabricscope::smcr
