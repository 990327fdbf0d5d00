// SPDX-License-Identifier: GPL-2.0-or-later
// A packet's way to its stream: who sends to which queue pair, which of these queue pairs belong together, and what the
// packets of both say of each other.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/engine/flat_map.h"
#include "analyzer/engine/rdma/icrc_checks.h"
#include "analyzer/engine/rdma/pauses.h"
#include "analyzer/engine/rdma/requests.h"
#include "analyzer/engine/rdma/send_order.h"
#include "analyzer/engine/rdma/sessions.h"
#include "analyzer/engine/rdma/verdicts.h"
#include "capture/packet.h"

namespace fabricscope::engine::rdma {

class Streams {
public:
    /// `is_observed`: whether anybody asks what single packets mean.
    Streams(
        const Options& options, const Announcements& announcements, Observer& observer, bool is_observed, Model& model)
        : options_(options),
          announcements_(announcements),
          observer_(observer),
          is_observed_(is_observed),
          model_(model),
          pauses_(model_),
          sessions_(announcements),
          verdicts_(options, observer, model) {}

    void on_packet(const capture::Packet& packet);
    void on_damaged(const capture::Packet& packet);
    void finish();

private:
    struct Pair {
        Address source, destination;
        bool operator==(const Pair&) const = default;
    };
    struct Key {
        Pair pair;
        std::uint32_t qpn = 0;         ///< that is sent to
        std::uint32_t source_qpn = 0;  ///< of datagrams
        Transport transport{};
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Pair& pair) const noexcept {
            return std::hash<Address>{}(pair.source) ^ mixed(std::hash<Address>{}(pair.destination));
        }
        std::size_t operator()(const Key& key) const noexcept {
            return (*this)(key.pair) ^ mixed(std::uint64_t{key.source_qpn} << 32 | key.qpn);
        }
    };

    /// An answer that says no.
    struct Refusal {
        std::uint32_t psn = 0;
        std::uint8_t syndrome = 0;
        Time time = 0;
        std::uint64_t frame = 0;
        std::uint32_t interface = 0;
    };

    /// A NAK behind which a responder answers no request any more.
    struct FinalRefusal {
        Refusal nak;
        std::uint32_t asked_end = 0;  ///< PSN behind all that its requester had asked for
        bool broken = false;
    };

    /// Packets that are retransmitted, one after the other.
    struct Repetition {
        Cause cause{};
        std::uint32_t next = 0;  ///< PSN that follows, if it goes on
        Event* event = nullptr;  ///< nullptr: there was no room
        bool silent = false;     ///< nothing had come for so long, but the other queue pair was not known
    };

    /// Such repetitions: after timeouts, as it turns out if its peer's first packet comes behind them, and is no NAK.
    struct Silent {
        std::uint64_t packets = 0;
        std::uint32_t times = 0;
        Time longest = 0;
    };

    /// Packets that did not come again although others behind them did.
    struct Hole {
        std::uint32_t begin = 0, end = 0;  ///< PSNs
        std::uint32_t packets = 0;
    };

    struct At;  // what on_packet() deals with

    /// Repetitions for the same reason, with nothing in between that took their requester forward: an answer that the
    /// capture lacks shows in the next one's beginning farther on.
    struct Row {
        struct Frames {
            std::vector<std::uint64_t> of_this, of_longest;  ///< the first ones of this row, and of the longest one
        };
        std::uint32_t count = 0, most = 0;
        std::uint32_t psn = 0;           ///< at which the latest began
        std::unique_ptr<Frames> frames;  ///< nullptr: `most` is 0

        void add(const At& at);
    };

    /// A packet that came again before its timer can have run out, unless it was refused.
    struct EarlyRetry {
        std::uint32_t psn = 0;
        std::vector<std::uint64_t> frames;
        std::string text;
        bool acknowledged = false;  ///< it was since, and nothing behind it
    };

