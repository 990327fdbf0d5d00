// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/llc_exchange.h"

namespace fabricscope::engine::smcr {

bool is_refusal(const wire::LlcMessage& message) {
    if (const auto* add_link = std::get_if<wire::AddLinkMessage>(&message.body)) return add_link->common().reject;
    if (const auto* confirm = std::get_if<wire::ConfirmRkeyMessage>(&message.body)) return confirm->body.negative;
    if (const auto* remove = std::get_if<wire::DeleteRkeyMessage>(&message.body)) return remove->body.negative;
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

const char* name_of(wire::LlcType type) {
    const char* name = layout::name_of(wire::llc_type_names, static_cast<std::uint8_t>(type));
    return name != nullptr ? name : layout::name_of(wire::llc_type_names, static_cast<std::uint8_t>(type) | 0x20U);
}

}  // namespace fabricscope::engine::smcr
