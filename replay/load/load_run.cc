// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/load/load_run.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "replay/transport/ip_hosts.h"

namespace fabricscope::replay {

namespace {

/// How long ends that are under way are waited for.
constexpr Time grace = 3 * capture::second;
/// How long the peer may take to acknowledge that link groups end.
constexpr Time settling = 200 * capture::millisecond;
/// If so many frames came at once, those behind them are let come together: the system takes longer to wake somebody up
/// for each than to hand over all.
constexpr unsigned many = 32;
constexpr std::chrono::microseconds together{20};
/// How long the interface is listened to at once.
constexpr Time slice = 20 * capture::millisecond;
/// Frames that are taken in before anything is sent.
constexpr unsigned most_at_once = 128;
/// What is due is begun in portions, so that what comes in the meantime is not lost.
constexpr unsigned portion = 256;

Time now() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Things that are due at a steady rate, or at any time.
class Pace {
public:
    Pace(double rate, Time start) : interval_(rate > 0 ? 1e9 / rate : 0), start_(start) {}

    bool is_limited() const { return interval_ > 0; }
    /// When the next one is due; now, if there is no rate.
    Time next(Time at) const {
        return is_limited() ? start_ + static_cast<Time>(static_cast<double>(count_) * interval_) : at;
    }
    void take() { ++count_; }

private:
    double interval_;  ///< nanoseconds
    Time start_;
    std::uint64_t count_ = 0;
};

class Loop {
public:
    Loop(const LoadPlan& plan, IpHosts& hosts, const std::function<bool()>& stop)
        : plan_(plan), hosts_(hosts), stop_(stop) {}

    LoadRun client() {
        for (unsigned i = 0; i < hosts_.count(); ++i)
            add(make_load_client(plan_, run_.account, i, hosts_.ip(i), hosts_.mac(i)));
        go(now() + plan_.duration, [this](Time at) { begin_what_is_due(at); });
        return std::move(run_);
    }

    LoadRun server(bool limited) {
        add(make_load_server(plan_, run_.account, hosts_.ip(0), hosts_.mac(0)));
        go(limited ? now() + plan_.duration : stack::never, [](Time) {});
        return std::move(run_);
    }

private:
    void add(std::unique_ptr<LoadHost> host) { ends_.push_back({std::move(host), {}, stack::never, true}); }

    template <class Begin> void go(Time end, const Begin& begin) {
        const Time start = now();
        sessions_ = Pace(plan_.kind == LoadKind::rc ? 0 : plan_.rate, start);
        messages_ = Pace(plan_.kind == LoadKind::rc ? plan_.rate : 0, start);
        try {
            while (!is_over(end)) step(begin);
            run_.seconds = static_cast<double>(now() - start) / 1e9;
            leave();
        } catch (const TransportError& error) {  // the interface went away
            run_.seconds = static_cast<double>(now() - start) / 1e9;
            run_.broken_off = error.what();
            run_.open = open();
        }
        for (const End& each : ends_) run_.frames_retransmitted += each.host->retransmissions();
        run_.frames_dropped = hosts_.dropped();
    }

    bool is_over(Time end) {
        if (stop_ && stop_()) run_.interrupted = true;
        const bool all = plan_.total && run_.account.started >= *plan_.total && open() == 0;
        return run_.interrupted || all || now() >= end;
    }

    /// What has been begun comes to its end at the peer, too.
    void leave() {
        for (End& end : ends_) {
            end.host->stop(now());
            end.touched = true;
        }
        for (const Time until = now() + grace; open() != 0 && now() < until;) step([](Time) {});
        run_.open = open();
        bool answers = false;
        for (End& end : ends_) {
            answers |= end.host->leave(now());
            end.touched = true;
        }
        flush();
        for (const Time until = now() + settling; answers && now() < until;) step([](Time) {});
    }

    std::size_t open() const {
        std::size_t all = 0;
        for (const End& end : ends_) all += end.host->open();
        return all;
    }

    template <class Begin> void step(const Begin& begin) {
        begin(now());
        flush();
        listen();
        const Time at = now();
        for (End& end : ends_)
            if (end.wakeup <= at) {
                end.host->on_timer(at);
                end.touched = true;
            }
        flush();
    }

