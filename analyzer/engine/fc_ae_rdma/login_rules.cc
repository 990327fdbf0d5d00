// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc_ae_rdma/login_rules.h"

#include <fmt/format.h>

namespace fabricscope::engine::fc_ae_rdma {

void LoginRules::on_process_login(const ProcessLogin& login) {
    const PairKey key = key_of(login.from, login.to);
    if (pairs_.size() >= options_.limits.ports && !pairs_.contains(key)) return;
    Pair& pair = pairs_[key];
    pair.logout.reset();
    if (login.is_accept || login.rejected) {
        pair.answer = login;
    } else {
        pair.request = login;
        pair.answer.reset();
    }
    pair.speaks_rdma = false;
}

void LoginRules::on_process_logout(const Port& a, const Port& b, std::uint64_t frame) {
    const auto found = pairs_.find(key_of(a, b));
    if (found == pairs_.end()) return;
    found->second = {};
    found->second.logout = frame;
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
    if (pair.request) judge_page(a, *pair.request);
    else if (!pair.logout) verdicts_.undecided(RuleName::process_login, "the PRLI was not captured");
    if (pair.answer && !pair.answer->rejected) judge_page(a, *pair.answer);
    judge_permission(a, pair);
}

void LoginRules::judge_permission(const Arrival& a, const Pair& pair) {
    const auto broken = [&](std::uint64_t frame, const char* text) {
        verdicts_.broken(RuleName::login_before, {frame, a.seen.number}, {a.message.id}, text);
    };
    if (pair.logout) return broken(*pair.logout, "a message, though the ports have logged out");
    if (!pair.answer) return verdicts_.undecided(RuleName::login_before, "the answer to PRLI was not captured");
    if (pair.answer->rejected) return broken(pair.answer->frame, "a message, though the PRLI was rejected");
    // Whoever asked should log out again.
    const bool asked = pair.answer->to == a.message.initiator;
    if (asked && wire::check_page(pair.answer->page, true).count != 0)
        return broken(pair.answer->frame, "a message instead of PRLO, though the accept has unexpected parameters");
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
