// SPDX-License-Identifier: GPL-2.0-or-later
// The connections and, beside each, what is needed to follow it.
#pragma once

#include <deque>

#include "analyzer/engine/smcr/flow.h"
#include "analyzer/engine/smcr/sent.h"
#include "analyzer/engine/smcr/tracker.h"

namespace fabricscope::engine::smcr {

/// Serial arithmetic of CDC sequence numbers: b - a.
constexpr int sequence_distance(std::uint16_t a, std::uint16_t b) { return static_cast<std::int16_t>(b - a); }

/// A connection's working state: one flow for each direction, named by its sender.
struct Session {
    Session(Connection& of, std::size_t& room)
        : connection(&of), flow{{Flow(of.from[Side::client], room), Flow(of.from[Side::server], room)}} {}

    Connection* connection;
    PerSide<Flow> flow;
    PerSide<std::optional<std::uint16_t>> sequence;  ///< of the latest CDC message from this side
    PerSide<Sent> sent;                              ///< for the rules
    bool opened = false;                             ///< data flow, or may
    bool setup_seen = false;  ///< when TCP ended, all that both sides had sent before was captured
    PerSide<bool> fin_sent;   ///< a later segment tells of this side's TCP FIN, which may be missing itself

    /// Messages of this side are missing before its next one.
    void miss(Side from) {
        flow[from].miss_producer();
        flow[other(from)].miss_consumer();
    }

    /// Whether a later message from the same side has been taken in already.
    bool overtaken(Side from, const wire::Cdc& cdc) const {
        return sequence[from] && sequence_distance(*sequence[from], cdc.sequence) < 0;
    }
};

class Sessions {
public:
    Sessions(const Options& options, Observer& observer, Model& model)
        : options_(options),
          observer_(observer),
          model_(model),
          timeline_room_(options.timelines ? options.limits.cursor_samples : 0) {}

    /// A new connection, or nullptr if there are too many.
    Session* create(std::uint64_t frame, Time time);
    Session& at(std::uint32_t id) { return *by_id_[id - 1]; }
    std::deque<Session>& all() { return sessions_; }

    /// Something is not followed any further for want of room.
    void leave_out_detail() { ++model_.dropped_details; }

    /// Whether one of the youngest connections may have a link group although none is known: ACCEPT and CONFIRM are
    /// missing.
    bool any_without_group() const;

    /// No more packets of the session. What waits at the end has waited as long as `heard_until`, when both sides were
    /// last heard, if nothing more of it can be missing.
    void finish(Session& session, std::optional<Time> heard_until);
    /// No more packets at all.
    void finish();

    /// Data can flow: asks the observer which streams it wants. Cursors begin at `base`, if that is known. Further
    /// calls mean nothing.
    void open(Session& session, std::optional<std::uint8_t> base);

    /// The cursor base holds for both directions.
    void set_base(Session& session, std::uint8_t base);

    /// What was taken for the client is the server.
    void swap_sides(Session& session);

    /// `kept` has what one side sent, `gone` what the other side, `sender`, sent on the same connection.
    void join(Session& kept, Session& gone, Side sender);

    /// A CDC message from `from`; fills in what it means for that direction.
    void on_cdc(Session& session, Side from, const wire::Cdc& cdc, FrameFacts& facts);
    void on_write(Session& session, Side from, const Flow::Write& write, FrameFacts& facts);

private:
    void note_data(Connection& connection, const FrameFacts& facts);
    void share_base(Session& session);

    const Options& options_;
    Observer& observer_;
    Model& model_;
    std::size_t timeline_room_;  ///< samples that may still be taken
    std::deque<Session> sessions_;
    std::vector<Session*> by_id_;
};

}  // namespace fabricscope::engine::smcr
