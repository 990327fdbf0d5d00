// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/clc_rules.h"

namespace fabricscope::engine::smcr {

namespace {

using wire::ClcType;

const char* name_of_type(ClcType type) {
    return layout::name_of(wire::clc_type_names, static_cast<std::uint64_t>(type));
}

/// Whether `type` may follow what a side sent before. DECLINE has rules of its own.
bool may_follow(Side from, std::optional<ClcType> before, ClcType type) {
    if (type == ClcType::decline) return true;
    if (from == Side::server) return type == ClcType::accept && !before;
    return type == (before ? ClcType::confirm : ClcType::proposal) && before.value_or(type) != ClcType::confirm;
}

std::optional<wire::PeerId> peer_id_of(const wire::ClcMessage& message) {
    // Who has no RNIC (any more) has no peer ID either.
    const auto known = [](const wire::PeerId& id) { return id.mac == Mac{} ? std::nullopt : std::optional(id); };
    if (const auto* proposal = std::get_if<wire::Proposal>(&message.body)) return known(proposal->body.peer_id);
    if (const auto* body = std::get_if<wire::SmcrAcceptConfirm>(&message.body)) return known(body->body.peer_id);
    if (const auto* decline = std::get_if<wire::Decline>(&message.body)) return known(decline->body.peer_id);
    return std::nullopt;
}

std::string text_of(const wire::PeerId& id) { return std::to_string(id.instance) + "@" + to_string(id.mac); }

}  // namespace

std::optional<ClcType> ClcRules::latest(std::uint32_t connection, Side from) const {
    const Told* told = told_.find(connection);
    return told != nullptr ? told->latest[from] : std::nullopt;
}

void ClcRules::on_clc(const TcpArrival& a, const wire::ClcMessage& message) {
    Told& t = told_[a.connection.id];
    judge_order(a, message.header.type, t);
    if (!message.error) {
        judge_answer_to_mtu(a, message, t);
        judge_peer_id(a, message, t);
        judge_version(a, message, t);
    }
    t.latest[a.from] = message.header.type;
}

/// A message that only answers another one is too early when nothing at all had arrived at its sender.
void ClcRules::judge_order(const TcpArrival& a, ClcType type, const Told& told) {
    const bool answers = type == ClcType::accept || type == ClcType::confirm;
    const bool begin_known = a.handshake.frame[a.from] != 0;
    const auto& before = told.latest[a.from];
    const bool received_nothing = a.handshake.frame[other(a.from)] != 0 && a.received && *a.received <= 0;
    const bool own_kind = type == ClcType::decline || (type == ClcType::accept) == (a.from == Side::server);
    const char* wrong = !own_kind || ((begin_known || before) && !may_follow(a.from, before, type)) ? " from the "
                        : answers && received_nothing ? ", to which nothing had been sent, from the "
                                                      : nullptr;
    if (wrong != nullptr)
        return verdicts_.broken(
            rules::clc_order, {a.step.frame}, Subject::connection(a.connection.id),
            (before && own_kind ? std::string("after ") + name_of_type(*before) + ", " : std::string()) +
                name_of_type(type) + wrong + name_of(a.from));
    if (!begin_known) return verdicts_.undecided(rules::clc_order, UndecidedReason::beginning_not_captured);
    verdicts_.satisfied(rules::clc_order);
}

/// Whoever is sent a reserved MTU declines (RFC 7609, C.6).
void ClcRules::judge_answer_to_mtu(const TcpArrival& a, const wire::ClcMessage& message, Told& told) {
    const auto* body = std::get_if<wire::SmcrAcceptConfirm>(&message.body);
    if (message.header.type == ClcType::accept && body != nullptr && body->body.first_contact &&
        wire::mtu_octets(body->body.mtu) == 0)
        told.reserved_mtu = a.step.frame;
    if (told.reserved_mtu == 0 || a.from != Side::client) return;
    if (message.header.type == ClcType::confirm)
        verdicts_.broken(
            rules::coded_values, {told.reserved_mtu, a.step.frame}, Subject::connection(a.connection.id),
            "the client confirms a reserved MTU code instead of declining");
    else verdicts_.satisfied(rules::coded_values);
}

void ClcRules::judge_peer_id(const TcpArrival& a, const wire::ClcMessage& message, Told& told) {
    const auto id = peer_id_of(message);
    auto& known = told.identity[a.from];
    if (!id) return;
    if (!known) known = Identity{*id, a.step.frame};
    else if (known->id == *id) verdicts_.satisfied(rules::peer_id);
    else
        verdicts_.broken(
            rules::peer_id, {known->frame, a.step.frame}, Subject::connection(a.connection.id),
            std::string("the ") + name_of(a.from) + " was " + text_of(known->id) + ", now it is " + text_of(*id));
}

/// The lowest common version is used (RFC 7609, A.2); a PROPOSAL of version 2 may leave version 1 out.
void ClcRules::judge_version(const TcpArrival& a, const wire::ClcMessage& message, Told& told) {
    if (const auto* proposal = std::get_if<wire::Proposal>(&message.body)) {
        const auto* v2 = std::get_if<wire::ProposalVersion2>(&proposal->version);
        constexpr std::uint8_t neither_type = 2;
        told.offer = Offer{v2 == nullptr || v2->type_v1 != neither_type, v2 != nullptr, a.step.frame};
        return;
    }
    if (message.header.type == ClcType::decline) return;
    const std::uint8_t version = message.version();
    const bool accept = message.header.type == ClcType::accept;
    if (accept ? !told.offer : !a.connection.setup.accept)
        return verdicts_.undecided(rules::common_version, UndecidedReason::beginning_not_captured);
    const bool agreed = accept ? (version == 1 && told.offer->version1) || (version == 2 && told.offer->version2)
                               : version == a.connection.version;
    if (agreed) return verdicts_.satisfied(rules::common_version);
    const std::uint64_t before = accept ? told.offer->frame : a.connection.setup.accept->frame;
    verdicts_.broken(
        rules::common_version, {before, a.step.frame}, Subject::connection(a.connection.id),
        std::string(accept ? "ACCEPT" : "CONFIRM") + " of version " + std::to_string(version) +
            (accept ? ", which was not offered" : ", unlike ACCEPT"));
}

}  // namespace fabricscope::engine::smcr
