// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/traffic/fc_talk.h"

namespace fabricscope::traffic {

void ask(FcTalk& talk, FcPort& from, FcPort& to, std::uint8_t type, const Octets& request, const Octets& answer) {
    FcExchange exchange(from, to, type);
    const bool els = type == fc::type_els;
    talk.emit(exchange.send(
        {.r_ctl = static_cast<std::uint8_t>(els ? fc::r_ctl_els_request : 0x02),
         .data = request,
         .last = answer.empty(),
         .passes_initiative = !answer.empty()}));
    if (answer.empty()) return;
    talk.emit(exchange.send(
        {.r_ctl = static_cast<std::uint8_t>(els ? fc::r_ctl_els_reply : 0x03),
         .data = answer,
         .from_responder = true,
         .last = true}));
}

void fabric_login(FcTalk& talk, FcFabric& fabric, const FcPort& port, const LoginChanges& changes) {
    constexpr std::uint32_t r_a_tov_ms = 10'000, e_d_tov_ms = 2'000;
    FcPort newcomer = port;
    newcomer.id = fc::unidentified;
    FcExchange flogi(newcomer, fabric.f_port, fc::type_els);
    const Octets request = login_payload(port, fc::els_flogi, changes.request);
    const Octets answer = flogi_accept_payload(fabric.f_port, r_a_tov_ms, e_d_tov_ms, changes.accept);
    talk.emit(flogi.send({.r_ctl = fc::r_ctl_els_request, .data = request, .passes_initiative = true}));
    flogi.set_originator(port);
    talk.emit(flogi.send({.r_ctl = fc::r_ctl_els_reply, .data = answer, .from_responder = true, .last = true}));
}

void port_login(FcTalk& talk, FcPort& from, FcPort& to, const LoginChanges& changes) {
    ask(talk, from, to, fc::type_els, login_payload(from, fc::els_plogi, changes.request),
        login_payload(to, fc::els_ls_acc, changes.accept));
}

void port_logout(FcTalk& talk, FcPort& from, FcPort& to) {
    ask(talk, from, to, fc::type_els, logo_payload(from), ls_acc_payload());
}

void process_login(FcTalk& talk, FcPort& from, FcPort& to, std::uint32_t parameters, std::uint32_t answer) {
    ask(talk, from, to, fc::type_els, prli_payload(fc::type_fcp, parameters),
        prli_accept_payload(fc::type_fcp, answer));
}

void resolve_by_farp(FcTalk& talk, FcFabric& fabric) {
    const Gid asking = fc_ip(ip_of_a), asked = fc_ip(ip_of_b);
    ask(talk, fabric.a, fabric.everybody, fc::type_els,
        farp_payload(fc::els_farp_request, fabric.a, asking, fabric.b, asked), {});
    ask(talk, fabric.b, fabric.a, fc::type_els, farp_payload(fc::els_farp_reply, fabric.a, asking, fabric.b, asked),
        {});
}

void resolve_by_name_server(FcTalk& talk, FcFabric& fabric) {
    ask(talk, fabric.a, fabric.name_server, fc::type_ct, gid_ipp_payload(fc_ip(ip_of_b)),
        gid_ipp_answer_payload({fabric.b.id}));
}

Octets message_data(std::uint32_t begin, std::uint32_t end) {
    Octets octets(end - begin);
    for (std::uint32_t i = begin; i < end; ++i) octets[i - begin] = static_cast<std::uint8_t>(i * 7 + (i >> 8));
    return octets;
}

}  // namespace fabricscope::traffic
