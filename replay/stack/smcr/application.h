// SPDX-License-Identifier: GPL-2.0-or-later
// What runs on both ends of a connection, over SMC-R or over TCP: somebody who writes, and somebody who reads.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "replay/stack/core/endpoint.h"

namespace fabricscope::stack::smcr {

enum class AppEnd : std::uint8_t {
    close,     ///< when all is done
    shutdown,  ///< for writing; closes when the peer has closed
    abort,     ///< closes without having read everything, or resets
    wait,      ///< closes when the peer has
};

/// A step of what an application was seen to do. Counts of octets are of all since the begin.
struct AppStep {
    std::uint64_t read = 0;     ///< reads, until it has read so many
    std::uint64_t arrived = 0;  ///< waits until so many have come, read or not
    bool until_end = false;     ///< reads, until the peer has ended
    bool after_end = false;     ///< waits until the peer has ended, whether all has been read or not
    Time pause = 0;             ///< waits
    std::uint64_t written = 0;  ///< writes, until it has written so many
    bool urgent = false;        ///< the last one of them is urgent
    std::optional<AppEnd> end{};
};

/// What an application did, as far as a recording tells; it reads no further than it did then, unless nothing else goes
/// on.
struct AppScript {
    Octets octets;  ///< that it writes
    std::vector<AppStep> steps;
};

/// The host does not want SMC-R for a connection.
struct Refusal {
    std::uint32_t code = 0;  ///< Peer Diagnosis (RFC 7609, A.2.5)
    bool unasked = false;    ///< client: instead of a PROPOSAL, not of a CONFIRM
};

struct AppPlan {
    std::optional<Refusal> refusal{};
    bool echo = false;            ///< sends back what it reads
    unsigned messages = 0;        ///< to send
    std::uint64_t octets = 100;   ///< of each
    Octets content{};             ///< of all of them, again and again; empty: it follows from the seed
    bool ping_pong = true;        ///< waits until each message has come back
    unsigned urgent_every = 0;    ///< every n-th message ends with an urgent octet; 0 = none
    Time pause = 0;               ///< before each message but the first
    std::uint64_t read_size = 0;  ///< reads so much at once; 0 = all there is
    Time read_interval = 0;       ///< between two reads
    Time read_from = 0;           ///< after the connection came to be
    Time hold = 0;                ///< after the last message
    AppEnd end = AppEnd::wait;
    /// Instead of all the above.
    std::shared_ptr<const AppScript> script{};
    double pace = 0;  ///< pauses of the script are multiplied with it
    /// Asked before an end of the script, whether that may be; empty: always.
    std::function<bool()> may_end{};
};

/// The octet streams that an application sees.
class ByteStream {
public:
    virtual std::size_t write(ByteView octets) = 0;
    virtual bool write_urgent(std::uint8_t octet) = 0;
    virtual std::uint64_t readable() const = 0;
    virtual Octets read(std::uint64_t most) = 0;
    virtual bool peer_ended() const = 0;
    /// All that the peer will ever send has been read.
    bool at_end() const { return peer_ended() && readable() == 0; }
    virtual void shutdown_write() = 0;
    virtual void close() = 0;
    virtual void abort() = 0;

protected:
    ~ByteStream() = default;
};

/// Octets and what they were, without keeping them.
struct StreamDigest {
    std::uint64_t octets = 0;
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325;  ///< FNV-1a

    void add(ByteView more) {
        octets += more.size();
        for (const std::uint8_t octet : more) hash = (hash ^ octet) * 0x100'0000'01B3;
    }
    bool operator==(const StreamDigest&) const = default;
};

class Application {
public:
    Application(AppPlan plan, std::uint64_t seed) : plan_(std::move(plan)), seed_(seed) {}

    /// Does what can be done now. Called after everything that happens to the stream, and at wakeup().
    void work(Time now, ByteStream& stream);
    Time wakeup() const { return wakeup_; }
    const StreamDigest& sent() const { return sent_; }
    const StreamDigest& received() const { return received_; }
    bool ended() const { return ended_; }
    /// Of the script: how many steps have been done.
    std::size_t steps_done() const { return step_; }
    std::size_t steps() const { return plan_.script ? plan_.script->steps.size() : 0; }
    bool script_done() const { return plan_.script && step_ == plan_.script->steps.size(); }
    bool started() const { return started_; }
    /// Its script would end now, but may not yet.
    bool held() const { return held_; }

private:
    void play(Time now, ByteStream& stream);
    bool play(Time now, ByteStream& stream, const AppStep& step);
    bool write_step(Time now, ByteStream& stream, const AppStep& step);
    void end_step(ByteStream& stream, AppEnd end);
    void read_up_to(ByteStream& stream, std::uint64_t total);
    void wait_for_room(Time now, ByteStream& stream);
    void read(Time now, ByteStream& stream);
    void write(Time now, ByteStream& stream);
    bool next_message(Time now);
    void finish(Time now, ByteStream& stream);
    void wake(Time at) { wakeup_ = std::min(wakeup_, at); }

    AppPlan plan_;
    std::uint64_t seed_;
    Time wakeup_ = never;
    Octets outgoing_;  ///< what the stream has not taken yet
    bool urgent_pending_ = false;
    std::uint8_t urgent_octet_ = 0;
    unsigned begun_ = 0;          ///< messages
    std::uint64_t produced_ = 0;  ///< octets of own messages
    Time next_message_ = 0;
    Time next_read_ = 0;
    Time end_at_ = never;
    bool started_ = false, shut_ = false, ended_ = false, held_ = false;
    std::size_t step_ = 0;
    std::optional<Time> resume_at_;  ///< script: when the step's pause ends
    std::optional<Time> relief_at_;  ///< script: when it reads on, so that the peer may read on
    StreamDigest sent_, received_;
};

}  // namespace fabricscope::stack::smcr
