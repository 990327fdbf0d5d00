// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/fc_packet.h"

#include "capture/fip_descriptors.h"
#include "protocols/fc/encapsulation.h"

namespace fabricscope::capture {
namespace {

constexpr std::uint32_t crc_size = layout::size_of<fc::Crc>;

DecodeState take_frame(const Content& content, FcCarrier carrier, FcPacket& fc) {
    fc.octets = content.captured;
    fc.frame = fc::parse_frame(content.captured, content.wire);
    if (const auto& vf_id = fc.frame.vf_id) fc.fabric = vf_id;
    const bool has_header = content.captured.size() >= fc.frame.extended_headers.size() + fc::frame_header_size &&
                            fc.frame.error.fault != layout::Fault::wrong_value;
    if (has_header) fc.carrier = carrier;
    if (!fc.frame.error) return DecodeState::ok;
    return fc.frame.error.fault == layout::Fault::truncated ? DecodeState::truncated : DecodeState::malformed;
}

/// The frame ends where its CRC begins.
DecodeState take_frame_and_crc(const Content& content, FcCarrier carrier, FcPacket& fc) {
    if (content.wire < crc_size) return DecodeState::malformed;
    const std::uint32_t end = content.wire - crc_size;
    if (const auto crc = content.at<fc::Crc>(end)) fc.crc = crc->value;
    return take_frame(content.first(end), carrier, fc);
}

std::uint32_t size_in_words(const fc::EncapsulationHeader& header) { return header.frame_length * 4U; }

/// Where the frame's EOF word ends. A capture may hold Ethernet's own checksum behind it.
std::uint32_t end_of_fcoe(const Content& content) {
    constexpr std::uint32_t trailer = layout::size_of<fc::FcoeTrailer>;
    constexpr std::uint32_t ethernet_checksum = 4;
    if (content.wire < trailer + ethernet_checksum) return content.wire;
    const auto ends_there = [&](std::uint32_t end) {
        const auto found = content.at<fc::FcoeTrailer>(end - trailer);
        return found && fc::eof_of_code(found->eof).has_value() && found->reserved == Bytes<3>{};
    };
    const bool checksum = !ends_there(content.wire) && ends_there(content.wire - ethernet_checksum);
    return checksum ? content.wire - ethernet_checksum : content.wire;
}

}  // namespace

DecodeState decode_fc2(ByteView captured, std::uint32_t wire, FcPacket& fc) {
    return take_frame({captured, wire}, FcCarrier::fc2, fc);
}

DecodeState decode_fc2_with_delimiters(ByteView captured, std::uint32_t wire, FcPacket& fc) {
    constexpr std::uint32_t delimiter = 4;
    const Content content{captured, wire};
    if (wire < 2 * delimiter) return DecodeState::malformed;
    const auto word_at = [&](std::uint32_t offset) -> std::uint32_t {
        const ByteView octets = content.behind(offset).captured;
        if (octets.size() < delimiter) return 0;
        return std::uint32_t{octets[0]} << 24 | std::uint32_t{octets[1]} << 16 | std::uint32_t{octets[2]} << 8 |
               octets[3];
    };
    fc.sof = fc::sof_of_ordered_set(word_at(0)).value_or(fc::Sof::none);
    fc.eof = fc::eof_of_ordered_set(word_at(wire - delimiter)).value_or(fc::Eof::none);
    const Content inner = content.first(wire - delimiter).behind(delimiter);
    return take_frame_and_crc(inner, FcCarrier::fc2_delimited, fc);
}

DecodeState decode_fcoe(ByteView captured, std::uint32_t wire, FcPacket& fc) {
    constexpr std::uint32_t head = layout::size_of<fc::FcoeHeader>, tail = layout::size_of<fc::FcoeTrailer>;
    const Content content{captured, wire};
    const auto header = content.at<fc::FcoeHeader>(0);
    if (!header || wire < head + tail) return content.lack_of(head + tail);
    if (header->version != 0 || header->reserved.octets[0] != 0) return DecodeState::unsupported;  // before FC-BB-5
    const std::uint32_t end = end_of_fcoe(content) - tail;
    fc.sof = fc::sof_of_code(header->sof).value_or(fc::Sof::none);
    if (const auto trailer = content.at<fc::FcoeTrailer>(end))
        fc.eof = fc::eof_of_code(trailer->eof).value_or(fc::Eof::none);
    return take_frame_and_crc(content.first(end).behind(head), FcCarrier::fcoe, fc);
}

DecodeState decode_fip(ByteView captured, std::uint32_t wire, FcPacket& fc) {
    constexpr std::uint32_t before_frame = 4;
    const Content content{captured, wire};
    const auto header = content.at<fc::FipHeader>(0);
    if (!header) return content.lack_of(layout::size_of<fc::FipHeader>);
    if (header->operation != fc::fip_link_service) return DecodeState::ok;
    DecodeState of_frame = DecodeState::ok;
    const DecodeState of_list = for_each_fip_descriptor(
        content, *header, [&](const auto& head, const Content& descriptor) {
            if (fc::holds_frame(head)) of_frame = take_frame(descriptor.behind(before_frame), FcCarrier::fip, fc);
            return fc::holds_frame(head);
        });
    return of_list != DecodeState::ok ? of_list : of_frame;
}

FipControl fip_control_of(ByteView fip) {
    fc::FipHeader header;
    if (layout::parse_into(header, fip) || header.operation != fc::fip_control) return FipControl::none;
    if (header.subcode == fc::fip_keep_alive) return FipControl::keep_alive;
    return header.subcode == fc::fip_clear_virtual_links ? FipControl::clear_virtual_links : FipControl::none;
}

std::optional<std::uint32_t> cleared_port(ByteView fip, std::size_t n) {
    constexpr std::uint32_t longest = 2200;  // a frame of FCoE; who makes longer ones wants to keep us busy
    const Content content = Content{fip, static_cast<std::uint32_t>(fip.size())}.first(longest);
    const auto header = content.at<fc::FipHeader>(0);
    if (!header) return std::nullopt;
    std::optional<std::uint32_t> found;
    for_each_fip_descriptor(content, *header, [&](const auto& head, const Content& descriptor) {
        const auto port = descriptor.at<fc::FipVnPort>(layout::size_of<fc::FipDescriptor>);
        if (head.type == fc::fip_vn_port_type && port && n-- == 0) found = port->port_id;
        return found.has_value();
    });
    return found;
}

DecodeState decode_mds(ByteView captured, std::uint32_t wire, FcPacket& fc) {
    constexpr std::uint32_t head = layout::size_of<fc::MdsHeader>, tail = layout::size_of<fc::MdsTrailer> + crc_size;
    const Content content{captured, wire};
    const auto header = content.at<fc::MdsHeader>(0);
    if (!header) return content.lack_of(head);
    if (header->packet_length < tail || head + header->packet_length > wire) return DecodeState::malformed;
    fc.sof = fc::sof_of_mds(header->sof).value_or(fc::Sof::none);
    fc.fabric = header->vsan;
    const std::uint32_t end = head + header->packet_length - tail;
    if (const auto trailer = content.at<fc::MdsTrailer>(end))
        fc.eof = fc::eof_of_mds(trailer->eof).value_or(fc::Eof::none);
    if (const auto crc = content.at<fc::Crc>(end + tail - crc_size)) fc.crc = crc->value;
    return take_frame(content.first(end).behind(head), FcCarrier::mds, fc);
}

DecodeState decode_boardwalk(ByteView captured, std::uint32_t wire, FcPacket& fc) {
    constexpr std::uint32_t head = layout::size_of<fc::BoardwalkHeader>, tail = layout::size_of<fc::BoardwalkTrailer>;
    const Content content{captured, wire};
    const auto header = content.at<fc::BoardwalkHeader>(0);
    if (!header || wire < head + tail) return content.lack_of(head + tail);
    fc.sof = fc::sof_of_mds(header->sof).value_or(fc::Sof::none);
    fc.fabric = header->vsan;
    std::uint32_t end = wire - tail;
    if (const auto trailer = content.at<fc::BoardwalkTrailer>(end)) {
        fc.eof = fc::eof_of_mds(trailer->eof).value_or(fc::Eof::none);
        if (trailer->length_present) end -= std::min(end - head, crc_size);
    }
    return take_frame_and_crc(content.first(end).behind(head), FcCarrier::boardwalk, fc);
}

DecodeState decode_fcip(ByteView captured, std::uint32_t wire, FcPacket& fc) {
    constexpr std::uint32_t word = layout::size_of<fc::DelimiterWord>;
    constexpr std::uint32_t head = layout::size_of<fc::EncapsulationHeader> + word;
    const Content content{captured, wire};
    const auto header = content.at<fc::EncapsulationHeader>(0);
    if (!header) return content.lack_of(head);
    const std::uint32_t size = size_in_words(*header);
    if (size > wire || size < head + word) return DecodeState::malformed;
    if (const auto sof = content.at<fc::DelimiterWord>(head - word))
        fc.sof = fc::sof_of_code(sof->code).value_or(fc::Sof::none);
    if (const auto eof = content.at<fc::DelimiterWord>(size - word))
        fc.eof = fc::eof_of_code(eof->code).value_or(fc::Eof::none);
    return take_frame_and_crc(content.first(size - word).behind(head), FcCarrier::fcip, fc);
}

}  // namespace fabricscope::capture
