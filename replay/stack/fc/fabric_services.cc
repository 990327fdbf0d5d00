// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/fabric_services.h"

#include <algorithm>

namespace fabricscope::stack::fibre_channel {

FabricServices::FabricServices(
    const ExchangeConfig& config, const builders::FcLoginFields& fields, std::vector<FabricMember> members,
    Random random)
    : link_(config.link),
      vlan_(config.vlan),
      fields_(fields),
      members_(std::move(members)),
      exchanges_(config, 0, frames_, random) {
    exchanges_.set_port_id(fc::f_port_server);
    exchanges_.serve(fc::directory_server);
    exchanges_.set_user(fc::type_els, *this);
    exchanges_.set_user(fc::type_ct, *this);
}

void FabricServices::on_frame(Time now, std::size_t /*port*/, ByteView frame) {
    if (!send_busy(frame)) exchanges_.on_frame(now, frame);
}

bool FabricServices::send_busy(ByteView frame) {
    const capture::Packet packet = decode(frame, link_);
    if (!packet.fc) return false;
    const fc::FrameHeader& header = packet.fc->frame.header;
    const bool is_for_member = std::ranges::find(members_, header.d_id, &FabricMember::id) != members_.end();
    if (!is_for_member || fc::class_of(packet.fc->sof) != 2 || header.is_link_control()) return false;
    const builders::FcFrame busy = builders::fc_link_control(header, 2, fc::r_ctl_f_bsy_data, 0);
    frames_.push_back({0, encode(busy, link_, vlan_), "cannot deliver the frame now"});
    return true;
}

void FabricServices::announce(Time now) {
    fc::Fan fan;
    fan.fabric_port_name = fields_.port_name;
    fan.fabric_name = fields_.node_name;
    for (const FabricMember& member : members_) {
        fan.loop_fabric_address = member.id & 0xFF'FF00;
        OutgoingIu iu;
        iu.r_ctl = fc::r_ctl_els_request;
        iu.payload = layout::octets_of(fan);
        iu.last_sequence = true;
        iu.note = "tells who the Fabric is";
        exchanges_.send(now, exchanges_.open(fc::type_els, member.id), std::move(iu));
    }
}

void FabricServices::take_frames(std::vector<OutgoingFrame>& frames) {
    frames.clear();
    std::swap(frames, frames_);
}

void FabricServices::on_iu(Time now, const IncomingIu& iu) {
    if (iu.first.type == fc::type_els) on_els(now, iu);
    else if (iu.first.d_id == fc::directory_server) on_query(now, iu);
}

void FabricServices::answer(Time now, const IncomingIu& iu, std::uint8_t r_ctl, Octets payload, std::string note) {
    OutgoingIu out;
    out.r_ctl = r_ctl;
    out.payload = std::move(payload);
    out.last_sequence = true;
    out.note = std::move(note);
    exchanges_.send(now, iu.exchange, std::move(out));
}

void FabricServices::on_els(Time now, const IncomingIu& iu) {
    const fc::ElsMessage message = fc::parse_els(iu.payload, iu.payload.size());
    const auto* login = std::get_if<fc::Login>(&message.body);
    if (message.command == fc::els_flogi && login != nullptr) {
        const auto member = std::ranges::find_if(members_, [&](const FabricMember& one) {
            return one.port_name == login->names.port_name && one.node_name == login->names.node_name;
        });
        if (member == members_.end()) return;
        exchanges_.answer_to(iu.exchange, member->id);
        return answer(
            now, iu, fc::r_ctl_els_reply, builders::payload_of(fabric_accept_of(fields_, true)),
            "assigns an N_Port_ID");
    }
    if (message.command == fc::els_plogi && login != nullptr)
        return answer(
            now, iu, fc::r_ctl_els_reply, builders::payload_of(login_of(fc::els_ls_acc, fields_)), "accepts the login");
    if (message.command == fc::els_logo)
        return answer(now, iu, fc::r_ctl_els_reply, builders::ls_acc_payload(), "accepts the logout");
    if (message.command == fc::els_rtv) {
        fc::RtvAccept timeouts;
        timeouts.e_d_tov = fields_.e_d_tov_ms;
        timeouts.r_a_tov = fields_.r_a_tov_ms;
        return answer(now, iu, fc::r_ctl_els_reply, layout::octets_of(timeouts), "tells the timeouts");
    }
    fc::LsRjt reject;
    reject.reason = 0x0B;
    reject.explanation = 0x2C;
    answer(now, iu, fc::r_ctl_els_reply, layout::octets_of(reject), "does not know the service");
}

void FabricServices::on_query(Time now, const IncomingIu& iu) {
    const fc::CtMessage message = fc::parse_ct(iu.payload, iu.payload.size());
    const auto* query = std::get_if<fc::GidIppRequest>(&message.body);
    if (query == nullptr) return;
    std::vector<std::uint32_t> ports;
    for (const FabricMember& member : members_)
        if (member.ip == query->ip) ports.push_back(member.id);
    answer(
        now, iu, 0x03, builders::gid_ipp_answer_payload(ports),
        ports.empty() ? "knows no such port" : "knows the port");
}

}  // namespace fabricscope::stack::fibre_channel
