// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc/addresses.h"

#include <algorithm>

namespace fabricscope::engine::fibre_channel {
namespace {

/// IPv4 addresses stand behind 12 octets of zero.
Address ip_address(const Gid& ip) {
    const bool short_one = std::all_of(
        ip.octets.begin(), ip.octets.begin() + 12, [](auto octet) { return octet == 0; });
    if (short_one) return Address::of(Ipv4{{ip.octets[12], ip.octets[13], ip.octets[14], ip.octets[15]}});
    Address address = Address::of(ip);
    address.kind = Address::Kind::ipv6;
    return address;
}

}  // namespace

template <class Predicate>
Resolution* Addresses::open_question(ResolutionKind kind, const Arrival& arrival, Predicate is_it) {
    const auto begin = model_.resolutions.rbegin();
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(latest, model_.resolutions.size()));
    const auto found = std::find_if(begin, end, [&](const Resolution& question) {
        return question.kind == kind && question.fabric == arrival.exchange.fabric && !question.answer &&
               is_it(question);
    });
    return found == end ? nullptr : &*found;
}

void Addresses::ask(const Arrival& arrival, ResolutionKind kind, std::uint32_t asked_by, const Address& ip) {
    const auto same = [&](const Resolution& known) { return known.asked_by == asked_by && known.ip == ip; };
    if (Resolution* known = open_question(kind, arrival, same)) {
        ++known->requests;
        return;
    }
    if (model_.resolutions.size() >= limits_.resolutions) {
        ++model_.dropped_resolutions;
        return;
    }
    model_.resolutions.push_back({kind, arrival.exchange.fabric, asked_by, ip, arrival.step(), 1, {}, {}, {}});
}

void Addresses::on_farp(const Arrival& arrival, const wire::Farp& farp) {
    const Address ip = ip_address(farp.responding_ip);
    if (farp.command == wire::els_farp_request) {
        if ((farp.match & wire::farp_match_ip) != 0) ask(arrival, ResolutionKind::farp, farp.requesting_port_id, ip);
        return;
    }
    Resolution* question = open_question(ResolutionKind::farp, arrival, [&](const Resolution& known) {
        return known.asked_by == farp.requesting_port_id && known.ip == ip;
    });
    if (question == nullptr) return;
    question->answer = arrival.step();
    question->ports = {farp.responding_port_id};
}

void Addresses::on_name_server_request(const Arrival& arrival, const wire::GidIppRequest& request) {
    ask(arrival, ResolutionKind::gid_ipp, arrival.exchange.originator, ip_address(request.ip));
}

void Addresses::on_name_server_answer(const Arrival& arrival, const wire::CtMessage& answer) {
    // The answer does not repeat the address; the Exchange knows when the question came.
    const Exchange& exchange = arrival.exchange;
    Resolution* question = open_question(ResolutionKind::gid_ipp, arrival, [&](const Resolution& known) {
        return known.asked_by == exchange.originator && known.request.frame >= exchange.first_frame;
    });
    if (question == nullptr) return;
    question->answer = arrival.step();
    const wire::CtHeader& header = answer.header;
    if (header.command == wire::ct_reject)
        question->rejected = Refusal{header.reason, header.explanation, header.vendor, arrival.step()};
    if (const auto* accept = std::get_if<wire::GidIppAccept>(&answer.body))
        for (std::size_t i = 0; i < std::min(accept->ports.size(), limits_.ports); ++i)
            question->ports.push_back(accept->ports[i].port_id);
}

}  // namespace fabricscope::engine::fibre_channel
