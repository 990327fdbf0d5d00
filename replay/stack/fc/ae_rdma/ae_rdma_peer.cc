// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/ae_rdma/ae_rdma_peer.h"

#include <algorithm>

#include "replay/stack/core/timers.h"

namespace fabricscope::stack {

using fibre_channel::NPortEvent;
using fibre_channel::RdmaOutcome;
using fibre_channel::RdmaRequest;

std::uint8_t rdma_memory_octet(std::uint8_t lun, std::uint32_t address) {
    return static_cast<std::uint8_t>(address * 37 + (address >> 8) + lun * 101 + 11);
}

AeRdmaPeer::AeRdmaPeer(const AeRdmaPeerConfig& config, std::vector<RdmaPlan> plans)
    : Host(config.host), target_(config.target), log_out_(config.log_out), rdma_(exchanges(), config.service_class) {
    for (RdmaPlan& plan : plans) progress_.push_back({std::move(plan)});
}

void AeRdmaPeer::start(Time now, Time origin) {
    origin_ = origin;
    port().start(now);
    work(now);
}

void AeRdmaPeer::on_port_event(Time now, const NPortEvent& event) {
    if (event.what == NPortEvent::What::online && !progress_.empty()) port().reach(now, target_);
    if (event.what != NPortEvent::What::reached) return;
    target_id_ = event.peer;
    for (std::size_t i = 0; i < progress_.size(); ++i)
        timers_.push_back({std::max(now, origin_ + progress_[i].plan.at), i});
}

void AeRdmaPeer::next_message(Time now, std::size_t index) {
    PlanProgress& progress = progress_[index];
    if (progress.begun == progress.plan.count) return;
    RdmaRequest request = progress.plan.request;
    request.base_address += progress.begun * progress.plan.step;
    if (!request.read) {
        const std::int64_t actual = progress.plan.actual;
        request.data.resize(actual < 0 ? request.length : static_cast<std::size_t>(actual));
        for (std::size_t i = 0; i < request.data.size(); ++i)
            request.data[i] = static_cast<std::uint8_t>(i * 13 + progress.begun * 7 + index + 1);
    }
    ++progress.begun;
    ++account_.messages;
    const std::uint64_t id = rdma_.request(now, target_id_, request);
    open_.emplace(id, std::pair(index, std::move(request)));
    if (progress.plan.interval != 0) timers_.push_back({now + progress.plan.interval, index});
}

void AeRdmaPeer::record_outcome(Time now, const RdmaOutcome& outcome) {
    const auto found = open_.find(outcome.id);
    if (found == open_.end()) return;
    const auto [index, request] = std::move(found->second);
    open_.erase(found);
    PlanProgress& progress = progress_[index];
    ++progress.done;
    if (progress.plan.interval == 0) timers_.push_back({now, index});
    if (!outcome.answered) {
        ++account_.unanswered;
        return;
    }
    const fc_ae_rdma::Response& response = outcome.response;
    if (response.resid_over || response.resid_under) account_.residuals += response.resid;
    if (response.status != static_cast<std::uint8_t>(fc_ae_rdma::StatusCode::good)) {
        ++account_.refused[response.status];
        return;
    }
    ++account_.good;
    (request.read ? account_.read : account_.written) += request.read ? outcome.data.size() : request.data.size();
    const std::size_t kept = std::min<std::size_t>(request.data.size(), request.length);
    for (std::uint32_t i = 0; i < kept; ++i) written_[{request.lun, request.base_address + i}] = request.data[i];
    for (std::uint32_t i = 0; i < outcome.data.size(); ++i) {
        const auto own = written_.find({request.lun, request.base_address + i});
        const std::uint8_t right = own == written_.end() ? rdma_memory_octet(request.lun, request.base_address + i)
                                                         : own->second;
        if (outcome.data[i] != right) account_.data_right = false;
    }
}

bool AeRdmaPeer::consume(Time now) {
    bool busy = false;
    while (rdma_.next_notification()) {
        busy = true;
        ++account_.notifications;
    }
    while (const auto outcome = rdma_.next_outcome()) {
        busy = true;
        record_outcome(now, *outcome);
    }
    const bool all_done = !progress_.empty() && std::ranges::all_of(progress_, [](const PlanProgress& progress) {
        return progress.done == progress.plan.count;
    });
    if (all_done && log_out_ && !logged_out_) {
        logged_out_ = true;
        port().log_out(now, target_id_);
    }
    return busy;
}

Time AeRdmaPeer::consumer_wakeup() const {
    Time earliest = rdma_.wakeup();
    for (const Timer& timer : timers_) earliest = std::min(earliest, timer.at);
    return earliest;
}

void AeRdmaPeer::on_consumer_timer(Time now) {
    rdma_.on_timer(now);
    for (const Timer& timer : take_due(timers_, now)) next_message(now, timer.plan);
}

}  // namespace fabricscope::stack
