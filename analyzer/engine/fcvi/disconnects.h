// SPDX-License-Identifier: GPL-2.0-or-later
// How connections end: Disconnect operations (ISO/IEC 14165-331, 5.3.5, 6.12, 6.13, annex D).
#pragma once

#include "analyzer/engine/fcvi/connections.h"
#include "analyzer/engine/fcvi/judge.h"
#include "analyzer/engine/fcvi/timeouts.h"

namespace fabricscope::engine::fcvi {

class Disconnects {
public:
    Disconnects(const Options& options, Connections& connections, Judge& judge, Timeouts& timeouts)
        : options_(options), connections_(connections), judge_(judge), timeouts_(timeouts) {}

    void on_request(const Arrival& a);
    void on_response(const Arrival& a);
    void on_abts(const Exchange& exchange, const FrameStamp& step);
    /// No more comes of the Exchange.
    void settle(const Exchange& exchange);

private:
    std::optional<Connections::Party> originator_of(const Arrival& a) const;
    void judge_unannounced(const Arrival& a, bool aborts_setup);
    void judge_request(const Arrival& a, const Connection& connection, const Disconnect& disconnect);
    std::optional<UndecidedReason> lack_of_connection(
        const Arrival& a, const Connection& connection, const Disconnect& disconnect) const;
    void judge_abort(const Arrival& a, const Connection& connection, const Disconnect& disconnect);
    void judge_msg_id(const Arrival& a, const Connection& connection);
    Doubt lack_of_messages(const Arrival& a) const;
    void judge_unsent(const Arrival& a);
    void judge_completed(const Arrival& a, const Connection& connection, std::uint32_t msg_id);
    void judge_response(const Arrival& a);
    void judge_response_handle(const Arrival& a);
    static std::optional<StatusSeen> status_of(const Arrival& a);

    const Options& options_;
    Connections& connections_;
    Judge& judge_;
    Timeouts& timeouts_;
};

}  // namespace fabricscope::engine::fcvi