    /// SENDs and WRITEs that came again: how many, and what tells that they had arrived. Each that had is acknowledged
    /// once more, unless that is lost.
    struct Again {
        std::uint64_t packets = 0;
        std::uint64_t had_arrived = 0;         ///< as was known by then
        std::uint64_t acknowledged_again = 0;  ///< acknowledgments of what had been acknowledged

        std::uint64_t duplicates() const { return std::max(had_arrived, std::min(acknowledged_again, packets)); }
    };

    /// READs and atomic operations that were outstanding at a time, and the frames that show it.
    struct MostReads {
        std::uint32_t count = 0;
        std::uint64_t request_frame = 0, response_frame = 0;
    };

    /// What answers a queue pair whose requests are not known.
    struct Responses {
        std::uint32_t first = 0, last = 0;  ///< PSNs
        FrameStamp latest;
    };

    /// The first packet of a queue pair's requests.
    struct Beginning {
        std::uint8_t opcode = 0;
        std::uint32_t payload = 0;
        bool operator==(const Beginning&) const = default;
    };

    /// The latest packet of a queue pair's requests.
    struct LatestRequest {
        std::uint32_t end = 0;  ///< PSN behind it
        std::uint8_t opcode = 0;
        std::uint64_t frame = 0;  ///< 0: there was none
    };

    /// A packet behind which its message goes on: it is full.
    struct FullPacket {
        std::uint32_t octets = 0;  ///< 0: there was none
        std::uint64_t frame = 0;
    };

    /// A READ that is being answered.
    struct ReadSoFar {
        std::uint32_t next = 0;  ///< PSN behind the packets that have come
        std::uint64_t octets = 0;
    };

    /// What congestion made of a queue pair's packets.
    struct Congestion {
        std::optional<Time> last_marked;     ///< when it sent a packet that was marked
        std::optional<FrameStamp> last_cnp;  ///< that it sent
    };

    /// What one queue pair sends to the other: its requests, and its answers to the other's.
    struct Half {
        Half(const Key& of, const Limits& limits) : key(of), requests(limits) {}

        Key key;
        Stream* stream = nullptr;
        Side side{};
        Half* peer = nullptr;
        bool gone = false;  ///< the queue pair has been made anew

        Requests requests;
        bool message_open = false;  ///< its last packet has not come
        bool responded = false;     ///< behind its latest request came a packet that answers a READ or an atomic
        std::optional<Repetition> again;
        Silent silent;
        std::optional<Refusal> nak, rnr;         ///< that it was sent, and has not acted upon
        std::optional<std::uint32_t> late_next;  ///< PSN behind a packet that came late
        std::optional<std::uint32_t> lost_psn;   ///< that a NAK told to be lost, and that has not been retransmitted
        Time last_request = 0;
        FrameStamp last_answered;            ///< the latest answer that it was sent to anything new
        std::optional<Beginning> beginning;  ///< of the requests that are remembered
        bool may_be_anew = false;     ///< they have begun once more: perhaps they are another queue pair's by now
        std::uint32_t interface = 0;  ///< by which its latest request came
        std::optional<std::uint32_t> interface_before;  ///< another one
        std::optional<Time> changed_interface;          ///< when requests came by that one again
        std::unique_ptr<EarlyRetry> early_retry;
        std::optional<ib::Reth> latest_read;  ///< of the operation that was asked for last, if it is a READ
        bool cut_reads = false;               ///< READs whose length was cut off
        bool cut_answers = false;             ///< it sent acknowledgments of which the capture lacks what they say
        Row timeouts, rnr_waits;
        MostReads reads;
        std::unique_ptr<Congestion> congestion;  ///< nullptr: there was none
        LatestRequest latest_request;
        FullPacket full_packet;
        std::vector<Hole> holes;
        std::vector<Hole> unheard;       ///< READs of which the capture lacks answers
        std::vector<Repeated> repeated;  ///< the latest of them
        Again sent_again;
        SendOrder order;
        IcrcChecks icrc_checks;
        std::uint64_t first_frame = 0;
        std::array<bool, 2> migration_seen{};  ///< packets with that value of MigReq

