// SPDX-License-Identifier: GPL-2.0-or-later
// A host whose application follows a list: each step when so much has come from the other side.
#pragma once

#include <functional>
#include <memory>

#include "replay/stack/fc/ae_rdma.h"
#include "replay/stack/fc/host.h"

namespace fabricscope::replay::fibre_channel {

using stack::Time;

/// Something that the application does.
struct Step {
    std::size_t after = 0;            ///< Sequences of the other side that have come
    std::function<bool(Time)> act{};  ///< false: not yet; asked again whenever something happens
};

/// Hands on what comes to a TYPE's user, and counts its Sequences.
class Witness final : public stack::fibre_channel::ExchangeUser {
public:
    Witness(stack::fibre_channel::ExchangeUser& user, std::size_t& count) : user_(user), count_(count) {}

    stack::fibre_channel::Disposition on_frame(
        Time now, stack::fibre_channel::ExchangeHandle exchange, const fc::Frame& frame) override {
        return user_.on_frame(now, exchange, frame);
    }
    void on_iu(Time now, const stack::fibre_channel::IncomingIu& iu) override {
        ++count_;
        user_.on_iu(now, iu);
    }
    void on_acknowledged(Time now, stack::fibre_channel::ExchangeHandle exchange) override {
        user_.on_acknowledged(now, exchange);
    }
    void on_failure(
        Time now, stack::fibre_channel::ExchangeHandle exchange, stack::fibre_channel::Failure failure) override {
        user_.on_failure(now, exchange, failure);
    }

private:
    stack::fibre_channel::ExchangeUser& user_;
    std::size_t& count_;
};

class EmulatedPort : public stack::fibre_channel::Host {
public:
    explicit EmulatedPort(const stack::fibre_channel::HostConfig& config) : Host(config) {
        watch(fc::type_els, port());
    }

    void add(Step step) { steps_.push_back(std::move(step)); }

protected:
    /// Has to be called for each TYPE after its user has been set.
    void watch(std::uint8_t type, stack::fibre_channel::ExchangeUser& user) {
        witnesses_.push_back(std::make_unique<Witness>(user, heard_));
        exchanges().set_user(type, *witnesses_.back());
    }
    void on_port_event(Time /*now*/, const stack::fibre_channel::NPortEvent& /*event*/) override {}
    bool consume(Time now) override {
        bool busy = false;
        while (!steps_.empty() && steps_.front().after <= heard_) {
            // It may be that more is heard of while it is done.
            Step step = std::move(steps_.front());
            steps_.pop_front();
            if (!step.act(now)) {
                steps_.push_front(std::move(step));
                break;
            }
            busy = true;
        }
        return busy;
    }
    void on_consumer_timer(Time /*now*/) override { begun_ = true; }
    Time consumer_wakeup() const override { return begun_ ? stack::never : 0; }

private:
    std::deque<Step> steps_;
    std::vector<std::unique_ptr<Witness>> witnesses_;
    std::size_t heard_ = 0;
    bool begun_ = false;  ///< the application runs from the beginning, not from the first frame on
};

}  // namespace fabricscope::replay::fibre_channel
