// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/info/smcr.h"

#include "analyzer/engine/smcr/llc_exchange.h"

namespace fabricscope::info::smcr {
namespace {

/// What tells this message from others of its type.
struct ClcDetail {
    Line& line;

    void operator()(const wire::UnknownClc&) const {}
    void operator()(const wire::Proposal&) const {}
    void operator()(const wire::SmcrAcceptConfirm& message) const { contact(message.body.first_contact); }
    void operator()(const wire::SmcdAcceptConfirm& message) const { contact(message.body.first_contact); }
    void operator()(const wire::Decline& message) const {
        const char* name = layout::name_of(wire::decline_names, message.body.diagnosis);
        if (name != nullptr) line << ", " << name;
        else line << ", diagnosis 0x", line.hex(message.body.diagnosis);
    }

private:
    void contact(bool first) const {
        if (first) line << ", first contact";
    }
};

void add_link(Line& line, const FrameFacts& facts) {
    if (facts.link) line << ", link " << *facts.link;
}

/// " smcr-1 client→server", as far as it is known
void add_connection(Line& line, const FrameFacts& facts) {
    if (facts.connection == 0) return;
    line << " smcr-" << facts.connection;
    if (facts.from && facts.roles_known) line << " " << name_of(*facts.from) << "→" << name_of(other(*facts.from));
}

void add_delta(Line& line, std::int64_t delta) { line << (delta < 0 ? "" : "+") << delta; }

/// Positions in the stream where they are known, else the cursor as it stands in the message.
void add_producer(Line& line, const wire::Cdc& cdc, const FrameFacts& facts) {
    const wire::Cursor& cursor = cdc.producer;
    if (!facts.produced) {
        line << " producer " << cursor.wrap << ":" << cursor.offset;
        return;
    }
    line << " produced " << *facts.produced;
    if (facts.producer_delta.value_or(0) == 0) return;
    line << " (";
    add_delta(line, *facts.producer_delta);
    line << ")";
}

void add_consumer(Line& line, const FrameFacts& facts) {
    if (facts.consumer_delta.value_or(0) == 0) return;
    line << " consumed ";
    add_delta(line, *facts.consumer_delta);
}

void add_flags(Line& line, const wire::Cdc& cdc) {
    const struct {
        bool set;
        const char* letter;
    } flags[] = {
        {cdc.flags.writer_blocked, "B"},      {cdc.flags.urgent_pending, "P"},
        {cdc.flags.urgent_present, "U"},      {cdc.flags.consumer_update_requested, "R"},
        {cdc.flags.failover_validation, "F"}, {cdc.state.sending_done, "D"},
        {cdc.state.connection_closed, "C"},   {cdc.state.abnormal_close, "A"},
    };
    bool any = false;
    for (const auto& flag : flags) {
        if (!flag.set) continue;
        line << (any ? "" : " [") << flag.letter;
        any = true;
    }
    if (any) line << "]";
}

}  // namespace

Line summary_of(const wire::ClcMessage& message) {
    const char* name = layout::name_of(wire::clc_type_names, static_cast<std::uint64_t>(message.header.type));
    Line line("CLC ");
    line << (name != nullptr ? name : "message") << " (v" << message.version() << ")";
    std::visit(ClcDetail{line}, message.body);
    return line;
}

Line summary_of(const wire::LlcMessage& message, const FrameFacts& facts) {
    Line line("LLC ");
    if (const char* name = layout::name_of(wire::llc_type_names, message.raw_type())) line << name;
    else line << "type 0x", line.hex(message.raw_type());
    const engine::smcr::LinkChange change = engine::smcr::link_change(message);
    const std::string target = engine::smcr::target_text(change);
    const std::string reason = engine::smcr::reason_text(message.type(), change);
    line << target << (message.is_reply() ? " reply" : " request");
    if (engine::smcr::is_refusal(message)) line << ", refused";
    if (!reason.empty()) line << ", " << reason;
    if (facts.link) line << (target.empty() ? ", link " : ", on link ") << *facts.link;
    return line;
}

Line summary_of(const wire::Cdc& cdc, const FrameFacts& facts) {
    Line line("CDC");
    add_connection(line, facts);
    if (cdc.flags.failover_validation) {  // its cursors mean nothing
        line << " failover validation, sequence " << cdc.sequence;
        return line;
    }
    add_producer(line, cdc, facts);
    add_consumer(line, facts);
    add_flags(line, cdc);
    return line;
}

Line summary_of_write(const FrameFacts& facts) {
    Line line("RDMA WRITE");
    add_connection(line, facts);
    if (facts.rmbe_offset) line << " RMBE offset " << *facts.rmbe_offset << ",";
    line << " " << facts.length << " bytes";
    return line;
}

Line summary_of_clc_part(std::uint32_t octets, std::uint64_t completion) {
    Line line("CLC message, ");
    line << octets << " bytes of it";
    if (completion != 0) line << " completed in frame " << completion;
    return line;
}

Line summary_of_part(const FrameFacts& facts) {
    Line line("Part of a longer message");
    add_link(line, facts);
    return line;
}

}  // namespace fabricscope::info::smcr
