// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine knows about queue pairs in a capture: which two talk to each other, what they ask of each other,
// how long that takes, and what is lost, repeated or refused on the way.
//
// Plain data. Times are nanoseconds since the epoch, frames are numbered from 1. What a capture does not tell is
// nullopt, never a guess.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/engine/latencies.h"
#include "analyzer/engine/rdma/rules.h"
#include "analyzer/engine/sides.h"
#include "protocols/ib/retries.h"

namespace fabricscope::engine::rdma {

using engine::Address;
using engine::FrameStamp;
using engine::name_of;
using engine::Time;

/// The two ends of a stream, as indexes. `a` is the CM client, otherwise the side whose packet came first.
enum Side : std::uint8_t { a = 0, b = 1 };
constexpr Side other(Side side) { return side == a ? b : a; }

enum class Transport : std::uint8_t { rc, uc, ud, xrc };
/// "rc", "uc", "ud", "xrc"
const char* name_of(Transport transport);
/// Whether requests are answered.
constexpr bool is_reliable(Transport transport) { return transport == Transport::rc || transport == Transport::xrc; }

/// What told which queue pair is the other one of a stream.
enum class Learned : std::uint8_t {
    cm,
    smcr,
    acknowledgments,  ///< their PSNs follow those of the requests
    datagrams,        ///< say it themselves
};
const char* name_of(Learned learned);

enum class End : std::uint8_t {
    disconnected,
    retries_exhausted,
    nak,      ///< one after which a queue pair is in error
    open,     ///< all requests have been answered, and nothing else came
    unknown,  ///< something remained without an answer, or there was nothing to answer
};
const char* name_of(End end);

enum class OperationType : std::uint8_t { send, write, read, atomic };
inline constexpr std::size_t operation_types = 4;
const char* name_of(OperationType type);
/// Whether its requests carry the data; others are answered with data.
constexpr bool sends(OperationType type) { return type == OperationType::send || type == OperationType::write; }

/// Why a packet was retransmitted.
enum class Cause : std::uint8_t {
    nak,
    timeout,
    rnr,
    implied,  ///< the requester itself missed a part of a response
    unknown,  ///< the capture does not tell
};
const char* name_of(Cause cause);

struct Endpoint {
    Address address;
    std::optional<std::uint32_t> qpn;
};

struct OperationCount {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
};

struct Retransmitted {
    std::uint64_t packets = 0;  ///< all; those whose cause is not known are in none of the others
    std::uint64_t nak = 0;
    std::uint64_t timeout = 0;
    std::uint64_t rnr = 0;
    std::uint64_t implied = 0;

    Retransmitted& operator+=(const Retransmitted& more);
    Retransmitted& operator-=(const Retransmitted& some);
};

/// Packets whose ICRC was checked; see IcrcChecks.
struct Icrcs {
    static constexpr std::size_t most_frames = 4;

    std::uint64_t checked = 0;
    std::uint64_t wrong = 0;            ///< of those by whose interface a right one came, too
    std::vector<std::uint64_t> frames;  ///< the first wrong ones
    /// If none is right, their sender's adapter fills them in behind the capture.
    bool any_right = false;

    void add_wrong(std::uint64_t frame) {
        ++wrong;
        if (frames.size() < most_frames) frames.push_back(frame);
    }
    void add(const Icrcs& more);
};

/// Requests that were seen behind their answers, by another interface: its clock is behind.
struct Belated {
    std::uint64_t count = 0;
    FrameStamp answer, request;  ///< those that are furthest apart

    Time by() const { return request.time - answer.time; }
    void add(const FrameStamp& its_answer, const FrameStamp& its_request) {
        if (++count == 1 || its_request.time - its_answer.time > by()) answer = its_answer, request = its_request;
    }
};

/// What one side sent, and what became of it.
struct Direction {
    std::uint64_t packets = 0;
    /// Whether anything was captured that this side sent, and that the other one did. If not, nobody knows what it did.
    bool sender_heard = true, receiver_heard = true;
    bool reads_known = true;    ///< false: how far some READs reach was cut off
    bool answers_known = true;  ///< false: what some acknowledgments say was cut off
    std::uint64_t bytes = 0;    ///< payload of the operations that this side asked for, each octet once
    std::array<OperationCount, operation_types> operations{};
    Retransmitted retransmitted;
    /// Those of them that are data of READs and atomics, which the other side has asked for again; nullptr: none.
    std::unique_ptr<Retransmitted> answered_again;
    std::uint64_t lost = 0;                ///< packets that did not arrive
    std::uint64_t lost_before = 0;         ///< those of them that did not reach the point of capture
    std::uint64_t lost_behind = 0;         ///< those of them that had passed it
    std::uint64_t unseen = 0;              ///< of unreliable connections: lost before it, or not captured
    std::uint64_t not_captured = 0;        ///< packets that arrived, but are not in the capture
    std::uint64_t out_of_order = 0;        ///< packets that came behind later ones, without having been retransmitted
    std::uint64_t duplicate_requests = 0;  ///< packets retransmitted that had arrived before
    Icrcs icrcs;
    std::uint64_t naks = 0;           ///< that this side was sent, without RNR NAKs
    std::uint32_t unheeded_naks = 0;  ///< those of them behind which it began again only after a timeout
    std::uint32_t timeouts = 0;       ///< times that this side began again because nothing came
    std::uint64_t rnr_naks = 0;       ///< that this side was sent
    std::uint64_t cnps = 0;           ///< that this side was sent
    std::uint64_t ce_marked = 0;
    Time longest_timeout = 0;          ///< the longest silence before that
    Time rnr_waited = 0;               ///< in all
    Latencies ack_rtt;                 ///< from the last packet of a request to its acknowledgment
    Latencies operation_time;          ///< from the first packet of a request to its completion
    std::unique_ptr<Belated> belated;  ///< of most streams none is: it takes no room there
    std::optional<Time> first_time, last_time;

