// SPDX-License-Identifier: GPL-2.0-or-later
// What one queue pair asks of the other: its packet sequence numbers, which of them are missing or come again, and
// the operations that wait for their answers.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analyzer/engine/rdma/model.h"
#include "analyzer/engine/rdma/tracker.h"
#include "protocols/ib/psn.h"

namespace fabricscope::engine::rdma {

/// An operation whose end has not been seen.
struct Pending {
    /// If it has an answer, all of that has come, and it has not been asked for again since.
    Operation seen;
    std::uint64_t number = 0;                  ///< in the order in which they were asked for, from 1
    std::uint32_t end_psn = 0;                 ///< behind its last packet so far; READ: behind its responses, if known
    std::optional<std::uint64_t> asked_bytes;  ///< as RETH says
    bool begun = false;                        ///< its first packet was captured
    bool ended = false;                        ///< its last one was
    bool sized = true;                         ///< `end_psn` is certain
    bool asks_for_answer = false;              ///< its latest packet does
    /// When it showed that a part of its own answer is missing, or all of it: a later one came.
    std::optional<Time> missed;
    bool passed = false;   ///< a later one was answered
    bool refused = false;  ///< by a NAK behind which nothing is answered any more
    // READ: responses since it was asked for.
    std::optional<std::uint32_t> answered_to;          ///< PSN behind the last one
    std::uint32_t missing_begin = 0, missing_end = 0;  ///< that were passed over, the latest of them
    std::uint32_t missing = 0;                         ///< all of them
    std::optional<std::uint32_t> furthest;             ///< PSN behind the last one before it was asked for again

    bool sends() const { return rdma::sends(seen.type); }
    /// Another request for it, or for its end from that PSN on. Returns how many packets of its answer were lost.
    std::uint32_t ask_again(std::uint32_t from);
    bool covers(std::uint32_t psn) const {
        return ib::psn_distance(seen.psn, psn) >= 0 && (!sized || ib::psn_distance(psn, end_psn) > 0);
    }
};

/// Operations in order of their PSNs; the oldest is forgotten when there is no room.
class PendingOperations {
public:
    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    Pending& front() { return ring_[first_]; }
    Pending& back() { return (*this)[count_ - 1]; }
    Pending& operator[](std::size_t index) { return ring_[(first_ + index) & mask_]; }
    /// An empty one, to be filled in, at that PSN's place among the others.
    Pending& insert(std::uint32_t psn, std::size_t limit);
    /// A packet of one of them.
    void extend(Pending& pending, std::uint64_t bytes) {
        pending.seen.bytes += bytes;
        if (pending.sends()) bytes_ += bytes;
    }
    void pop() {
        bytes_ -= sent_bytes_of(front());
        first_ = (first_ + 1) & mask_;
        --count_;
    }
    /// Of those that send something: SENDs and WRITEs.
    std::uint64_t bytes() const { return bytes_; }
    /// How many begin at that PSN or before.
    std::size_t begun_by(std::uint32_t psn);
    /// Without counting its bytes out: another one has taken them over.
    void remove(std::size_t index);
    /// nullptr if there is none.
    Pending* covering(std::uint32_t psn);
    /// Whether it is the PSN of a request packet among them.
    bool holds(std::uint32_t psn);

private:
    static std::uint64_t sent_bytes_of(const Pending& pending) { return pending.sends() ? pending.seen.bytes : 0; }

    std::vector<Pending> ring_;  ///< a power of two of them
    std::size_t mask_ = 0;       ///< one less
    std::size_t first_ = 0, count_ = 0;
    std::uint64_t bytes_ = 0;
};

/// A request that came again, [begin, end).
struct Repeated {
    std::uint32_t begin = 0, end = 0;
    bool has_own_answer = false;  ///< a READ or an atomic
    bool had_arrived = false;     ///< false: nobody knows yet
    bool of_latest = true;        ///< of the latest repetition
};

/// PSNs that have not been seen, [begin, end).
struct Gap {
    std::uint32_t begin = 0, end = 0;
    Time since = 0;
    bool refused = false;      ///< a NAK has asked for it
    bool may_be_read = false;  ///< before it is a READ, of which nobody knows how many packets answer it: perhaps these
};

/// What a request packet is to those before it.
enum class Place : std::uint8_t {
    next,
    ahead,     ///< some before it have not been seen
    late,      ///< has not been seen, but others behind it have
    answered,  ///< has not been seen, but an answer to it has
    repeated,  ///< has been seen
};

class Requests {
public:
    explicit Requests(const Limits& limits) : limits_(limits) {}

