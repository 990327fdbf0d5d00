// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fc/emulated_port.h"

#include <algorithm>

#include "replay/engine/player.h"

namespace fabricscope::replay::fibre_channel {

namespace stack_fc = stack::fibre_channel;
namespace vi = stack::vi;
using fcvi::IuType;

EmulatedPort::EmulatedPort(const EmulatedPortConfig& config)
    : Host(config.host), rdma_(exchanges(), config.rdma_class), provider_(config.provider, exchanges(), port()) {
    monitor(fc::type_els, port(), {});
    monitor(fc_ae_rdma::fc_type, rdma_, {});
    monitor(fcvi::fc_type, provider_, {.version = config.provider.version});
}

void EmulatedPort::monitor(std::uint8_t type, stack_fc::ExchangeUser& user, const IuContext& context) {
    monitors_.push_back(std::make_unique<ReceiveMonitor>(user, context, received_));
    exchanges().set_user(type, *monitors_.back());
}

// ---- steps ---------------------------------------------------------------------------------------

void EmulatedPort::follow(std::vector<Step> steps) {
    std::ranges::stable_sort(steps, {}, &Step::message);
    for (std::size_t place = 0; place < steps.size(); ++place)
        tracks_[steps[place].track].push_back({place, std::move(steps[place])});
    for (const auto& [track, first] : tracks_) await(track);
}

void EmulatedPort::await(std::size_t track) {
    const std::deque<PlacedStep>& steps = tracks_.at(track);
    if (!steps.empty()) waiting_.emplace(steps.front().step.after, track);
}

void EmulatedPort::discard_completions() {
    while (rdma_.next_notification() || rdma_.next_outcome()) {
    }
    for (const auto& [handle, ptag] : vis_) {
        vi::Descriptor done;
        while (provider_.send_done(handle, done) != vi::Return::not_done && done.status != 0) done = {};
        done = {};
        while (provider_.receive_done(handle, done) != vi::Return::not_done && done.status != 0) done = {};
    }
    while (provider_.next_error()) {
    }
}

/// The first that can be done now.
bool EmulatedPort::next_step(Time now) {
    while (!waiting_.empty() && waiting_.begin()->first <= received_.count) {
        const std::size_t track = waiting_.extract(waiting_.begin()).value().second;
        ready_.emplace(tracks_.at(track).front().place, track);
    }
    for (const auto& [place, track] : ready_) {
        std::deque<PlacedStep>& steps = tracks_.at(track);
        if (!steps.front().step.act(now)) continue;
        steps.pop_front();
        await(track);
        ready_.erase(place);
        return true;
    }
    return false;
}

bool EmulatedPort::consume(Time now) {
    discard_completions();
    return begun_ && next_step(now);
}

void EmulatedPort::on_consumer_timer(Time now) {
    begun_ = true;
    rdma_.on_timer(now);
    provider_.on_timer(now);
}

Time EmulatedPort::consumer_wakeup() const { return begun_ ? std::min(rdma_.wakeup(), provider_.wakeup()) : 0; }

// ---- VIs -----------------------------------------------------------------------------------------

vi::ViHandle EmulatedPort::make_vi(const RecordedEnd& end) {
    vi::Attributes attributes;
    attributes.level = end.reliability;
    attributes.max_transfer_size = end.attributes.max_trans_size;
    attributes.ptag = provider_.create_ptag();
    attributes.enable_rdma_write = end.attributes.en_rdma_wr;
    attributes.enable_rdma_read = end.attributes.en_rdma_rd;
    attributes.pipeline_depth = end.attributes.qos.pipeline_depth;
    attributes.preference = fcvi::wants_preference(end.version, end.attributes.qos).value_or(false);
    vi::ViHandle handle = 0;
    if (provider_.create_vi(attributes, 0, 0, handle) != vi::Return::success)
        throw NotPlayable("no VI can have the recorded attributes");
    vis_[handle] = attributes.ptag;
    for (const RecordedMemory& region : end.memory) register_region(region, attributes.ptag);
    // Nobody looks at what comes: one buffer is enough.
    std::vector<vi::DataSegment> buffer;
    if (end.receives != 0 && end.receive_size != 0) buffer = {segment(attributes.ptag, Octets(end.receive_size))};
    for (std::size_t i = 0; i < end.receives; ++i) {
        vi::Descriptor descriptor;
        descriptor.data = buffer;
        descriptor.length = static_cast<std::uint32_t>(end.receive_size);
        provider_.post_receive(handle, std::move(descriptor));
    }
    return handle;
}

void EmulatedPort::register_region(const RecordedMemory& region, vi::Ptag ptag) {
    const auto size = static_cast<std::uint32_t>(region.octets.size());
    const vi::Return result = provider_.memory().register_as(
        region.handle, region.address, size, {ptag, region.written, region.read});
    if (result != vi::Return::success) throw NotPlayable("memory cannot be registered where the recording has it");
    provider_.memory().write(region.address, region.handle, region.octets);
}

vi::DataSegment EmulatedPort::segment(vi::Ptag ptag, ByteView octets) {
    vi::DataSegment segment{next_buffer_, 0, static_cast<std::uint32_t>(octets.size())};
    next_buffer_ += octets.size();
    provider_.memory().register_mem(segment.address, segment.length, {ptag, false, false}, segment.handle);
    provider_.memory().write(segment.address, segment.handle, octets);
    return segment;
}

void EmulatedPort::send(Time now, vi::ViHandle vi, const FcviUnit& request) {
    vi::Descriptor descriptor;
    descriptor.immediate = request.device_header.immediate_data();
    Octets data(request.payload.begin(), request.payload.end());
    if (const auto* target = std::get_if<fcvi::RdmaTarget>(&request.device_header.target)) {
        descriptor.operation = request.is(IuType::read_rqst) ? vi::Operation::rdma_read : vi::Operation::rdma_write;
        descriptor.remote = vi::AddressSegment{target->rmt_va, target->rmt_va_handle};
        if (descriptor.operation == vi::Operation::rdma_read) data.resize(target->tot_len);
    }
    descriptor.length = static_cast<std::uint32_t>(data.size());
    if (!data.empty()) descriptor.data = {segment(vis_.at(vi), data)};
    provider_.post_send(now, vi, std::move(descriptor));
}

bool EmulatedPort::disconnect(Time now, vi::ViHandle vi, std::optional<fcvi::Reason> why, bool by_provider) {
    vi::ViQuery query;
    provider_.query_vi(vi, query);
    if (query.state != vi::State::error && (query.state != vi::State::connected || !query.send_queue_empty))
        return false;
    if (why) provider_.fail(vi, *why);
    if (by_provider) provider_.close(now, vi);
    else provider_.disconnect(now, vi);
    return true;
}

}  // namespace fabricscope::replay::fibre_channel
