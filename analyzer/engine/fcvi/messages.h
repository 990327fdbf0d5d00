// SPDX-License-Identifier: GPL-2.0-or-later
// VI Messages: requests, their data, responses (ISO/IEC 14165-331, 5.2), and annex B's account of them.
#pragma once

#include "analyzer/engine/fcvi/connections.h"
#include "analyzer/engine/fcvi/message_rules.h"
#include "analyzer/engine/fcvi/timeouts.h"

namespace fabricscope::engine::fcvi {

class Messages {
public:
    Messages(
        const Options& options, Observer& observer, Model& model, Connections& connections, MessageRules& rules,
        Timeouts& timeouts)
        : options_(options),
          observer_(observer),
          model_(model),
          connections_(connections),
          rules_(rules),
          timeouts_(timeouts) {}

    /// A frame of a request or response that was not seen before.
    void on_request(const Arrival& a);
    void on_response(const Arrival& a);
    void on_abts(const Exchange& exchange);
    /// No frame will be found to belong to it any more; of a Message's Exchange its record is over.
    void forget(const Exchange& exchange);
    /// What was lost is lost.
    void finish();

private:
    Message* begin(const Arrival& a, Connection& connection, Side from, Operation operation);
    Message* begin_request(const Arrival& a);
    Message* begin_with_response(const Arrival& a);
    Connection* connection_of(const Arrival& a);
    Connection* misdirected(const Arrival& a, const std::optional<Connections::Meant>& meant);
    void number(const Arrival& a, Connection& connection, const Message& message);
    void note_gap(Sender& sender, Reception& reception, std::uint32_t from, std::uint32_t to, const FrameStamp& step);
    void take_frame(const Arrival& a, Message& message);
    void settle(const Arrival& a, Message& message);
    /// Of an Exchange that is kept.
    Message& message_of(const Exchange& exchange) { return model_.messages.opened(exchange.index - 1); }
    bool leave(Message& message);
    void fail(const Arrival& a, Message& message);
    bool was_left(const Message& message);
    bool may_send(const Connection& connection, Side side) const;

    const Options& options_;
    Observer& observer_;
    Model& model_;
    Connections& connections_;
    MessageRules& rules_;
    Timeouts& timeouts_;
};

}  // namespace fabricscope::engine::fcvi
