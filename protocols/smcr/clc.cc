// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/smcr/clc.h"

namespace fabricscope::smcr {

namespace {

constexpr std::size_t smcd_area_offset = 40;      // of a PROPOSAL's growth area
constexpr std::size_t v2_extension_origin = 52;   // what v2_extension_offset counts from
constexpr std::size_t smcd_extension_origin = 8;  // what smcd_extension_offset counts from, in the extension
constexpr std::uint8_t offers_nothing = 2;
constexpr std::size_t trailer_size = layout::size_of<ClcTrailer>;
constexpr const char* clc_length_name = "smcr.clc.length";

std::uint8_t version_of(ByteView octets) { return octets.size() > clc_header_size ? octets[clc_header_size] >> 4 : 0; }

/// A version 1 message ends where its fields end; a later version may have grown.
ByteView take_rest(PartReader& reader, std::uint8_t version) {
    if (version == 1 && reader.remaining() != 0)
        reader.fail(
            {layout::Fault::wrong_length, clc_length_name, 5, reader.offset() + trailer_size,
             reader.offset() + reader.remaining() + trailer_size});
    return reader.take(reader.remaining(), clc_length_name);
}

void read_version(PartReader& reader, Proposal& proposal, std::uint8_t version) {
    if (version >= 2) reader.read(proposal.version.emplace<ProposalVersion2>());
    else reader.read(proposal.version.emplace<ProposalVersion1>());
}

void read_v2_extension(PartReader& reader, Proposal& proposal) {
    proposal.before_v2 = reader.take_until(
        v2_extension_origin + proposal.smcd->v2_extension_offset, "smcr.clc.proposal.v2_extension_offset");
    const std::size_t start = reader.offset();
    reader.read(proposal.v2);
    if (reader.error()) return;
    reader.read(proposal.eids, proposal.v2->eid_count);
    if (proposal.v2->smcd_extension_offset == 0) return;
    proposal.before_smcd_v2 = reader.take_until(
        start + smcd_extension_origin + proposal.v2->smcd_extension_offset, "smcr.clc.proposal.smcd_extension_offset");
    reader.read(proposal.smcd_v2);
    reader.read(proposal.ism_gids, proposal.v2->ism_gid_count);
}

Proposal read_proposal(PartReader& reader, std::uint8_t version) {
    Proposal proposal;
    read_version(reader, proposal, version);
    reader.read(proposal.body);
    if (reader.error()) return proposal;
    const auto* v2 = std::get_if<ProposalVersion2>(&proposal.version);
    const bool has_ip_area = v2 == nullptr || v2->type_v1 != offers_nothing;
    const std::size_t growth = proposal.body.ip_area_offset;
    if (growth >= layout::size_of<SmcdArea> || !has_ip_area) reader.read(proposal.smcd);
    if (has_ip_area) {
        proposal.before_ip = reader.take_until(smcd_area_offset + growth, "smcr.clc.proposal.ip_area_offset");
        reader.read(proposal.ip);
        if (!reader.error()) reader.read(proposal.prefixes, proposal.ip->prefix_count);
    }
    if (!reader.error() && proposal.smcd && proposal.smcd->v2_extension_offset != 0)
        read_v2_extension(reader, proposal);
    proposal.before_trailer = take_rest(reader, version);
    return proposal;
}

template <class Message> void read_first_contact(PartReader& reader, Message& message) {
    if (reader.remaining() < layout::size_of<FirstContactExtension>) return;
    reader.read(message.first_contact);
    if (reader.remaining() >= layout::size_of<FirstContactExtensionV2x>) reader.read(message.first_contact_v2x);
}

SmcrAcceptConfirm read_smcr_accept_confirm(PartReader& reader, std::uint8_t version, ClcType type) {
    SmcrAcceptConfirm message;
    reader.read(message.body);
    if (version >= 2) {
        reader.read(message.v2);
        read_first_contact(reader, message);
        if (type == ClcType::confirm && reader.remaining() >= layout::size_of<GidListHeader>) {
            reader.read(message.gid_list);
            if (!reader.error()) reader.read(message.gids, message.gid_list->count);
        }
    }
    message.before_trailer = take_rest(reader, version);
    return message;
}

SmcdAcceptConfirm read_smcd_accept_confirm(PartReader& reader, std::uint8_t version) {
    SmcdAcceptConfirm message;
    reader.read(message.body);
    if (version >= 2) {
        reader.read(message.tail.emplace<SmcdAcceptConfirmV2>());
        read_first_contact(reader, message);
    } else {
        reader.read(message.tail.emplace<SmcdAcceptConfirmV1>());
    }
    message.before_trailer = take_rest(reader, version);
    return message;
}

Decline read_decline(PartReader& reader, std::uint8_t version) {
    Decline message;
    reader.read(message.body);
    // Older senders of version 2 leave the additional codes out.
    if (version >= 2 && reader.remaining() >= layout::size_of<DeclineV2>) reader.read(message.v2);
    message.before_trailer = take_rest(reader, version);
    return message;
}

void read_body(PartReader& reader, ClcMessage& message, std::uint8_t version) {
    switch (message.header.type) {
        case ClcType::proposal: message.body = read_proposal(reader, version); return;
        case ClcType::accept:
        case ClcType::confirm:
            if (message.header.eye_catcher == eye_catcher_smc_d)
                message.body = read_smcd_accept_confirm(reader, version);
            else message.body = read_smcr_accept_confirm(reader, version, message.header.type);
            return;
        case ClcType::decline: message.body = read_decline(reader, version); return;
    }
    message.body = UnknownClc{reader.take(reader.remaining(), clc_length_name)};
    reader.fail({layout::Fault::wrong_value, "smcr.clc.type", 4, 1, static_cast<std::uint64_t>(message.header.type)});
}

std::size_t shortest(ClcType type, std::uint32_t eye_catcher) {
    switch (type) {
        case ClcType::proposal: return 52;
        case ClcType::accept:
        case ClcType::confirm: return eye_catcher == eye_catcher_smc_d ? 48 : 68;
        case ClcType::decline: return 28;
    }
    return 0;
}

/// ACCEPT and CONFIRM of version 1 have no optional parts. The version is in the octet behind the header.
std::size_t longest(const ClcHeader& header, ByteView body) {
    const bool is_version_1 = !body.empty() && body[0] >> 4 == 1;
    const bool is_fixed = is_version_1 && (header.type == ClcType::accept || header.type == ClcType::confirm);
    return is_fixed ? shortest(header.type, header.eye_catcher) : clc_max_length;
}

}  // namespace

std::uint8_t ClcMessage::version() const {
    struct Version {
        std::uint8_t operator()(const UnknownClc&) const { return 0; }
        std::uint8_t operator()(const Proposal& proposal) const {
            return std::visit([](const auto& version) { return version.version; }, proposal.version);
        }
        std::uint8_t operator()(const SmcrAcceptConfirm& message) const { return message.body.version; }
        std::uint8_t operator()(const SmcdAcceptConfirm& message) const { return message.body.version; }
        std::uint8_t operator()(const Decline& message) const { return message.body.version; }
    };
    return std::visit(Version{}, body);
}

std::size_t clc_length(ByteView stream) {
    constexpr std::array<std::uint8_t, 3> message_start{0xE2, 0xD4, 0xC3};
    const std::size_t comparable = std::min(stream.size(), message_start.size());
    if (!std::equal(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(comparable), message_start.begin()))
        return 0;
    if (stream.size() > 3 && stream[3] != (eye_catcher_smc_r & 0xFF) && stream[3] != (eye_catcher_smc_d & 0xFF))
        return 0;
    if (stream.size() > 4 && (stream[4] < 1 || stream[4] > 4)) return 0;
    if (stream.size() < clc_header_size) return clc_header_size;
    ClcHeader header;
    layout::parse_into(header, stream);
    const std::size_t least = shortest(header.type, header.eye_catcher);
    const bool possible = header.length >= least && header.length <= longest(header, stream.subspan(clc_header_size));
    return possible ? header.length : 0;
}

ClcMessage parse_clc(ByteView octets) {
    ClcMessage message;
    message.error = layout::parse_into(message.header, octets);
    if (message.error) return message;
    const std::size_t length = message.header.length;
    if (length < clc_header_size + trailer_size) {
        message.error = {layout::Fault::wrong_length, clc_length_name, 5, clc_header_size + trailer_size, length};
        return message;
    }
    PartReader reader(octets, length);
    reader.take(clc_header_size, clc_length_name);
    reader.keep_back(trailer_size);
    read_body(reader, message, version_of(octets));
    reader.give_back(trailer_size);
    if (!reader.error()) {
        reader.read(message.trailer);
        if (!reader.error() && message.trailer->eye_catcher != message.header.eye_catcher)
            reader.fail(
                {layout::Fault::wrong_value, "smcr.clc.trailer", length - trailer_size, message.header.eye_catcher,
                 message.trailer->eye_catcher});
    }
    message.error = reader.error();
    return message;
}

std::vector<std::uint8_t> build(const ClcMessage& message) {
    Builder builder;
    walk(message, builder);
    return std::move(builder.message);
}

}  // namespace fabricscope::smcr
