// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/fc/frame.h"

#include <string_view>

#include "protocols/net/crc32.h"

namespace fabricscope::fc {

namespace {

using layout::PartReader;

constexpr const char* extended_field = "fabricscope.fc.extended_header";
constexpr const char* payload_field = "fabricscope.fc.payload";

constexpr std::size_t extended_header_size(std::uint8_t r_ctl) {
    switch (r_ctl) {
        case r_ctl_vft_header: return layout::size_of<VftHeader>;
        case r_ctl_ifr_header: return layout::size_of<IfrHeader>;
        case r_ctl_enc_header: return layout::size_of<EncHeader>;
        default: return 0;
    }
}

void note_virtual_fabric(Frame& frame, ByteView header) {
    if (header[0] != r_ctl_vft_header) return;
    VftHeader vft;
    if (!layout::parse_into(vft, header)) frame.vf_id = vft.vf_id;
}

/// Leaves the reader at the Frame_Header.
void read_extended_headers(PartReader& reader, ByteView octets, Frame& frame) {
    for (std::size_t count = 0; reader.offset() < octets.size(); ++count) {
        const std::uint8_t r_ctl = octets[reader.offset()];
        if (routing_of(r_ctl) != Routing::extended_header) break;
        const std::size_t size = extended_header_size(r_ctl);
        if (size == 0 || count == max_extended_headers)
            return reader.fail({layout::Fault::wrong_value, extended_field, reader.offset(), 0, r_ctl});
        const ByteView header = reader.take(size, extended_field);
        if (reader.error()) break;
        note_virtual_fabric(frame, header);
    }
    frame.extended_headers = octets.first(std::min(octets.size(), reader.offset()));
}

/// Octets of the optional headers that can be told from the payload.
std::size_t optional_headers_size(const DfCtl& df_ctl) {
    if (df_ctl.esp_header) return layout::size_of<EspHeader>;
    return (df_ctl.network_header ? layout::size_of<NetworkHeader> : 0) +
           (df_ctl.association_header ? layout::size_of<AssociationHeader> : 0) + df_ctl.device_header_octets();
}

/// Of `length` octets at the end of the frame. Link control and basic link services use F_CTL's last bits otherwise, or
/// not at all.
std::size_t fill_in(const FrameHeader& header, std::size_t length) {
    return header.is_data() ? std::min<std::size_t>(header.f_ctl.fill_bytes, length) : 0;
}

void read_payload(PartReader& reader, ByteView octets, Frame& frame) {
    const std::size_t start = reader.offset();
    const std::size_t length = reader.remaining();
    const std::size_t fill = fill_in(frame.header, length);
    frame.payload_length = static_cast<std::uint32_t>(length - fill);
    const ByteView captured = octets.subspan(std::min(octets.size(), start));
    frame.payload = captured.first(std::min(captured.size(), length - fill));
    frame.fill = captured.subspan(frame.payload.size(), std::min(captured.size(), length) - frame.payload.size());
    if (captured.size() < length)
        reader.fail({layout::Fault::truncated, payload_field, start, length, captured.size()});
}

void read_rest(PartReader& reader, ByteView octets, std::size_t length, Frame& frame) {
    const std::size_t headers_end = reader.offset() + optional_headers_size(frame.header.df_ctl);
    frame.optional_headers = reader.take(headers_end - reader.offset(), "fabricscope.fc.df_ctl.device_header");
    if (!reader.error()) return read_payload(reader, octets, frame);
    // Captured is a part of these headers at most, but the frame's length tells what is behind them.
    const std::size_t length_behind = length - std::min(length, headers_end);
    frame.payload_length = static_cast<std::uint32_t>(length_behind - fill_in(frame.header, length_behind));
}

/// The T that begins at `offset` of the optional headers.
template <layout::WireFormat T> std::optional<T> header_at(ByteView headers, std::size_t offset) {
    T header;
    if (offset > headers.size() || layout::parse_into(header, headers.subspan(offset))) return std::nullopt;
    return header;
}

}  // namespace

std::optional<EspHeader> Frame::esp_header() const {
    if (!header.df_ctl.esp_header) return std::nullopt;
    return header_at<EspHeader>(optional_headers, 0);
}

std::optional<NetworkHeader> Frame::network_header() const {
    if (header.df_ctl.esp_header || !header.df_ctl.network_header) return std::nullopt;
    return header_at<NetworkHeader>(optional_headers, 0);
}

std::optional<AssociationHeader> Frame::association_header() const {
    if (header.df_ctl.esp_header || !header.df_ctl.association_header) return std::nullopt;
    return header_at<AssociationHeader>(
        optional_headers, header.df_ctl.network_header ? layout::size_of<NetworkHeader> : 0);
}

ByteView Frame::device_header() const {
    if (header.df_ctl.esp_header) return {};
    const std::size_t before = optional_headers_size(header.df_ctl) - header.df_ctl.device_header_octets();
    return optional_headers.subspan(std::min(optional_headers.size(), before));
}

Frame parse_frame(ByteView octets, std::size_t length) {
    octets = octets.first(std::min(octets.size(), length));
    Frame frame;
    PartReader reader(octets, length);
    read_extended_headers(reader, octets, frame);
    reader.read(frame.header);
    if (!reader.error()) read_rest(reader, octets, length, frame);
    frame.error = reader.error();
    return frame;
}

std::vector<std::uint8_t> build(const Frame& frame) {
    layout::Builder builder;
    walk(frame, builder);
    return std::move(builder.message);
}

std::uint32_t crc_of(ByteView frame) { return net::crc32(0, frame); }

namespace {

/// The lowest `size` octets in hexadecimal digits, the highest of them first.
std::string octets_text(std::uint64_t octets, std::size_t size, char between) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(3 * size - 1, between);
    for (std::size_t i = size; i-- > 0; octets >>= 8) {
        text[3 * i] = digits[octets >> 4 & 0xF];
        text[3 * i + 1] = digits[octets & 0xF];
    }
    return text;
}

}  // namespace

std::string port_id_text(std::uint32_t port_id) { return octets_text(port_id, 3, '.'); }

std::string name_text(std::uint64_t name) { return octets_text(name, 8, ':'); }

}  // namespace fabricscope::fc
