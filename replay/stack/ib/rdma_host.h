// SPDX-License-Identifier: GPL-2.0-or-later
// A host with one RDMA adapter and a connection manager: an endpoint whose consumer is a derived class.
#pragma once

#include "replay/stack/ib/cm_agent.h"

namespace fabricscope::stack {

struct RdmaHostConfig {
    AdapterConfig adapter;
    CmConfig cm;
    std::uint64_t seed = 1;
};

class RdmaHost : public Endpoint {
public:
    explicit RdmaHost(const RdmaHostConfig& config)
        : random_(config.seed),
          adapter_(config.adapter, 0, frames_, random_.split()),
          cm_(adapter_, config.cm, random_.split()) {}

    Adapter& adapter() { return adapter_; }
    const Adapter& adapter() const { return adapter_; }
    CmAgent& cm() { return cm_; }

    void on_frame(Time now, std::size_t port, ByteView frame) override;
    void on_timer(Time now) override;
    Time wakeup() const override { return std::min({adapter_.wakeup(), cm_.wakeup(), consumer_wakeup()}); }
    void take_frames(std::vector<OutgoingFrame>& frames) override;

protected:
    // What the consumer does. It may call adapter() and cm() at any time; afterwards work() tells it what came of it.
    virtual void on_cm_event(Time now, const CmEvent& event) = 0;
    virtual void on_completion(Time now, Completion completion) = 0;
    virtual void on_consumer_timer(Time /*now*/) {}
    virtual Time consumer_wakeup() const { return never; }

    /// Hands all events to the consumer, until there are no more.
    void work(Time now);
    Random& random() { return random_; }
    /// That want to be sent.
    const std::vector<OutgoingFrame>& frames() const { return frames_; }

private:
    Random random_;
    std::vector<OutgoingFrame> frames_;
    Adapter adapter_;
    CmAgent cm_;
};

}  // namespace fabricscope::stack
