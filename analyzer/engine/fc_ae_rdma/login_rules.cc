// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc_ae_rdma/login_rules.h"

#include <fmt/format.h>

#include "protocols/fc/els.h"

namespace fabricscope::engine::fc_ae_rdma {

void LoginRules::on_els(const fibre_channel::FrameFacts& facts) {
    if (facts.exchange.els == fc::els_prli) return on_process_login(facts);
    // Process logins are undone by PRLO or LOGO, once it is accepted.
    const bool undoes = facts.exchange.els == fc::els_prlo || facts.exchange.els == fc::els_logo;
    if (undoes && facts.accepts()) on_process_logout(facts.seen());
}

/// The page for FCP of a PRLI or of its answer, which both fit into a frame.
void LoginRules::on_process_login(const fibre_channel::FrameFacts& facts) {
    const FrameSeen seen = facts.seen();
    ProcessLogin login{.from = source_of(seen), .to = destination_of(seen), .page = {}, .frame = seen.number};
    const bool answers = facts.from == fibre_channel::Party::responder;
    login.rejected = answers && facts.exchange.accepted == false;
    login.is_accept = answers && !login.rejected;
    if (!login.rejected) {
        constexpr std::size_t header = layout::size_of<fc::ProcessHeader>;
        const ByteView payload = seen.frame.payload;
        if (payload.size() < header + fc::process_page_size) return;
        if (layout::parse_into(login.page, payload.subspan(header)) || login.page.type != fc::type_fcp) return;
    }
    const PairKey key = key_of(login.from, login.to);
    if (pairs_.size() >= options_.limits.ports && !pairs_.contains(key)) return;
    Pair& pair = pairs_[key];
    pair.logout.reset();
    if (answers) {
        pair.answer = login;
    } else {
        pair.request = login;
        pair.answer.reset();
    }
    pair.speaks_rdma = false;
}

void LoginRules::on_process_logout(const FrameSeen& seen) {
    const auto found = pairs_.find(key_of(source_of(seen), destination_of(seen)));
    if (found == pairs_.end()) return;
    found->second = {};
    found->second.logout = seen.number;
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
    else if (!pair.logout) verdicts_.undecided(rules::process_login, UndecidedReason::login_not_captured);
    if (pair.answer && !pair.answer->rejected) judge_page(a, *pair.answer);
    judge_permission(a, pair);
}

void LoginRules::judge_permission(const Arrival& a, const Pair& pair) {
    const auto broken = [&](std::uint64_t frame, const char* text) {
        verdicts_.broken(rules::login_before, {frame, a.seen.number}, {a.message.id}, text);
    };
    if (pair.logout) return broken(*pair.logout, "a message, though the ports have logged out");
    if (!pair.answer) return verdicts_.undecided(rules::login_before, UndecidedReason::response_not_captured);
    if (pair.answer->rejected) return broken(pair.answer->frame, "a message, though the PRLI was rejected");
    // Whoever asked should log out again.
    const bool asked = pair.answer->to == a.message.initiator;
    if (asked && wire::check_page(pair.answer->page, true).count != 0)
        return broken(pair.answer->frame, "a message instead of PRLO, though the accept has unexpected parameters");
    verdicts_.satisfied(rules::login_before);
}

void LoginRules::judge_page(const Arrival& a, const ProcessLogin& login) {
    const wire::PageFaults faults = wire::check_page(login.page, login.is_accept);
    if (faults.count == 0) return verdicts_.satisfied(rules::process_login);
    for (const wire::PageFault fault : faults.list())
        verdicts_.broken(
            rules::process_login, {login.frame}, {a.message.id},
            fmt::format("{}: {}", login.is_accept ? "PRLI accept" : "PRLI", wire::describe(fault)));
}

}  // namespace fabricscope::engine::fc_ae_rdma