    /// Takes what has come. Waits for it if there is nothing else to do.
    void listen() {
        if (std::exchange(came_, 0) >= many) std::this_thread::sleep_for(together);
        Time wait = std::max<Time>(next_time() - now(), 0);
        for (unsigned i = 0; i < most_at_once; ++i) {
            const IpHosts::Arrived arrived = hosts_.receive(std::min(wait, slice));
            if (!arrived.any) return;
            wait = 0;
            ++came_;
            if (arrived.frame.empty()) continue;
            ++run_.frames_received;
            End& end = ends_[arrived.host];
            end.host->on_frame(now(), 0, arrived.frame);
            end.touched = true;
        }
    }

    /// When something is to be done even if nothing comes.
    Time next_time() const {
        Time next = next_begin_;
        for (const End& end : ends_) next = std::min(next, end.wakeup);
        return next;
    }

    void begin_what_is_due(Time at) {
        next_begin_ = stack::never;
        for (unsigned i = 0; may_begin_session(); ++i) {
            const Time due = sessions_.next(at);
            if (due > at || i == portion) {
                next_begin_ = std::min(next_begin_, due);
                break;
            }
            End* const end = next_free_end();
            if (end == nullptr) break;  // each will say when
            sessions_.take();
            end->host->start_session(at, due);
        }
        for (unsigned i = 0; messages_.is_limited(); ++i) {
            const Time due = messages_.next(at);
            if (due > at || i == portion) {
                next_begin_ = std::min(next_begin_, due);
                break;
            }
            if (!post(at, due)) break;
            messages_.take();
        }
    }

    bool may_begin_session() const {
        return open() < plan_.sessions && (!plan_.total || run_.account.started < *plan_.total);
    }

    struct End {
        std::unique_ptr<LoadHost> host;
        std::vector<stack::OutgoingFrame> frames;
        Time wakeup = stack::never;
        bool touched = false;  ///< it may want to send
    };

    End& next_end() {
        turn_ = (turn_ + 1) % ends_.size();
        ends_[turn_].touched = true;
        return ends_[turn_];
    }

    /// nullptr: none can begin a session.
    End* next_free_end() {
        for (std::size_t tried = 0; tried < ends_.size(); ++tried)
            if (End& end = next_end(); end.host->may_start()) return &end;
        return nullptr;
    }

    bool post(Time at, Time due) {
        for (std::size_t tried = 0; tried < ends_.size(); ++tried)
            if (next_end().host->post(at, due)) return true;
        return false;
    }

    void flush() {
        views_.clear();
        for (End& end : ends_) {
            if (!std::exchange(end.touched, false)) continue;
            end.host->take_frames(end.frames);
            end.wakeup = end.host->wakeup();
            for (const stack::OutgoingFrame& frame : end.frames) views_.emplace_back(frame.octets);
        }
        run_.frames_sent += views_.size();
        hosts_.send(views_);
    }

    const LoadPlan& plan_;
    IpHosts& hosts_;
    const std::function<bool()>& stop_;
    LoadRun run_;
    std::vector<End> ends_;  ///< as the hosts
    std::vector<ByteView> views_;
    Pace sessions_{0, 0}, messages_{0, 0};
    Time next_begin_ = stack::never;
    std::size_t turn_ = 0;
    unsigned came_ = 0;  ///< frames, when it was listened last
};

}  // namespace

LoadRun run_load(
    LoadPlan plan, const LoadWay& way, const std::function<void()>& ready, const std::function<bool()>& stop) {
    const TransportOptions options{.address = way.address, .interface = way.interface, .timeout = way.timeout};
    const bool serves = way.peer.empty();
    IpHostsConfig config = serves ? hosts_at(options, 1, std::nullopt) : hosts_towards(way.peer, options, way.hosts);
    config.join = way.join;
    config.stop = stop;
    IpHosts hosts(config);
    ready();
    if (serves) return Loop(plan, hosts, stop).server(way.limited);
    plan.peer = *config.peer;
    plan.peer_mac = hosts.peer_mac();
    return Loop(plan, hosts, stop).client();
}

}  // namespace fabricscope::replay