    bool started() const { return started_; }
    std::uint32_t first_psn() const { return first_psn_; }
    std::uint32_t next_psn() const { return next_; }
    /// The first one in order of PSNs, of those that are remembered.
    std::uint32_t lowest_psn() const { return lowest_; }
    /// Whether that is the first one of all.
    bool remembers_first() const { return remembers_first_; }
    const std::optional<std::uint32_t>& acknowledged() const { return acknowledged_; }
    /// Whether no operation was forgotten of late for want of room.
    bool has_room(std::size_t limit) const { return pending.size() < limit; }
    /// Whether nothing between the first and the latest packet is missing.
    bool is_whole() const { return gaps_.empty() && !share_unknown_; }

    struct Placed {
        Place place = Place::next;
        std::uint32_t missing = 0;      ///< ahead: how many before it
        Time since = 0;                 ///< late: when it was first seen to be missing
        bool refused = false;           ///< late: a NAK has asked for it
        bool is_known_missing = false;  ///< late: false if it is from before the first packet
    };
    Placed place(std::uint32_t psn) const;
    /// Whether it is too far away to have anything to do with those before: the queue pair was made anew.
    bool is_foreign(std::uint32_t psn) const {
        // Further away is no packet that was lost or retransmitted, as long as no queue is as long as that.
        constexpr std::int32_t farthest_back = 1 << 16, farthest_ahead = 1 << 20;
        const std::int32_t ahead = ib::psn_distance(next_, psn);
        return started_ && (ahead > farthest_ahead || ahead < -farthest_back);
    }
    /// A packet that takes `count` PSNs; 0: nobody knows how many.
    void take(std::uint32_t psn, std::uint32_t count, Time now);
    /// A packet that answers a READ which has not been seen, or whose answer has come before: then it returns false.
    bool take_response(std::uint32_t psn, bool begins, std::uint64_t bytes, Time now);
    /// These have arrived. Returns how many of them have not been seen.
    std::uint32_t answer(std::uint32_t begin, std::uint32_t end);

    /// PSNs that have not been seen, though answers to them have, [begin, end).
    struct Answered {
        std::uint32_t begin = 0, end = 0;
        std::uint32_t packets = 0;  ///< that they were taken for
        std::uint64_t bytes = 0;    ///< of a READ's responses, as far as they were counted
        bool heard = false;         ///< they are those of a READ's responses
    };
    /// They are seen: what was known of them, in all.
    Answered take_answered(std::uint32_t begin, std::uint32_t end);
    /// A NAK asks for this PSN; whether it has not been seen.
    bool refuse(std::uint32_t psn);

    /// All up to `psn` have arrived. Returns how many of them have not been seen.
    std::uint32_t acknowledge(std::uint32_t psn);
    /// Whether it is known that this PSN has arrived.
    bool has_arrived(std::uint32_t psn) const { return acknowledged_ && ib::psn_distance(psn, *acknowledged_) >= 0; }
    /// The latest packet was a READ; the PSN behind its responses has become known.
    void settle_share(std::uint32_t end);
    std::optional<std::uint64_t> in_flight() const;
    /// Of SENDs and WRITEs that are not acknowledged.
    std::optional<std::uint64_t> bytes_in_flight(std::optional<std::uint32_t> mtu);

    PendingOperations pending;
    std::uint64_t operations = 0;  ///< so far

private:
    std::uint32_t fill(std::uint32_t begin, std::uint32_t end, bool seen);
    void add_gap(const Gap& gap);
    void add_answered(const Answered& answered);
    void take_late(std::uint32_t psn, std::uint32_t end, bool may_take_more);

    const Limits& limits_;
    std::vector<Gap> gaps_;
    std::vector<Answered> answered_;
    std::uint32_t first_psn_ = 0, next_ = 0;
    std::uint32_t lowest_ = 0;
    Time began_ = 0;
    std::optional<std::uint32_t> acknowledged_;
    bool started_ = false;
    bool remembers_first_ = true;
    bool share_unknown_ = false;  ///< the latest packet is a READ that may take more PSNs than one
};

}  // namespace fabricscope::engine::rdma
