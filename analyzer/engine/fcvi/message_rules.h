// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of VI Messages and their responses.
#pragma once

#include "analyzer/engine/fcvi/connections.h"
#include "analyzer/engine/fcvi/judge.h"
#include "analyzer/engine/fcvi/logins.h"

namespace fabricscope::engine::fcvi {

class MessageRules {
public:
    enum class Number : std::uint8_t { expected, gap, late, again };

    MessageRules(Judge& judge, Connections& connections, const Logins& logins)
        : judge_(judge), connections_(connections), logins_(logins) {}

    /// The first frame that was seen of a Message.
    void on_begin(const Arrival& a, const Connection& connection, const Message& message);
    /// Nobody has announced the handle of a Message.
    void on_unannounced(const Arrival& a, const std::optional<Connections::Meant>& meant);
    /// Whether it was said that the rule is broken.
    bool on_number(const Arrival& a, Number number);
    /// Each frame, with the Message as the frame leaves it.
    void on_request_frame(const Arrival& a, const Connection& connection, const Message& message);
    void on_response_frame(const Arrival& a, const Connection& connection, const Message& message, bool failed);
    /// The end of a response that says that all went well.
    void on_good_response(const Arrival& a, const Connection& connection, const Message& message);
    /// All frames have been seen; the last octet of data is before `end`.
    void on_complete(const Arrival& a, const Connection& connection, const Message& message, std::uint64_t end);
    /// Frames of a Message were not seen.
    void on_incomplete();
    /// It has been answered, or aborted.
    void on_end(const Message& message);
    /// What has not been settled is not.
    void finish();

private:
    void settle(const Excess& excess, std::uint32_t connection);
    void judge_silence(const Arrival& a, const Connection& connection, Side side);
    void judge_patience(const Arrival& a, const Connection& connection, Side side);
    void judge_rdma(const Arrival& a, const Connection& connection, const Message& message);
    void judge_permission(const Arrival& a, const Connection& connection, const Message& message, bool failed);
    void judge_pipeline(const Arrival& a, const Connection& connection, Side side);
    void judge_preference(const Arrival& a, const Connection& connection);
    void judge_size(const Arrival& a, const Connection& connection, std::uint64_t octets);
    void judge_offset(const Arrival& a);
    void judge_target(const Arrival& a, const Message& message);
    void judge_initiative(const Arrival& a, const Connection& connection, const Message& message);
    void judge_order(const Arrival& a, const Connection& connection, const Message& message);
    void judge_after_loss(const Arrival& a, const Connection& connection, const Message& message);

    Judge& judge_;
    Connections& connections_;
    const Logins& logins_;
};

}  // namespace fabricscope::engine::fcvi
