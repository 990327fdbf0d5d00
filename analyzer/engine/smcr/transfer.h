// SPDX-License-Identifier: GPL-2.0-or-later
// A WRITE or CDC message that has found its connection, for the rules: what is known before it is taken in.
#pragma once

#include "analyzer/engine/smcr/arrival.h"
#include "analyzer/engine/smcr/sessions.h"
#include "analyzer/engine/smcr/verdicts.h"

namespace fabricscope::engine::smcr {

struct Transfer {
    Transfer(const Arrival& arrival, Session& session)
        : a(arrival),
          connection(*session.connection),
          sending(session.flow[arrival.from]),
          receiving(session.flow[other(arrival.from)]),
          mine(session.sent[arrival.from]),
          peers(session.sent[other(arrival.from)]) {}

    const Arrival& a;
    const Connection& connection;
    const Flow& sending;    ///< what the sender writes to its peer
    const Flow& receiving;  ///< what the peer writes to the sender
    Sent& mine;
    Sent& peers;

    /// What a CDC message does to the cursors.
    struct Motions {
        Motion producer, consumer;
    };
    Motions motions_of(const wire::Cdc& cdc) const {
        return {sending.producer_motion(cdc.producer), receiving.consumer_motion(cdc.consumer)};
    }

    Subject subject() const { return Subject::connection(connection.id); }
    std::uint64_t frame() const { return a.packet->number; }
    bool late() const { return a.late; }

    /// Why this message may not be the one that its sender sent after the latest CDC message; nullptr: it is.
    std::optional<UndecidedReason> doubt_of_sender() const;

    /// The same, of a sender that has moved, too: another interface, by which its old link came, may have ended early.
    std::optional<UndecidedReason> doubt_of_sender_elsewhere() const;

    /// Why the peer may have said more by now than is known; nullptr: it has not.
    std::optional<UndecidedReason> doubt_of_peer() const;

    /// accuse_unless_peer_spoke() reports that the sender broke `rule`, once it is proven that nothing which the peer
    /// has sent before is missing. `deviation`: Linux is known to do so.
    void accuse_unless_peer_spoke(
        Verdicts& verdicts, RuleRef rule, std::vector<std::uint64_t> frames, std::string text,
        bool deviation = false) const;
};

}  // namespace fabricscope::engine::smcr
