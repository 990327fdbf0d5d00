// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/link_life.h"
#include "protocols/smcr/llc.h"
#include "replay/engine/smcr/recorded_parts.h"
#include "replay/stack/smcr/clc_constants.h"
#include "replay/stack/smcr/llc_constants.h"

namespace fabricscope::replay::smcr {

namespace wire = fabricscope::smcr;

namespace {

using engine::other;

bool is_confirmed(const Recorded& recorded) {
    return std::ranges::any_of(
        recorded.conversation.messages, [](const Message& one) { return one.name == "LLC CONFIRM LINK reply"; });
}

/// A server waited for a confirmation in vain that had been sent.
std::optional<Side> deaf_side(const Recorded& recorded) {
    const bool in_vain = std::ranges::any_of(recorded.connections, waited_in_vain);
    return in_vain && is_confirmed(recorded) ? std::optional(Side::server) : std::nullopt;
}

/// A link that was taken and not confirmed, whose end somebody wanted because it led nowhere.
void find_missing_paths(Recorded& recorded) {
    std::map<std::uint8_t, PerSide<Mac>> taken;
    for (const Message& message : recorded.conversation.messages) {
        if (!message.name.starts_with("LLC")) continue;
        const wire::LlcMessage parsed = wire::parse_llc(message.octets, message.octets.size());
        if (const auto* add = std::get_if<wire::AddLinkMessage>(&parsed.body); add && !add->common().reject)
            taken[add->common().link][message.from] = add->common().mac;
        if (const auto* confirm = std::get_if<wire::ConfirmLink>(&parsed.body)) taken.erase(confirm->link);
        const auto* gone = std::get_if<wire::DeleteLink>(&parsed.body);
        if (gone == nullptr || gone->all || gone->reply || gone->reason != stack::smcr::lost_path) continue;
        const auto link = taken.find(gone->link);
        if (link == taken.end()) continue;
        const PerSide<Mac>& end = link->second;
        if (end[Side::client] != Mac{} && end[Side::server] != Mac{}) recorded.no_path.push_back(end);
        taken.erase(link);
    }
}

/// Linux' server does not ask for an orderly end of a link that it has waited for in vain. Otherwise it only
/// repeats what a client asks for.
void find_unconfirmed_links(Recorded& recorded) {
    std::set<std::uint8_t> confirmed, asked;
    for (const Message& message : recorded.conversation.messages) {
        if (!message.name.starts_with("LLC")) continue;
        const wire::LlcMessage parsed = wire::parse_llc(message.octets, message.octets.size());
        const bool client = message.from == Side::client;
        if (const auto* confirm = std::get_if<wire::ConfirmLink>(&parsed.body); confirm && client)
            confirmed.insert(confirm->link);
        const auto* gone = std::get_if<wire::DeleteLink>(&parsed.body);
        const bool without_order = gone != nullptr && !gone->all && !gone->reply && !gone->orderly;
        if (!without_order || gone->reason != stack::smcr::lost_path) continue;
        if (client) asked.insert(gone->link);
        else if (confirmed.contains(gone->link) && !asked.contains(gone->link)) recorded.unconfirmed.insert(gone->link);
    }
}

/// Each side names the link when a connection begins to use it, not only when the link is new.
void find_earlier_link(Recorded& recorded) {
    if (has_choice(*recorded.group)) return;
    PerSide<std::optional<wire::SmcrAcceptConfirmBody>> named;
    for (const Message& message : recorded.conversation.messages) {
        if (message.name != "CLC ACCEPT" && message.name != "CLC CONFIRM") continue;
        const wire::ClcMessage parsed = wire::parse_clc(message.octets);
        if (const auto* body = std::get_if<wire::SmcrAcceptConfirm>(&parsed.body)) named[message.from] = body->body;
    }
    if (named[Side::client] && named[Side::server])
        recorded.earlier_link = {{*named[Side::client], *named[Side::server]}};
}

bool is_missing_confirmation(const Recorded& recorded) {
    if (!recorded.group) return false;
    const bool agreed = std::ranges::any_of(recorded.connections, [](const RecordedConnection& one) {
        return one.model.setup.confirm && one.model.first_contact.value_or(false);
    });
    return agreed && !is_confirmed(recorded);
}

/// The other side repeats its last packets in vain, on the only link, and connections are left without a word.
std::optional<Departure> departure(const Recorded& recorded) {
    if (!recorded.group || recorded.group->links.size() != 1) return std::nullopt;
    const tracker::Link& link = recorded.group->links.front();
    const auto in_vain = tracker::repeats_in_vain(link);
    const bool left = std::ranges::any_of(recorded.connections, [](const RecordedConnection& connection) {
        return is_left_without_a_word(connection.model);
    });
    if (link.state != tracker::LinkState::failed || !in_vain || !left) return std::nullopt;
    const Side of = other(*in_vain);
    const auto is_reset_by = [&](Side side) {
        return std::ranges::any_of(
            recorded.connections, [&](const RecordedConnection& one) { return one.model.reset_by == side; });
    };
    return Departure{of, link.heard[of].value_or(0), is_reset_by(of), is_reset_by(*in_vain)};
}

}  // namespace

bool waited_in_vain(const RecordedConnection& connection) {
    return connection.model.decline && connection.model.decline->code == stack::smcr::timeout_confirm_link;
}

bool is_left_without_a_word(const tracker::Connection& model) {
    const bool farewell = model.from[Side::client].ended() || model.from[Side::server].ended();
    return model.outcome == tracker::Outcome::smc_r && model.close == tracker::Close::abnormal && !farewell;
}

void find_what_became_of_links(Recorded& recorded, bool set_up_before) {
    recorded.departure = departure(recorded);
    recorded.no_roce = is_missing_confirmation(recorded);
    recorded.deaf = deaf_side(recorded);
    find_missing_paths(recorded);
    find_unconfirmed_links(recorded);
    if (set_up_before) find_earlier_link(recorded);
}

}  // namespace fabricscope::replay::smcr
