// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/link_rules.h"

#include "analyzer/engine/smcr/doubt.h"
#include "analyzer/engine/smcr/llc_exchange.h"

namespace fabricscope::engine::smcr {

void LinkRules::on_llc(const Arrival& a, const wire::LlcMessage& message) {
    if (!judge_format(a, message)) return;
    judge_begin(a, message);
    if (const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body)) {
        judge_identity(a, *confirm);
        if (!confirm->reply) judge_max_links(a, *confirm, message.version());
    }
    add_links_.on_llc(a, message);
    topology_.on_llc(a, message);
    rkeys_.on_llc(a, message);
    silence_.on_llc(a, message);
}

void LinkRules::on_request(const Arrival& a, const wire::LlcMessage& message, OpenRequest& request) {
    if (message.error) return;
    exchanges_.on_request(a, message, request);
}

void LinkRules::on_reply(const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request) {
    if (message.error) return;
    exchanges_.on_reply(a, message, request);
    add_links_.on_reply(a, message);
    topology_.on_reply(a, message, request);
    rkeys_.on_reply(a, message, request);
    silence_.on_reply(a, message);
    if (const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body))
        judge_clients_max_links(a, *confirm, request);
}

void LinkRules::on_unasked_reply(const Arrival& a, const wire::LlcMessage& message) {
    if (message.error) return;
    exchanges_.on_unasked_reply(a, message);
    silence_.on_reply(a, message);
}

void LinkRules::on_data(const Arrival& a) {
    const bool first_data = add_links_.on_data(a);
    const bool silence = silence_.on_data(a);
    a.history->watched = first_data || silence;
}

void LinkRules::finish(Time last) {
    for (const LinkGroup& group : model_.link_groups) {
        const bool* begun = begun_.find(group.id);
        if (group.from_start && came_to_be(group) && (begun == nullptr || !*begun))
            verdicts_.undecided(rules::confirm_link_follows, UndecidedReason::link_not_captured);
    }
    add_links_.finish();
    rkeys_.finish();
    silence_.finish(last);
}

// ---- any message ---------------------------------------------------------------------------------

/// Whether the message is one whose content can be judged. Another one is as good as missing, unless it
/// is of a type 10xxxxxx: who does not know such a type discards the message silently.
bool LinkRules::judge_format(const Arrival& a, const wire::LlcMessage& message) {
    const bool optional = (message.raw_type() & 0xC0) == 0x80;
    if (!message.error || (optional && message.error.fault != layout::Fault::truncated)) {
        verdicts_.satisfied(rules::llc_format);
        return !message.error;
    }
    a.history->note_gap(a.from, a.packet->number);
    if (message.error.fault == layout::Fault::truncated) verdicts_.undecided(rules::llc_format, UndecidedReason::cut);
    else
        verdicts_.broken(rules::llc_format, {a.packet->number}, Subject::link_group(a.group), to_string(message.error));
    return false;
}

// ---- CONFIRM LINK --------------------------------------------------------------------------------

/// What the server sends first on the link of a first contact.
void LinkRules::judge_begin(const Arrival& a, const wire::LlcMessage& message) {
    const LinkGroup& group = model_.link_groups[a.group - 1];
    const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body);
    const bool asks = confirm != nullptr && !confirm->reply;
    const Subject subject = Subject::link_group(a.group);
    if (asks && a.from == Side::client && group.roles_known)
        return verdicts_.broken(
            rules::confirm_link_follows, doubt_if(!group.from_start, UndecidedReason::beginning_not_captured),
            {a.packet->number}, subject, "the client requests CONFIRM LINK");
    bool& begun = begun_[a.group];
    if (begun || a.link != 0 || a.from == Side::client || !group.from_start) return;
    begun = true;
    if (asks) return verdicts_.satisfied(rules::confirm_link_follows);
    verdicts_.broken(
        rules::confirm_link_follows, doubt::from_start(group, *a.history), {a.packet->number}, subject,
        std::string("the server begins with ") + name_of(message.type()));
}

void LinkRules::on_misnamed(
    const capture::Packet& packet, const LinkRef& of, const LinkEndpoint& named, const LinkEndpoint& actual) {
    const bool other_gid = named.gid != actual.gid;
    const auto text = [&](const LinkEndpoint& end) {
        return other_gid ? "GID " + to_string(*end.gid) : "queue pair " + std::to_string(*end.qpn);
    };
    const char* message = of.link != 0 ? "ADD LINK" : of.side == Side::server ? "ACCEPT" : "CONFIRM";
    verdicts_.broken(
        rules::confirm_link_identity, {packet.number}, Subject::link_group(of.group),
        message + (" names " + text(named)) + ", but the " + name_of(of.side) + " has " + text(actual));
}

void LinkRules::on_refused_link(
    const capture::Packet& packet, std::uint32_t group, const RefusedLink& refused, const GroupHistory& history) {
    verdicts_.broken(
        rules::add_link_reject, doubt::since(refused, history), {refused.step.frame, packet.number},
        Subject::link_group(group), "link " + std::to_string(refused.offer.number) + " was rejected, but comes up");
}

void LinkRules::judge_identity(const Arrival& a, const wire::ConfirmLink& confirm) {
    const Link& link = model_.link_groups[a.group - 1].links[a.link];
    const LinkEndpoint& end = link.end[a.from];
    if (!end.mac || !end.gid || !end.qpn)
        return verdicts_.undecided(rules::confirm_link_identity, UndecidedReason::setup_not_captured);
    const char* what = *end.mac != confirm.mac                              ? "MAC"
                       : *end.gid != confirm.gid                            ? "GID"
                       : *end.qpn != confirm.qpn                            ? "queue pair"
                       : link.number.value_or(confirm.link) != confirm.link ? "link number"
                                                                            : nullptr;
    if (what == nullptr) return verdicts_.satisfied(rules::confirm_link_identity);
    verdicts_.broken(
        rules::confirm_link_identity, {a.packet->number}, Subject::link_group(a.group),
        std::string("the ") + name_of(a.from) + " names another " + what + " than before");
}

namespace {

/// Release 1 of version 2 allows a link group of one link.
std::uint8_t least_max_links(std::uint8_t version) { return version == 1 ? 2 : 1; }

}  // namespace

void LinkRules::judge_max_links(const Arrival& a, const wire::ConfirmLink& confirm, std::uint8_t version) {
    if (confirm.max_links >= least_max_links(version) && confirm.max_links <= 8)
        return verdicts_.satisfied(rules::max_links);
    verdicts_.broken(
        rules::max_links, {a.packet->number}, Subject::link_group(a.group),
        "the server allows " + std::to_string(confirm.max_links) + " links");
}

/// A client that names no number takes the server's.
void LinkRules::judge_clients_max_links(
    const Arrival& a, const wire::ConfirmLink& confirm, const OpenRequest& request) {
    const wire::LlcMessage asked = wire::parse_llc(request.octets, request.octets.size());
    const auto* server = std::get_if<wire::ConfirmLink>(&asked.body);
    if (server == nullptr || confirm.max_links == 0) return;
    if (request.cut) return verdicts_.undecided(rules::max_links, UndecidedReason::cut);
    if (confirm.max_links >= least_max_links(asked.version()) && confirm.max_links <= server->max_links)
        return verdicts_.satisfied(rules::max_links);
    verdicts_.broken(
        rules::max_links, {request.step.frame, a.packet->number}, Subject::link_group(a.group),
        "the client allows " + std::to_string(confirm.max_links) + " links, the server " +
            std::to_string(server->max_links));
}

}  // namespace fabricscope::engine::smcr
