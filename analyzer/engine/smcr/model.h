// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine knows about SMC-R in a capture: connections, link groups, links, RMBs.
//
// Plain data. Times are nanoseconds since the epoch, positions count octets from the start of a
// direction's stream, frames are numbered from 1. What a capture does not tell is nullopt, never a guess.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/sides.h"
#include "analyzer/engine/smcr/rules.h"
#include "protocols/smcr/cdc.h"
#include "protocols/smcr/clc.h"
#include "protocols/smcr/llc.h"

namespace fabricscope::engine::smcr {

/// The wire formats; this namespace is about what they add up to.
namespace wire = fabricscope::smcr;

using engine::Address;
using engine::FrameStamp;
using engine::name_of;
using engine::other;
using engine::PerSide;
using engine::Side;  // of the TCP connection, and with it of the link group
using engine::SocketAddress;
using engine::step_of;
using engine::Time;
using engine::to_string;

// ---- one direction of a connection ---------------------------------------------------------------

/// Intervals during which something held.
struct Intervals {
    std::uint64_t count = 0;
    Time total = 0;
    Time longest = 0;
    std::uint64_t longest_frame = 0;  ///< in which the longest began
};

/// The direction's state as a CDC message of either side left it.
struct CursorSample {
    Time time = 0;
    std::uint64_t frame = 0;
    std::uint64_t produced = 0;
    std::uint64_t consumed = 0;
    std::uint64_t in_flight() const { return produced - consumed; }
};

/// Where a side went on after a link had failed, as its failover validation shows: numbers of links.
struct LinkMove {
    std::optional<std::uint8_t> from, to;
    std::uint64_t frame = 0;
};

/// What a direction was taken for when it became known. Of a connection seen midway it may be the other one, or belong
/// to another connection, as the capture goes on.
struct FirstName {
    std::uint32_t connection = 0;
    Side from{};
    bool operator==(const FirstName&) const = default;
};

/// Data from one side into the other side's RMB element.
struct Direction {
    std::optional<std::uint64_t> rmbe_size;   ///< octets; of the receiver's RMB element
    bool rmbe_size_inferred = false;          ///< from where a WRITE stopped at the end, not from CLC
    std::optional<std::uint8_t> cursor_base;  ///< 0 or 4
    bool from_start = true;       ///< positions count from the connection's begin; else from what was first captured
    bool positions_known = true;  ///< false: the cursors wrapped while the element's size was unknown
    bool replays_known = true;    ///< false: packets were missing before what seems to be written again
    /// Whether anything was captured that the sender, and the receiver, of this direction sent over the link group. If
    /// not, none of the numbers below says anything.
    bool sender_heard = true, receiver_heard = true;

    std::uint64_t bytes_announced = 0;     ///< the producer's last cursor, as a position
    std::uint64_t bytes_written = 0;       ///< RDMA WRITE payload in the RMB element, each octet once
    std::uint64_t bytes_acknowledged = 0;  ///< the peer's last consumer cursor, as a position
    std::uint64_t bytes_replayed = 0;      ///< written again, on another link or after a failed write
    std::uint64_t writes = 0;              ///< RDMA WRITE operations
    std::uint64_t cdcs = 0;                ///< CDC messages that the sender of this direction sent
    std::uint64_t failover_cdcs = 0;       ///< of these, with the failover validation flag
    LinkMove move;                         ///< the latest of the sender
    std::uint64_t wraps = 0;               ///< of the producer cursor
    std::uint64_t urgent = 0;              ///< urgent octets announced
    std::uint64_t retransmissions = 0;     ///< InfiniBand packets of this direction seen again
    std::uint64_t peak_in_flight = 0;      ///< octets announced and not yet consumed, at most
    Intervals stalls;                      ///< the window was full
    Intervals blocked;                     ///< the writer said that it was blocked (flag B)
    std::optional<Time> first_data;
    std::optional<Time> last_data;
    std::optional<wire::Cursor> producer;  ///< as last sent
    std::optional<wire::Cursor> consumer;  ///< as the peer last sent it
    bool sending_done = false;             ///< the sender of this direction sent D
    bool closed = false;                   ///< ... sent C
    bool aborted = false;                  ///< ... sent A
    bool waits_at_end = false;             ///< for window space, when the capture ended
    FirstName first_name;                  ///< StreamPiece has it
    std::uint64_t abort_frame = 0;         ///< the first with A
    std::vector<CursorSample> timeline;    ///< only if asked for

