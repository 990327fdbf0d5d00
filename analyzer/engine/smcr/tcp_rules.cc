// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/smcr/tcp_rules.h"

namespace fabricscope::engine::smcr {

namespace {

using wire::ClcType;

}  // namespace

void TcpRules::on_clc(const TcpArrival& a) {
    const std::uint32_t id = a.connection.id;
    if (clc_.latest(id, Side::client) || clc_.latest(id, Side::server)) return;  // decided at the first message
    const Handshake& handshake = a.handshake;
    std::vector<std::uint64_t> without;
    for (const Side side : {Side::client, Side::server})
        if (!handshake.option[side].value_or(true)) without.push_back(handshake.frame[side]);
    if (!without.empty()) {
        const char* text = without.size() == 2                       ? "neither SYN nor SYN-ACK carried the option"
                           : handshake.option[Side::server] == false ? "SYN-ACK did not carry the option"
                                                                     : "SYN did not carry the option";
        without.push_back(a.step.frame);
        verdicts_.broken(rules::option_in_both_syns, std::move(without), Subject::connection(id), text);
    } else if (handshake.option[Side::client] && handshake.option[Side::server]) {
        verdicts_.satisfied(rules::option_in_both_syns);
    } else {
        verdicts_.undecided(rules::option_in_both_syns, UndecidedReason::tcp_handshake_not_captured);
    }
}

/// A DECLINE that was not captured makes application data legitimate: the sender must have received
/// nothing but what is known.
void TcpRules::on_other_data(const TcpArrival& a) {
    const auto latest = clc_.latest(a.connection.id, a.from);
    const bool switched = latest == ClcType::confirm || latest == ClcType::accept;
    if (!switched && !a.handshake.agreed()) return;  // nothing says that CLC messages are due
    if (!latest && a.from == Side::client)
        return verdicts_.undecided(rules::clc_format, UndecidedReason::option_removed);
    const RuleRef rule = switched ? RuleRef(rules::tcp_after_switch) : RuleRef(rules::clc_format);
    verdicts_.broken(
        rule, doubt_if(a.unseen.value_or(1) > 0, UndecidedReason::frames_missing), {a.step.frame},
        Subject::connection(a.connection.id),
        std::string("the ") + name_of(a.from) +
            (switched ? " sends application data on TCP" : " sends something else where a CLC message is due"));
}

void TcpRules::on_end(const TcpArrival& a, std::int32_t missing) {
    const auto latest = clc_.latest(a.connection.id, a.from);
    if (latest != ClcType::confirm && latest != ClcType::accept) return;
    if (missing == 0) verdicts_.satisfied(rules::tcp_after_switch);
    else verdicts_.undecided(rules::tcp_after_switch, UndecidedReason::frames_missing);
}

}  // namespace fabricscope::engine::smcr
