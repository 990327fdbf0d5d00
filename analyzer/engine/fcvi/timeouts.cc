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
    const std::optional<Time> patience = logins_.r_a_tov();
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
    if (awaited == Awaited::message_response) return model_.messages[exchange.index - 1].response.has_value();
    if (exchange.connection == 0) return true;
    const Connection& connection = connections_.at(exchange.connection);
    if (awaited == Awaited::disconnect_response) return connection.disconnects[exchange.index].resp.has_value();
    const Setup& setup = connection.setups[exchange.index];
    return awaited == Awaited::response2 ? setup.resp2 || setup.resp3 : setup.resp3.has_value();
}

void Timeouts::judge(const Expectation& e) {
    Exchange* exchange = exchanges_.find(e.exchange);
    if (!exchange->request || exchange->request->frame != e.begun) return;
    exchange->awaited &= static_cast<std::uint8_t>(~bit_of(e.awaited));
    if (came(*exchange, e.awaited)) return judge_.satisfied(rules::response_in_time);
    judge_.broken(
        rules::response_in_time, {e.frame}, exchange->connection,
        fmt::format(
            "no {} within {} R_A_TOV{}", awaited_names[static_cast<std::size_t>(e.awaited)],
            e.awaited == Awaited::response2 ? "twice" : "one",
            exchange->aborted ? "; the Exchange was aborted" : "; there is no ABTS so far"));
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