    bool both_heard() const { return sender_heard && receiver_heard; }
    /// bytes_replayed, if that is known.
    std::optional<std::uint64_t> replayed() const {
        return sender_heard && positions_known && replays_known ? std::optional(bytes_replayed) : std::nullopt;
    }
    /// Whether the sender of this direction has taken leave of the connection.
    bool ended() const { return closed || aborted; }
};

// ---- connections ---------------------------------------------------------------------------------

enum class Outcome : std::uint8_t {
    smc_r,
    smc_d,      ///< SMC over ISM: no RDMA traffic to be seen
    fallback,   ///< declined, TCP carries the data
    failed,     ///< broken off during the set-up
    plain_tcp,  ///< SMC was offered in the SYN, but the other side did not take it up
    unknown,
};
/// "smc-r", "smc-d", "fallback", "failed", "plain-tcp", "unknown"
const char* name_of(Outcome outcome);

enum class Close : std::uint8_t { orderly, half, abnormal, open, unknown };
const char* name_of(Close close);

struct DeclineSeen {
    Side by{};
    std::optional<std::uint32_t> code;  ///< nullopt if it was not captured
    std::uint64_t frame = 0;
    bool out_of_sync = false;
    const char* name() const;  ///< nullptr if nobody has published the code's meaning
};

struct Setup {
    std::optional<FrameStamp> syn, syn_ack, proposal, accept, confirm, decline;
    std::optional<FrameStamp> confirm_link;  ///< the reply, on first contact
    std::optional<FrameStamp> first_data;    ///< first RDMA WRITE or CDC in either direction
    std::uint64_t proposals = 0;             ///< how often the client's TCP sent the PROPOSAL
    bool proposal_acknowledged = false;      ///< by the server's TCP
    bool beyond_syn = false;                 ///< another TCP segment than SYNs was captured
    /// SYN (of the client) and SYN-ACK (of the server): captured with the SMC option, and further on its way without.
    PerSide<bool> option_removed;
    /// SYN and SYN-ACK had the option, and yet this side's stream is the application's; the server's, if the client's.
    PerSide<bool> plain;

    /// Whether what the client sends over TCP is captured, and what the server sends.
    bool hears_both() const { return (syn || proposal) && (syn_ack || accept); }
};

/// Where one side receives: an element of one of its RMBs.
struct RmbElement {
    std::size_t rmb = 0;  ///< index in LinkGroup::rmbs
    std::uint8_t index = 1;
};

struct Connection {
    std::uint32_t id = 0;  ///< n in "smcr-n", from 1
    std::optional<SocketAddress> client, server;
    Outcome outcome = Outcome::unknown;
    std::optional<std::uint8_t> version, release;
    std::optional<bool> first_contact;
    std::uint32_t link_group = 0;   ///< n in "lg-n"; 0 = none
    std::uint32_t merged_into = 0;  ///< id of the connection of which this one is a half
    std::optional<DeclineSeen> decline;
    bool reset = false;  ///< TCP RST seen
    std::optional<Side> reset_by;
    std::uint64_t reset_frame = 0;
    bool reset_in_use = false;  ///< before both sides had taken leave on RoCE
    PerSide<bool> fin;          ///< TCP FIN seen from this side
    std::optional<Time> end;    ///< the first FIN or reset
    Side ended_by{};
    Setup setup;
    PerSide<Direction> from;                            ///< from[Side::client] is client to server
    PerSide<std::optional<std::uint32_t>> alert_token;  ///< as this side assigned it
    PerSide<std::optional<RmbElement>> element;         ///< where this side receives
    PerSide<std::optional<std::uint8_t>> link;          ///< number of the link that this side last sent on
    Close close = Close::unknown;
    bool midstream = false;  ///< the set-up was not captured
    bool merged = false;     ///< half of a midstream connection that was found to belong to another: skip
    std::uint64_t first_frame = 0;
    std::uint32_t interface = 0;        ///< on which its TCP segments were captured
    std::optional<std::uint16_t> vlan;  ///< of its TCP segments, 0 = none; nullopt: none was captured
    Time first_time = 0;
    Time last_time = 0;

    /// Of a connection that is half() one: who sent the messages that are known.
    Side half_of() const { return alert_token[Side::server] ? Side::client : Side::server; }
    /// Whether its messages were recognised in one direction only, although both sides were heard: those of the other
    /// direction may stand elsewhere, as another connection.
    bool half() const {
        const bool one_token = alert_token[Side::client].has_value() != alert_token[Side::server].has_value();
        return midstream && !merged && one_token && from[Side::client].both_heard();
    }
};

// ---- link groups ---------------------------------------------------------------------------------

struct LinkEndpoint {
    std::optional<Gid> gid;
    std::optional<Mac> mac;
    std::optional<std::uint32_t> qpn;
    std::optional<std::uint32_t> initial_psn;
};

enum class LinkState : std::uint8_t { pending, active, deleted, failed };
const char* name_of(LinkState state);

/// Packets of one side that were seen again.
struct Repetitions {
    std::uint64_t count = 0;
    FrameStamp first, last;
};

struct Link {
    std::optional<std::uint8_t> number;
    LinkState state = LinkState::pending;
    PerSide<LinkEndpoint> end;
    PerSide<std::uint16_t> offered_mtu{};  ///< octets, as ACCEPT and CONFIRM said; 0: that was not captured
    std::uint64_t first_frame = 0;         ///< first RoCE packet; 0 = none yet
    std::uint32_t interface = 0;           ///< on which that was captured
    std::uint16_t vlan = 0;                ///< of that; 0 = none
    PerSide<std::optional<Time>> heard{};  ///< when each side last sent something
    std::optional<std::uint32_t> mtu;      ///< octets, the smaller of both offers
    std::uint64_t packets = 0;
    std::uint64_t retransmissions = 0;  ///< as `rdma` counts them, if it is followed
    PerSide<Repetitions> repeated;      ///< requests seen before, of what each side sent
    std::uint64_t naks = 0;

