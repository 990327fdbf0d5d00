// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/rkey_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/engine/smcr/doubt.h"
#include "analyzer/engine/smcr/llc_exchange.h"
#include "analyzer/engine/smcr/youngest.h"

namespace fabricscope::engine::smcr {

namespace {

/// What was on its way on another link is over by then.
constexpr Time grace_time = capture::second;
constexpr std::size_t max_kept = 64;
constexpr std::size_t max_deleted_rkeys = 8;  // version 1
constexpr std::size_t slots_of_confirm_rkey = 2;

}  // namespace

void RkeyRules::on_llc(const Arrival& a, const wire::LlcMessage& message) {
    if (!group(a).roles_known) return;
    of_[a.group].interface = a.packet->interface;
    judge_omissions(a);
    if (const auto* confirm = std::get_if<wire::ConfirmRkeyMessage>(&message.body)) {
        if (!confirm->body.reply) on_confirm(a, *confirm);
    } else if (const auto* more = std::get_if<wire::ConfirmRkeyContinuationMessage>(&message.body)) {
        if (!more->body.reply) on_continuation(a, *more);
    } else if (const auto* remove = std::get_if<wire::DeleteRkeyMessage>(&message.body)) {
        if (!remove->body.reply) on_delete(a, *remove, message.version());
    }
}

void RkeyRules::on_reply(const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request) {
    if (!group(a).roles_known) return;
    if (std::holds_alternative<wire::ConfirmRkeyMessage>(message.body)) {
        judge_echo(a, request);
        note_agreement(a, message, request);
    } else if (std::holds_alternative<wire::ConfirmRkeyContinuationMessage>(message.body)) {
        judge_echo(a, request);
    } else if (const auto* remove = std::get_if<wire::DeleteRkeyMessage>(&message.body)) {
        judge_delete_reply(a, *remove, message.version());
        const bool repeats = judge_repeated_keys(a, message.version(), request);
        if (remove->body.negative) return;
        if (repeats) judge_known_keys(a, request);
        note_deletion(a, request);
    }
}

void RkeyRules::broken(RuleRef::OfMessages name, const Arrival& a, std::string text) {
    verdicts_.broken(name, {a.packet->number}, Subject::link_group(a.group), std::move(text));
}

// ---- CONFIRM RKEY: a token for every link --------------------------------------------------------

void RkeyRules::on_confirm(const Arrival& a, const wire::ConfirmRkeyMessage& message) {
    Announcement& announcement = of_[a.group].announcement[a.from];
    std::erase_if(of_[a.group].unagreed, [&](const Unagreed& earlier) {
        return earlier.from == a.from && earlier.link == a.link && earlier.rkey == message.body.rkey;
    });
    judge_incomplete(announcement);
    announcement = {};
    announcement.step = a.step();
    announcement.link = a.link;
    announcement.rkey = message.body.rkey;
    if (const char* wrong = cover(a, announcement.covered, message.slots, message.used)) return broken_list(a, wrong);
    announcement.left = message.body.other_links - static_cast<unsigned>(message.used);
    // The text says that up to three need no continuation, but only two have room.
    announcement.may_end = message.body.other_links == slots_of_confirm_rkey + 1;
    if (announcement.left == 0) judge_coverage(a);
}

/// Nothing more comes of it.
void RkeyRules::judge_incomplete(const Announcement& announcement) {
    if (announcement.left != 0 && announcement.may_end)
        verdicts_.undecided(rules::confirm_rkey_tokens, UndecidedReason::standard_contradicts_itself);
}

/// Here are RTokens that a connection should have waited for.
void RkeyRules::judge_early_use(const Arrival& a, const Announcement& announcement) {
    if (announcement.used.frame == 0) return;
    const bool in_no_order = a.late || a.packet->interface != announcement.used.interface;
    verdicts_.broken(
        rules::announced_rtoken, doubt_if(in_no_order, UndecidedReason::interface_order),
        {announcement.step.frame, announcement.used.frame, a.packet->number},
        Subject::connection(announcement.connection),
        std::string("the ") + name_of(a.from) + "'s RMB is used before it has been announced on all links");
}

void RkeyRules::finish() {
    for (const LinkGroup& group : model_.link_groups)
        if (const Group* of = of_.find(group.id); of != nullptr) {
            for (const Announcement& announcement : of->announcement.values) judge_incomplete(announcement);
            for (std::size_t left = of->omissions.size(); left != 0; --left)
                verdicts_.undecided(rules::confirm_rkey_tokens, UndecidedReason::capture_ended);
        }
}

void RkeyRules::on_continuation(const Arrival& a, const wire::ConfirmRkeyContinuationMessage& message) {
    Announcement& announcement = of_[a.group].announcement[a.from];
    if (const auto why = doubt::from_start(group(a), *a.history))
        return verdicts_.undecided(rules::confirm_rkey_tokens, *why);
    if (message.body.rtokens_left != announcement.left)
        return broken(
            rules::confirm_rkey_tokens, a,
            std::to_string(message.body.rtokens_left) + " RTokens left instead of " +
                std::to_string(announcement.left));
    if (const char* wrong = cover(a, announcement.covered, message.slots, message.used)) return broken_list(a, wrong);
    judge_early_use(a, announcement);
    announcement.used = {};
    announcement.left -= static_cast<unsigned>(message.used);
    if (announcement.left == 0) judge_coverage(a);
}

/// Takes down the links that are listed; says what is wrong with them.
const char* RkeyRules::cover(
    const Arrival& a, LinkNumbers& covered, const layout::List<wire::LinkRtoken>& slots, std::size_t used) const {
    const LinkGroup& g = group(a);
    const bool all_known = !doubt::from_start(g, *a.history);
    for (std::size_t i = 0; i < used; ++i) {
        const std::uint8_t number = slots[i].link;
        if (number == g.links[a.link].number) return "the carrying link is listed among the others";
        if (covered[number]) return "a link is listed twice";
        if (all_known && link_numbered(g, number) == nullptr) return "a link is listed that there is not";
        covered.set(number);
    }
    return nullptr;
}

/// What is wrong with the links of a request is not found once more in its reply.
void RkeyRules::broken_list(const Arrival& a, const char* wrong) {
    of_[a.group].announcement[a.from].wrong = a.packet->number;
    broken(rules::confirm_rkey_tokens, a, wrong);
}

/// A link left out is for dead, says its sender. Whether it means that will show.
void RkeyRules::judge_coverage(const Arrival& a) {
    const LinkGroup& g = group(a);
    if (const auto why = doubt::from_start(g, *a.history)) return verdicts_.undecided(rules::confirm_rkey_tokens, *why);
    const LinkNumbers& covered = of_[a.group].announcement[a.from].covered;
    bool complete = true;
    for (std::uint32_t i = 0; i < g.links.size(); ++i) {
        const Link& link = g.links[i];
        if (i == a.link || link.state != LinkState::active || !link.number || covered[*link.number]) continue;
        complete = false;
        keep_youngest(of_[a.group].omissions, max_kept, {i, a.from, a.step()});
    }
    if (complete) verdicts_.satisfied(rules::confirm_rkey_tokens);
}

/// The sender of a CONFIRM RKEY still speaks on a link that it left out.
void RkeyRules::judge_omissions(const Arrival& a) {
    std::erase_if(of_[a.group].omissions, [&](const Omission& omission) {
        const LinkState state = group(a).links[omission.link].state;
        if (state != LinkState::active) {
            verdicts_.undecided(rules::confirm_rkey_tokens, UndecidedReason::link_deletion_due);
            return true;
        }
        if (a.link != omission.link || a.from != omission.from) return false;
        const Doubt why = doubt_if(a.packet->interface != omission.step.interface, UndecidedReason::interface_order);
        if (!why && a.packet->time - omission.step.time < grace_time) return false;
        verdicts_.broken(
            rules::confirm_rkey_tokens, why, {a.packet->number, omission.step.frame}, Subject::link_group(a.group),
            "no RToken for link " + std::to_string(group(a).links[omission.link].number.value_or(0)) +
                ", which is still in use");
        return true;
    });
}

/// All but the flags is repeated; of these the reply sets R, and Z and C if it refuses.
void RkeyRules::judge_echo(const Arrival& a, const OpenRequest& request) {
    if (of_[a.group].announcement[request.from].wrong == request.step.frame) return;
    constexpr std::size_t behind_flags = 4;
    const ByteView reply = a.facts->message.first(std::min(a.facts->message.size(), request.octets.size()));
    if (reply.size() < request.octets.size())
        return verdicts_.undecided(rules::confirm_rkey_tokens, UndecidedReason::cut);
    if (std::equal(reply.begin() + behind_flags, reply.end(), request.octets.begin() + behind_flags))
        return verdicts_.satisfied(rules::confirm_rkey_tokens);
    const bool may_be_anothers = a.history->count_like(request) != 1;
    const Doubt why = may_be_anothers ? UndecidedReason::another_request : doubt::since(request, *a.history);
    verdicts_.broken(
        rules::confirm_rkey_tokens, why, {request.step.frame, a.packet->number}, Subject::link_group(a.group),
        std::string("the reply to ") + name_of(request.type) + " is no echo");
}

// ---- the use of new RMBs -------------------------------------------------------------------------

/// A connection uses an RMB: its RToken on the link must have been announced and agreed to. That a reply
/// was not waited for, the reply will tell.
void RkeyRules::on_contact(const ContactSeen& contact, GroupHistory& history) {
    const LinkGroup& g = model_.link_groups[contact.group - 1];
    Group& of = of_[contact.group];
    std::optional<UndecidedReason> why = doubt::from_start(g, history);
    if (!why && contact.step.interface != of.interface) why = UndecidedReason::interface_order;
    if (why) return verdicts_.undecided(rules::announced_rtoken, *why);
    const Subject subject = Subject::connection(contact.connection);
    const std::string side = name_of(contact.side);
    const auto* known = history.rtokens[contact.side].find(contact.link, contact.rkey);
    if (known == nullptr || g.rmbs[known->rmb].deleted())
        return history.accuse(
            verdicts_,
            {.rule = rules::announced_rtoken,
             .frames = {contact.step.frame},
             .subject = subject,
             .text = "the " + side + "'s RMB was not announced on this link",
             .silent = contact.side,
             .on_any_link = true},
            contact.link);
    Announcement& latest = of.announcement[contact.side];
    if (latest.left != 0 && latest.link == contact.link && latest.rkey == contact.rkey) {
        latest.used = contact.step;
        latest.connection = contact.connection;
    }
    const auto unanswered = std::ranges::find_if(history.open, [&](const OpenRequest& request) {
        return request.type == wire::LlcType::confirm_rkey && request.from == contact.side &&
               request.link == contact.link && request.subject == contact.rkey;
    });
    if (unanswered != history.open.end()) {
        keep_youngest(
            of.unagreed, max_kept, {contact.side, contact.link, contact.rkey, false, contact.step, contact.connection});
        return;
    }
    const auto refused = std::ranges::find_if(of.unagreed, [&](const Unagreed& earlier) {
        return earlier.refused && earlier.from == contact.side && earlier.link == contact.link &&
               earlier.rkey == contact.rkey;
    });
    if (refused == of.unagreed.end()) return verdicts_.satisfied(rules::announced_rtoken);
    history.accuse(  // it may have asked once more
        verdicts_,
        {.rule = rules::announced_rtoken,
         .frames = {refused->used.frame, contact.step.frame},
         .subject = subject,
         .text = "the " + side + "'s RMB was refused",
         .silent = contact.side,
         .on_any_link = true},
        contact.link);
}

void RkeyRules::note_agreement(const Arrival& a, const wire::LlcMessage& reply, const OpenRequest& request) {
    auto& unagreed = of_[a.group].unagreed;
    std::erase_if(unagreed, [&](const Unagreed& use) {
        if (use.from != request.from || use.link != request.link || use.rkey != request.subject) return false;
        verdicts_.broken(
            rules::announced_rtoken, doubt::since(request, a), {request.step.frame, use.used.frame},
            Subject::connection(use.connection),
            std::string("the ") + name_of(use.from) + "'s RMB is used before the reply to CONFIRM RKEY");
        return true;
    });
    if (is_refusal(reply))
        keep_youngest(unagreed, max_kept, {request.from, request.link, request.subject, true, a.step(), 0});
}

// ---- DELETE RKEY ---------------------------------------------------------------------------------

void RkeyRules::on_delete(const Arrival& a, const wire::DeleteRkeyMessage& message, std::uint8_t version) {
    const bool too_many = version == 1 && message.body.count > max_deleted_rkeys;
    if (message.body.count == 0 || too_many)
        return broken(rules::delete_rkey, a, std::to_string(message.body.count) + " RKeys");
    judge_unused(a, message);
}

/// A connection that neither side has begun to close, here or on TCP, still uses its RMB.
void RkeyRules::judge_unused(const Arrival& a, const wire::DeleteRkeyMessage& message) {
    if (const auto why = doubt::from_start(group(a), *a.history)) return verdicts_.undecided(rules::delete_rkey, *why);
    const auto in_use = [&](const Connection& c) {
        const auto ends = [&](Side side) { return c.from[side].ended() || c.fin[side]; };
        return c.setup.first_data && !ends(Side::client) && !ends(Side::server) && !c.reset && !c.decline;
    };
    for (std::size_t i = 0; i < message.used; ++i) {
        const auto* known = a.history->rtokens[a.from].find(a.link, message.slots[i].rkey);
        if (known == nullptr || group(a).rmbs[known->rmb].deleted()) continue;
        const ElementOwners& owners = a.history->element_owners;
        for (unsigned index = 1; index <= owners.highest(known->rmb); ++index) {
            const std::uint32_t owner = owners.of(known->rmb, index);
            if (owner == 0 || !in_use(model_.connections[owner - 1])) continue;
            return broken(rules::delete_rkey, a, "the RMB is still used by " + to_string(Subject::connection(owner)));
        }
    }
    verdicts_.satisfied(rules::delete_rkey);
}

/// In version 1 each bit stands for a key, in version 2 the octet says how many are not known.
void RkeyRules::judge_delete_reply(const Arrival& a, const wire::DeleteRkeyMessage& reply, std::uint8_t version) {
    if (!reply.body.negative) return verdicts_.satisfied(rules::delete_rkey);
    if (reply.body.error_mask == 0) return broken(rules::delete_rkey, a, "refused without saying which RKeys");
    const unsigned beyond = version == 1 ? static_cast<std::uint8_t>(reply.body.error_mask << reply.used) : 0U;
    if (beyond != 0) return broken(rules::delete_rkey, a, "refuses more RKeys than were listed");
    verdicts_.satisfied(rules::delete_rkey);
}

/// The reply lists the keys of the request; Linux leaves them out in version 2. Returns whether they are not others.
bool RkeyRules::judge_repeated_keys(const Arrival& a, std::uint8_t version, const OpenRequest& request) {
    constexpr std::size_t count_offset = 4, keys_offset = 8;
    const ByteView reply = a.facts->message;
    if (reply.size() < request.octets.size() || reply[count_offset] != request.octets[count_offset]) return false;
    const std::size_t length = std::min(4 * std::size_t{reply[count_offset]}, request.octets.size() - keys_offset);
    const ByteView repeated = reply.subspan(keys_offset, length);
    if (std::equal(repeated.begin(), repeated.end(), request.octets.begin() + keys_offset)) return true;
    const bool left_out = std::ranges::all_of(repeated, [](std::uint8_t octet) { return octet == 0; });
    const std::vector<std::uint64_t> frames{request.step.frame, a.packet->number};
    const Subject subject = Subject::link_group(a.group);
    if (version == 2 && left_out)
        verdicts_.deviation(rules::delete_rkey, frames, subject, "the reply leaves the RKeys out");
    else
        verdicts_.broken(
            rules::delete_rkey, doubt::since(request, *a.history), frames, subject, "the reply names other RKeys");
    return version == 2 && left_out;
}

/// Who agrees to delete an RKey has been told of it on that link.
void RkeyRules::judge_known_keys(const Arrival& a, const OpenRequest& request) {
    const wire::LlcMessage asked = wire::parse_llc(request.octets, request.octets.size());
    const auto* body = std::get_if<wire::DeleteRkeyMessage>(&asked.body);
    if (body == nullptr) return;
    for (std::size_t i = 0; i < body->used; ++i) {
        const std::uint32_t rkey = body->slots[i].rkey;
        if (a.history->rtokens[request.from].find(request.link, rkey) != nullptr) continue;
        if (const auto why = doubt::from_start(group(a), *a.history))
            return verdicts_.undecided(rules::delete_rkey, *why);
        return a.history->accuse(
            verdicts_,
            {.rule = rules::delete_rkey,
             .frames = {request.step.frame, a.packet->number},
             .subject = Subject::link_group(a.group),
             .text = fmt::format("agreed to, although RKey {:#010x} was never announced on this link", rkey),
             .silent = request.from,
             .on_any_link = true},
            request.link);
    }
}

void RkeyRules::note_deletion(const Arrival& a, const OpenRequest& request) {
    const wire::LlcMessage asked = wire::parse_llc(request.octets, request.octets.size());
    const auto* body = std::get_if<wire::DeleteRkeyMessage>(&asked.body);
    if (body == nullptr) return;
    for (std::size_t i = 0; i < body->used; ++i)
        if (const auto* known = a.history->rtokens[request.from].find(request.link, body->slots[i].rkey))
            of_[a.group].deletions[known->rmb] = {a.history->gaps, a.link, a.from, a.step()};
}

/// A WRITE on the link of the reply was sent after it; elsewhere it may have been on its way.
void RkeyRules::on_write_to_deleted(const Arrival& a, std::size_t rmb) {
    auto& deletions = of_[a.group].deletions;
    const auto found = deletions.find(rmb);
    if (found == deletions.end() || found->second.user != a.from || a.late) return;
    const Deletion deletion = found->second;
    const bool same_link = a.link == deletion.link;
    if (!same_link && a.packet->time - deletion.reply.time < grace_time) return;
    deletions.erase(found);
    if (!same_link && a.packet->interface != deletion.reply.interface)
        return verdicts_.undecided(rules::delete_rkey, UndecidedReason::interface_order);
    if (const auto why = doubt::since(deletion, *a.history)) return verdicts_.undecided(rules::delete_rkey, *why);
    const Side owner = other(a.from);  // it may have announced another RMB with that RKey
    a.history->accuse(
        verdicts_,
        {.rule = rules::delete_rkey,
         .frames = {deletion.reply.frame, a.packet->number},
         .subject = Subject::link_group(a.group),
         .text = "WRITE with a deleted RKey",
         .silent = owner,
         .on_any_link = true},
        a.link);
}

}  // namespace fabricscope::engine::smcr