    /// Requests that came again.
    Retransmitted asked_again() const;
};

struct FatalNak {
    Side by{};  ///< who sent it
    std::uint8_t syndrome = 0;
    FrameStamp seen;
};

/// A side has begun again and again because nothing came.
struct Silence {
    Side of{};  ///< who began
    std::uint32_t retries = 0;
    FrameStamp last;  ///< retry, or what was asked for behind it
    Time waited = 0;  ///< before the last retry
    std::uint32_t allowed =
        ib::most_retries;  ///< as its CM connection says, or as many as a queue pair can be told to do
    /// Whether it was the last one of all.
    bool is_final_at(Time now) const { return retries >= allowed && now - last.time > waited; }
};

struct Stream {
    std::uint32_t id = 0;  ///< n in "rdma-n", from 1
    bool merged = false;   ///< is the other half of an earlier stream, which has its packets
    Transport transport{};
    std::array<Endpoint, 2> end{};
    std::optional<Learned> learned;
    std::uint32_t cm_connection = 0;  ///< that set it up; 0: none that is known
    std::uint32_t link_group = 0;     ///< of SMC-R
    std::size_t link = 0;             ///< its place in the link group
    std::optional<std::uint32_t> mtu;
    End ending = End::unknown;
    std::optional<FatalNak> fatal;
    std::array<Direction, 2> from{};
    std::array<std::uint64_t, 2> unanswered{};  ///< requests of each side at the end
    std::optional<Silence> silence;             ///< as long as nothing came after it
    std::uint64_t first_frame = 0, last_frame = 0;
    Time last_time = 0;

    /// Each end takes the other's place: all of the above that is told by side.
    void turn() {
        std::swap(end[a], end[b]);
        std::swap(from[a], from[b]);
        std::swap(unanswered[a], unanswered[b]);
        if (fatal) fatal->by = other(fatal->by);
        if (silence) silence->of = other(silence->of);
    }
    std::uint64_t packets() const { return from[a].packets + from[b].packets; }
    bool has_session() const { return cm_connection != 0 || link_group != 0; }
};
/// "rdma-3"
std::string stream_name(std::uint32_t id);
/// "cm-1" or "lg-1"; empty if there is none.
std::string session_name(const Stream& stream);

/// A request with its answer.
struct Operation {
    std::uint32_t stream = 0;  ///< id
    Side by{};                 ///< who asked for it
    OperationType type{};
    std::uint32_t psn = 0;  ///< of its first packet that was captured
    std::uint64_t bytes = 0;
    std::uint32_t packets = 0;  ///< of the request, those retransmitted left out
    std::uint32_t retransmitted = 0;
    FrameStamp first, last;            ///< packets of the request
    std::optional<FrameStamp> answer;  ///< acknowledgment, or last packet of the response
};

/// Something out of the ordinary.
struct Event {
    enum class Kind : std::uint8_t {
        nak,
        rnr_nak,
        retransmission,  ///< `count` packets, one after the other, from `psn` on
        not_captured,
        out_of_order,
    };
    std::uint32_t stream = 0;  ///< id
    Side from{};               ///< whose packet shows it
    Kind kind{};
    Time time = 0;
    std::uint64_t frame = 0;
    std::uint32_t psn = 0;
    std::uint64_t count = 0;
    std::optional<Cause> cause;            ///< of a retransmission
    std::optional<Time> waited;            ///< retransmission: since the NAK, or since anything was sent
    std::optional<std::uint8_t> syndrome;  ///< of a NAK
};
const char* name_of(Event::Kind kind);

/// What a port asked of the other end of its link: to pause. IEEE 802.3, annex 31B and 31D (PFC).
struct Pause {
    Mac by;
    std::optional<std::uint8_t> priority;  ///< nullopt: the whole link
    std::uint64_t frames = 0;              ///< that ask for it
    /// In all, and in one go. It is less where the link is faster than 10 Gbit/s and nothing ended the pause.
    Time paused = 0, longest = 0;
    FrameStamp first;
};

/// What a host sent and was sent that need not be a stream's: on queue pairs 0 and 1, and CNPs.
struct HostPackets {
    std::uint64_t management_sent = 0, management_received = 0;
    std::uint64_t cnps_sent = 0, cnps_received = 0;
};

struct Model : RuleRecord<rules::catalogue> {
    std::deque<Stream> streams;         ///< streams[id - 1]
    std::vector<Operation> operations;  ///< the first Limits::operations of them, in the order of their ends
    std::deque<Event> events;           ///< the first Limits::events of them
    std::uint64_t cnps = 0;
    std::uint64_t ce_marked = 0;
    std::uint64_t pfc_frames = 0;
    std::uint64_t pause_frames = 0;                  ///< of the whole link, IEEE 802.3 annex 31B
    std::vector<Pause> pauses;                       ///< of the first Pauses::most ports and priorities
    std::unordered_map<Address, HostPackets> hosts;  ///< of the first Limits::hosts of them
    /// How often a limit kept something from being followed or kept.
    std::uint64_t dropped_streams = 0;
    std::uint64_t dropped_operations = 0;
    std::uint64_t dropped_events = 0;
};

}  // namespace fabricscope::engine::rdma
