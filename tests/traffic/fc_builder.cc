// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/fc_builder.h"

#include <algorithm>

#include "protocols/fc/basic_links.h"
#include "protocols/fc/encapsulation.h"

namespace fabricscope::traffic {
namespace {

constexpr std::size_t shortest_ethernet = 60;

void put(Octets& octets, ByteView more) { octets.insert(octets.end(), more.begin(), more.end()); }

template <layout::WireFormat T> void put(Octets& octets, const T& part) { put(octets, layout::octets_of(part)); }

void put_word(Octets& octets, std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) octets.push_back(static_cast<std::uint8_t>(word >> shift));
}

}  // namespace

fc::Eof eof_of(int service_class, bool last) { return last && service_class != 2 ? fc::Eof::t : fc::Eof::n; }

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
        if (fields.service_class == 2) header.f_ctl.ack_form = fc::AckForm::ack_1;
        header.f_ctl.sequence_initiative = last && fields.header.f_ctl.sequence_initiative;
        FcFrame frame = fc_frame(header, fields.device_header, payload);
        frame.sof = sof_of(fields.service_class, frames.empty());
        frame.eof = eof_of(fields.service_class, last);
        frames.push_back(std::move(frame));
    } while (at < fields.data.size());
    return frames;
}

FcFrame fc_link_control(
    const FcFrame& frame, std::uint8_t r_ctl, std::uint32_t parameter, std::optional<std::uint16_t> rx_id) {
    fc::FrameHeader header = fc::parse_frame(frame.octets, frame.octets.size()).header;
    if (rx_id) header.rx_id = *rx_id;
    FcFrame answer = builders::fc_link_control(header, fc::class_of(frame.sof), r_ctl, parameter);
    answer.eof = header.f_ctl.end_sequence || r_ctl != fc::r_ctl_ack_1 ? fc::Eof::t : fc::Eof::n;
    return answer;
}

FcFrame ack_1(const FcFrame& frame, std::optional<std::uint16_t> rx_id) {
    return fc_link_control(frame, fc::r_ctl_ack_1, fc::to_parameter(fc::AckParameter{0, false, 1}), rx_id);
}

// ---- Exchanges -------------------------------------------------------------------------------------

FcExchange::FcExchange(FcPort& originator, FcPort& responder, std::uint8_t type, int service_class, bool continuous)
    : originator_(originator),
      responder_(responder),
      type_(type),
      service_class_(service_class),
      continuous_(continuous),
      ox_id_(originator.next_x_id++),
      rx_id_(responder.next_x_id++) {}

fc::FrameHeader FcExchange::header(bool from_responder) const {
    fc::FrameHeader header;
    header.s_id = from_responder ? responder_.id : originator_.id;
    header.d_id = from_responder ? originator_.id : responder_.id;
    header.type = type_;
    header.ox_id = ox_id_;
    header.rx_id = answered_ || from_responder ? rx_id_ : fc::unassigned_x_id;
    header.f_ctl.exchange_responder = from_responder;
    return header;
}

std::vector<FcFrame> FcExchange::send(const FcIu& iu) {
    Sent& sent = sent_[iu.from_responder ? 1 : 0];
    FcSequenceFields fields;
    fields.header = header(iu.from_responder);
    fields.header.r_ctl = iu.r_ctl;
    fields.header.seq_id = sent.next_seq_id++;
    fields.header.seq_cnt = continuous_ ? sent.next_seq_cnt : std::uint16_t{0};
    fields.header.f_ctl.first_sequence = !iu.from_responder && !sent.any;
    fields.header.f_ctl.last_sequence = iu.last;
    fields.header.f_ctl.sequence_initiative = iu.passes_initiative;
    fields.header.f_ctl.relative_offset_present = iu.relative_offset;
    fields.header.parameter = iu.relative_offset ? iu.offset : 0;
    fields.device_header = iu.device_header;
    fields.data = iu.data;
    fields.frame_size = iu.frame_size;
    fields.service_class = service_class_;
    std::vector<FcFrame> frames = fc_sequence(fields);
    sent.any = true;
    sent.next_seq_cnt = static_cast<std::uint16_t>(fields.header.seq_cnt + frames.size());
    answered_ = answered_ || iu.from_responder;
    return frames;
}

FcFrame FcExchange::basic(bool from_responder, std::uint8_t r_ctl, std::uint32_t parameter, ByteView payload) const {
    fc::FrameHeader header = this->header(from_responder);
    header.r_ctl = r_ctl;
    header.type = fc::type_bls;
    header.parameter = parameter;
    header.f_ctl.end_sequence = true;
    FcFrame frame = fc_frame(header, {}, payload);
    frame.sof = sof_of(service_class_, true);
    return frame;
}

FcFrame FcExchange::abts(bool from_responder, bool sequence_only) const {
    return basic(from_responder, fc::r_ctl_abts, sequence_only ? fc::abts_sequence_only : 0, {});
}

