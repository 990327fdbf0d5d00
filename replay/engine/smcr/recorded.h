// SPDX-License-Identifier: GPL-2.0-or-later
// A session of SMC-R in a capture: the conversation, and the configuration of both sides that reproduces it.
#pragma once

#include <algorithm>
#include <memory>
#include <set>

#include "analyzer/engine/engine.h"
#include "protocols/smcr/clc.h"
#include "replay/engine/smcr/collector.h"
#include "replay/stack/smcr/application.h"

namespace fabricscope::replay::smcr {

using stack::smcr::AppEnd;
using stack::smcr::AppScript;
using stack::smcr::AppStep;

struct RecordedConnection {
    std::string channel;        ///< "connection 1"
    tracker::Connection model;  ///< as the analyzer knows it
    PerSide<Mac> mac;
    PerSide<bool> option{};                            ///< SMC option in the SYN, in the SYN-ACK
    PerSide<std::shared_ptr<const AppScript>> script;  ///< of the applications
    PerSide<std::vector<Time>> step_time;              ///< when each of the script's steps was taken
    std::vector<std::size_t> setup;                    ///< messages that come before data may flow
    /// Only its set-up is played, since the session's connection uses the link group that it set up.
    bool preparation = false;
    std::uint64_t arrives(Side at) const { return script[engine::other(at)]->octets.size(); }
    /// How many steps of its script a side had taken before that time.
    std::size_t steps_before(Side side, Time time) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(step_time[side], [time](Time step) { return step < time; }));
    }
};

/// A link that was in use, and that one side could not use any more or did not want to.
struct LostLink {
    std::string channel;   ///< "link 2"
    Side by{};             ///< whose message is the first sign of it
    std::size_t sign = 0;  ///< that message
    PerSide<Mac> end;      ///< the devices
};

/// A side whose device went away, or its whole host: from then on nothing of it came over RoCE.
struct Departure {
    Side of{};
    Time time = 0;             ///< of its last packet
    bool resets_tcp = false;   ///< the host is still there, and ended its connections
    bool peer_resets = false;  ///< the other side did, after it had waited in vain
};

struct Recorded {
    Conversation conversation;  ///< that is played
    /// The part of it that is compared, if not all of it is.
    std::optional<Conversation> compared;
    std::vector<RecordedConnection> connections;  ///< as they begin
    std::optional<tracker::LinkGroup> group;
    capture::IbCarrier carrier = capture::IbCarrier::roce_v2;
    std::vector<LostLink> lost_links;
    /// Failover validations: the channel of the link over which the connection goes on.
    std::map<std::size_t, std::string> moves;
    std::string obstacle;  ///< why it cannot be played; empty if it can
    std::optional<Departure> departure;
    /// Nothing that the other side sent over RoCE reached this one, which has fallen back therefore.
    std::optional<Side> deaf;
    /// Between these devices nothing passed, although both sides agreed on a link there.
    std::vector<PerSide<Mac>> no_path;
    /// Numbers of links that the client confirmed, and the server gave up, since the confirmation did not get to it.
    std::set<std::uint8_t> unconfirmed;
    /// The link group had been set up before the capture began: how ACCEPT and CONFIRM name its only link.
    std::optional<PerSide<fabricscope::smcr::SmcrAcceptConfirmBody>> earlier_link;
    bool no_roce = false;  ///< CLC agreed on a link, but nothing went over it in one direction at least
};

/// A connection with the set-up of its link group. If another connection has set that up, its set-up comes first and is
/// not compared. If the group has several links, all its connections are there.
Recorded recorded_connection(const engine::Engine& engine, const Collector& collector, std::uint32_t connection);
/// A link group with all its connections.
Recorded recorded_group(const engine::Engine& engine, const Collector& collector, std::uint32_t link_group);
/// All that there is, as one session: of a run in which nothing else happened.
Recorded recorded_all(const engine::Engine& engine, const Collector& collector, const std::string& session);

/// Why it cannot be replayed, in words; empty if it can.
std::string obstacle_of(const engine::Engine& engine, const tracker::Connection& connection);
std::string obstacle_of(const engine::Engine& engine, const tracker::LinkGroup& group);

/// Of the conversation, what belongs to the connection in that channel: its own, and LLC messages since it began.
Conversation only(const Conversation& all, const std::string& channel);

std::uint16_t port_of(const RecordedConnection& connection, Side side);
/// As a GID.
Gid address_of(const RecordedConnection& connection, Side side);

}  // namespace fabricscope::replay::smcr
