// SPDX-License-Identifier: GPL-2.0-or-later
// Loads of RDMA CM connections, and of messages over them: both sides, on the emulated adapter.
#pragma once

#include <unordered_map>
#include <vector>

#include "replay/load/load.h"
#include "replay/stack/ib/rdma_host.h"

namespace fabricscope::replay {

/// A side's adapter, connection manager and sessions.
class RdmaLoadHost : public stack::RdmaHost {
public:
    RdmaLoadHost(const LoadPlan& plan, LoadAccount& account, unsigned host, const Gid& own, const Mac& mac);
    std::size_t open() const { return sessions_.size(); }
    std::uint64_t retransmissions() const { return adapter().retransmissions(); }

protected:
    struct Session {
        stack::CmId id = 0;
        std::uint32_t qpn = 0;
        bool ready = false;               ///< client: messages can be sent
        Time due = 0;                     ///< client: when it should have begun
        std::uint64_t begun = 0;          ///< messages sent, or that have come
        std::uint64_t done = 0;           ///< client: messages that the server has got
        std::vector<Time> message_due{};  ///< client: of those under way, in turns
        std::size_t place = 0;            ///< client, in `ready_`
    };

    Session& add(stack::CmId id, std::uint32_t qpn);
    Session* session_of(stack::CmId id);
    Session* session_with(std::uint32_t qpn);
    void connect(const Session& session, const stack::CmConnection& connection);
    /// It is over, and forgotten.
    void remove(const Session& session);

    const LoadPlan& plan() const { return plan_; }
    LoadAccount& account() { return account_; }
    /// Nothing new is begun any more.
    void set_stopping() { stopping_ = true; }
    bool stopping() const { return stopping_; }
    std::unordered_map<stack::CmId, Session>& sessions() { return sessions_; }

private:
    LoadPlan plan_;
    LoadAccount& account_;
    std::unordered_map<stack::CmId, Session> sessions_;
    std::unordered_map<std::uint32_t, stack::CmId> by_qpn_;
    bool stopping_ = false;
};

class RdmaLoadClient final : public RdmaLoadHost {
public:
    using RdmaLoadHost::RdmaLoadHost;
    void start_session(Time now, Time due);
    bool post(Time now, Time due);
    void stop(Time now);

protected:
    void on_cm_event(Time now, const stack::CmEvent& event) override;
    void on_completion(Time now, stack::Completion completion) override;

private:
    void on_reply(Time now, Session& session);
    bool has_room(const Session& session) const;
    void send(Time now, Time due, Session& session);
    void disconnect(Time now, Session& session);
    void leave_ready(Session& session);
    void fail(const Session& session, const std::string& reason);

    std::vector<stack::CmId> ready_;  ///< sessions that messages can be sent on
    std::size_t turn_ = 0;            ///< of them, which one is next
};

class RdmaLoadServer final : public RdmaLoadHost {
public:
    RdmaLoadServer(const LoadPlan& plan, LoadAccount& account, const Gid& own, const Mac& mac);
    void start_session(Time /*now*/, Time /*due*/) {}
    bool post(Time /*now*/, Time /*due*/) { return false; }
    void stop(Time now);

protected:
    void on_cm_event(Time now, const stack::CmEvent& event) override;
    void on_completion(Time now, stack::Completion completion) override;

private:
    void accept(Time now, stack::CmId id);
    void end(stack::CmId id, const char* reason);
};

/// One of them as a host of a load.
template <class Side> class RdmaLoad final : public LoadHost {
public:
    template <class... Arguments>
    RdmaLoad(const LoadPlan& plan, LoadAccount& account, Arguments&&... arguments)
        : LoadHost(account), side_(plan, account, std::forward<Arguments>(arguments)...) {}

    void on_frame(Time now, std::size_t port, ByteView frame) override { side_.on_frame(now, port, frame); }
    void on_timer(Time now) override { side_.on_timer(now); }
    Time wakeup() const override { return side_.wakeup(); }
    void take_frames(std::vector<stack::OutgoingFrame>& frames) override { side_.take_frames(frames); }
    void start_session(Time now, Time due) override { side_.start_session(now, due); }
    bool post(Time now, Time due) override { return side_.post(now, due); }
    void stop(Time now) override { side_.stop(now); }
    std::size_t open() const override { return side_.open(); }
    std::uint64_t retransmissions() const override { return side_.retransmissions(); }

private:
    Side side_;
};

}  // namespace fabricscope::replay
