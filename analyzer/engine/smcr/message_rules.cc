// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/message_rules.h"

#include <algorithm>

#include "analyzer/engine/reserved_fields.h"

namespace fabricscope::engine::smcr {

namespace {

std::string in_use(const char* field, std::size_t offset) {
    return std::string(field != nullptr ? field : "padding") + " at offset " + std::to_string(offset) + " is not zero";
}

/// Bits that version 1 reserves, and Linux uses for what came later: the kind of SMC, and the first
/// contact flag in CONFIRM.
const char* extension_in_use(const wire::ClcMessage& message) {
    if (message.version() != 1) return nullptr;
    const std::uint8_t path = std::visit(
        [](const auto& body) -> std::uint8_t {
            using Body = std::remove_cvref_t<decltype(body)>;
            if constexpr (std::is_same_v<Body, wire::SmcrAcceptConfirm> || std::is_same_v<Body, wire::Decline>)
                return body.body.path;
            else if constexpr (std::is_same_v<Body, wire::Proposal>)
                return std::get<wire::ProposalVersion1>(body.version).path;
            else return 0;
        },
        message.body);
    if (path != 0) return "smcr.clc.path";
    const auto* confirm = std::get_if<wire::SmcrAcceptConfirm>(&message.body);
    const bool flag = confirm != nullptr && message.header.type == wire::ClcType::confirm &&
                      confirm->body.first_contact;
    return flag ? "smcr.clc.first_contact" : nullptr;
}

/// ADD LINK is rejected in a reply only, and has a reason only if it is (RFC 7609, A.3.2).
std::optional<layout::ReservedCheck::Use> meaningless_rejection(const wire::LlcMessage& message) {
    const auto* add = std::get_if<wire::AddLinkMessage>(&message.body);
    if (add == nullptr) return std::nullopt;
    const wire::AddLink body = add->common();
    constexpr std::size_t reason_offset = 2, flags_offset = 3;
    if (body.reject && !body.reply) return {{"smcr.llc.add_link.reject", flags_offset}};
    const auto* v1 = std::get_if<wire::AddLinkHeaderV1>(&message.header);
    if (body.reject) return std::nullopt;
    if (v1 != nullptr && v1->reject_reason != 0) return {{"smcr.llc.add_link.reject_reason", reason_offset}};
    if (v1 == nullptr && body.reject_reason_v2 != 0) return {{"smcr.llc.add_link.reject_reason_v2", flags_offset}};
    return std::nullopt;
}

}  // namespace

// ---- CLC -----------------------------------------------------------------------------------------

void MessageRules::on_clc(const TcpArrival& a, const wire::ClcMessage& message) {
    judge_format(a, message);
    judge_reserved(a, message);
    if (const auto* proposal = std::get_if<wire::Proposal>(&message.body); proposal != nullptr && proposal->ip)
        judge_prefixes(a, *proposal);
    const auto* body = std::get_if<wire::SmcrAcceptConfirm>(&message.body);
    if (body == nullptr || message.error) return;
    judge_codes(a, body->body);
    judge_index(a, body->body);
}

void MessageRules::judge_format(const TcpArrival& a, const wire::ClcMessage& message) {
    if (message.error.fault == layout::Fault::truncated) verdicts_.undecided(rules::clc_format, UndecidedReason::cut);
    else if (message.error)
        verdicts_.broken(
            rules::clc_format, {a.step.frame}, Subject::connection(a.connection.id), to_string(message.error));
    else verdicts_.satisfied(rules::clc_format);
}

void MessageRules::judge_reserved(const TcpArrival& a, const wire::ClcMessage& message) {
    if (message.error.fault == layout::Fault::truncated)
        return verdicts_.undecided(rules::reserved_is_zero, UndecidedReason::cut);
    if (message.error) return;
    ReservedFields check;
    walk(message, check);
    const Subject subject = Subject::connection(a.connection.id);
    constexpr std::size_t flags_offset = 7;
    if (check.found)
        verdicts_.broken(
            rules::reserved_is_zero, {a.step.frame}, subject, in_use(check.found->field, check.found->offset));
    else if (const char* field = extension_in_use(message); field != nullptr)
        verdicts_.deviation(rules::reserved_is_zero, {a.step.frame}, subject, in_use(field, flags_offset));
    else verdicts_.satisfied(rules::reserved_is_zero);
}

void MessageRules::judge_prefixes(const TcpArrival& a, const wire::Proposal& proposal) {
    const wire::IpArea& ip = *proposal.ip;
    const bool ipv6 = a.connection.client && a.connection.client->address.kind == Address::Kind::ipv6;
    constexpr unsigned most_prefixes = 8, ipv4_bits = 32, ipv6_bits = 128;
    std::string text;
    if (ip.prefix_count > most_prefixes) text = std::to_string(ip.prefix_count) + " IPv6 prefixes";
    else if (!ipv6 && ip.prefix_count != 0) text = "IPv6 prefixes on an IPv4 connection";
    else if (!ipv6 && ip.mask_length > ipv4_bits) text = "an IPv4 mask of " + std::to_string(ip.mask_length) + " bits";
    else if (ipv6 && (ip.mask_length != 0 || ip.subnet != Ipv4{})) text = "an IPv4 subnet on an IPv6 connection";
    for (std::size_t i = 0; i < proposal.prefixes.size() && text.empty(); ++i)
        if (const unsigned bits = proposal.prefixes[i].length; bits > ipv6_bits)
            text = "an IPv6 prefix of " + std::to_string(bits) + " bits";
    if (text.empty()) verdicts_.satisfied(rules::prefix_count);
    else verdicts_.broken(rules::prefix_count, {a.step.frame}, Subject::connection(a.connection.id), std::move(text));
}

/// The MTU counts on first contact only.
void MessageRules::judge_codes(const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body) {
    const bool first = a.from == Side::server ? body.first_contact : a.connection.first_contact.value_or(false);
    const Subject subject = Subject::connection(a.connection.id);
    constexpr std::uint8_t largest_size = 5;
    if (first && wire::mtu_octets(body.mtu) == 0)
        verdicts_.broken(rules::coded_values, {a.step.frame}, subject, "MTU code " + std::to_string(body.mtu));
    else if (body.buffer_size > largest_size)
        verdicts_.deviation(
            rules::coded_values, {a.step.frame}, subject, "RMB element size code " + std::to_string(body.buffer_size));
    else verdicts_.satisfied(rules::coded_values);
}

void MessageRules::judge_index(const TcpArrival& a, const wire::SmcrAcceptConfirmBody& body) {
    if (body.rmb_index != 0) verdicts_.satisfied(rules::rmb_index);
    else
        verdicts_.broken(rules::rmb_index, {a.step.frame}, Subject::connection(a.connection.id), "RMB element index 0");
}

// ---- LLC and CDC ---------------------------------------------------------------------------------

void MessageRules::on_llc(const Arrival& a, const wire::LlcMessage& message) {
    if (message.error.fault == layout::Fault::truncated)
        return verdicts_.undecided(rules::reserved_is_zero, UndecidedReason::cut);
    if (message.error) return;
    layout::ReservedCheck check;
    walk(message, check);
    const Subject subject = Subject::link_group(a.group);
    const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body);
    constexpr std::size_t flags_offset = 3, max_connections_offset = 35;
    if (confirm != nullptr && message.version() == 1 && confirm->max_connections != 0 && !check.found)
        check.found = {"smcr.llc.confirm_link.max_connections", max_connections_offset};
    if (!check.found) check.found = meaningless_rejection(message);
    if (check.found)
        verdicts_.broken(
            rules::reserved_is_zero, {a.packet->number}, subject, in_use(check.found->field, check.found->offset));
    else if (confirm != nullptr && confirm->no_rmbe_eye_catcher != 0)
        verdicts_.deviation(
            rules::reserved_is_zero, {a.packet->number}, subject,
            in_use("smcr.llc.confirm_link.no_eye_catcher", flags_offset));
    else verdicts_.satisfied(rules::reserved_is_zero);
}

/// Of a failover validation nothing but type, length, sequence number and token counts (RFC 7609, 4.6.1).
void MessageRules::on_cdc(const Arrival& a, ByteView message, const wire::Cdc& cdc) {
    if (cdc.flags.failover_validation) return;
    const layout::FieldInfo* used = layout::reserved_in_use<wire::Cdc>(message);
    if (used != nullptr)
        verdicts_.broken(
            rules::reserved_is_zero, {a.packet->number}, Subject::link_group(a.group),
            in_use(used->filter, used->offset));
    else if (message.size() < wire::cdc_size) verdicts_.undecided(rules::reserved_is_zero, UndecidedReason::cut);
    else verdicts_.satisfied(rules::reserved_is_zero);
}

}  // namespace fabricscope::engine::smcr
