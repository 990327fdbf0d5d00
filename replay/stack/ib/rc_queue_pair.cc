// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/ib/rc_queue_pair.h"

#include <algorithm>

#include "protocols/ib/retries.h"
#include "protocols/layout/parts.h"

namespace fabricscope::stack {
namespace {

using ib::AethSyndrome;
using ib::Operation;
using ib::Position;
using ib::psn_after;
using ib::psn_distance;
using ib::psn_mask;
using namespace ib::rc;

constexpr std::uint8_t write_offset = ib::rc::write_first - ib::rc::send_first;  // between the opcodes of both

constexpr std::uint8_t credits_unlimited = 0x1F;  // ACK without end-to-end flow control
constexpr std::uint8_t nak_class = 3 << 5, rnr_class = 1 << 5;
constexpr unsigned retry_for_ever = 7;
constexpr std::size_t atomic_results_kept = 255;  // as many as a peer can have on their way (IBA 12.7.28)

std::uint8_t send_opcode(std::uint32_t index, std::uint32_t packets, const WorkRequest& request) {
    const bool only = packets == 1;
    if (!only && index == 0) return send_first;
    if (index + 1 < packets) return send_middle;
    if (request.immediate) return only ? send_only_immediate : send_last_immediate;
    if (request.invalidate) return only ? send_only_invalidate : send_last_invalidate;
    return only ? send_only : send_last;
}

std::uint8_t response_opcode(std::uint32_t index, std::uint32_t packets) {
    if (packets == 1) return read_response_only;
    if (index == 0) return read_response_first;
    return index + 1 < packets ? read_response_middle : read_response_last;
}

std::size_t length_of(const WorkRequest& request) {
    if (is_atomic(request.type)) return ib::atomic_size;
    return request.type == WorkType::rdma_read ? request.read_into.size() : request.octets.size();
}

}  // namespace

const char* name_of(CompletionStatus status) {
    switch (status) {
        case CompletionStatus::success: return "success";
        case CompletionStatus::retry_exceeded: return "retry exceeded";
        case CompletionStatus::rnr_retry_exceeded: return "RNR retry exceeded";
        case CompletionStatus::remote_access_error: return "remote access error";
        case CompletionStatus::remote_invalid_request: return "remote invalid request";
        case CompletionStatus::remote_operational_error: return "remote operational error";
        case CompletionStatus::flushed: return "flushed";
    }
    return "";
}

RcQueuePair::RcQueuePair(
    std::uint32_t local_qpn, PacketSink& sink, std::deque<Completion>& completions, MemoryTable& memory)
    : sink_(sink), completions_(completions), memory_(memory) {
    config_.local_qpn = local_qpn;
}

void RcQueuePair::make_ready_to_receive(const RcConfig& config) {
    const std::uint32_t qpn = config_.local_qpn;
    constexpr std::uint32_t smallest_mtu = 256;  // instead of one that does not exist, as a peer may tell it
    config_ = config;
    config_.local_qpn = qpn;
    config_.mtu = std::max(config.mtu, smallest_mtu);
    expected_psn_ = config.receive_psn & psn_mask;
    assign_psn_ = next_psn_ = oldest_psn_ = highest_psn_ = config.send_psn & psn_mask;
    state_ = State::ready_to_receive;
}

void RcQueuePair::make_ready_to_send(Time now) {
    if (state_ != State::ready_to_receive) return;
    state_ = State::ready_to_send;
    pump(now);
}

ib::Bth RcQueuePair::header(std::uint8_t opcode, std::uint32_t psn) const {
    ib::Bth bth{};
    constexpr unsigned service_shift = 5;
    bth.opcode = static_cast<std::uint8_t>(opcode | static_cast<unsigned>(config_.service) << service_shift);
    bth.p_key = 0xFFFF;
    bth.destination_qpn = config_.remote_qpn;
    bth.psn = psn;
    return bth;
}

/// Without what comes behind XRC's own header.
IbPacketOut RcQueuePair::request_packet(const WorkRequest& request, std::uint8_t opcode, std::uint32_t psn) const {
    IbPacketOut packet{header(opcode, psn), {}, {}, request.note};
    if (config_.service == ib::Service::xrc)
        append(packet.extended, ib::XrcEth{0, request.peer_srq.value_or(config_.peer_srq)});
    return packet;
}

// ---- requester -----------------------------------------------------------------------------------

std::uint32_t RcQueuePair::packets_for(std::size_t bytes) const { return capture::packets_for(bytes, config_.mtu); }

void RcQueuePair::post_send(Time now, WorkRequest request) {
    if (state_ == State::error) {
        completions_.push_back(
            {.qpn = config_.local_qpn, .id = request.id, .type = request.type, .status = CompletionStatus::flushed});
        return;
    }
    const std::uint32_t packets = packets_for(length_of(request));
    Work work{std::move(request), assign_psn_, packets};
    assign_psn_ = psn_after(assign_psn_, work.packets);
    work_.push_back(std::move(work));
    pump(now);
}

/// The work that the PSN belongs to; there must be one.
RcQueuePair::Work& RcQueuePair::work_at(std::uint32_t psn) {
    if (psn_distance(work_.back().first_psn, psn) >= 0) return work_.back();  // as what has just been posted
    const auto behind = std::ranges::partition_point(
        work_, [&](const Work& work) { return psn_distance(psn, work.first_psn) <= 0; });
    return *std::prev(behind);
}

void RcQueuePair::pump(Time now) {
    if (state_ != State::ready_to_send || resume_at_ != never) return;
    while (next_psn_ != assign_psn_ &&
           psn_distance(oldest_psn_, next_psn_) < static_cast<std::int32_t>(config_.window)) {
        Work& work = work_at(next_psn_);
        count_packet(now, work);
        if (work.request.type == WorkType::rdma_read) {
            send_read_request(work);
            next_psn_ = psn_after(work.first_psn, work.packets);
        } else if (is_atomic(work.request.type)) {
            send_atomic_request(work);
            next_psn_ = psn_after(next_psn_);
        } else {
            send_packet(work, static_cast<std::uint32_t>(psn_distance(work.first_psn, next_psn_)));
            next_psn_ = psn_after(next_psn_);
        }
        if (psn_distance(highest_psn_, next_psn_) > 0) highest_psn_ = next_psn_;
    }
    if (!is_reliable()) return complete_what_was_sent(now);
    if (deadline_ == never) rearm(now);
}

/// The next one.
void RcQueuePair::count_packet(Time now, Work& work) {
    ++account_.packets;
    if (psn_distance(highest_psn_, next_psn_) < 0) ++account_.repeated[static_cast<std::size_t>(again_for_)];
    else if (next_psn_ == work.first_psn) {
        work.begun = now;
        RequesterAccount::Count& operations = account_.operations[static_cast<std::size_t>(work.request.type)];
        ++operations.count;
        operations.octets += length_of(work.request);
    }
}

/// Nothing is waited for.
void RcQueuePair::complete_what_was_sent(Time now) {
    while (!work_.empty() && psn_distance(psn_after(work_.front().first_psn, work_.front().packets), next_psn_) >= 0)
        finish_front(CompletionStatus::success, now);
    oldest_psn_ = next_psn_;
}

/// An acknowledgment is asked for at the end of a message, and where the window ends.
void RcQueuePair::send_packet(const Work& work, std::uint32_t index) {
    const WorkRequest& request = work.request;
    const bool last = index + 1 == work.packets;
    std::uint8_t opcode = send_opcode(index, work.packets, request);
    if (request.type == WorkType::rdma_write) opcode = static_cast<std::uint8_t>(opcode + write_offset);
    const std::uint32_t psn = psn_after(work.first_psn, index);
    IbPacketOut packet = request_packet(request, opcode, psn);
    if (index != 0) packet.note.clear();
    packet.bth.ack_request = is_reliable() &&
                             (last || psn_distance(oldest_psn_, psn) + 1 >= static_cast<std::int32_t>(config_.window));
    packet.bth.solicited_event = last && request.solicited;
    if (request.type == WorkType::rdma_write && index == 0)
        append(
            packet.extended,
            ib::Reth{request.remote_address, request.rkey, static_cast<std::uint32_t>(request.octets.size())});
    if (last && request.immediate) append(packet.extended, ib::ImmDt{*request.immediate});
    else if (last && request.invalidate) append(packet.extended, ib::Ieth{*request.invalidate});
    const std::size_t begin = std::size_t{index} * config_.mtu;
    const std::size_t size = std::min<std::size_t>(config_.mtu, request.octets.size() - begin);
    packet.payload = ByteView(request.octets).subspan(begin, size);
    sink_.send(packet);
}

/// For the responses that have not arrived.
void RcQueuePair::send_read_request(const Work& work) {
    const std::size_t have = std::size_t{work.answered} * config_.mtu;
    IbPacketOut packet = request_packet(work.request, read_request, psn_after(work.first_psn, work.answered));
    packet.bth.ack_request = true;
    append(
        packet.extended, ib::Reth{
                             work.request.remote_address + have, work.request.rkey,
                             static_cast<std::uint32_t>(work.request.read_into.size() - have)});
    sink_.send(packet);
}

void RcQueuePair::send_atomic_request(const Work& work) {
    const WorkRequest& request = work.request;
    const bool adds = request.type == WorkType::fetch_and_add;
    IbPacketOut packet = request_packet(request, adds ? fetch_and_add : compare_and_swap, work.first_psn);
    packet.bth.ack_request = true;
    append(packet.extended, ib::AtomicEth{request.remote_address, request.rkey, request.swap_or_add, request.compare});
    sink_.send(packet);
}

Time RcQueuePair::timeout() const {
    const Time coded = coded_timeout(config_.timeout);
    if (!config_.adaptive_retransmission || coded == never) return coded;
    // By how many have passed, as ConnectX adapters were measured (Lumina, SIGCOMM 2023).
    constexpr Time whole = 48;
    constexpr std::array<Time, 7> shares{4, 3, 6, 12, 18, 48, 96};
    return coded * shares[std::min<std::size_t>(retries_, shares.size() - 1)] / whole;
}

void RcQueuePair::rearm(Time now) {
    const Time timeout = this->timeout();
    deadline_ = next_psn_ == oldest_psn_ || timeout == never ? never : now + timeout;
}

void RcQueuePair::on_response(Time now, const capture::IbPacket& packet) {
    const std::uint32_t psn = packet.bth.psn;
    const bool known = psn_distance(oldest_psn_, psn) >= 0 && psn_distance(highest_psn_, psn) < 0;
    if (!known || work_.empty() || !(packet.has_aeth || packet.opcode().operation == Operation::rdma_read_response))
        return;
    switch (packet.opcode().operation) {
        case Operation::rdma_read_response: on_read_response(now, packet); break;
        case Operation::atomic_acknowledge: on_atomic_response(now, packet); break;
        default: on_acknowledge(now, packet); break;
    }
    pump(now);
}

/// It acknowledges everything before it as well.
void RcQueuePair::on_atomic_response(Time now, const capture::IbPacket& packet) {
    const auto answer = packet.rare_header<ib::AtomicAckEth>(ib::atomic_ack_eth);
    const std::uint32_t psn = packet.bth.psn;
    if (!answer || !is_atomic(work_at(psn).request.type)) return;
    acknowledge_before(now, psn);
    if (work_.empty() || work_.front().first_psn != psn) return;  // an earlier response is missing
    work_.front().original = answer->original;
    progress(now, psn_after(psn));
    finish_front(CompletionStatus::success, now);
}

/// A response also acknowledges everything before its READ.
void RcQueuePair::on_read_response(Time now, const capture::IbPacket& packet) {
    Work* work = &work_at(packet.bth.psn);
    if (work->request.type != WorkType::rdma_read) return;
    const std::uint32_t first = work->first_psn;
    acknowledge_before(now, first);
    if (work_.empty() || work_.front().first_psn != first) return;  // an earlier READ has a gap
    work = &work_.front();
    const std::int32_t ahead = psn_distance(first, packet.bth.psn) - static_cast<std::int32_t>(work->answered);
    if (ahead < 0) return;
    if (ahead > 0) {
        if (!std::exchange(gap_repeated_, true) && count_retry()) go_back(now, RequesterAccount::Cause::implied);
        return;
    }
    const std::size_t begin = std::size_t{work->answered} * config_.mtu;
    const std::size_t size = std::min<std::size_t>(config_.mtu, work->request.read_into.size() - begin);
    if (packet.payload.size() != size) return fail_with(CompletionStatus::remote_operational_error);
    std::ranges::copy(packet.payload, work->request.read_into.begin() + static_cast<std::ptrdiff_t>(begin));
    const bool whole = ++work->answered == work->packets;
    progress(now, psn_after(packet.bth.psn));
    if (whole) finish_front(CompletionStatus::success, now);
}

void RcQueuePair::on_acknowledge(Time now, const capture::IbPacket& packet) {
    const std::uint32_t psn = packet.bth.psn;
    const AethSyndrome syndrome = AethSyndrome::of(packet.aeth.syndrome);
    switch (syndrome.kind) {
        case AethSyndrome::Class::ack: acknowledge_before(now, psn_after(psn)); break;
        case AethSyndrome::Class::nak: on_nak(now, psn, syndrome.value); break;
        case AethSyndrome::Class::rnr_nak:
            acknowledge_before(now, psn);
            if (oldest_psn_ == psn) on_rnr_nak(now, syndrome.value);
            break;
        case AethSyndrome::Class::reserved: break;
    }
}

/// Everything before `psn` has been executed by the peer. What has responses that are missing must be asked for again.
void RcQueuePair::acknowledge_before(Time now, std::uint32_t psn) {
    while (!work_.empty()) {
        const Work& work = work_.front();
        const std::uint32_t end = psn_after(work.first_psn, work.packets);
        if (has_response(work.request.type)) {
            if (psn_distance(work.first_psn, psn) <= 0) break;
            if (!std::exchange(gap_repeated_, true) && count_retry()) go_back(now, RequesterAccount::Cause::implied);
            return;
        }
        if (psn_distance(end, psn) < 0) {
            if (psn_distance(oldest_psn_, psn) > 0) progress(now, psn);
            break;
        }
        progress(now, end);
        finish_front(CompletionStatus::success, now);
    }
}

void RcQueuePair::progress(Time now, std::uint32_t acknowledged) {
    oldest_psn_ = acknowledged;
    if (psn_distance(oldest_psn_, next_psn_) < 0) next_psn_ = oldest_psn_;
    retries_ = 0;
    rnr_retries_ = 0;
    gap_repeated_ = false;
    rearm(now);
}

void RcQueuePair::on_nak(Time now, std::uint32_t psn, std::uint8_t code) {
    acknowledge_before(now, psn);
    if (oldest_psn_ != psn || work_.empty()) return;  // before that a READ has to be repeated
    switch (code) {
        case AethSyndrome::psn_sequence_error:
            if (count_retry()) go_back(now, RequesterAccount::Cause::nak);
            break;
        case AethSyndrome::invalid_request: fail_with(CompletionStatus::remote_invalid_request); break;
        case AethSyndrome::remote_access_error: fail_with(CompletionStatus::remote_access_error); break;
        default: fail_with(CompletionStatus::remote_operational_error); break;
    }
}

void RcQueuePair::on_rnr_nak(Time now, std::uint8_t code) {
    if (config_.rnr_retry_count != retry_for_ever && rnr_retries_++ >= config_.rnr_retry_count)
        return fail_with(CompletionStatus::rnr_retry_exceeded);
    next_psn_ = oldest_psn_;
    again_for_ = RequesterAccount::Cause::rnr;
    deadline_ = never;
    resume_at_ = now + Time{ib::rnr_timer_microseconds(code)} * microsecond;
}

/// False if there have been too many, and the queue pair has failed.
bool RcQueuePair::count_retry() {
    if (config_.retries_for_ever || retries_++ < config_.retry_count) return true;
    fail_with(CompletionStatus::retry_exceeded);
    return false;
}

void RcQueuePair::go_back(Time now, RequesterAccount::Cause cause) {
    again_for_ = cause;
    next_psn_ = oldest_psn_;
    deadline_ = never;
    pump(now);
}

void RcQueuePair::on_timer(Time now) {
    if (resume_at_ <= now) {
        resume_at_ = never;
        pump(now);
    }
    if (deadline_ <= now && count_retry()) go_back(now, RequesterAccount::Cause::timeout);
}

void RcQueuePair::finish_front(CompletionStatus status, Time now) {
    const WorkRequest& request = work_.front().request;
    if (status == CompletionStatus::success) {
        ++account_.completed;
        account_.longest = std::max(account_.longest, now - work_.front().begun);
    }
    completions_.push_back(
        {.qpn = config_.local_qpn,
         .id = request.id,
         .type = request.type,
         .status = status,
         .length = length_of(request),
         .original = work_.front().original});
    work_.pop_front();
}

void RcQueuePair::fail_with(CompletionStatus status) {
    if (!work_.empty()) finish_front(status, 0);
    fail();
}

void RcQueuePair::fail() {
    state_ = State::error;
    deadline_ = resume_at_ = never;
    while (!work_.empty()) finish_front(CompletionStatus::flushed, 0);
}

// ---- responder -----------------------------------------------------------------------------------

void RcQueuePair::on_packet(Time now, const capture::IbPacket& packet) {
    if (state_ == State::init || state_ == State::error) return;
    if (ib::is_response(packet.opcode().operation)) return on_response(now, packet);
    if (is_reliable()) on_request(packet);
    else on_unreliable_request(packet);
}

/// Behind a gap nothing is taken until a message begins (IBA 9.8.2.2).
void RcQueuePair::on_unreliable_request(const capture::IbPacket& packet) {
    const bool begins = capture::begins_message(packet.opcode().position);
    if (packet.bth.psn != expected_psn_ && !begins) return;
    if (packet.bth.psn != expected_psn_) messages_ = unstarted(), write_into_ = {};
    expected_psn_ = packet.bth.psn;
    execute(packet);
}

void RcQueuePair::on_request(const capture::IbPacket& packet) {
    const std::int32_t ahead = psn_distance(expected_psn_, packet.bth.psn);
    if (ahead < 0) return on_duplicate(packet);
    if (ahead > 0) {
        if (!std::exchange(nak_sent_, true)) send_ack(expected_psn_, nak_class | AethSyndrome::psn_sequence_error);
        return;
    }
    nak_sent_ = false;
    const Operation operation = packet.opcode().operation;
    const bool is_answered = operation == Operation::rdma_read_request || operation == Operation::atomic_request;
    if (!execute(packet) || !packet.bth.ack_request || is_answered) return;
    if (config_.joint_acks) ack_due_ = true;
    else send_ack(packet.bth.psn, credits_unlimited);
}

void RcQueuePair::send_due_ack() {
    if (std::exchange(ack_due_, false) && state_ != State::error)
        send_ack((expected_psn_ - 1) & psn_mask, credits_unlimited);
}

/// What was executed is not executed again, but for READs.
void RcQueuePair::on_duplicate(const capture::IbPacket& packet) {
    const Operation operation = packet.opcode().operation;
    if (operation == Operation::atomic_request) {
        const auto kept = std::ranges::find(atomic_results_, packet.bth.psn, &AtomicResult::psn);
        if (kept != atomic_results_.end()) answer_atomic(kept->psn, kept->original);
        return;
    }
    if (operation == Operation::rdma_read_request) answer_read(packet);
    else if (packet.bth.ack_request) send_ack((expected_psn_ - 1) & psn_mask, credits_unlimited);
}

/// False if it was refused, and is still expected.
bool RcQueuePair::execute(const capture::IbPacket& packet) {
    if (!fits_the_message(packet)) {
        refuse(packet.bth.psn, AethSyndrome::invalid_request);
        return false;
    }
    if (config_.refusal && capture::begins_message(packet.opcode().position) &&
        begun_messages_++ == config_.refused_message) {
        refuse(packet.bth.psn, *config_.refusal);
        return false;
    }
    switch (packet.opcode().operation) {
        case Operation::send: return execute_send(packet);
        case Operation::rdma_write: return execute_write(packet);
        case Operation::rdma_read_request: return execute_read(packet);
        case Operation::atomic_request: return execute_atomic(packet);
        default: refuse(packet.bth.psn, AethSyndrome::invalid_request); return false;
    }
}

/// First and Only begin a message, Middle and Last continue it, and all but the last packet are full (IBA 9.7.4.1).
bool RcQueuePair::fits_the_message(const capture::IbPacket& packet) const {
    const ib::OpcodeInfo& opcode = packet.opcode();
    const std::optional<Operation> incomplete = messages_.awaiting(packet.bth.psn);
    if (capture::begins_message(opcode.position) ? incomplete.has_value() : incomplete != opcode.operation)
        return false;
    return capture::ends_message(opcode.position) ? packet.payload.size() <= config_.mtu
                                                  : packet.payload.size() == config_.mtu;
}

/// False, and the peer has been told to wait, if the packet needs a receive buffer and there is none.
bool RcQueuePair::has_receive_buffer(const capture::IbPacket& packet) {
    if (receive_buffers_ != 0) return true;
    send_ack(packet.bth.psn, static_cast<std::uint8_t>(rnr_class | config_.min_rnr_timer));
    nak_sent_ = true;
    return false;
}

bool RcQueuePair::execute_send(const capture::IbPacket& packet) {
    if (capture::begins_message(packet.opcode().position) && !has_receive_buffer(packet)) return false;
    const capture::AssembledMessage message = messages_.feed(packet);
    if (message.length > longest_message) {
        refuse(packet.bth.psn, AethSyndrome::invalid_request);
        return false;
    }
    expected_psn_ = psn_after(expected_psn_);
    if (message.progress != capture::AssembledMessage::Progress::complete) return true;
    if (!invalidate(packet)) return false;
    report_received(packet, message.payload);
    return true;
}

/// False if the key is none: the queue pair fails, and says nothing (as soft-RoCE does).
bool RcQueuePair::invalidate(const capture::IbPacket& packet) {
    const auto header = packet.rare_header<ib::Ieth>(ib::ieth);
    if (!header || memory_.remove(header->r_key)) return true;
    fail();
    return false;
}

void RcQueuePair::report_received(const capture::IbPacket& packet, ByteView message) {
    count_message();
    --receive_buffers_;
    Completion completion{
        .kind = Completion::Kind::receive, .qpn = config_.local_qpn, .octets = {message.begin(), message.end()}};
    if (packet.has_immdt) completion.immediate = packet.immdt.immediate_data;
    if (const auto header = packet.rare_header<ib::Ieth>(ib::ieth)) completion.invalidated = header->r_key;
    completions_.push_back(std::move(completion));
}

bool RcQueuePair::execute_write(const capture::IbPacket& packet) {
    const bool ends = capture::ends_message(packet.opcode().position);
    if (ends && packet.has_immdt && !has_receive_buffer(packet)) return false;
    if (capture::begins_message(packet.opcode().position)) {
        const auto target = memory_.find(
            packet.reth.r_key, packet.reth.virtual_address, packet.reth.dma_length, remote_write);
        if (!packet.has_reth || (!target && packet.reth.dma_length != 0)) {
            refuse(packet.bth.psn, AethSyndrome::remote_access_error);
            return false;
        }
        write_into_ = target.value_or(std::span<std::uint8_t>{});
    }
    const std::size_t size = packet.payload.size();
    if (ends ? size != write_into_.size() : size >= write_into_.size()) {
        refuse(packet.bth.psn, AethSyndrome::invalid_request);
        return false;
    }
    std::ranges::copy(packet.payload, write_into_.begin());
    write_into_ = write_into_.subspan(size);
    expected_psn_ = psn_after(expected_psn_);
    messages_.feed(packet);
    if (!ends) return true;
    if (packet.has_immdt) report_received(packet, {});
    else count_message();
    return true;
}

bool RcQueuePair::execute_read(const capture::IbPacket& packet) {
    if (!packet.has_reth || packet.reth.dma_length > longest_message) {
        refuse(packet.bth.psn, AethSyndrome::invalid_request);
        return false;
    }
    count_message();
    if (!answer_read(packet)) return false;
    expected_psn_ = psn_after(expected_psn_, packets_for(packet.reth.dma_length));
    return true;
}

bool RcQueuePair::answer_read(const capture::IbPacket& packet) {
    const auto source = memory_.find(
        packet.reth.r_key, packet.reth.virtual_address, packet.reth.dma_length, remote_read);
    if (!source && packet.reth.dma_length != 0) {
        refuse(packet.bth.psn, AethSyndrome::remote_access_error);
        return false;
    }
    const ByteView octets = source.value_or(std::span<std::uint8_t>{});
    const std::uint32_t packets = packets_for(octets.size());
    for (std::uint32_t i = 0; i < packets; ++i) {
        const std::size_t begin = std::size_t{i} * config_.mtu;
        const ByteView part = octets.subspan(begin, std::min<std::size_t>(config_.mtu, octets.size() - begin));
        IbPacketOut out{header(response_opcode(i, packets), psn_after(packet.bth.psn, i)), {}, part, {}};
        if (ib::opcode_info(out.bth.opcode).has(ib::aeth))
            append(out.extended, ib::Aeth{credits_unlimited, message_number_});
        sink_.send(out);
    }
    return true;
}

/// On eight octets that begin at a multiple of eight (IBA 9.4.5).
bool RcQueuePair::execute_atomic(const capture::IbPacket& packet) {
    const auto request = packet.rare_header<ib::AtomicEth>(ib::atomic_eth);
    if (!request || request->virtual_address % ib::atomic_size != 0) {
        refuse(packet.bth.psn, AethSyndrome::invalid_request);
        return false;
    }
    const auto target = memory_.find(request->r_key, request->virtual_address, ib::atomic_size, remote_atomic);
    if (!target) {
        refuse(packet.bth.psn, AethSyndrome::remote_access_error);
        return false;
    }
    const std::uint64_t original = number_in(*target);
    constexpr std::uint8_t without_service = 0x1F;
    if ((packet.bth.opcode & without_service) == fetch_and_add) put_number(*target, original + request->swap_or_add);
    else if (original == request->compare) put_number(*target, request->swap_or_add);
    count_message();
    if (atomic_results_.size() == atomic_results_kept) atomic_results_.pop_front();
    atomic_results_.push_back({packet.bth.psn, original});
    answer_atomic(packet.bth.psn, original);
    expected_psn_ = psn_after(expected_psn_);
    return true;
}

void RcQueuePair::answer_atomic(std::uint32_t psn, std::uint64_t original) {
    IbPacketOut packet{
        header(atomic_acknowledge, psn), layout::octets_of(ib::Aeth{credits_unlimited, message_number_}), {}, {}};
    append(packet.extended, ib::AtomicAckEth{original});
    sink_.send(packet);
}

void RcQueuePair::send_ack(std::uint32_t psn, std::uint8_t syndrome) {
    if (!is_reliable()) return;
    ack_due_ = false;  // this one says more
    IbPacketOut packet{header(acknowledge, psn), layout::octets_of(ib::Aeth{syndrome, message_number_}), {}, {}};
    sink_.send(packet);
}

/// An error of the peer's: neither side can go on (IBA 9.7.5.2).
void RcQueuePair::refuse(std::uint32_t psn, std::uint8_t code) {
    send_ack(psn, static_cast<std::uint8_t>(nak_class | code));
    if (is_reliable()) fail();
}

}  // namespace fabricscope::stack
