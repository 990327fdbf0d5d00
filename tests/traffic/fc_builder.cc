// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/fc_builder.h"

#include <algorithm>

#include "protocols/fc/encapsulation.h"
#include "protocols/net/headers.h"

namespace fabricscope::traffic {
namespace {

constexpr std::size_t shortest_ethernet = 60;

void put(Octets& octets, ByteView more) { octets.insert(octets.end(), more.begin(), more.end()); }

template <layout::WireFormat T> void put(Octets& octets, const T& part) {
    octets.resize(octets.size() + layout::size_of<T>);
    layout::build_into(part, std::span(octets).last(layout::size_of<T>));
}

void put_word(Octets& octets, std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) octets.push_back(static_cast<std::uint8_t>(word >> shift));
}

Mac mac_of(std::uint32_t port_id) {
    return {
        {0x0E, 0xFC, 0x00, static_cast<std::uint8_t>(port_id >> 16), static_cast<std::uint8_t>(port_id >> 8),
         static_cast<std::uint8_t>(port_id)}};
}

Octets ethernet_head(const FcFrame& frame, std::uint16_t type, std::optional<std::uint16_t> vlan = std::nullopt) {
    const fc::FrameHeader header = fc::parse_frame(frame.octets, frame.octets.size()).header;
    Octets octets;
    const std::uint16_t outer = vlan ? std::uint16_t{net::ether_type_vlan} : type;
    put(octets, net::Ethernet{mac_of(header.d_id), mac_of(header.s_id), outer});
    if (vlan) put(octets, net::VlanTag{3, false, *vlan, type});
    return octets;
}

fc::Sof sof_of(int service_class, bool first) {
    switch (service_class) {
        case 1: return first ? fc::Sof::i1 : fc::Sof::n1;
        case 2: return first ? fc::Sof::i2 : fc::Sof::n2;
        case 4: return first ? fc::Sof::i4 : fc::Sof::n4;
        default: return first ? fc::Sof::i3 : fc::Sof::n3;
    }
}

}  // namespace

FcFrame fc_frame(fc::FrameHeader header, ByteView device_header, ByteView payload) {
    constexpr std::uint8_t zeros[3] = {};
    header.df_ctl.device_header = fc::DfCtl::device_header_code(device_header.size());
    header.f_ctl.fill_bytes = static_cast<std::uint8_t>(-payload.size() & 3);
    fc::Frame frame;
    frame.header = header;
    frame.optional_headers = device_header;
    frame.payload = payload;
    frame.fill = ByteView(zeros).first(header.f_ctl.fill_bytes);
    return {fc::build(frame)};
}

std::vector<FcFrame> fc_sequence(const FcSequenceFields& fields) {
    std::vector<FcFrame> frames;
    std::size_t at = 0;
    do {
        const ByteView payload = fields.data.subspan(at, std::min(fields.frame_size, fields.data.size() - at));
        fc::FrameHeader header = fields.header;
        header.seq_cnt = static_cast<std::uint16_t>(header.seq_cnt + frames.size());
        if (header.f_ctl.relative_offset_present) header.parameter += static_cast<std::uint32_t>(at);
        at += payload.size();
        const bool last = at == fields.data.size();
        header.f_ctl.end_sequence = last;
        header.f_ctl.sequence_initiative = last && fields.header.f_ctl.sequence_initiative;
        FcFrame frame = fc_frame(header, fields.device_header, payload);
        frame.sof = sof_of(fields.service_class, frames.empty());
        frame.eof = last ? fc::Eof::t : fc::Eof::n;
        frames.push_back(std::move(frame));
    } while (at < fields.data.size());
    return frames;
}

Octets with_crc(const FcFrame& frame) {
    Octets octets = frame.octets;
    put(octets, fc::Crc{fc::crc_of(frame.octets)});
    return octets;
}

Octets as_fc2(const FcFrame& frame) { return frame.octets; }

Octets as_fc2_with_delimiters(const FcFrame& frame) {
    Octets octets;
    put_word(octets, fc::ordered_set_of(frame.sof));
    put(octets, with_crc(frame));
    put_word(octets, fc::ordered_set_of(frame.eof));
    return octets;
}

Octets as_fcoe(const FcFrame& frame, std::optional<std::uint16_t> vlan) {
    Octets octets = ethernet_head(frame, fc::fcoe_ether_type, vlan);
    fc::FcoeHeader header;
    header.sof = fc::code_of(frame.sof);
    put(octets, header);
    put(octets, with_crc(frame));
    fc::FcoeTrailer trailer;
    trailer.eof = fc::code_of(frame.eof);
    put(octets, trailer);
    return octets;
}

Octets as_mds(const FcFrame& frame, std::uint16_t vsan) {
    constexpr std::size_t trailer_and_crc = layout::size_of<fc::MdsTrailer> + layout::size_of<fc::Crc>;
    Octets octets = ethernet_head(frame, fc::mds_ether_type);
    fc::MdsHeader header;
    header.sof = fc::mds_of(frame.sof);
    header.packet_length = static_cast<std::uint16_t>(frame.octets.size() + trailer_and_crc);
    header.vsan = vsan;
    put(octets, header);
    put(octets, ByteView(frame.octets));
    put(octets, fc::MdsTrailer{fc::mds_of(frame.eof), 0});
    put(octets, fc::Crc{fc::crc_of(frame.octets)});
    octets.resize(std::max(octets.size(), shortest_ethernet));
    return octets;
}

Octets as_boardwalk(const FcFrame& frame, std::uint16_t vsan) {
    Octets octets = ethernet_head(frame, fc::boardwalk_ether_type);
    put(octets, fc::BoardwalkHeader{fc::mds_of(frame.sof), vsan});
    put(octets, with_crc(frame));
    put_word(octets, static_cast<std::uint32_t>(frame.octets.size() / 4 + 1));
    put(octets, fc::BoardwalkTrailer{1, 0, false, true, fc::mds_of(frame.eof)});
    return octets;
}

Octets as_fcip(const FcFrame& frame) {
    constexpr std::size_t around = layout::size_of<fc::EncapsulationHeader> + 2 * layout::size_of<fc::DelimiterWord>;
    fc::EncapsulationHeader header;
    header.frame_length = static_cast<std::uint16_t>((around + frame.octets.size()) / 4 + 1);
    header.frame_length_inverted = static_cast<std::uint16_t>(~header.frame_length & 0x3FF);
    Octets octets;
    put(octets, header);
    put(octets, fc::DelimiterWord::of(fc::code_of(frame.sof)));
    put(octets, with_crc(frame));
    put(octets, fc::DelimiterWord::of(fc::code_of(frame.eof)));
    return octets;
}

}  // namespace fabricscope::traffic
