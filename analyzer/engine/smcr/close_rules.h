// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of how a connection ends on RoCE and on TCP together (RFC 7609, 4.8).
#pragma once

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/deadlines.h"
#include "analyzer/engine/smcr/tcp_arrival.h"
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

class CloseRules {
public:
    CloseRules(const Model& model, Verdicts& verdicts)
        : model_(model), verdicts_(verdicts), answers_(10 * capture::second), aborts_(1 * capture::second) {}

    /// The first CDC message of a side that says abnormal close, before the model has taken it in.
    void on_abort(const Arrival& a, const Connection& connection);

    /// The first FIN of a side; `complete`: all packets of the link group were captured.
    void on_fin(const TcpArrival& a, bool complete);
    /// The first RST.
    void on_reset(const TcpArrival& a, const GroupHistory* history);

    void on_time(Time now) {
        answers_.pass(now, [this](const Answer& answer) { judge_answer(answer, false); });
        aborts_.pass(now, [&](const Reset& reset) {
            if (may_show_yet(reset, now)) aborts_.add(now, reset);
            else judge_reset(reset, false);
        });
    }
    void finish() {
        answers_.finish([this](const Answer& answer) { judge_answer(answer, true); });
        aborts_.finish([this](const Reset& reset) { judge_reset(reset, true); });
    }

private:
    struct Answer {  ///< to an abort
        std::uint32_t connection;
        std::uint32_t group, link;
        Side due_from;
        FrameStamp abort;
        GroupHistory* history;
        std::uint32_t gaps;  ///< in what the side that has to answer had sent by then
    };
    struct Reset {
        std::uint32_t connection;
        Side from;
        FrameStamp step;
        const GroupHistory* history;
    };
    void judge_answer(const Answer& answer, bool at_end);
    bool has_working_link(const Reset& reset) const;
    bool may_show_yet(const Reset& reset, Time now) const;
    void judge_reset(const Reset& reset, bool at_end);

    const Model& model_;
    Verdicts& verdicts_;
    Deadlines<Answer> answers_;
    Deadlines<Reset> aborts_;
};

}  // namespace fabricscope::engine::smcr