FcFrame FcExchange::ba_acc(bool from_responder) const {
    fc::BaAcc accept;
    accept.ox_id = ox_id_;
    accept.rx_id = rx_id_;
    accept.high_seq_cnt = 0xFFFF;
    return basic(from_responder, fc::r_ctl_ba_acc, 0, layout::octets_of(accept));
}

FcFrame FcExchange::ba_rjt(bool from_responder, std::uint8_t reason, std::uint8_t explanation) const {
    return basic(from_responder, fc::r_ctl_ba_rjt, 0, layout::octets_of(fc::BaRjt{0, reason, explanation, 0}));
}

// ---- payloads --------------------------------------------------------------------------------------

namespace {
constexpr std::uint16_t receive_size = 2112;
}

Octets login_payload(const FcPort& port, std::uint8_t command) {
    const builders::FcLoginFields fields{
        .port_name = port.port_name, .node_name = port.node_name, .bb_credit = 2, .data_field_size = receive_size};
    return builders::payload_of(login_of(command, fields));
}

Octets flogi_accept_payload(const FcPort& port, std::uint32_t r_a_tov_ms, std::uint32_t e_d_tov_ms) {
    const builders::FcLoginFields fields{
        .port_name = port.port_name,
        .node_name = port.node_name,
        .bb_credit = 16,
        .data_field_size = receive_size,
        .e_d_tov_ms = e_d_tov_ms,
        .r_a_tov_ms = r_a_tov_ms};
    return builders::payload_of(fabric_accept_of(fields, true));
}

Octets prli_payload(std::uint8_t type, std::uint32_t parameters) {
    fc::PrliPage page;
    page.type = type;
    page.establish_image_pair = true;
    page.service_parameters = parameters;
    return builders::process_payload(fc::els_prli, layout::octets_of(page));
}

Octets prli_accept_payload(std::uint8_t type, std::uint32_t parameters, std::uint8_t response) {
    fc::PrliAcceptPage page;
    page.type = type;
    page.image_pair_established = response == 1;
    page.response = response;
    page.service_parameters = parameters;
    return builders::process_payload(fc::els_ls_acc, layout::octets_of(page));
}

Octets ls_rjt_payload(std::uint8_t reason, std::uint8_t explanation) {
    fc::LsRjt reject;
    reject.reason = reason;
    reject.explanation = explanation;
    return layout::octets_of(reject);
}

Octets farp_payload(
    std::uint8_t command, const FcPort& asking, const Gid& asking_ip, const FcPort& asked, const Gid& asked_ip) {
    fc::Farp farp;
    farp.command = command;
    farp.match = fc::farp_match_ip;
    farp.action = fc::farp_reply;
    farp.requesting_port_id = asking.id;
    farp.requesting_port_name = asking.port_name;
    farp.requesting_node_name = asking.node_name;
    farp.requesting_ip = asking_ip;
    farp.responding_ip = asked_ip;
    if (command == fc::els_farp_reply) {
        farp.responding_port_id = asked.id;
        farp.responding_port_name = asked.port_name;
        farp.responding_node_name = asked.node_name;
    }
    return layout::octets_of(farp);
}

Octets clear_virtual_links(const std::vector<std::uint32_t>& ports) {
    constexpr std::uint8_t words = 5;
    fc::FipHeader header;
    header.operation = fc::fip_control;
    header.subcode = fc::fip_clear_virtual_links;
    header.descriptor_words = static_cast<std::uint16_t>(words * ports.size());
    Octets octets;
    put(octets, header);
    for (const std::uint32_t port : ports) {
        fc::FipVnPort vn_port;
        vn_port.port_id = port;
        put(octets, fc::FipDescriptor{fc::fip_vn_port_type, words});
        put(octets, vn_port);
    }
    return octets;
}

// ---- carriers --------------------------------------------------------------------------------------

Octets as_fc2(const FcFrame& frame, std::optional<std::uint16_t> vf_id) {
    if (!vf_id) return frame.octets;
    fc::VftHeader vft;
    vft.vf_id = *vf_id;
    Octets octets;
    put(octets, vft);
    put(octets, ByteView(frame.octets));
    return octets;
}

Octets as_mds(const FcFrame& frame, std::uint16_t vsan) {
    constexpr std::size_t trailer_and_crc = layout::size_of<fc::MdsTrailer> + layout::size_of<fc::Crc>;
    Octets octets = builders::fc_ethernet_head(frame, fc::mds_ether_type);
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
    Octets octets = builders::fc_ethernet_head(frame, fc::boardwalk_ether_type);
    put(octets, fc::BoardwalkHeader{fc::mds_of(frame.sof), vsan});
    put(octets, fc_with_crc(frame));
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
    put(octets, fc_with_crc(frame));
    put(octets, fc::DelimiterWord::of(fc::code_of(frame.eof)));
    return octets;
}

}  // namespace fabricscope::traffic
