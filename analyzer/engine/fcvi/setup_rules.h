// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of connection setups. Called with the connection as it was before a request, and with a response's
// own step done.
#pragma once

#include "analyzer/engine/fcvi/connections.h"
#include "analyzer/engine/fcvi/judge.h"
#include "analyzer/engine/fcvi/logins.h"

namespace fabricscope::engine::fcvi {

class SetupRules {
public:
    SetupRules(Judge& judge, Connections& connections, const Logins& logins)
        : judge_(judge), connections_(connections), logins_(logins) {}

    void on_request(const Arrival& a, const Connection& connection, const wire::ConnectPayload& payload, bool fresh);
    void on_response1(
        const Arrival& a, const Connection& connection, const Setup& setup, const wire::ConnectPayload& payload,
        ByteView octets);
    /// A CONNECT_RESP1 that belongs to a setup, but is in another Exchange.
    bool is_misplaced(const Arrival& a, const Setup& setup) const;
    void on_misplaced(const Arrival& a, const Setup& setup);
    void on_response2(const Arrival& a, const Setup& setup);
    void on_response3(const Arrival& a, const Connection& connection, const Setup& setup);
    /// What has not been settled is not.
    void finish();
    /// A response to a setup that began before the capture.
    void without_setup() { judge_.undecided(rules::setup_order, UndecidedReason::beginning_not_captured); }

private:
    void judge_fields(const Arrival& a);
    void judge_echo(const Arrival& a, const Setup& setup);
    void judge_handle(const Arrival& a, std::optional<std::uint32_t> wanted);
    void judge_retry(const Arrival& a, const Connection& connection, Side side);
    void judge_connection_id(const Arrival& a);
    void judge_handle_reuse(const Arrival& a, Side side, std::uint32_t handle, const Connection& now);
    void judge_former(const Arrival& a, const Connections::Party& party, std::uint32_t handle);
    std::optional<UndecidedReason> lack_of_disconnect(const Arrival& a, const Connections::Party& former);
    void judge_no_handle(const Arrival& a, const Connection& connection, const Setup& setup);
    void judge_attributes(const Arrival& a, const Connection& connection, const wire::ConnectPayload& payload);
    void judge_addresses(const Arrival& a, const Connection& connection, const wire::ConnectPayload& payload);
    void judge_login(const Arrival& a, const Port& port, const Port& peer, const char* what);
    void judge_overtaken(const Arrival& a, const std::optional<FrameStamp>& answer, bool shows_it_came);
    void judge_early_messages(const Arrival& a, Side side);
    void judge_course(const Setup& setup, bool answered);

    void judge_arbitration(const Arrival& a, const Connection& connection, const Setup& setup);
    void judge_early_answer(const Arrival& a, const Setup& setup);
    void judge_concurrent(const Arrival& a, const Setup& setup, const Setup& own, bool right, std::string text);
    void judge_higher(const Arrival& a, const Setup& setup, const Setup& own);
    void judge_lower(const Arrival& a, const Connection& connection, const Setup& setup, const Setup& own);
    void judge_draft_arbitration(const Arrival& a, const Connection& connection, const Setup& setup, const Setup& own);

    Judge& judge_;
    Connections& connections_;
    const Logins& logins_;
};

}  // namespace fabricscope::engine::fcvi
