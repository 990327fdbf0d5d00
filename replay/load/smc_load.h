// SPDX-License-Identifier: GPL-2.0-or-later
// Loads of SMC-R connections: both sides, on the emulated peer.
#pragma once

#include <unordered_map>

#include "replay/load/load.h"
#include "replay/stack/smcr/peer.h"

namespace fabricscope::replay {

class SmcLoadHost : public LoadHost {
public:
    SmcLoadHost(const LoadPlan& plan, LoadAccount& account, unsigned host, const Gid& own, const Mac& mac);

    void on_frame(Time now, std::size_t port, ByteView frame) override;
    void on_timer(Time now) override;
    Time wakeup() const override { return peer_.wakeup(); }
    void take_frames(std::vector<stack::OutgoingFrame>& frames) override { peer_.take_frames(frames); }
    void stop(Time /*now*/) override {}
    std::uint64_t retransmissions() const override { return peer_.retransmissions(); }
    bool leave(Time now) override {
        peer_.delete_groups(now);
        return true;
    }

protected:
    /// A connection has come to its end.
    virtual void on_ended(const stack::smcr::PeerAccount& connection) = 0;
    /// Empty if it went over SMC-R and was closed in order.
    static std::string failure_of(const stack::smcr::PeerAccount& connection);

    stack::smcr::Peer& peer() { return peer_; }
    const LoadPlan& plan() const { return plan_; }

private:
    void take_ended();

    LoadPlan plan_;
    stack::smcr::Peer peer_;
};

class SmcLoadClient final : public SmcLoadHost {
public:
    using SmcLoadHost::SmcLoadHost;
    bool may_start() const override { return due_.size() < first_client_port; }
    void start_session(Time now, Time due) override;
    std::size_t open() const override { return due_.size(); }

private:
    void on_ended(const stack::smcr::PeerAccount& connection) override;

    std::unordered_map<std::uint16_t, Time> due_;  ///< of open connections, by their port
    std::uint16_t next_port_ = 0;
};

class SmcLoadServer final : public SmcLoadHost {
public:
    SmcLoadServer(const LoadPlan& plan, LoadAccount& account, const Gid& own, const Mac& mac);
    std::size_t open() const override { return 0; }

private:
    void on_ended(const stack::smcr::PeerAccount& connection) override;
};

}  // namespace fabricscope::replay
