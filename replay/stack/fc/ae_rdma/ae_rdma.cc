// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/ae_rdma/ae_rdma.h"

#include <algorithm>

namespace fabricscope::stack::fibre_channel {
namespace {

using fc_ae_rdma::Iu;
using fc_ae_rdma::StatusCode;

std::size_t size_of_parts(const std::map<std::uint32_t, Octets>& parts) {
    std::size_t size = 0;
    for (const auto& [offset, octets] : parts) size += octets.size();
    return size;
}

/// What came, from Relative Offset 0 up to the first gap.
Octets joined(const std::map<std::uint32_t, Octets>& parts) {
    Octets all;
    for (const auto& [offset, octets] : parts) {
        if (offset != all.size()) break;
        all.insert(all.end(), octets.begin(), octets.end());
    }
    return all;
}

}  // namespace

AeRdma::AeRdma(Exchanges& exchanges, int service_class) : exchanges_(exchanges), service_class_(service_class) {
    exchanges_.set_user(fc_ae_rdma::fc_type, *this);
}

std::optional<Notification> AeRdma::next_notification() {
    if (notifications_.empty()) return std::nullopt;
    const Notification notification = notifications_.front();
    notifications_.pop_front();
    return notification;
}

std::optional<RdmaOutcome> AeRdma::next_outcome() {
    if (outcomes_.empty()) return std::nullopt;
    RdmaOutcome outcome = std::move(outcomes_.front());
    outcomes_.pop_front();
    return outcome;
}

// ---- Initiator ---------------------------------------------------------------------------------------

/// FCP_CMND, and the data of a write right behind it: nobody asks for them (4.2.4.4.1, 4.2.4.5).
std::uint64_t AeRdma::request(Time now, std::uint32_t target, const RdmaRequest& request) {
    const ExchangeHandle exchange = exchanges_.open(fc_ae_rdma::fc_type, target, service_class_);
    if (exchange == 0) {
        outcomes_.push_back({next_unsent_, false, {}, {}});
        return next_unsent_--;
    }
    fc_ae_rdma::Command command;
    command.lun.number = request.lun;
    command.control.read_data = request.read;
    command.control.write_data = !request.read;
    command.data_length = request.length;
    const bool sends_data = !request.read && !request.data.empty();
    OutgoingIu iu;
    iu.r_ctl = static_cast<std::uint8_t>(Iu::command);
    iu.parameter = fc_ae_rdma::build_parameter(
        {.code = request.notify ? fc_ae_rdma::code_with_notification : fc_ae_rdma::code_without_notification,
         .base_address = request.base_address});
    iu.payload = layout::octets_of(command);
    iu.passes_initiative = !sends_data;
    iu.note = request.read ? "reads" : "writes";
    exchanges_.send(now, exchange, std::move(iu));
    if (sends_data) send_data(now, exchange, request.data, true);
    pending_[exchange] = {.request = request};
    set_alarm(exchange, now + 2 * exchanges_.r_a_tov());
    return exchange;
}

/// I3; T7, the last one T6.
void AeRdma::send_data(Time now, ExchangeHandle exchange, ByteView octets, bool of_a_write) {
    const std::size_t most = sequence_size_ == 0 ? octets.size() : sequence_size_;
    for (std::size_t at = 0; at < octets.size(); at += most) {
        const ByteView part = octets.subspan(at, std::min(most, octets.size() - at));
        OutgoingIu data;
        data.r_ctl = static_cast<std::uint8_t>(Iu::data);
        data.payload.assign(part.begin(), part.end());
        data.relative_offset = static_cast<std::uint32_t>(at);
        if (of_a_write) data.rx_id = std::uint16_t{0};  // 4.2.4.6
        data.passes_initiative = of_a_write && at + part.size() == octets.size();
        exchanges_.send(now, exchange, std::move(data));
    }
}

void AeRdma::on_response(const IncomingIu& iu) {
    const auto pending = pending_.find(iu.exchange);
    if (pending == pending_.end()) return;
    fc_ae_rdma::Response response;
    if (iu.payload.size() != fc_ae_rdma::response_size || layout::parse_into(response, iu.payload)) return;
    pending->second.response = response;
    finish_if_whole(iu.exchange);
}

/// All data of a good read are there: FCP_DL, more or less the residual.
void AeRdma::finish_if_whole(ExchangeHandle exchange) {
    const Pending& pending = pending_.at(exchange);
    if (!pending.response) return;
    const fc_ae_rdma::Response& response = *pending.response;
    const bool good = response.status == static_cast<std::uint8_t>(StatusCode::good);
    std::uint64_t expected = pending.request.read && good ? pending.request.length : 0;
    if (response.resid_under) expected -= std::min<std::uint64_t>(expected, response.resid);
    if (size_of_parts(pending.data) < expected) return;
    outcomes_.push_back({exchange, true, response, joined(pending.data)});
    pending_.erase(exchange);
    set_alarm(exchange, never);
}

// ---- Target ------------------------------------------------------------------------------------------

void AeRdma::on_command(Time now, const IncomingIu& iu) {
    if (tasks_.contains(iu.exchange) || !fc_ae_rdma::is_rdma(iu.first.parameter)) return;
    Task task;
    task.initiator = iu.first.s_id;
    task.parameter = fc_ae_rdma::parse_parameter(iu.first.parameter);
    if (iu.payload.size() != fc_ae_rdma::command_size || layout::parse_into(task.command, iu.payload)) return;
    const ApplicationResponse response = next_response(task.command.lun.number);
    task.residual = response.residual;
    task.refusal = response.refusal ? response.refusal : why_not(task.command, task.parameter.base_address);
    if (task.command.control.read_data || iu.last.f_ctl.sequence_initiative)
        return whole(now, iu.exchange, std::move(task));
    set_alarm(iu.exchange, now + exchanges_.r_a_tov());
    tasks_[iu.exchange] = std::move(task);
}

ApplicationResponse AeRdma::next_response(std::uint8_t lun) {
    if (prepared_.empty())
        return {.refusal = {}, .changes = {}, .residual = std::int64_t{limits_.more_by} - limits_.short_by};
    ApplicationResponse response = std::move(prepared_.front());
    prepared_.pop_front();
    const auto unit = units_.find(lun);
    if (unit == units_.end()) return response;
    Octets& memory = unit->second.memory;
    for (const auto& [address, octets] : response.changes)
        if (std::uint64_t{address} + octets.size() <= memory.size())
            std::ranges::copy(octets, memory.begin() + static_cast<std::ptrdiff_t>(address));
    return response;
}

/// 4.2.4.7
std::optional<StatusCode> AeRdma::why_not(const fc_ae_rdma::Command& command, std::uint32_t base_address) const {
    if (limits_.busy) return StatusCode::busy;
    if (tasks_.size() >= limits_.tasks) return StatusCode::queue_full;
    const auto unit = units_.find(command.lun.number);
    if (!command.lun.is_well_formed() || unit == units_.end()) return StatusCode::logical_unit_not_available;
    if (command.control.write_data && !unit->second.may_write) return StatusCode::write_protect_error;
    if (command.control.read_data && !unit->second.may_read) return StatusCode::read_protect_error;
    if (std::uint64_t{base_address} + command.data_length > unit->second.memory.size())
        return StatusCode::buffer_overrun;
    return std::nullopt;
}

/// Nothing more is awaited.
void AeRdma::whole(Time now, ExchangeHandle exchange, Task task) {
    set_alarm(exchange, never);
    if (task.refusal) {
        tasks_.erase(exchange);
        return respond(now, exchange, *task.refusal, 0);
    }
    if (limits_.think != 0 && !task.is_ready) {
        task.is_ready = true;
        set_alarm(exchange, now + limits_.think);
        tasks_[exchange] = std::move(task);
        return;
    }
    if (task.command.control.read_data) read(now, exchange, task);
    else write(now, exchange, task);
    tasks_.erase(exchange);
}

void AeRdma::read(Time now, ExchangeHandle exchange, const Task& task) {
    const std::int64_t wanted = task.command.data_length;
    const std::int64_t residual = std::max(task.residual, -wanted);
    const Octets& memory = units_.at(task.command.lun.number).memory;
    const auto from = memory.begin() + static_cast<std::ptrdiff_t>(task.parameter.base_address);
    const ByteView data(from, from + std::min(wanted, wanted + residual));
    notify(task, static_cast<std::uint32_t>(data.size()));
    send_data(now, exchange, data, false);
    respond(now, exchange, StatusCode::good, residual);
}

/// What is beyond FCP_DL is thrown away.
void AeRdma::write(Time now, ExchangeHandle exchange, const Task& task) {
    const Octets data = joined(task.data);
    const std::size_t length = std::min<std::size_t>(data.size(), task.command.data_length);
    Octets& memory = units_.at(task.command.lun.number).memory;
    std::copy_n(data.begin(), length, memory.begin() + static_cast<std::ptrdiff_t>(task.parameter.base_address));
    notify(task, static_cast<std::uint32_t>(length));
    respond(
        now, exchange, StatusCode::good,
        static_cast<std::int64_t>(data.size()) - static_cast<std::int64_t>(task.command.data_length));
}

void AeRdma::notify(const Task& task, std::uint32_t length) {
    if (!task.parameter.notifies()) return;
    notifications_.push_back(
        {task.initiator, task.command.lun.number, task.command.control.read_data, task.parameter.base_address, length});
}

/// `residual`: octets that moved, less FCP_DL.
void AeRdma::respond(Time now, ExchangeHandle exchange, StatusCode status, std::int64_t residual) {
    fc_ae_rdma::Response response;
    response.status = static_cast<std::uint8_t>(status);
    response.resid_over = residual > 0;
    response.resid_under = residual < 0;
    response.resid = static_cast<std::uint32_t>(residual < 0 ? -residual : residual);
    OutgoingIu iu;
    iu.r_ctl = static_cast<std::uint8_t>(Iu::response);
    iu.payload = layout::octets_of(response);
    iu.last_sequence = true;
    if (const char* name = layout::name_of(fc_ae_rdma::status_names, response.status); name != nullptr) iu.note = name;
    exchanges_.send(now, exchange, std::move(iu));
}

void AeRdma::on_data(Time now, const IncomingIu& iu) {
    if (const auto pending = pending_.find(iu.exchange); pending != pending_.end()) {
        pending->second.data.try_emplace(iu.first.parameter, iu.payload);
        return finish_if_whole(iu.exchange);
    }
    const auto found = tasks_.find(iu.exchange);
    if (found == tasks_.end()) return;
    Task& task = found->second;
    task.data.try_emplace(iu.first.parameter, iu.payload);
    if (iu.last.f_ctl.sequence_initiative)
        task.end = iu.first.parameter + static_cast<std::uint32_t>(iu.payload.size());
    if (!task.end || size_of_parts(task.data) != *task.end) return;
    whole(now, iu.exchange, std::move(task));
}

void AeRdma::on_iu(Time now, const IncomingIu& iu) {
    switch (static_cast<Iu>(iu.first.r_ctl)) {
        case Iu::command: return on_command(now, iu);
        case Iu::data: return on_data(now, iu);
        case Iu::response: return on_response(iu);
        default: return;  // there is no FCP_XFER_RDY (4.2.4.5)
    }
}

// ---- what goes wrong ---------------------------------------------------------------------------------

void AeRdma::on_failure(Time now, ExchangeHandle exchange, Failure failure) {
    if (failure != Failure::aborted) exchanges_.abort(now, exchange, "the message has failed");
    tasks_.erase(exchange);
    set_alarm(exchange, never);
    if (pending_.erase(exchange) != 0) outcomes_.push_back({exchange, false, {}, {}});
}

void AeRdma::set_alarm(ExchangeHandle exchange, Time at) {
    if (const auto before = alarm_times_.find(exchange); before != alarm_times_.end()) {
        alarms_.erase({before->second, exchange});
        alarm_times_.erase(before);
    }
    if (at == never) return;
    alarms_.emplace(at, exchange);
    alarm_times_.emplace(exchange, at);
}

Time AeRdma::wakeup() const { return alarms_.empty() ? never : alarms_.begin()->first; }

/// An Initiator gives up with ABTS; a Target forgets what it got no data for.
void AeRdma::on_timer(Time now) {
    while (!alarms_.empty() && alarms_.begin()->first <= now) {
        const ExchangeHandle exchange = alarms_.begin()->second;
        set_alarm(exchange, never);
        if (pending_.contains(exchange)) on_failure(now, exchange, Failure::ack_timeout);
        else if (const auto task = tasks_.find(exchange); task != tasks_.end() && task->second.is_ready)
            whole(now, exchange, std::move(task->second));
        else tasks_.erase(exchange);
    }
}

}  // namespace fabricscope::stack::fibre_channel
