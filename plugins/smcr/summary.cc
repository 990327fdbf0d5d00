// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/smcr/summary.h"

#include <cinttypes>

namespace fabricscope::plugin {
namespace {

/// printf into the packet's memory.
template <class... Arguments> char* text(const packet_info* pinfo, const char* format, Arguments... arguments) {
    return wmem_strdup_printf(pinfo->pool, format, arguments...);
}

/// What tells this message from others of its type.
struct ClcDetail {
    const packet_info* pinfo;

    const char* operator()(const smcr::UnknownClc&) const { return ""; }
    const char* operator()(const smcr::Proposal&) const { return ""; }
    const char* operator()(const smcr::SmcrAcceptConfirm& message) const { return contact(message.body.first_contact); }
    const char* operator()(const smcr::SmcdAcceptConfirm& message) const { return contact(message.body.first_contact); }
    const char* operator()(const smcr::Decline& message) const {
        const char* name = layout::name_of(smcr::kDeclineNames, message.body.diagnosis);
        return name != nullptr ? text(pinfo, ", %s", name) : text(pinfo, ", diagnosis 0x%08x", message.body.diagnosis);
    }

private:
    static const char* contact(bool first) { return first ? ", first contact" : ""; }
};

const char* link_text(const packet_info* pinfo, const FrameFacts& facts) {
    return facts.link ? text(pinfo, ", link %u", unsigned{*facts.link}) : "";
}

/// " smcr-1 client→server", as far as it is known
const char* connection_text(const packet_info* pinfo, const FrameFacts& facts) {
    if (facts.connection == 0) return "";
    if (!facts.from || !facts.roles_known) return text(pinfo, " smcr-%u", facts.connection);
    return text(pinfo, " smcr-%u %s→%s", facts.connection, name_of(*facts.from), name_of(other(*facts.from)));
}

/// Positions in the stream where they are known, else the cursor as it stands in the message.
const char* producer_text(const packet_info* pinfo, const smcr::Cdc& cdc, const FrameFacts& facts) {
    const smcr::Cursor& cursor = cdc.producer;
    if (!facts.produced) return text(pinfo, " producer %u:%u", unsigned{cursor.wrap}, cursor.offset);
    if (facts.producer_delta.value_or(0) == 0) return text(pinfo, " produced %" PRIu64, *facts.produced);
    return text(pinfo, " produced %" PRIu64 " (%+" PRId64 ")", *facts.produced, *facts.producer_delta);
}

const char* consumer_text(const packet_info* pinfo, const FrameFacts& facts) {
    if (facts.consumer_delta.value_or(0) == 0) return "";
    return text(pinfo, " consumed %+" PRId64, *facts.consumer_delta);
}

const char* flags_text(const packet_info* pinfo, const smcr::Cdc& cdc) {
    const struct {
        bool set;
        const char* letter;
    } flags[] = {
        {cdc.flags.writer_blocked, "B"},      {cdc.flags.urgent_pending, "P"},
        {cdc.flags.urgent_present, "U"},      {cdc.flags.consumer_update_requested, "R"},
        {cdc.flags.failover_validation, "F"}, {cdc.state.sending_done, "D"},
        {cdc.state.connection_closed, "C"},   {cdc.state.abnormal_close, "A"},
    };
    const char* letters = "";
    for (const auto& flag : flags)
        if (flag.set) letters = text(pinfo, "%s%s", letters, flag.letter);
    return *letters == '\0' ? "" : text(pinfo, " [%s]", letters);
}

}  // namespace

const char* summary_of(const packet_info* pinfo, const smcr::ClcMessage& message) {
    const char* name = layout::name_of(smcr::kClcTypeNames, static_cast<std::uint64_t>(message.header.type));
    const char* detail = std::visit(ClcDetail{pinfo}, message.body);
    return text(pinfo, "CLC %s (v%u)%s", name != nullptr ? name : "message", unsigned{message.version()}, detail);
}

const char* summary_of(const packet_info* pinfo, const smcr::LlcMessage& message, const FrameFacts& facts) {
    const char* name = layout::name_of(smcr::kLlcTypeNames, message.raw_type());
    if (name == nullptr) name = text(pinfo, "type 0x%02x", unsigned{message.raw_type()});
    const char* direction = message.is_reply() ? "reply" : "request";
    return text(pinfo, "LLC %s %s%s", name, direction, link_text(pinfo, facts));
}

const char* summary_of(const packet_info* pinfo, const smcr::Cdc& cdc, const FrameFacts& facts) {
    const char* connection = connection_text(pinfo, facts);
    if (cdc.flags.failover_validation)  // its cursors mean nothing
        return text(pinfo, "CDC%s failover validation, sequence %u", connection, unsigned{cdc.sequence});
    return text(
        pinfo, "CDC%s%s%s%s", connection, producer_text(pinfo, cdc, facts), consumer_text(pinfo, facts),
        flags_text(pinfo, cdc));
}

const char* summary_of_write(const packet_info* pinfo, const FrameFacts& facts) {
    const char* place = facts.rmbe_offset ? text(pinfo, " RMBE offset %" PRIu64 ",", *facts.rmbe_offset) : "";
    return text(pinfo, "RDMA WRITE%s%s %u bytes", connection_text(pinfo, facts), place, facts.length);
}

const char* summary_of_part(const packet_info* pinfo, const FrameFacts& facts) {
    return text(pinfo, "Part of a longer message%s", link_text(pinfo, facts));
}

}  // namespace fabricscope::plugin