        // As the responder.
        ReadSoFar read_so_far;
        std::unique_ptr<Responses> responses;   ///< as long as its peer is not known
        std::optional<std::uint32_t> answered;  ///< PSN of its latest acknowledgment
        std::optional<std::uint32_t> msn;       ///< that it had
        /// How many of its requester's operations it had completed by then; nullopt: some may not have been captured.
        std::optional<std::uint64_t> completed_by_msn;
        std::optional<Refusal> own_nak;  ///< its latest NAK, as long as what it asked for has not come
        std::unique_ptr<FinalRefusal> final_refusal;
        Time last_acknowledged = 0;
        std::uint64_t last_response_frame = 0;
        std::uint32_t attempts = 0;  ///< to find its peer
    };

    static std::optional<Key> key_of(const capture::Packet& packet);
    Half* half_of(const capture::Packet& packet);
    void tell(At& at);
    Half* new_half(const Key& key, const capture::Packet& packet);
    void retire(Half& half);
    Half& made_anew(Half& half, const capture::Packet& packet);
    static bool has_rested(const Half& half, Time now);
    static bool begins_anew(Half& half, const capture::Packet& packet);
    void forget_candidate(const Half& half);
    Half* peer_from_the_start(Half& half, const capture::Packet& packet);
    Half* find_peer(Half& half, const capture::Packet& packet);
    const std::vector<Half*>* possible_peers(Half& half);
    Half* find_responder(Half& half, const capture::Packet& packet);
    void join(Half& half, Half& peer, Learned learned);
    void merge(Half& kept, Half& dropped);

    HostPackets* packets_of(const Address& host);
    void on_management(const capture::Packet& packet);
    void on_cnp(const capture::Packet& packet);
    void take_cnp(const capture::Packet& packet, const Stream& stream, Side from, const Half* marked);
    Half* marked_for(const capture::Packet& cnp);
    void note_marked(Half& half, const capture::Packet& packet);
    void take_waiting_cnps(const Half& half);
    void judge_cnp_interval(Half& half, const capture::Packet& packet);
    void note_unread(const capture::Packet& mad);
    void make_room_for_connection(const capture::Packet& mad);
    bool is_of_before(const Half& half, const QueuePairKey& named);
    bool may_be_disconnected(const Stream& stream) const;
    static void suspect_loss(Half& half);
    static bool has_changed_interface(const At& at);
    static void note_interface(Half& half, const capture::Packet& packet);
    void size_by_rest(const At& at);
    void on_request(At& at);
    void note_life(const At& at);
    static void note_going_on(const At& at, FinalRefusal& refused);
    void on_late(At& at, const Requests::Placed& placed);
    void on_belated(At& at);
    void on_repeated(At& at, bool seen_before);
    void remember_repeated(At& at);
    static void count_duplicate(Half& requester, Direction& asker, std::uint64_t Again::*what);
    static void count_arrived(Half& requester, Direction& asker, bool has_own_answer);
    static bool has_own_answer(const At& at);
    static std::uint32_t end_of(const At& at);
    bool goes_on(const At& at) const;
    static void settle_holes(At& at);
    static void end_repetition(Half& half);
    void settle_silent(Half& half);
    static void note_hole(Half& half, std::uint32_t end);
    Cause cause_of_repetition(const At& at, Time& waited) const;
    void begin_again(At& at);
    void judge_rnr_wait(const At& at, Time waited);
    void judge_ack_timeout(const At& at);
    void settle_early_retry(const At& at, Place place);
    void take_operation(At& at, bool late);
    void begin_operation(At& at, OperationType type, Pending& made);
    static bool may_belong_to(const Pending& operation, const At& at);
    bool continue_operation(At& at);
    bool join_operation(At& at, OperationType type);
    void split(At& at, std::size_t index, std::uint32_t psn);
    static void unite(At& at, Pending& before, const Pending& after, std::size_t place);
    void extend(At& at, Pending& pending);
    void keep_unanswered(Half& half);
    static void count_bytes(Direction& asker, OperationType type, std::uint64_t bytes);
    std::uint32_t share_of_read(const At& at) const;

