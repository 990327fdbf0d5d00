// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the order of messages, and of answers that do not come (IBA 12.9).
#pragma once

#include <unordered_map>

#include "analyzer/engine/rdma_cm/arrival.h"
#include "analyzer/engine/rdma_cm/verdicts.h"

namespace fabricscope::engine::rdma_cm {

class CourseRules {
public:
    explicit CourseRules(Verdicts& verdicts) : verdicts_(verdicts) {}

    /// Every MAD to a general service, also of other classes: their packet sequence numbers tell
    /// whether something is missing. The second call comes when the model has taken it in.
    void on_mad(const capture::Packet& packet);
    void after_mad(const capture::Packet& packet);

    /// The first of its kind, before the model takes it in.
    void on_rep(const Arrival& a, const Connection& connection);
    void on_rtu(const Arrival& a, const Connection& connection);
    /// A REQ, SIDR_REQ or REP that was sent before, with that content.
    void on_repetition(
        const Arrival& a, const Connection& connection, const Sent& before, std::optional<std::uint64_t> content);
    /// Another transmission of a REQ or DREQ, `sent` with it.
    void on_transmission(const Arrival& a, const Connection& connection, const Sent& sent, const char* what);
    /// Before the model takes it in.
    void on_mra(const Arrival& a, const Connection& connection, std::uint8_t about);
    void on_dreq(const Arrival& a, const Connection& connection, const ib::CmDreq& dreq);
    /// The length that a REJ, APR or SIDR_REP says that its additional information has.
    void on_information(const Arrival& a, const Connection& connection, unsigned length);
    /// A SIDR_REP with the transaction id of the connection's SIDR_REQ, but with another request id.
    void on_unknown_resolution(const Arrival& a, const Connection& connection);

    /// `now` is the time of the last packet.
    void finish(const Connection& connection, Time now);
    void finish();

private:
    struct Sender {
        std::uint32_t psn = 0;
        /// Frame that showed the latest gap: MADs were not captured, not readable, or out of order; 0: none.
        std::uint64_t gap = 0;
        std::uint32_t interface = 0;      ///< of the first
        bool several_interfaces = false;  ///< its MADs came by
    };
    /// A message of the client that needs a REP, which was not captured.
    struct Early {
        const Connection* connection;
        RuleRef rule;
        const char* what;
        std::uint64_t frame;
        std::uint32_t interface;
    };
    const Sender* find(const Address& address) const;
    void broken(const Arrival& a, const Connection& connection, std::string text);
    void await_proof(const Arrival& a, const Connection& connection, RuleRef rule, const char* what);
    static Doubt doubt_of(const Early& early, const Sender& server);
    void decide(const Early& early, const Sender& server);
    void finish_disconnect(const Connection& connection, const MessageOfMany& dreq, Time now);
    void unanswered(
        const Connection& connection, const Doubt& doubt, const Sent& last, const char* what, std::uint32_t count);

    Verdicts& verdicts_;
    std::unordered_map<Address, Sender> senders_;
    std::unordered_multimap<Address, Early> early_;  ///< by the server, whose next MAD proves something
};

}  // namespace fabricscope::engine::rdma_cm
