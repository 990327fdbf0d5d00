// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc_ae_rdma/login_rules.h"

#include <fmt/format.h>

namespace fabricscope::engine::fc_ae_rdma {

void LoginRules::on_process_login(const ProcessLogin& login) {
    const PairKey key = key_of(login.from, login.to);
    if (pairs_.size() >= options_.limits.ports && !pairs_.contains(key)) return;
    Pair& pair = pairs_[key];
    if (login.is_accept || login.rejected) {
        pair.answer = login;
    } else {
        pair.request = login;
        pair.answer.reset();
    }
    pair.speaks_rdma = false;
}

bool LoginRules::speak_rdma(const Port& a, const Port& b) const {
    const auto found = pairs_.find(key_of(a, b));
    return found != pairs_.end() && found->second.speaks_rdma;
}

void LoginRules::on_message(const Arrival& a) {
    const PairKey key = key_of(a.message.initiator, a.message.target);
    if (pairs_.size() >= options_.limits.ports && !pairs_.contains(key)) return;
    Pair& pair = pairs_[key];
    if (pair.speaks_rdma) return;
    pair.speaks_rdma = true;
    if (!pair.request) return verdicts_.undecided(RuleName::process_login, "the PRLI was not captured");
    judge_page(a, *pair.request);
    if (!pair.answer) return verdicts_.undecided(RuleName::login_before, "the answer to PRLI was not captured");
    if (pair.answer->rejected)
        return verdicts_.broken(
            RuleName::login_before, {pair.answer->frame, a.seen.number}, {a.message.id},
            "a message, though the PRLI was rejected");
    judge_page(a, *pair.answer);
    verdicts_.held(RuleName::login_before);
}

void LoginRules::judge_page(const Arrival& a, const ProcessLogin& login) {
    const wire::PageFaults faults = wire::check_page(login.page, login.is_accept);
    if (faults.count == 0) return verdicts_.held(RuleName::process_login);
    for (const wire::PageFault fault : faults.list())
        verdicts_.broken(
            RuleName::process_login, {login.frame}, {a.message.id},
            fmt::format("{}: {}", login.is_accept ? "PRLI accept" : "PRLI", wire::describe(fault)));
}

}  // namespace fabricscope::engine::fc_ae_rdma
