// SPDX-License-Identifier: GPL-2.0-or-later
// What a run against a live peer takes its time for.
#include "replay/transport/live.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

namespace fabricscope::replay {
namespace {

/// Has so many frames to send, all at once, and is over then.
class Talker final : public Player {
public:
    explicit Talker(std::size_t frames) : frames_(frames) {}

    void start(Time) override { waiting_ = frames_; }
    bool over() const override { return waiting_ == 0; }
    std::string waiting_for() const override { return "nothing"; }
    void leave(Time) override {}
    void on_frame(Time, std::size_t, ByteView) override {}
    void on_timer(Time) override {}
    Time wakeup() const override { return stack::never; }
    void take_frames(std::vector<stack::OutgoingFrame>& frames) override {
        frames.clear();
        for (; waiting_ != 0; --waiting_) frames.push_back({0, Octets(60), {}});
    }

private:
    std::size_t frames_;
    std::size_t waiting_ = 0;
};

/// Leads nowhere.
class Nowhere final : public Transport {
public:
    std::optional<LiveAddresses> addresses() const override { return std::nullopt; }
    void send(ByteView) override { ++sent; }
    ByteView receive(Time) override { return {}; }
    bool is_refused() const override { return true; }

    std::size_t sent = 0;
};

TEST(LiveRun, SendsNoMoreFramesASecondThanItMay) {
    Nowhere transport;
    const auto start = std::chrono::steady_clock::now();
    AttachedPlayer talker{std::make_unique<Talker>(120), capture::LinkType::ethernet, {}};
    const auto run = run_live(std::move(talker), transport, {.frames_per_second = 1000});
    const auto taken = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(transport.sent, 120U);
    EXPECT_GE(taken, std::chrono::milliseconds(109)) << "ten at once, one each millisecond then";
    for (std::size_t i = 12; i < run.frames.size(); ++i)
        EXPECT_GE(run.frames[i].time - run.frames[i - 12].time, capture::millisecond) << "no burst later on";
}

}  // namespace
}  // namespace fabricscope::replay
