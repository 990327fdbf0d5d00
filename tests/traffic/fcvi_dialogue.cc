// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/fcvi_dialogue.h"

#include <algorithm>
#include <string_view>

namespace fabricscope::traffic {
namespace {

using fcvi::IuType;
using fcvi::Reliability;
using fcvi::Version;

/// Peers match if both ask for the same discriminator (VI-DG 6.7).
void fill(fcvi::NetAddress& address, Side side, bool peers) {
    const std::string_view discriminator = peers                  ? "endpoint-of-both"
                                           : side == Side::client ? "endpoint-client1"
                                                                  : "endpoint-server1";
    address.host = fc_ip(side == Side::client ? ip_of_a : ip_of_b);
    address.discriminator_length = static_cast<std::uint16_t>(discriminator.size());
    std::ranges::copy(discriminator, address.discriminator.octets.begin());
}

template <class Body> Octets payload_of(const FcviDialogue& dialogue, Side side, std::uint32_t handle) {
    Body body;
    body.head.handle = handle;
    fill(body.local, side, dialogue.peers);
    fill(body.remote, other(side), dialogue.peers);
    body.attributes.reliability_level = fcvi::reliability_code(dialogue.version, dialogue.level);
    body.attributes.en_rdma_rd = body.attributes.en_rdma_wr = dialogue.rdma;
    body.attributes.max_trans_size = dialogue.max_trans_size;
    if (dialogue.version == Version::iso) body.attributes.qos.pipeline_depth = dialogue.pipeline_depth;
    return fcvi::build(fcvi::ConnectPayload{.body = body, .rest = {}, .error = {}});
}

void set_target(FcviSpec& s, std::uint32_t octets) {
    if (auto* target = std::get_if<fcvi::RdmaTarget>(&s.header.target))
        *target = {0x0000'7F00'0000'1000, 0x77, s.iso() ? octets : 0};
    if (auto* target = std::get_if<fcvi::SendTarget>(&s.header.target)) target->tot_len = octets;
}

constexpr std::uint32_t first_msg_id(Version version) { return version == Version::iso ? 1 : 0; }

}  // namespace

// ---- a frame before it is sent -------------------------------------------------------------------

void FcviSpec::say(std::uint8_t reason) {
    if (iso()) header.parameter = fcvi::ConnectionStatus{{.reason = reason}};
    else header.parameter = fcvi::ConnectionStatusRev10{{.reason = reason}};
    std::visit(
        [](auto& head) {
            if constexpr (requires { head.conn_sts; }) head.conn_sts = true;
            if constexpr (requires { head.conn_err; }) head.conn_err = true;
        },
        header.head);
}

void FcviSpec::set_retry() {
    std::visit(
        [](auto& head) {
            if constexpr (requires { head.retry; }) head.retry = true;
        },
        header.head);
}

void FcviSpec::set_immediate_data(std::uint32_t data) {
    header.parameter = fcvi::ImmediateData{data};
    std::visit(
        [](auto& head) {
            if constexpr (requires { head.imm_data; }) head.imm_data = true;
        },
        header.head);
}

FcviSpec FcviDialogue::spec(Side from, Side originator, std::uint16_t ox_id, IuType type) const {
    FcviSpec s;
    s.from = from;
    s.originator = originator;
    s.ox_id = ox_id;
    s.header = fcvi::make_device_header(version, type);
    s.r_ctl = fcvi::find_iu(version, type)->r_ctl;
    return s;
}

// ---- setups --------------------------------------------------------------------------------------

Octets FcviDialogue::connect_payload(Side side, std::uint32_t handle) const {
    return version == Version::iso ? payload_of<fcvi::ConnectIso>(*this, side, handle)
                                   : payload_of<fcvi::ConnectRev10>(*this, side, handle);
}

void FcviDialogue::set_connection_id(FcviSpec& s, Side originator) const {
    if (s.iso()) s.connection().connection_id = static_cast<std::uint32_t>(ox_id_of(originator) + setup_number);
}

void FcviDialogue::rqst(Side from, const Change& change) {
    FcviSpec s = spec(from, from, setup_ox_id(from), IuType::connect_rqst);
    s.payload = connect_payload(from);
    s.begins_exchange = s.first_sequence = true;
    s.initiative = true;
    const auto mode = static_cast<std::uint8_t>(
        peers ? fcvi::ConnectMode::peer_to_peer : fcvi::ConnectMode::client_server);
    if (s.iso()) s.head<fcvi::ConnectRequestHead>().mode = mode;
    else s.head<fcvi::ConnectRequestHeadRev10>().mode = mode;
    set_connection_id(s, from);
    send(std::move(s), change);
}

void FcviDialogue::resp1(Side from, const Change& change) {
    FcviSpec s = spec(from, other(from), setup_ox_id(other(from)), IuType::connect_resp1);
    s.payload = connect_payload(from);
    s.initiative = true;
    set_connection_id(s, other(from));
    send(std::move(s), change);
}

void FcviDialogue::refuse(Side from, std::uint8_t reason) {
    resp1(from, [&](FcviSpec& s) {
        s.payload = connect_payload(from, fcvi::unassigned_handle);
        s.say(reason);
    });
}

void FcviDialogue::resp2(Side from, const Change& change) {
    FcviSpec s = spec(from, from, setup_ox_id(from), IuType::connect_resp2);
    s.header.common().handle = handle_of(other(from));
    s.initiative = s.iso();
    s.last_sequence = !s.iso();
    set_connection_id(s, from);
    send(std::move(s), change);
}

void FcviDialogue::resp3(Side from, const Change& change) {
    FcviSpec s = spec(from, other(from), setup_ox_id(other(from)), IuType::connect_resp3);
    s.header.common().handle = handle_of(other(from));
    s.last_sequence = true;
    set_connection_id(s, other(from));
    send(std::move(s), change);
}

void FcviDialogue::finish_setup(Side from, const Change& change) {
    resp2(from, change);
    if (version == Version::iso) resp3(other(from), change);
}

void FcviDialogue::finish_refused(Side from) {
    finish_setup(from, [](FcviSpec& s) { s.header.common().handle = fcvi::unassigned_handle; });
}

// ---- Messages ------------------------------------------------------------------------------------

std::uint32_t FcviDialogue::msg_id(Side side) const {
    const auto found = messages_.find(side);
    return (found == messages_.end() ? 0 : found->second) - 1 + first_msg_id(version);
}

void FcviDialogue::set_msg_id(Side side, std::uint32_t id) { messages_[side] = id + 1 - first_msg_id(version); }

void FcviDialogue::data(
    Side from, IuType type, std::uint32_t octets, std::uint32_t begin, std::uint32_t end, bool last,
    const Change& change) {
    if (begin == 0) ++messages_[from];
    FcviSpec s = spec(from, from, message_ox_id(from), type);
    s.header.common().handle = handle_of(other(from));
    s.header.common().msg_id = msg_id(from);
    set_target(s, octets);
    if (type != IuType::read_rqst) s.payload = message_data(begin, end);
    s.offset = begin;
    s.begins_exchange = s.first_sequence = begin == 0;
    const bool answered = type == IuType::read_rqst || level == Reliability::reliable_reception;
    s.last_sequence = last && !answered;
    s.initiative = last && answered;
    send(std::move(s), change);
}

void FcviDialogue::data_frames(
    Side from, IuType type, std::uint32_t octets, std::uint32_t begin, std::uint32_t end, std::uint32_t frame_size,
    const Change& change) {
    for (std::uint32_t at = begin; at < end; at += frame_size) {
        const std::uint32_t frame_end = std::min(at + frame_size, end);
        data(from, type, octets, at, frame_end, frame_end == octets, [&](FcviSpec& s) {
            s.first_sequence = begin == 0;
            s.end_sequence = frame_end == end;
            change(s);
        });
    }
}

void FcviDialogue::respond(Side from, IuType type, const Change& change) {
    FcviSpec s = spec(from, other(from), message_ox_id(other(from)), type);
    s.header.common().handle = handle_of(other(from));
    s.header.common().msg_id = msg_id(other(from));
    s.last_sequence = true;
    send(std::move(s), change);
}

void FcviDialogue::respond_to(std::uint32_t id, Side from, IuType type, const Change& change) {
    respond(from, type, [&](FcviSpec& s) {
        s.header.common().msg_id = id;
        s.ox_id = message_ox_id(other(from), id);
        change(s);
    });
}

void FcviDialogue::read_data(
    Side from, std::uint32_t octets, std::uint32_t begin, std::uint32_t end, bool last, const Change& change) {
    respond(from, IuType::read_resp, [&](FcviSpec& s) {
        set_target(s, octets);
        s.payload = message_data(begin, end);
        s.offset = begin;
        s.last_sequence = last;
        change(s);
    });
}

void FcviDialogue::send_message(Side from, std::uint32_t octets, const Change& change) {
    request(from, IuType::send_rqst, octets, change);
    if (level == Reliability::reliable_reception) respond(other(from), IuType::send_resp);
}

void FcviDialogue::write_message(Side from, std::uint32_t octets, const Change& change) {
    request(from, IuType::write_rqst, octets, change);
    if (level == Reliability::reliable_reception) respond(other(from), IuType::write_resp);
}

void FcviDialogue::read_message(Side from, std::uint32_t octets, const Change& change) {
    request(from, IuType::read_rqst, octets, change);
    read_data(other(from), octets);
}

// ---- Disconnects ---------------------------------------------------------------------------------

/// ISO, 6.12.2: what its sender completed; 0 is never too much. Revision 1.0, 6.10: the sender's next MSG_ID.
void FcviDialogue::disconnect_rqst(Side from, const Change& change) {
    FcviSpec s = spec(from, from, disconnect_ox_id(from), IuType::disconnect_rqst);
    s.header.common().handle = handle_of(other(from));
    s.header.common().msg_id = s.iso() ? 0 : msg_id(from) + 1;
    if (s.iso()) s.head<fcvi::DisconnectHead>().vi_app_discon = true;
    else s.head<fcvi::ConnectRequestHeadRev10>().mode = fcvi::rev_1_0_application_disconnect;
    s.begins_exchange = s.first_sequence = true;
    s.initiative = true;
    send(std::move(s), change);
}

void FcviDialogue::disconnect_resp(Side from, const Change& change) {
    FcviSpec s = spec(from, other(from), disconnect_ox_id(other(from)), IuType::disconnect_resp);
    s.header.common().handle = handle_of(other(from));
    s.header.common().msg_id = s.iso() ? 0 : msg_id(other(from)) + 1;
    if (s.iso()) s.head<fcvi::DisconnectHead>().vi_app_discon = true;
    s.last_sequence = true;
    send(std::move(s), change);
}

// ---- frames --------------------------------------------------------------------------------------

fc::FrameHeader FcviDialogue::header(Side from, Side originator, std::uint16_t ox_id) const {
    fc::FrameHeader header;
    header.s_id = port_id(from);
    header.d_id = port_id(other(from));
    header.ox_id = ox_id;
    const bool answered = from != originator || counts_.contains({originator, ox_id, other(originator)});
    header.rx_id = answered ? static_cast<std::uint16_t>(ox_id | 0x8000) : fc::unassigned_x_id;
    header.f_ctl.exchange_responder = from != originator;
    return header;
}

void FcviDialogue::send(FcviSpec s, const Change& change) {
    change(s);
    if (s.begins_exchange) {
        counts_.erase({s.originator, s.ox_id, s.from});
        counts_.erase({s.originator, s.ox_id, other(s.from)});
    }
    fc::FrameHeader header = this->header(s.from, s.originator, s.ox_id);
    Counts& counts = counts_[{s.originator, s.ox_id, s.from}];
    header.r_ctl = s.r_ctl;
    header.type = fcvi::fc_type;
    header.preference = s.preference;
    header.seq_cnt = s.seq_cnt.value_or(counts.count);
    header.seq_id = s.seq_id.value_or(counts.sequence);
    header.parameter = s.offset.value_or(0);
    header.f_ctl.first_sequence = s.first_sequence;
    header.f_ctl.last_sequence = s.last_sequence;
    header.f_ctl.end_sequence = s.end_sequence;
    header.f_ctl.sequence_initiative = s.initiative;
    header.f_ctl.relative_offset_present = s.offset.has_value();
    if (service_class == 2) header.f_ctl.ack_form = fc::AckForm::ack_1;
    FcFrame frame = fc_frame(header, fcvi::build(s.header), s.payload);
    frame.sof = sof_of(service_class, !counts.in_sequence);
    frame.eof = eof_of(service_class, s.end_sequence);
    counts.count = static_cast<std::uint16_t>(header.seq_cnt + 1);
    counts.sequence = static_cast<std::uint8_t>(counts.sequence + s.end_sequence);
    counts.in_sequence = !s.end_sequence;
    if (s.lost) return lose();
    emit(frame);
    if (service_class == 2 && s.answered) emit(link_control(frame, s));
}

FcFrame FcviDialogue::link_control(const FcFrame& frame, const FcviSpec& s) {
    const auto rx_id = static_cast<std::uint16_t>(s.ox_id | 0x8000);
    FcFrame answer = fc_link_control(frame, s.link_control, s.link_parameter, rx_id);
    fc::FrameHeader header = fc::parse_frame(answer.octets, answer.octets.size()).header;
    header.f_ctl.abort_sequence = s.abort_condition;
    answer.octets = fc_frame(header, {}, {}).octets;
    return answer;
}

void FcviDialogue::basic(Side from, Side originator, std::uint16_t ox_id, std::uint8_t r_ctl, ByteView payload) {
    fc::FrameHeader header = this->header(from, originator, ox_id);
    header.r_ctl = r_ctl;
    header.f_ctl.end_sequence = true;
    FcFrame frame = fc_frame(header, {}, payload);
    frame.sof = sof_of(service_class, true);
    emit(frame);
}

void FcviDialogue::ba_acc(Side from, Side originator, std::uint16_t ox_id) {
    fc::BaAcc accept;
    accept.ox_id = ox_id;
    accept.rx_id = static_cast<std::uint16_t>(ox_id | 0x8000);
    accept.high_seq_cnt = 0xFFFF;
    std::array<std::uint8_t, layout::size_of<fc::BaAcc>> payload;
    layout::build_into(accept, payload);
    basic(from, originator, ox_id, fc::r_ctl_ba_acc, payload);
}

void FcviDialogue::farp(Side from, const fc::Farp& farp) {
    tell(this->header(from, from, 0x7777), {.command = farp.command, .body = farp, .padding = {}, .error = {}});
}

void FcviDialogue::fan(Side to, const fc::Fan& fan) {
    fc::FrameHeader header = this->header(other(to), other(to), 0x7777);
    header.s_id = fc::f_port_server;
    tell(header, {.command = fan.command, .body = fan, .padding = {}, .error = {}});
}

/// A Link Service that has no answer.
void FcviDialogue::tell(fc::FrameHeader header, const fc::ElsMessage& message) {
    header.r_ctl = fc::r_ctl_els_request;
    header.type = fc::type_els;
    header.f_ctl.first_sequence = header.f_ctl.last_sequence = header.f_ctl.end_sequence = true;
    emit(fc_frame(header, {}, fc::build(message)));
}

}  // namespace fabricscope::traffic