    bool is_heard(Side side) const { return heard[side].has_value(); }
    /// Whether the capture tells anything of its state.
    bool is_seen() const { return packets != 0 || state != LinkState::pending; }
};

struct Rtoken {
    std::size_t link = 0;  ///< index in LinkGroup::links
    std::uint32_t rkey = 0;
    std::uint64_t address = 0;
    bool inferred = false;  ///< no message told it: `address` is that of the one element that was written to
};

struct Rmb {
    Side owner{};
    std::optional<std::uint64_t> element_size;
    std::vector<Rtoken> rtokens;
    std::uint64_t first_frame = 0;
    std::uint64_t deleted_frame = 0;  ///< of DELETE RKEY; 0: none was seen
    bool deleted() const { return deleted_frame != 0; }
};

/// What ADD LINK or DELETE LINK is about: mostly another link than the one that carries it.
struct LinkChange {
    std::optional<std::uint8_t> link;     ///< its number
    bool all = false;                     ///< all links of the group
    std::optional<std::uint32_t> reason;  ///< of DELETE LINK, or why ADD LINK was rejected
};

/// A request and its reply.
struct LlcExchange {
    wire::LlcType type{};
    std::uint8_t version = 1;
    Side from{};
    std::optional<std::uint8_t> link;  ///< number of the link that carried the request
    FrameStamp request;                ///< frame 0: the request was not captured
    std::optional<FrameStamp> reply;
    bool refused = false;            ///< rejected or answered negatively
    bool reply_may_be_lost = false;  ///< there is none, and packets are missing that may have brought it
    LinkChange change;               ///< as the reply says, if it refuses; else as the request does
};

struct LinkGroup {
    std::uint32_t id = 0;     ///< n in "lg-n", from 1
    bool roles_known = true;  ///< false: seen midway only; client and server may be the other way round
    bool turned = false;      ///< they were, for as long as roles_known was false
    bool from_start = true;   ///< first contact was captured
    PerSide<std::optional<wire::PeerId>> peer_id;
    PerSide<std::string> hostname;  ///< version 2; empty if not told
    std::string eid;                ///< version 2; empty if not told
    std::optional<std::uint8_t> version, release;
    std::optional<std::uint8_t> cursor_base;
    std::optional<std::uint8_t> max_links;
    std::vector<Link> links;
    std::vector<Rmb> rmbs;
    std::vector<LlcExchange> exchanges;  ///< the first Limits::exchanges of them
    std::uint64_t exchange_count = 0;
    std::vector<std::uint32_t> connections;  ///< ids
};

/// The latest link of that number (numbers are reused one day), or nullptr.
const Link* link_numbered(const LinkGroup& group, std::uint32_t number);

/// Whether anything was captured that this side sent on one of the links.
bool is_heard(const LinkGroup& group, Side side);
/// When it was so last; 0: it never was.
Time last_heard(const LinkGroup& group, Side side);

/// Whether the group is more than the offer of one, which a DECLINE ended.
bool came_to_be(const LinkGroup& group);

struct Model : RuleRecord<rules::catalogue> {
    std::deque<Connection> connections;  ///< connections[id - 1]
    std::deque<LinkGroup> link_groups;   ///< link_groups[id - 1]
    /// TCP connections that began without the SMC option, which are not followed. A SYN that comes again behind a
    /// thousand others counts again.
    std::uint64_t not_offered = 0;
    /// How often a limit kept something from being followed; 0 in any ordinary capture. One connection
    /// may count more than once.
    std::uint64_t dropped_connections = 0;
    std::uint64_t dropped_link_groups = 0;
    std::uint64_t dropped_details = 0;  ///< links, RMBs, RTokens, the rest of timelines
};

/// The connection, or the one into which it was merged.
const Connection& whole_of(const Model& model, std::uint32_t id);
/// How many connections of the group are known by what each side sent only; see Connection::half().
PerSide<std::uint64_t> halves_of(const Model& model, const LinkGroup& group);
/// How many of these are one half of a connection whose other half is there, too, at most.
std::uint64_t pairs_of(const PerSide<std::uint64_t>& halves);

}  // namespace fabricscope::engine::smcr
