// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/link_rules.h"

#include <algorithm>

namespace fabricscope::engine::smcr {

void LinkRules::on_llc(const Arrival& a, const wire::LlcMessage& message) {
    // Types 10xxxxxx are optional: who does not know one discards it silently.
    const bool optional = (message.raw_type() & 0xC0) == 0x80;
    if (message.error.fault == layout::Fault::truncated)
        return verdicts_.undecided(RuleName::llc_format, "an LLC message was cut by the snap length");
    if (message.error && !optional)
        return verdicts_.broken(
            RuleName::llc_format, {a.packet->number}, Subject::link_group(a.group), to_string(message.error));
    verdicts_.held(RuleName::llc_format);
    if (const auto* confirm = std::get_if<wire::ConfirmLink>(&message.body); confirm != nullptr && !confirm->reply)
        judge_max_links(a, *confirm, message.version());
}

void LinkRules::judge_max_links(const Arrival& a, const wire::ConfirmLink& confirm, std::uint8_t version) {
    const std::uint8_t least = version == 1 ? 2 : 1;
    if (confirm.max_links >= least && confirm.max_links <= 8) return verdicts_.held(RuleName::max_links);
    verdicts_.broken(
        RuleName::max_links, {a.packet->number}, Subject::link_group(a.group),
        "the server allows " + std::to_string(confirm.max_links) + " links");
}

/// With several TEST LINKs under way the reply may be to another one.
void LinkRules::on_reply(
    const Arrival& a, const wire::LlcMessage& message, const OpenRequest& request, std::span<const OpenRequest> open) {
    const auto* test = std::get_if<wire::TestLink>(&message.body);
    if (test == nullptr || message.error) return;
    if (test->user_data == request.user_data) return verdicts_.held(RuleName::test_link_echo);
    const auto tests = std::ranges::count_if(
        open, [&](const OpenRequest& r) { return r.type == request.type && r.from == request.from; });
    if (tests != 1) return verdicts_.undecided(RuleName::test_link_echo, "several requests were under way");
    verdicts_.broken(
        RuleName::test_link_echo, {request.step.frame, a.packet->number}, Subject::link_group(a.group),
        "the reply's user data differ");
}

}  // namespace fabricscope::engine::smcr
