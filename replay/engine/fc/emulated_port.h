// SPDX-License-Identifier: GPL-2.0-or-later
// A host whose applications use FC-VI and FC-AE-RDMA in the steps of a list: each when so much has come from the other
// side.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "replay/engine/fc/recorded_vi.h"
#include "replay/stack/fc/ae_rdma/ae_rdma.h"
#include "replay/stack/fc/host.h"
#include "replay/stack/fc/vi/provider.h"

namespace fabricscope::replay::fibre_channel {

using stack::Time;

/// Something that an application does.
struct Step {
    std::size_t message = 0;          ///< what it sends first in the recording; steps are in this order
    std::size_t after = 0;            ///< Sequences of the other side that have come
    std::size_t track = 0;            ///< of one track each waits for the one before
    std::function<bool(Time)> act{};  ///< false: not yet; asked again whenever something happens
};

/// Sequences that an emulated port has received.
struct ReceivedSequences {
    std::size_t count = 0;
    /// Sequences that get lost: their name, and which of that name, from 0.
    std::set<std::pair<std::string, std::size_t>> lost{};
    std::map<std::string, std::size_t> begun{};  ///< Sequences of each name
};

/// Passes received frames to the user of a TYPE and counts their Sequences; discards those that are to be lost.
class ReceiveMonitor final : public stack::fibre_channel::ExchangeUser {
public:
    ReceiveMonitor(stack::fibre_channel::ExchangeUser& user, const IuContext& context, ReceivedSequences& received)
        : user_(user), context_(context), received_(received) {}

    stack::fibre_channel::Disposition on_frame(
        Time now, stack::fibre_channel::ExchangeHandle exchange, const fc::Frame& frame) override {
        if (is_lost(exchange, frame)) return stack::fibre_channel::Disposition::discard;
        // Frames that its user discards count, too.
        if (frame.header.f_ctl.end_sequence) ++received_.count;
        return user_.on_frame(now, exchange, frame);
    }
    bool repeats_busy() const override { return user_.repeats_busy(); }
    void on_iu(Time now, const stack::fibre_channel::IncomingIu& iu) override { user_.on_iu(now, iu); }
    void on_acknowledged(Time now, stack::fibre_channel::ExchangeHandle exchange) override {
        user_.on_acknowledged(now, exchange);
    }
    void on_failure(
        Time now, stack::fibre_channel::ExchangeHandle exchange, stack::fibre_channel::Failure failure) override {
        user_.on_failure(now, exchange, failure);
    }

private:
    bool is_lost(stack::fibre_channel::ExchangeHandle exchange, const fc::Frame& frame) {
        if (received_.lost.empty()) return false;
        const std::pair sequence{exchange, frame.header.seq_id};
        if (sequence != sequence_) {
            const ByteView device_header = frame.device_header();
            const std::string name = name_of(
                {frame.header,
                 frame.header,
                 {device_header.begin(), device_header.end()},
                 {frame.payload.begin(), frame.payload.end()}},
                context_);
            sequence_ = sequence;
            discards_ = received_.lost.contains({name, received_.begun[name]++});
        }
        return discards_;
    }

    stack::fibre_channel::ExchangeUser& user_;
    IuContext context_;
    ReceivedSequences& received_;
    std::pair<stack::fibre_channel::ExchangeHandle, std::uint8_t> sequence_{};  ///< whose frames are coming
    bool discards_ = false;
};

struct EmulatedPortConfig {
    stack::fibre_channel::HostConfig host;
    stack::vi::ProviderConfig provider;
    int rdma_class = 3;  ///< class of service of FC-AE-RDMA
};

class EmulatedPort final : public stack::fibre_channel::Host {
public:
    explicit EmulatedPort(const EmulatedPortConfig& config);

    /// In order of their messages, once all are there.
    void follow(std::vector<Step> steps);
    void discard(std::set<std::pair<std::string, std::size_t>> sequences) { received_.lost = std::move(sequences); }

    stack::fibre_channel::AeRdma& rdma() { return rdma_; }
    stack::vi::Provider& provider() { return provider_; }

    /// A VI with its memory and its receives. Throws NotPlayable.
    stack::vi::ViHandle make_vi(const RecordedEnd& end);
    void send(Time now, stack::vi::ViHandle vi, const FcviUnit& request);
    /// `why`: what the endpoint is in Error for, if it tells. False while the VI has something to send.
    bool disconnect(Time now, stack::vi::ViHandle vi, std::optional<fcvi::Reason> why, bool by_provider);

protected:
    void on_port_event(Time now, const stack::fibre_channel::NPortEvent& event) override {
        provider_.on_port_event(now, event);
    }
    bool consume(Time now) override;
    void on_consumer_timer(Time now) override;
    Time consumer_wakeup() const override;

private:
    void monitor(std::uint8_t type, stack::fibre_channel::ExchangeUser& user, const IuContext& context);
    void discard_completions();
    bool next_step(Time now);
    void register_region(const RecordedMemory& region, stack::vi::Ptag ptag);
    stack::vi::DataSegment segment(stack::vi::Ptag ptag, ByteView octets);

    /// A step, and its place among all steps.
    struct PlacedStep {
        std::size_t place = 0;
        Step step;
    };
    void await(std::size_t track);

    std::map<std::size_t, std::deque<PlacedStep>> tracks_;
    std::set<std::pair<std::size_t, std::size_t>> waiting_;  ///< tracks, by what their first steps wait for
    std::map<std::size_t, std::size_t> ready_;               ///< tracks that need not wait, by place
    std::vector<std::unique_ptr<ReceiveMonitor>> monitors_;
    ReceivedSequences received_;
    stack::fibre_channel::AeRdma rdma_;
    stack::vi::Provider provider_;
    std::map<stack::vi::ViHandle, stack::vi::Ptag> vis_;
    std::uint64_t next_buffer_ = 0x7F00'0000'0000;
    bool begun_ = false;  ///< the applications run from the beginning, not from the first frame on
};

}  // namespace fabricscope::replay::fibre_channel
