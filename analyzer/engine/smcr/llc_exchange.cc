// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/llc_exchange.h"

#include <fmt/format.h>

namespace fabricscope::engine::smcr {

bool is_refusal(const wire::LlcMessage& message) {
    if (const auto* add_link = std::get_if<wire::AddLinkMessage>(&message.body)) return add_link->common().reject;
    if (const auto* confirm = std::get_if<wire::ConfirmRkeyMessage>(&message.body)) return confirm->body.negative;
    if (const auto* remove = std::get_if<wire::DeleteRkeyMessage>(&message.body)) return remove->body.negative;
    if (const auto* remove = std::get_if<wire::DeleteLink>(&message.body))
        return remove->reply && (remove->reason == wire::unknown_link || remove->reason == wire::unknown_link_group);
    return false;
}

std::uint32_t subject_of(const wire::LlcMessage& message) {
    if (const auto* add_link = std::get_if<wire::AddLinkMessage>(&message.body)) return add_link->common().link;
    if (const auto* delete_link = std::get_if<wire::DeleteLink>(&message.body)) return delete_link->link;
    if (const auto* confirm = std::get_if<wire::ConfirmRkeyMessage>(&message.body)) return confirm->body.rkey;
    if (const auto* remove = std::get_if<wire::DeleteRkeyMessage>(&message.body); remove && remove->used != 0)
        return remove->slots[0].rkey;
    return 0;
}

bool is_serialized(const wire::LlcMessage& request, Side from) {
    if (std::holds_alternative<wire::AddLinkMessage>(request.body)) return from == Side::server;
    if (const auto* delete_link = std::get_if<wire::DeleteLink>(&request.body))
        return from == Side::server && !delete_link->all;
    return std::holds_alternative<wire::ConfirmRkeyMessage>(request.body) ||
           std::holds_alternative<wire::DeleteRkeyMessage>(request.body);
}

LinkChange link_change(const wire::LlcMessage& message) {
    if (const auto* remove = std::get_if<wire::DeleteLink>(&message.body)) {
        const auto link = remove->all ? std::nullopt : std::optional(remove->link);
        return {link, remove->all, remove->reason};
    }
    const auto* add = std::get_if<wire::AddLinkMessage>(&message.body);
    if (add == nullptr) return {};
    const wire::AddLink body = add->common();
    LinkChange change{body.link, false, {}};
    const auto* v1 = std::get_if<wire::AddLinkHeaderV1>(&message.header);
    if (body.reply && body.reject) change.reason = v1 != nullptr ? v1->reject_reason : body.reject_reason_v2;
    return change;
}

std::string target_text(const LinkChange& change) {
    if (change.all) return " of all links";
    return change.link && *change.link != 0 ? fmt::format(" {}", *change.link) : "";
}

std::string reason_text(wire::LlcType type, const LinkChange& change) {
    if (change.reason.value_or(0) == 0) return "";
    const char* name = type == wire::LlcType::add_link
                           ? layout::name_of(wire::add_link_reject_names, *change.reason)
                           : layout::name_of(wire::delete_link_reason_names, *change.reason);
    return name != nullptr ? name : fmt::format("reason 0x{:08x}", *change.reason);
}

const char* name_of(wire::LlcType type) {
    const char* name = layout::name_of(wire::llc_type_names, static_cast<std::uint8_t>(type));
    return name != nullptr ? name : layout::name_of(wire::llc_type_names, static_cast<std::uint8_t>(type) | 0x20U);
}

}  // namespace fabricscope::engine::smcr
