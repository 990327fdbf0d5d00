// SPDX-License-Identifier: GPL-2.0-or-later
// Copies of a recorded session: its client is played by many hosts, by each of them again and again.
#pragma once

#include "replay/load/load.h"

namespace fabricscope::replay {

/// One of the hosts: it plays one copy at a time.
class RecordedLoadClient final : public LoadHost {
public:
    RecordedLoadClient(const LoadPlan& plan, LoadAccount& account, unsigned host, const Gid& own, const Mac& mac);

    void on_frame(Time now, std::size_t port, ByteView frame) override;
    void on_timer(Time now) override;
    Time wakeup() const override;
    void take_frames(std::vector<stack::OutgoingFrame>& frames) override;
    bool may_start() const override { return player_ == nullptr; }
    void start_session(Time now, Time due) override;
    /// What is under way comes to its end by itself.
    void stop(Time /*now*/) override {}
    bool leave(Time now) override;
    std::size_t open() const override { return player_ != nullptr && left_until_ == stack::never ? 1 : 0; }

private:
    /// When nobody waits for the peer any more.
    Time gives_up_at() const;
    void look(Time now);
    void end(Time now, const std::string& failure);

    LoadPlan plan_;
    LiveAddresses addresses_;
    std::unique_ptr<Player> player_;
    std::vector<stack::OutgoingFrame> frames_;  ///< that it has sent already
    Time due_ = 0;
    Time heard_ = 0;                  ///< when it began, or the last frame came
    Time left_until_ = stack::never;  ///< it is over, and what the peer still says is taken until then
    std::uint32_t copies_ = 0;
};

}  // namespace fabricscope::replay
