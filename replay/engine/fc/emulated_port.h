// SPDX-License-Identifier: GPL-2.0-or-later
// A host whose application follows a list: each step when so much has come from the other side.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>

#include "replay/engine/fc/information_unit.h"
#include "replay/stack/fc/host.h"

namespace fabricscope::replay::fibre_channel {

using stack::Time;

/// Something that the application does.
struct Step {
    std::size_t after = 0;            ///< Sequences of the other side that have come
    std::function<bool(Time)> act{};  ///< false: not yet; asked again whenever something happens
};

/// What an emulated port hears.
struct Hearing {
    std::size_t heard = 0;  ///< Sequences
    /// Sequences that get lost: their name, and which of that name, from 0.
    std::set<std::pair<std::string, std::size_t>> lost{};
    std::map<std::string, std::size_t> begun{};  ///< Sequences of each name
};

/// Hands on what comes to a TYPE's user, but for what gets lost, and counts its Sequences.
class Witness final : public stack::fibre_channel::ExchangeUser {
public:
    Witness(stack::fibre_channel::ExchangeUser& user, const Reading& reading, Hearing& hearing)
        : user_(user), reading_(reading), hearing_(hearing) {}

    stack::fibre_channel::Disposition on_frame(
        Time now, stack::fibre_channel::ExchangeHandle exchange, const fc::Frame& frame) override {
        if (is_lost(exchange, frame)) return stack::fibre_channel::Disposition::discard;
        return user_.on_frame(now, exchange, frame);
    }
    void on_iu(Time now, const stack::fibre_channel::IncomingIu& iu) override {
        ++hearing_.heard;
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
    bool is_lost(stack::fibre_channel::ExchangeHandle exchange, const fc::Frame& frame) {
        if (hearing_.lost.empty()) return false;
        const std::pair sequence{exchange, frame.header.seq_id};
        if (sequence != sequence_) {
            const ByteView device_header = frame.device_header();
            const std::string name = name_of(
                {frame.header,
                 frame.header,
                 {device_header.begin(), device_header.end()},
                 {frame.payload.begin(), frame.payload.end()}},
                reading_);
            sequence_ = sequence;
            loses_ = hearing_.lost.contains({name, hearing_.begun[name]++});
        }
        return loses_;
    }

    stack::fibre_channel::ExchangeUser& user_;
    Reading reading_;
    Hearing& hearing_;
    std::pair<stack::fibre_channel::ExchangeHandle, std::uint8_t> sequence_{};  ///< whose frames are coming
    bool loses_ = false;
};

class EmulatedPort : public stack::fibre_channel::Host {
public:
    explicit EmulatedPort(const stack::fibre_channel::HostConfig& config) : Host(config) {
        watch(fc::type_els, port(), {});
    }

    void add(Step step) { steps_.push_back(std::move(step)); }
    void lose(std::set<std::pair<std::string, std::size_t>> sequences) { hearing_.lost = std::move(sequences); }

protected:
    /// Has to be called for each TYPE after its user has been set.
    void watch(std::uint8_t type, stack::fibre_channel::ExchangeUser& user, const Reading& reading) {
        witnesses_.push_back(std::make_unique<Witness>(user, reading, hearing_));
        exchanges().set_user(type, *witnesses_.back());
    }
    void on_port_event(Time /*now*/, const stack::fibre_channel::NPortEvent& /*event*/) override {}
    bool consume(Time now) override {
        bool busy = false;
        while (!steps_.empty() && steps_.front().after <= hearing_.heard) {
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
    Hearing hearing_;
    bool begun_ = false;  ///< the application runs from the beginning, not from the first frame on
};

}  // namespace fabricscope::replay::fibre_channel
