// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/transport/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "capture/interface.h"
#include "replay/stack/core/faulty_way.h"

namespace fabricscope::replay {

namespace {

/// How long the run goes on after all has been played, for what still comes of itself.
constexpr Time settling = capture::second;
/// How long the peer may take to acknowledge the end of what it was played.
constexpr Time leaving = capture::second / 2;
/// The system wakes a process up so late at times; this before something is due, there is no more sleep.
constexpr Time precision = 200 * capture::microsecond;
/// How long the transport is listened to at once.
constexpr Time slice = 50 * capture::millisecond;

/// Capture times are wall clock times, gaps must not jump with it.
class Clock {
public:
    Time now() const { return start_ + std::chrono::nanoseconds(std::chrono::steady_clock::now() - origin_).count(); }

private:
    std::chrono::steady_clock::time_point origin_ = std::chrono::steady_clock::now();
    Time start_ = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
};

/// So many frames a second, and a few at once.
class Budget {
public:
    explicit Budget(unsigned per_second) : interval_(capture::second / per_second) {}

    /// How long the next frame has to wait.
    Time spend(Time now) {
        earned_ = std::max(earned_, now - capture::second / 100) + interval_;
        return std::max<Time>(earned_ - now, 0);
    }

private:
    Time interval_;
    Time earned_ = 0;
};

class LiveRun {
public:
    LiveRun(AttachedPlayer player, Transport& transport, const LiveLimits& limits)
        : player_(std::move(player)), transport_(transport), limits_(limits), budget_(limits.frames_per_second) {
        if (limits.faults) way_.emplace(limits.faults, limits.seed);
    }

    Run go() {
        const Time start = clock_.now();
        last_ = start;
        player_.endpoint->start(start);
        try {
            send();
            while (!finished(start)) step();
        } catch (const TransportError& error) {
            run_.broken_off = error.what();
        } catch (const capture::InterfaceError& error) {
            run_.broken_off = error.what();
        }
        run_.judged = std::min(left_at_, run_.frames.size());
        run_.over = player_.endpoint->over();
        if (!run_.over) run_.waiting_for = player_.endpoint->waiting_for();
        run_.notes = player_.endpoint->notes();
        run_.refusal = refusal();
        leave();
        return std::move(run_);
    }

private:
    /// Why nothing came of it; empty if something did.
    std::string refusal() const {
        if (std::string reason = player_.endpoint->refusal(); !reason.empty()) return reason;
        if (heard_ || run_.over || interrupted_) return {};
        std::string reason = transport_.why_silent();
        if (reason.empty()) reason = run_.broken_off;
        if (reason.empty()) reason = "the peer is silent: no frame of it came";
        return fmt::format("{}; waited for {}", reason, run_.waiting_for);
    }

    /// Until the peer has got and acknowledged it, but not for long.
    void leave() {
        way_.reset();  // nothing may keep this from the peer
        try {
            const std::size_t before = run_.frames.size();
            player_.endpoint->leave(clock_.now());
            send();
            if (run_.frames.size() == before) return;
            const Time until = clock_.now() + leaving;
            while (heard_ && clock_.now() < until) step();
        } catch (const std::runtime_error&) {  // there is no way to it any more, which has been told
        }
    }

    bool finished(Time start) {
        const Time now = clock_.now();
        if (limits_.stop && limits_.stop()) {
            run_.broken_off = "interrupted";
            interrupted_ = true;
            return true;
        }
        if (!heard_ && transport_.is_refused()) return true;
        if (!player_.endpoint->refusal().empty()) return true;
        if (now - start >= limits_.most || run_.frames.size() >= limits_.frames) return true;
        if (player_.endpoint->over()) return now - last_ >= settling;
        return player_.endpoint->wakeup() == stack::never && now - last_ >= limits_.patience;
    }

    void step() {
        const Time wakeup = std::min(player_.endpoint->wakeup(), way_ ? way_->wakeup() : stack::never);
        const Time until = wakeup - std::min(wakeup, clock_.now());
        const ByteView frame = transport_.receive(std::clamp<Time>(until - precision, 0, slice));
        const Time now = clock_.now();
        if (is_for_player(frame)) {
            heard_ = true;
            last_ = now;
            if (way_) way_->put(now, from_peer, {frame.begin(), frame.end()});
            else receive(now, frame);
        }
        pass_on(now);
        if (player_.endpoint->wakeup() <= now) player_.endpoint->on_timer(now);
        send();
    }

    void receive(Time now, ByteView frame) {
        run_.frames.push_back({now, 0, false, {frame.begin(), frame.end()}, {}});
        player_.endpoint->on_frame(now, 0, frame);
        if (player_.endpoint->peer_leaves()) left_at_ = std::min(left_at_, run_.frames.size() - 1);
    }

    /// What has come through faults, to whom it was sent.
    void pass_on(Time now) {
        if (!way_) return;
        for (const stack::FaultyWay::Frame& frame : way_->take_arrived(now))
            if (frame.from == from_player) transport_.send(frame.octets);
            else receive(now, frame.octets);
    }

    /// An interface has the traffic of others, too, which is neither answered nor waited for.
    bool is_for_player(ByteView frame) const {
        const auto goes_to = [&](const Mac& own) {
            return frame.size() >= own.octets.size() && std::ranges::equal(frame.first(own.octets.size()), own.octets);
        };
        return std::ranges::any_of(player_.addresses, goes_to) || (player_.addresses.empty() && !frame.empty());
    }

    void send() {
        player_.endpoint->take_frames(outgoing_);
        for (stack::OutgoingFrame& frame : outgoing_) {
            if (const Time wait = budget_.spend(clock_.now()); wait != 0)
                std::this_thread::sleep_for(std::chrono::nanoseconds(wait));
            const Time now = clock_.now();
            if (way_) way_->put(now, from_player, frame.octets);
            else transport_.send(frame.octets);
            run_.frames.push_back({now, frame.port, true, std::move(frame.octets), std::move(frame.note)});
        }
        pass_on(clock_.now());
    }

    AttachedPlayer player_;
    Transport& transport_;
    LiveLimits limits_;
    Clock clock_;
    Budget budget_;
    std::optional<stack::FaultyWay> way_;  ///< nothing: frames go straight
    Run run_;
    std::vector<stack::OutgoingFrame> outgoing_;
    Time last_ = 0;  ///< when the last frame of the peer arrived
    bool interrupted_ = false;
    bool heard_ = false;
    std::size_t left_at_ = SIZE_MAX;  ///< the frame with which the peer began to leave
};

}  // namespace

Run run_live(AttachedPlayer player, Transport& transport, const LiveLimits& limits) {
    return LiveRun(std::move(player), transport, limits).go();
}

}  // namespace fabricscope::replay
