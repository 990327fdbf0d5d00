// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/topology_rules.h"

#include <algorithm>

#include "analyzer/engine/smcr/doubt.h"

namespace fabricscope::engine::smcr {

namespace {

constexpr std::size_t link_numbers = 255;  // 0 is none

/// Whether two ends are the same RNIC, as far as the wire tells.
bool same_rnic(const LinkEndpoint& a, const LinkEndpoint& b) {
    return a.gid && b.gid && *a.gid == *b.gid && a.mac == b.mac;
}

bool share_both(const Link& a, const Link& b) {
    return same_rnic(a.end[Side::client], b.end[Side::client]) && same_rnic(a.end[Side::server], b.end[Side::server]);
}

bool share_one(const Link& a, const Link& b) {
    return same_rnic(a.end[Side::client], b.end[Side::client]) != same_rnic(a.end[Side::server], b.end[Side::server]);
}

}  // namespace

void TopologyRules::on_llc(const Arrival& a, const wire::LlcMessage& message) {
    if (!group(a).roles_known) return;
    if (const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body);
        confirm != nullptr && group(a).links[a.link].number.value_or(confirm->link) == confirm->link)
        used_numbers_[a.group].set(confirm->link);
    const auto* add = std::get_if<wire::AddLinkMessage>(&message.body);
    if (add == nullptr) return;
    const wire::AddLink body = add->common();
    if (!body.reply && a.from == Side::server) judge_number(a, body);
    if (body.reply && body.reject) judge_rejection(a, message, body);
    else if (body.reply || a.from == Side::server) judge_mtu(a, body);
}

void TopologyRules::on_reply(const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request) {
    if (!group(a).roles_known) return;
    if (const auto* add = std::get_if<wire::AddLinkMessage>(&message.body); add != nullptr && !add->common().reject) {
        used_numbers_[a.group].set(request.subject & 0xFF);  // what was offered, whatever the reply calls it
        judge_acceptance(a, add->common(), request);
    }
    if (std::holds_alternative<wire::ConfirmLink>(message.body)) judge_links(a);
}

void TopologyRules::broken(RuleRef::OfMessages name, const Arrival& a, std::string text) {
    verdicts_.broken(name, {a.packet->number}, Subject::link_group(a.group), std::move(text));
}
void TopologyRules::broken(RuleRef name, const Doubt& why, const Arrival& a, std::string text) {
    verdicts_.broken(name, why, {a.packet->number}, Subject::link_group(a.group), std::move(text));
}

/// A number counts as used once the client took it for a link.
void TopologyRules::judge_number(const Arrival& a, const wire::AddLink& request) {
    const auto& used = used_numbers_[a.group];
    const Doubt why = doubt::from_start(group(a), *a.history);
    if (why) return verdicts_.undecided(rules::link_number_reuse, *why);
    if (!used[request.link] || used.count() >= link_numbers) return verdicts_.satisfied(rules::link_number_reuse);
    broken(
        rules::link_number_reuse, why, a,
        "link number " + std::to_string(request.link) + " again, after " + std::to_string(used.count()) + " numbers");
}

/// Of an offer, or of what accepts it. A client that only asks for a link has no queue pair yet.
void TopologyRules::judge_mtu(const Arrival& a, const wire::AddLink& body) {
    if (wire::mtu_octets(body.mtu) != 0) return verdicts_.satisfied(rules::add_link_mtu);
    broken(
        rules::add_link_mtu, a,
        "ADD LINK of the " + std::string(name_of(a.from)) + " has MTU code " + std::to_string(body.mtu));
}

void TopologyRules::judge_rejection(const Arrival& a, const wire::LlcMessage& message, const wire::AddLink& reply) {
    const auto* v1 = std::get_if<wire::AddLinkHeaderV1>(&message.header);
    const unsigned reason = v1 != nullptr ? v1->reject_reason : reply.reject_reason_v2;
    if (layout::name_of(wire::add_link_reject_names, reason) != nullptr)
        return verdicts_.satisfied(rules::add_link_reject);
    const std::string text = reason == 0 ? "rejected without a reason" : "reject reason " + std::to_string(reason);
    const bool linux_does = v1 == nullptr && reason == 0;
    if (!linux_does) return broken(rules::add_link_reject, a, text);
    verdicts_.deviation(rules::add_link_reject, {a.packet->number}, Subject::link_group(a.group), text);
}

/// What the server offers, to what the client takes for it.
void TopologyRules::judge_acceptance(const Arrival& a, const wire::AddLink& reply, const OpenRequest& request) {
    const wire::LlcMessage asked = wire::parse_llc(request.octets, request.octets.size());
    const auto* offer = std::get_if<wire::AddLinkMessage>(&asked.body);
    if (offer == nullptr || request.from != Side::server) return;
    if (request.subject != reply.link)
        return broken(
            rules::add_link_reject, doubt::since(request, *a.history), a,
            "link " + std::to_string(reply.link) + " is accepted instead of " + std::to_string(request.subject));
    Link added;
    added.end[Side::server] = {offer->common().gid, offer->common().mac, {}, {}};
    added.end[Side::client] = {reply.gid, reply.mac, {}, {}};
    for (const Link& link : group(a).links) {
        if (link.state != LinkState::active || !share_both(link, added)) continue;
        return broken(
            rules::add_link_reject, doubt::while_adding(group(a), *a.history), a,
            "a link parallel to link " + std::to_string(link.number.value_or(0)) + " is accepted");
    }
    verdicts_.satisfied(rules::add_link_reject);
}

/// When a link has come up. The older of two links that share an RNIC is not the asymmetric one; and a link that
/// shares one with an asymmetric link only is there to take its place (RFC 7609, 2.2.1).
void TopologyRules::judge_links(const Arrival& a) {
    const LinkGroup& g = group(a);
    const Doubt why = doubt::from_start(g, *a.history);
    if (why) return verdicts_.undecided(rules::link_topology, *why);
    unsigned active = 0;
    std::vector<bool> asymmetric(g.links.size());
    for (std::size_t i = 0; i < g.links.size(); ++i) {
        if (g.links[i].state != LinkState::active) continue;
        ++active;
        for (std::size_t k = 0; k < i; ++k) {
            if (g.links[k].state != LinkState::active) continue;
            if (i == a.link && share_both(g.links[i], g.links[k]))
                return broken(
                    rules::link_topology, why, a,
                    "the link comes up parallel to link " + std::to_string(g.links[k].number.value_or(0)));
            if (!asymmetric[k] && share_one(g.links[i], g.links[k])) asymmetric[i] = true;
        }
    }
    const auto asymmetric_count = static_cast<unsigned>(std::ranges::count(asymmetric, true));
    if (asymmetric_count > 1) return broken(rules::link_topology, why, a, "a second asymmetric link");
    if (g.max_links && active - asymmetric_count > *g.max_links)
        return broken(
            rules::link_topology, why, a,
            std::to_string(active - asymmetric_count) + " symmetric links, " + std::to_string(*g.max_links) +
                " were agreed upon");
    verdicts_.satisfied(rules::link_topology);
}

}  // namespace fabricscope::engine::smcr