    void on_response(At& at);
    void on_refusal(At& at);
    void on_acknowledgment(At& at);
    void count_read_bytes(At& at);
    void on_read_response(At& at);
    void on_unasked_response(At& at);
    static void note_responses(At& at);
    void on_repeated_response(At& at);
    void take_response(At& at, Pending& read);
    void size_read(At& at, Pending& read);
    void judge_message_count(At& at);
    void judge_message_count_of_asked(const At& at);
    bool is_of_what_was_sent(const At& at);
    bool is_behind_the_first(const At& at);
    bool is_disconnected(const Half& half);
    void note_outstanding_reads(const At& at, const Pending& answered);
    void judge_final_refusal(const At& at);
    void acknowledge(At& at, std::uint32_t psn);
    void tell_what_is_answered(At& at, std::uint32_t psn);
    static void settle_repeated(Half& requester, Direction& asker, std::uint32_t psn);
    void answer_operations(At& at, std::uint32_t psn);
    static bool is_comparable(const Half& requester, const FrameStamp& asked, const FrameStamp& answer);
    static bool is_own_answer(const At& at, Pending& asked, std::uint32_t psn);
    void complete(At& at, Pending& pending);
    void keep(const Half& asker, Operation& operation);

    Event* add_event(const At& at, Event::Kind kind, std::uint32_t psn, std::uint64_t count);
    void learn_mtu(At& at);
    void judge_order(const At& at);
    void judge_length(const At& at);
    void judge_message_length(const At& at, const Pending& sent);
    void judge_read_length(const At& at, const Pending& read);
    void judge_octets(const At& at, const Pending& asked, std::uint64_t octets);
    static Direction& direction_of(const Half& half) { return half.stream->from[half.side]; }
    static Direction& opposite_of(const Half& half) { return half.stream->from[other(half.side)]; }

    void settle_halves();
    void join_announced();
    void settle_merged();
    void settle_ends();
    void judge_retry_counts();
    void judge_timeout_retries(const Half& half, std::optional<std::uint8_t> allowed);
    void judge_rnr_retries(const Half& half, const rdma_cm::Connection& connection);
    void judge_outstanding_reads(const Half& half, const rdma_cm::Connection& connection);
    void judge_migration();
    void settle_final_refusals();
    const rdma_cm::Connection* connection_of(const Stream& stream);
    /// As the CM negotiated them, or as many as a queue pair can be told to.
    std::uint32_t retries_of(const Stream& stream);

    const Options& options_;
    const Announcements& announcements_;
    Observer& observer_;
    const bool is_observed_;
    Model& model_;
    Pauses pauses_;
    Sessions sessions_;
    Verdicts verdicts_;
    std::deque<Half> halves_;
    FlatMap<Key, Half*, Hash> half_by_key_;
    std::array<Half*, 64> latest_{};                        ///< of which packets came: found without a look at the map
    std::unordered_map<Pair, std::uint64_t, Hash> unread_;  ///< frame of the latest of a port's messages that was cut
    std::uint64_t unread_elsewhere_ = 0;                    ///< the same of ports for which there was no room
    FlatMap<Pair, std::vector<Half*>, Hash> candidates_;    ///< halves of reliable streams without a peer
    FlatMap<Pair, std::vector<Half*>, Hash> marked_;        ///< halves of which packets were marked
    std::unordered_map<Key, std::uint64_t, Hash> waiting_cnps_;  ///< for a stream, by what leads the way of its packets
    std::vector<std::pair<std::uint32_t, Side>> merged_;         ///< by id - 1: into which stream, and its side there
    std::vector<std::uint32_t> events_of_;                       ///< by id - 1: events kept of a stream
    std::uint32_t icrc_room_ = IcrcChecks::first_of_capture;
    Time now_ = 0;
};

}  // namespace fabricscope::engine::rdma
