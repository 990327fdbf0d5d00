// SPDX-License-Identifier: GPL-2.0-or-later
#include "protocols/builders/fc_login_payloads.h"

namespace fabricscope::builders {
namespace {

constexpr std::uint8_t solicited_data_category = 0x02;  ///< bit 1: the Relative Offset is used with R_CTL 01h
constexpr std::uint16_t most_sequences = 255;

using Octets = std::vector<std::uint8_t>;

fc::Login with_names_and_classes(
    std::uint8_t command, const FcLoginFields& fields, const decltype(fc::Login::common)& common) {
    fc::Login login;
    login.header.command = command;
    login.common = common;
    login.names = {fields.port_name, fields.node_name};
    for (const std::size_t service_class : {2U, 3U}) {
        fc::ClassServiceParameters& parameters = login.classes.at(service_class - 1);
        parameters.valid = true;
        parameters.sequential_delivery = fields.in_order;
        parameters.priority = fields.priority;
        parameters.preference = true;
        parameters.clock_sync_els_recipient = fields.clock_sync && service_class == 3;
        parameters.ack_0_initiator = parameters.ack_0_recipient = fields.ack_0 && service_class == 2;
        parameters.receive_data_field_size = fields.data_field_size;
        parameters.concurrent_sequences = most_sequences;
        parameters.open_sequences_per_exchange = 1;
    }
    return login;
}

}  // namespace

fc::Login login_of(std::uint8_t command, const FcLoginFields& fields) {
    if (command == fc::els_flogi || command == fc::els_fdisc) {
        fc::FabricServiceRequest common;
        common.credit.bb_credit = fields.bb_credit;
        common.sizes.receive_data_field_size = fields.data_field_size;
        return with_names_and_classes(command, fields, common);
    }
    fc::PortServiceParameters common;
    common.credit.bb_credit = fields.bb_credit;
    common.continuously_increasing_relative_offset = fields.increasing_relative_offset;
    common.continuously_increasing_seq_cnt = fields.increasing_seq_cnt;
    common.sizes.receive_data_field_size = fields.data_field_size;
    common.total_concurrent_sequences = most_sequences;
    common.relative_offset_categories = solicited_data_category;
    common.e_d_tov = fields.e_d_tov_ms;
    fc::Login login = with_names_and_classes(command, fields, common);
    login.classes[1].end_to_end_credit = fields.end_to_end_credit;
    return login;
}

fc::Login fabric_accept_of(const FcLoginFields& fields, bool is_fabric) {
    fc::FabricServiceAccept common;
    common.credit.bb_credit = fields.bb_credit;
    common.f_port = is_fabric;
    common.sizes.receive_data_field_size = fields.data_field_size;
    common.r_a_tov = fields.r_a_tov_ms;
    common.e_d_tov = fields.e_d_tov_ms;
    common.short_r_t_tov = fields.short_r_t_tov;
    return with_names_and_classes(fc::els_ls_acc, fields, common);
}

Octets payload_of(const fc::Login& login) { return fc::build(fc::ElsMessage{login.header.command, login, {}, {}}); }

Octets process_payload(std::uint8_t command, ByteView page) {
    Octets payload = layout::octets_of(fc::ProcessHeader{
        command, static_cast<std::uint8_t>(page.size()),
        static_cast<std::uint16_t>(layout::size_of<fc::ProcessHeader> + page.size())});
    payload.insert(payload.end(), page.begin(), page.end());
    return payload;
}

Octets ls_acc_payload() { return layout::octets_of(fc::ElsHeader{fc::els_ls_acc, {}}); }

Octets gid_ipp_payload(const Gid& ip) {
    fc::CtMessage message;
    message.header.command = fc::ct_gid_ipp;
    message.body = fc::GidIppRequest{ip};
    return fc::build(message);
}

Octets gid_ipp_answer_payload(const std::vector<std::uint32_t>& ports) {
    constexpr std::uint8_t cannot = 0x09, not_registered = 0x0B;
    fc::CtHeader header;
    header.command = ports.empty() ? fc::ct_reject : fc::ct_accept;
    if (ports.empty()) header.reason = cannot, header.explanation = not_registered;
    Octets payload = layout::octets_of(header);
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const Octets entry = layout::octets_of(fc::PortIdEntry{i + 1 == ports.size(), 0, ports[i]});
        payload.insert(payload.end(), entry.begin(), entry.end());
    }
    return payload;
}

Gid fc_ip(const Ipv4& ip) {
    Gid gid;
    for (std::size_t i = 0; i < ip.octets.size(); ++i) gid.octets[12 + i] = ip.octets[i];
    return gid;
}

}  // namespace fabricscope::builders
