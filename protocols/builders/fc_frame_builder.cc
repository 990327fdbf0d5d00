// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/builders/fc_frame_builder.h"

#include "protocols/fc/encapsulation.h"
#include "protocols/net/headers.h"

namespace fabricscope::builders {
namespace {

using Octets = std::vector<std::uint8_t>;

void put(Octets& octets, const Octets& more) { octets.insert(octets.end(), more.begin(), more.end()); }

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

}  // namespace

fc::Sof sof_of(int service_class, bool first) {
    switch (service_class) {
        case 1: return first ? fc::Sof::i1 : fc::Sof::n1;
        case 2: return first ? fc::Sof::i2 : fc::Sof::n2;
        case 4: return first ? fc::Sof::i4 : fc::Sof::n4;
        default: return first ? fc::Sof::i3 : fc::Sof::n3;
    }
}

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

FcFrame fc_link_control(
    const fc::FrameHeader& answered, int service_class, std::uint8_t r_ctl, std::uint32_t parameter) {
    fc::FrameHeader header = answered;
    header.s_id = answered.d_id;
    header.d_id = answered.s_id;
    header.r_ctl = r_ctl;
    header.type = 0;
    header.df_ctl = {};
    header.f_ctl.exchange_responder = !answered.f_ctl.exchange_responder;
    header.f_ctl.sequence_recipient = !answered.f_ctl.sequence_recipient;
    header.f_ctl.relative_offset_present = false;
    header.parameter = parameter;
    FcFrame answer = fc_frame(header, {}, {});
    answer.sof = sof_of(service_class, false);
    return answer;
}

std::vector<std::uint8_t> fc_with_crc(const FcFrame& frame) {
    Octets octets = frame.octets;
    put(octets, fc::Crc{fc::crc_of(frame.octets)});
    return octets;
}

std::vector<std::uint8_t> as_fc2_with_delimiters(const FcFrame& frame) {
    Octets octets;
    put_word(octets, fc::ordered_set_of(frame.sof));
    put(octets, fc_with_crc(frame));
    put_word(octets, fc::ordered_set_of(frame.eof));
    return octets;
}

std::vector<std::uint8_t> fc_ethernet_head(
    const FcFrame& frame, std::uint16_t ether_type, std::optional<std::uint16_t> vlan) {
    const fc::FrameHeader header = fc::parse_frame(frame.octets, frame.octets.size()).header;
    Octets octets;
    const std::uint16_t outer = vlan ? std::uint16_t{net::ether_type_vlan} : ether_type;
    put(octets, net::Ethernet{mac_of(header.d_id), mac_of(header.s_id), outer});
    if (vlan) put(octets, net::VlanTag{3, false, *vlan, ether_type});
    return octets;
}

std::vector<std::uint8_t> as_fcoe(const FcFrame& frame, std::optional<std::uint16_t> vlan) {
    Octets octets = fc_ethernet_head(frame, fc::fcoe_ether_type, vlan);
    fc::FcoeHeader encapsulation;
    encapsulation.sof = fc::code_of(frame.sof);
    put(octets, encapsulation);
    put(octets, fc_with_crc(frame));
    fc::FcoeTrailer trailer;
    trailer.eof = fc::code_of(frame.eof);
    put(octets, trailer);
    return octets;
}

}  // namespace fabricscope::builders
