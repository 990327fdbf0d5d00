// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fcvi/timeouts.h"

#include <fmt/format.h>

namespace fabricscope::engine::fcvi {
namespace {

/// In the order of Awaited.
constexpr std::array awaited_names{
    "FCVI_CONNECT_RESP2", "FCVI_CONNECT_RESP3", "Message Response", "FCVI_DISCONNECT_RESP"};

}  // namespace

void Timeouts::expect(const Arrival& a, Awaited awaited, int times) {
    if (!a.iso() || !a.exchange.request) return;  // revision 1.0 leaves the time to the implementation
    const std::optional<Time> patience = logins_.r_a_tov(a.seen);
    if (!patience) return judge_.undecided(rules::response_in_time, UndecidedReason::r_a_tov_unknown);
    if (due_.size() >= options_.limits.waiting)
        return judge_.undecided(rules::response_in_time, UndecidedReason::not_remembered);
    a.exchange.awaited |= bit_of(awaited);
    due_.insert(
        {a.seen.time + *patience * times, {awaited, a.exchange.number, a.exchange.request->frame, a.seen.number}});
}

void Timeouts::expect_setup(const Arrival& a) { expect(a, Awaited::response3, 1); }
void Timeouts::expect_response2(const Arrival& a) { expect(a, Awaited::response2, 2); }
void Timeouts::expect_message_response(const Arrival& a) { expect(a, Awaited::message_response, 1); }
void Timeouts::expect_disconnect_response(const Arrival& a) { expect(a, Awaited::disconnect_response, 1); }

bool Timeouts::came(const Exchange& exchange, Awaited awaited) {
    if (awaited == Awaited::message_response) return model_.messages.opened(exchange.index - 1).response.has_value();
    if (exchange.connection == 0) return true;
    const Connection& connection = connections_.at(exchange.connection);
    if (awaited == Awaited::disconnect_response) return connection.disconnects[exchange.index].resp.has_value();
    const Setup& setup = connection.setups[exchange.index];
    return awaited == Awaited::response2 ? setup.resp2 || setup.resp3 : setup.resp3.has_value();
}

/// Whoever waits gives up: it aborts the Exchange; on Reliable Reception that of an earlier Message, since nothing
/// behind it is answered well, unless it was itself, and the answer got lost behind the capture. Of RESP2 its sender
/// shows that it has not sent it when it aborts the Exchange with the SEQ_ID of what it sent before.
bool Timeouts::is_known_to_lack(const Exchange& exchange, Awaited awaited) {
    if (awaited == Awaited::response2) return exchange.aborted_by_responder || exchange.aborted_behind_last;
    if (exchange.aborted_by_originator) return true;
    if (awaited != Awaited::message_response) return false;
    const Message& message = model_.messages.opened(exchange.index - 1);
    const Sender& sender = connections_.state(message.connection).sender[message.from];
    const std::optional<std::uint32_t>& given_up = sender.given_up;
    return given_up && before(*given_up, message.msg_id) && before(sender.last_good(), *given_up) &&
           connections_.at(message.connection).reliability() == wire::Reliability::reliable_reception;
}

void Timeouts::judge_late(const Expectation& e, const Exchange& exchange, const char* text) {
    const bool proven = came(exchange, e.awaited) || is_known_to_lack(exchange, e.awaited);
    judge_.unanswered(
        rules::response_in_time, doubt_if(!proven, UndecidedReason::response_not_captured), {e.frame},
        exchange.connection,
        fmt::format(
            "no {} within {} R_A_TOV; {}", awaited_names[static_cast<std::size_t>(e.awaited)],
            e.awaited == Awaited::response2 ? "twice" : "one", text));
}

void Timeouts::judge(const Expectation& e) {
    Exchange* exchange = exchanges_.find(e.exchange);
    if (!exchange->request || exchange->request->frame != e.begun) return;
    exchange->awaited &= static_cast<std::uint8_t>(~bit_of(e.awaited));
    if (came(*exchange, e.awaited)) return judge_.satisfied(rules::response_in_time);
    if (is_known_to_lack(*exchange, e.awaited))
        return judge_late(e, *exchange, exchange->aborted ? "the Exchange was aborted" : "there is no ABTS so far");
    if (overdue_.size() >= options_.limits.waiting)
        return judge_.undecided(rules::response_in_time, UndecidedReason::not_remembered);
    overdue_.push_back(e);
}

/// That it was not aborted shows only if its sender goes on.
void Timeouts::note_patience(const Exchange& exchange) {
    const Message& message = model_.messages.opened(exchange.index - 1);
    std::optional<FrameStamp>& late = connections_.state(message.connection).sender[message.from].answered_late;
    if (!late) late = message.response;
}

void Timeouts::look_at_overdue() {
    std::erase_if(overdue_, [&](const Expectation& e) {
        const Exchange& exchange = *exchanges_.find(e.exchange);
        if (!exchange.request || exchange.request->frame != e.begun) {
            judge_.undecided(rules::response_in_time, UndecidedReason::response_not_captured);
            return true;
        }
        const bool late = came(exchange, e.awaited);
        if (!late && !is_known_to_lack(exchange, e.awaited)) return false;
        judge_late(
            e, exchange,
            late               ? "it came later"
            : exchange.aborted ? "the Exchange was aborted later"
                               : "an earlier one was aborted later");
        if (late && !exchange.aborted && e.awaited == Awaited::message_response) note_patience(exchange);
        return true;
    });
}

void Timeouts::finish() {
    for ([[maybe_unused]] const Expectation& e : overdue_)
        judge_.undecided(rules::response_in_time, UndecidedReason::response_not_captured);
    overdue_.clear();
}

void Timeouts::settle(const Exchange& exchange) {
    for (const Awaited awaited :
         {Awaited::response2, Awaited::response3, Awaited::message_response, Awaited::disconnect_response})
        if ((exchange.awaited & bit_of(awaited)) != 0 && came(exchange, awaited))
            judge_.satisfied(rules::response_in_time);
}

void Timeouts::pass(Time now) {
    while (!due_.empty() && due_.begin()->first < now) {
        const Expectation e = due_.begin()->second;
        due_.erase(due_.begin());
        judge(e);
    }
}

}  // namespace fabricscope::engine::fcvi
