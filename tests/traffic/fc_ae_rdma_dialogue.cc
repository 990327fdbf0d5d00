// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/fc_ae_rdma_dialogue.h"

#include <algorithm>

namespace fabricscope::traffic {

using fc_ae_rdma::Iu;

FcAeRdmaSpec FcAeRdmaDialogue::spec(bool from_initiator, Iu iu) const {
    FcAeRdmaSpec s;
    s.from_initiator = from_initiator;
    s.service_class = service_class;
    s.header.r_ctl = static_cast<std::uint8_t>(iu);
    s.header.type = fc_ae_rdma::fc_type;
    s.header.ox_id = ox_id;
    s.header.rx_id = iu == Iu::command ? fc::unassigned_x_id : static_cast<std::uint16_t>(ox_id | 0x8000);
    s.header.f_ctl.end_sequence = true;
    return s;
}

/// A command without data passes Sequence Initiative as that of a read does.
void FcAeRdmaDialogue::command(bool read, std::uint32_t length, const Change& change) {
    ++ox_id;
    offset_ = 0, seq_cnt_ = 0, seq_id_ = 0;
    in_sequence_ = false;
    read_ = read;
    length_ = length;
    FcAeRdmaSpec s = spec(true, Iu::command);
    fc_ae_rdma::Command command;
    command.lun.number = lun;
    command.control.read_data = read;
    command.control.write_data = !read;
    command.data_length = length;
    s.payload.resize(fc_ae_rdma::command_size);
    layout::build_into(command, s.payload);
    s.header.parameter = fc_ae_rdma::build_parameter({.no_notification = !notify, .base_address = base_address});
    s.header.f_ctl.first_sequence = true;
    s.header.f_ctl.sequence_initiative = read || length == 0;
    send(std::move(s), change);
}

void FcAeRdmaDialogue::data_frame(std::uint32_t octets, bool ends_sequence, const Change& change) {
    FcAeRdmaSpec s = spec(!read_, Iu::data);
    s.payload = message_data(offset_, offset_ + octets);
    s.header.parameter = offset_;
    s.header.f_ctl.relative_offset_present = true;
    if (!read_) s.header.rx_id = 0;
    s.header.seq_cnt = seq_cnt_++;
    s.header.seq_id = static_cast<std::uint8_t>(seq_id_ + 1);
    offset_ += octets;
    s.header.f_ctl.end_sequence = ends_sequence;
    s.header.f_ctl.sequence_initiative = ends_sequence && !read_ && offset_ >= length_;
    seq_id_ = static_cast<std::uint8_t>(seq_id_ + ends_sequence);
    send(std::move(s), change);
}

void FcAeRdmaDialogue::data_frames(std::uint32_t octets, std::uint32_t frame_size) {
    for (std::uint32_t left = octets; left > 0;) {
        const std::uint32_t size = std::min(left, frame_size);
        left -= size;
        data_frame(size, left == 0);
    }
}

void FcAeRdmaDialogue::response(fc_ae_rdma::StatusCode status, const Change& change) {
    FcAeRdmaSpec s = spec(false, Iu::response);
    fc_ae_rdma::Response response;
    response.status = static_cast<std::uint8_t>(status);
    s.payload.resize(fc_ae_rdma::response_size);
    layout::build_into(response, s.payload);
    s.header.seq_id = static_cast<std::uint8_t>(seq_id_ + 1);
    s.header.f_ctl.last_sequence = true;
    send(std::move(s), change);
}

void FcAeRdmaDialogue::transfer_ready() { send(spec(false, Iu::xfer_rdy), unchanged); }

void FcAeRdmaDialogue::plain_command() {
    FcAeRdmaSpec s = spec(true, Iu::command);
    ++s.header.ox_id;
    s.header.f_ctl.first_sequence = s.header.f_ctl.sequence_initiative = true;
    s.payload.resize(fc_ae_rdma::command_size);
    send(std::move(s), unchanged);
}

void FcAeRdmaDialogue::send(FcAeRdmaSpec s, const Change& change) {
    change(s);
    s.header.s_id = s.from_initiator ? initiator_id : target_id;
    s.header.d_id = s.from_initiator ? target_id : initiator_id;
    s.header.f_ctl.exchange_responder = !s.from_initiator;
    if (s.service_class == 2) s.header.f_ctl.ack_form = fc::AckForm::ack_1;
    FcFrame frame = fc_frame(s.header, {}, s.payload);
    frame.sof = sof_of(s.service_class, !in_sequence_);
    frame.eof = eof_of(s.service_class, s.header.f_ctl.end_sequence);
    in_sequence_ = !s.header.f_ctl.end_sequence;
    if (s.lost) return lose();
    emit(frame);
    if (s.service_class == 2) emit(ack_1(frame, static_cast<std::uint16_t>(ox_id | 0x8000)));
}

}  // namespace fabricscope::traffic
