// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc_protocols.h"

#include <algorithm>
#include <utility>

#include "protocols/fc/delimiters.h"
#include "protocols/fc/els.h"

namespace fabricscope::engine {
namespace {

namespace wire = fabricscope::fc;

template <class Port> Port source_of(const fibre_channel::FrameFacts& facts) {
    return {facts.packet.fc->fabric.value_or(0), facts.packet.fc->frame.header.s_id};
}
template <class Port> Port destination_of(const fibre_channel::FrameFacts& facts) {
    return {facts.packet.fc->fabric.value_or(0), facts.packet.fc->frame.header.d_id};
}

/// Requests and responses of setups: where R_A_TOV begins to matter.
bool is_fcvi_control(const wire::FrameHeader& header) {
    return header.type == wire::type_fcvi && (wire::category_of(header.r_ctl) == wire::Category::unsolicited_control ||
                                              wire::category_of(header.r_ctl) == wire::Category::solicited_control);
}

/// Sequential Delivery is asked for in each class.
bool keeps_order(const fibre_channel::ServiceParameters& parameters) {
    return std::ranges::all_of(parameters.classes, [](const wire::ClassServiceParameters& one) {
        return !one.valid || one.sequential_delivery;
    });
}

std::optional<int> service_class_of(const capture::FcPacket& fc) {
    const int number = wire::class_of(fc.sof);
    return number == 0 ? std::optional<int>() : number;
}

}  // namespace

FcProtocols::FcProtocols(
    const Options& options, fcvi::Observer* fcvi_observer, fc_ae_rdma::Observer* fc_ae_rdma_observer,
    fibre_channel::Observer* next)
    : options_(options),
      next_(next != nullptr ? *next : nobody_),
      fcvi_(options.fcvi_options, fcvi_observer),
      fc_ae_rdma_(options.fc_ae_rdma_options, fc_ae_rdma_observer) {}

void FcProtocols::on_frame(const fibre_channel::FrameFacts& facts) {
    const capture::Packet& packet = facts.packet;
    const wire::FrameHeader& header = packet.fc->frame.header;
    const std::uint16_t fabric = packet.fc->fabric.value_or(0);
    if (header.is_els()) on_els(facts);
    if (options_.fcvi) {
        if (is_fcvi_control(header)) tell_r_a_tov(facts);
        fcvi_.on_frame({packet.number, packet.time, packet.interface, fabric, packet.fc->frame});
    }
    if (options_.fc_ae_rdma) on_rdma_frame(facts);
    next_.on_frame(facts);
}

void FcProtocols::on_rdma_frame(const fibre_channel::FrameFacts& facts) {
    const capture::Packet& packet = facts.packet;
    const fibre_channel::Exchange& exchange = facts.exchange;
    const fibre_channel::Login* login = nullptr;
    if (keeps_to_annex_a()) {
        fc_ae_rdma_.on_fibre_channel(facts);
        if (tracker_ != nullptr)
            login = tracker_->login_between(exchange.fabric, exchange.originator, exchange.responder);
    }
    fc_ae_rdma_.on_frame(
        {packet.number, packet.time, packet.interface, packet.fc->fabric.value_or(0), service_class_of(*packet.fc),
         packet.fc->frame, login});
}

void FcProtocols::on_login(const fibre_channel::Login& login, fibre_channel::Party said_by) {
    if (options_.fc_ae_rdma && keeps_to_annex_a()) fc_ae_rdma_.on_fibre_channel_login(login, said_by);
    if (login.kind == fibre_channel::LoginKind::fabric && said_by == fibre_channel::Party::responder)
        note_address(login);
    next_.on_login(login, said_by);
}

// ---- logins --------------------------------------------------------------------------------------

void FcProtocols::on_els(const fibre_channel::FrameFacts& facts) {
    if (tracker_ == nullptr || !facts.exchange.els) return;
    switch (*facts.exchange.els) {
        case wire::els_plogi:
        case wire::els_pdisc: return tell_login(facts);
        case wire::els_logo: return tell_logout(facts);
        case wire::els_prli: return tell_process_login(facts);
        case wire::els_prlo: return tell_process_logout(facts);
        case wire::els_adisc: return tell_validation(facts);
        case wire::els_fan: return tell_fabric(facts);
        default: return;
    }
}

/// With the answer both ports have said what they can do.
void FcProtocols::tell_login(const fibre_channel::FrameFacts& facts) {
    const fibre_channel::Exchange& exchange = facts.exchange;
    if (exchange.accepted != true || facts.from != fibre_channel::Party::responder) return;
    const fibre_channel::Login* login = tracker_->login_between(
        exchange.fabric, exchange.originator, exchange.responder);
    if (login == nullptr) return;
    const std::uint16_t fabric = exchange.fabric.value_or(0);
    for (const fibre_channel::Party party : {fibre_channel::Party::originator, fibre_channel::Party::responder}) {
        const auto& parameters = login->parameters[party];
        if (!parameters) continue;
        const bool asked = party == fibre_channel::Party::originator;
        fcvi_.on_login(
            {.port = {fabric, asked ? login->originator : login->responder},
             .peer = {fabric, asked ? login->responder : login->originator},
             .port_name = parameters->port_name,
             .increasing_seq_cnt = parameters->continuously_increasing_seq_cnt,
             .increasing_relative_offset = parameters->continuously_increasing_relative_offset,
             .sequential_delivery = keeps_order(*parameters)});
    }
}

/// Who sends LOGO, and who accepts it, sends nothing more.
void FcProtocols::tell_logout(const fibre_channel::FrameFacts& facts) {
    if (facts.from == fibre_channel::Party::responder && facts.exchange.accepted != true) return;
    const Step step{facts.packet.time, facts.packet.number, facts.packet.interface};
    fcvi_.on_logout(source_of<fcvi::Port>(facts), destination_of<fcvi::Port>(facts), step);
    tell_process_logout(facts);
}

/// By PRLO or LOGO, once it is accepted.
void FcProtocols::tell_process_logout(const fibre_channel::FrameFacts& facts) {
    if (facts.from != fibre_channel::Party::responder || facts.exchange.accepted != true) return;
    fc_ae_rdma_.on_process_logout(
        source_of<fc_ae_rdma::Port>(facts), destination_of<fc_ae_rdma::Port>(facts), facts.packet.number);
}

/// With ADISC, and with its accept, a port says who it is. If that is not who logged in, the two are logged out
/// (ISO/IEC 14165-331, 7.7.3).
void FcProtocols::tell_validation(const fibre_channel::FrameFacts& facts) {
    if (facts.from == fibre_channel::Party::responder && facts.exchange.accepted != true) return;
    const fibre_channel::Exchange& exchange = facts.exchange;
    const fibre_channel::Login* login = tracker_->login_between(
        exchange.fabric, exchange.originator, exchange.responder);
    wire::Adisc adisc;
    if (login == nullptr || layout::parse_into(adisc, facts.packet.fc->frame.payload)) return;
    const std::uint32_t source = facts.packet.fc->frame.header.s_id;
    const auto& known =
        login->parameters
            [login->originator == source ? fibre_channel::Party::originator : fibre_channel::Party::responder];
    if (!known) return;
    if (adisc.port_name == known->port_name && adisc.node_name == known->node_name && adisc.port_id == source) return;
    const Step step{facts.packet.time, facts.packet.number, facts.packet.interface};
    const auto one = source_of<fcvi::Port>(facts), other = destination_of<fcvi::Port>(facts);
    fcvi_.on_logout(one, other, step);
    fcvi_.on_logout(other, one, step);
}

/// With another address, or from another Fabric, a port's mappings hold no longer (ISO/IEC 14165-331, 7.7.5).
void FcProtocols::note_address(const fibre_channel::Login& login) {
    const auto& port = login.parameters[fibre_channel::Party::originator];
    const auto& fabric = login.parameters[fibre_channel::Party::responder];
    if (!port || !fabric || !fabric->f_port || !login.answer) return;
    const std::uint16_t number = login.fabric.value_or(0);
    const std::pair key{number, port->port_name};
    if (addresses_.size() >= most_addresses && !addresses_.contains(key)) return;
    const FabricAddress now{login.originator, fabric->port_name, fabric->node_name};
    const auto [place, is_new] = addresses_.try_emplace(key, now);
    const FabricAddress before = std::exchange(place->second, now);
    if (!is_new && before != now) fcvi_.on_address_lost({number, before.id}, *login.answer);
}

/// FAN, after the initialisation of a loop: the port goes on only if that is its Fabric (ISO/IEC 14165-331, 7.7.4).
void FcProtocols::tell_fabric(const fibre_channel::FrameFacts& facts) {
    wire::Fan fan;
    if (layout::parse_into(fan, facts.packet.fc->frame.payload)) return;
    const auto port = destination_of<fcvi::Port>(facts);
    for (const auto& [key, address] : addresses_) {
        if (key.first != port.fabric || address.id != port.id) continue;
        if (address.port_name == fan.fabric_port_name && address.fabric_name == fan.fabric_name) return;
        return fcvi_.on_address_lost(port, {facts.packet.time, facts.packet.number, facts.packet.interface});
    }
}

/// The page for FCP of a PRLI or of its answer, which both fit into a frame.
void FcProtocols::tell_process_login(const fibre_channel::FrameFacts& facts) {
    if (!options_.fc_ae_rdma) return;
    fc_ae_rdma::ProcessLogin login{
        .from = source_of<fc_ae_rdma::Port>(facts),
        .to = destination_of<fc_ae_rdma::Port>(facts),
        .is_accept = facts.from == fibre_channel::Party::responder,
        .page = {},
        .frame = facts.packet.number};
    const ByteView payload = facts.packet.fc->frame.payload;
    constexpr std::size_t header = layout::size_of<wire::ProcessHeader>;
    if (login.is_accept && facts.exchange.accepted == false) {
        login.is_accept = false;
        login.rejected = true;
    } else if (
        payload.size() < header + wire::process_page_size || layout::parse_into(login.page, payload.subspan(header)) ||
        login.page.type != wire::type_fcp) {
        return;
    }
    fc_ae_rdma_.on_process_login(login);
}

void FcProtocols::tell_r_a_tov(const fibre_channel::FrameFacts& facts) {
    if (tracker_ == nullptr) return;
    const fibre_channel::Exchange& exchange = facts.exchange;
    if (const auto value = tracker_->r_a_tov(exchange.fabric, exchange.originator, exchange.responder))
        fcvi_.on_r_a_tov(*value);
}

}  // namespace fabricscope::engine
