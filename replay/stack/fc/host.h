// SPDX-License-Identifier: GPL-2.0-or-later
// A host with one N_Port: an endpoint whose consumer is a derived class.
#pragma once

#include "replay/stack/fc/n_port.h"

namespace fabricscope::stack::fibre_channel {

struct HostConfig {
    NPortConfig port;
    std::uint64_t seed = 1;
};

class Host : public Endpoint {
public:
    explicit Host(const HostConfig& config)
        : random_(config.seed),
          exchanges_(config.port.exchanges, 0, frames_, random_.split()),
          port_(config.port, exchanges_) {
        exchanges_.loop_back();
    }

    NPort& port() { return port_; }
    const NPort& port() const { return port_; }
    Exchanges& exchanges() { return exchanges_; }

    void on_frame(Time now, std::size_t /*port*/, ByteView frame) override {
        exchanges_.on_frame(now, frame);
        work(now);
    }
    void on_timer(Time now) override {
        exchanges_.on_timer(now);
        port_.on_timer(now);
        on_consumer_timer(now);
        work(now);
    }
    Time wakeup() const override { return std::min({exchanges_.wakeup(), port_.wakeup(), consumer_wakeup()}); }
    void take_frames(std::vector<OutgoingFrame>& frames) override {
        frames.clear();
        std::swap(frames, frames_);
    }

protected:
    virtual void on_port_event(Time now, const NPortEvent& event) = 0;
    /// Does what there is to do; true if there may be more.
    virtual bool consume(Time /*now*/) { return false; }
    virtual void on_consumer_timer(Time /*now*/) {}
    virtual Time consumer_wakeup() const { return never; }

    /// Until nothing happens any more.
    void work(Time now) {
        do
            while (const auto event = port_.next_event()) on_port_event(now, *event);
        while (exchanges_.deliver_to_itself(now) || consume(now));
    }
    Random& random() { return random_; }

private:
    Random random_;
    std::vector<OutgoingFrame> frames_;
    Exchanges exchanges_;
    NPort port_;
};

}  // namespace fabricscope::stack::fibre_channel
