// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/vi/messages.h"

#include <algorithm>
#include <numeric>

namespace fabricscope::stack::vi {
namespace {

using fcvi::IuType;
using fibre_channel::Disposition;
using fibre_channel::Failure;

constexpr std::uint32_t op_of(Operation operation) {
    switch (operation) {
        case Operation::rdma_write: return status::op_write;
        case Operation::rdma_read: return status::op_read;
        default: return status::op_send;
    }
}

constexpr IuType request_of(Operation operation) {
    switch (operation) {
        case Operation::rdma_write: return IuType::write_rqst;
        case Operation::rdma_read: return IuType::read_rqst;
        default: return IuType::send_rqst;
    }
}

constexpr IuType response_to(IuType request) {
    switch (request) {
        case IuType::write_rqst: return IuType::write_resp;
        case IuType::read_rqst: return IuType::read_resp;
        default: return IuType::send_resp;
    }
}

/// Serial arithmetic: FFFFFFFFh is followed by 0.
constexpr std::int32_t distance(std::uint32_t from, std::uint32_t to) { return static_cast<std::int32_t>(to - from); }

/// A Message that is further ahead than this is no late one's neighbour, but an error.
constexpr std::int32_t furthest_ahead = 4096;

std::size_t size_of_parts(const std::map<std::uint32_t, Octets>& parts) {
    std::size_t size = 0;
    for (const auto& [offset, octets] : parts) size += octets.size();
    return size;
}

Octets joined(const std::map<std::uint32_t, Octets>& parts) {
    Octets all;
    for (const auto& [offset, octets] : parts) all.insert(all.end(), octets.begin(), octets.end());
    return all;
}

std::size_t segments_of(const Descriptor& descriptor) { return descriptor.data.size() + (descriptor.remote ? 1 : 0); }

std::uint32_t capacity_of(const std::vector<DataSegment>& segments) {
    return std::accumulate(segments.begin(), segments.end(), std::uint32_t{0}, [](std::uint32_t sum, const auto& one) {
        return sum + one.length;
    });
}

}  // namespace

// ---- sending -----------------------------------------------------------------------------------------

/// What is wrong with a descriptor that is to be sent, as bits of its status; 0: nothing.
std::uint32_t Messages::why_not_post(const Vi& vi, const Descriptor& descriptor) const {
    const bool reads = descriptor.operation == Operation::rdma_read;
    const std::vector<Reliability>& readers = shared_.config.nic.rdma_read_levels;
    if (descriptor.faults != 0) return descriptor.faults;
    if (reads && std::ranges::find(readers, vi.attributes.level) == readers.end()) return status::format_error;
    if ((descriptor.operation != Operation::send_receive) != descriptor.remote.has_value()) return status::format_error;
    if (descriptor.length != capacity_of(descriptor.data) || descriptor.length > vi.attributes.max_transfer_size ||
        segments_of(descriptor) > shared_.config.nic.max_segments)
        return status::length_error;
    const Access access = reads ? Access::local_write : Access::local_read;
    return fits_memory(access, vi, descriptor) ? 0 : status::protection_error;
}

bool Messages::fits_memory(Access access, const Vi& vi, const Descriptor& descriptor) const {
    return std::ranges::all_of(descriptor.data, [&](const DataSegment& segment) {
        return segment.length == 0 ||
               shared_.memory.allows(access, vi.attributes.ptag, segment.address, segment.handle, segment.length);
    });
}

/// VI Overrun: too many are posted. The descriptor comes back with all others.
bool Messages::overruns(Vi& vi, std::size_t posted, Descriptor& descriptor) {
    if (posted < shared_.config.nic.max_descriptors_per_queue) return false;
    shared_.catastrophes.push_back(
        {.vi = vi.id,
         .descriptor = descriptor.cookie,
         .operation = (descriptor.status & status::op_mask) >> status::op_shift,
         .code = AsyncError::vi_overrun});
    descriptor.status |= status::desc_flushed_error;
    return true;
}

/// A descriptor out of memory, which is linked behind the last one of its queue; nothing, if its memory is not valid.
std::optional<Descriptor> Messages::take_over(Vi& vi, const DescriptorAddress& at, Queue queue) {
    const Ptag ptag = vi.attributes.ptag;
    std::optional<Descriptor> descriptor = read_descriptor(
        shared_.memory, ptag, at, queue, shared_.config.nic.max_segments);
    Descriptor* last = queue == Queue::send  ? vi.sends.empty() ? nullptr : &vi.sends.back().descriptor
                       : vi.receives.empty() ? nullptr
                                             : &vi.receives.back();
    const bool linkable = last == nullptr || !last->at ||
                          shared_.memory.allows(
                              Access::local_write, ptag, last->at->address, last->at->handle, control_segment_size);
    if (!descriptor || !linkable) {
        shared_.catastrophes.push_back(
            {.vi = vi.id,
             .descriptor = at.address,
             .operation = (queue == Queue::send ? status::op_send : status::op_receive) >> status::op_shift,
             .resource = Resource::descriptor,
             .code = AsyncError::post_desc});
        return std::nullopt;
    }
    prepare_descriptor(shared_.memory, at);
    if (last != nullptr && last->at) {
        link_descriptor(shared_.memory, *last->at, at);
        last->next = at;
    }
    return descriptor;
}

void Messages::post_send(Time now, Vi& vi, const DescriptorAddress& at) {
    if (auto descriptor = take_over(vi, at, Queue::send)) post_send(now, vi, std::move(*descriptor));
}

void Messages::post_receive(Vi& vi, const DescriptorAddress& at) {
    if (auto descriptor = take_over(vi, at, Queue::receive)) post_receive(vi, std::move(*descriptor));
}

void Messages::post_send(Time now, Vi& vi, Descriptor descriptor) {
    descriptor.status = op_of(descriptor.operation);
    if (!vi.may_send) {
        descriptor.status |= status::desc_flushed_error;
        return shared_.complete_send(vi, std::move(descriptor));
    }
    if (overruns(vi, vi.sends.size(), descriptor)) return shared_.complete_send(vi, std::move(descriptor));
    vi.sends.push_back({.descriptor = std::move(descriptor)});
    begin_messages(now, vi);
}

void Messages::post_receive(Vi& vi, Descriptor descriptor) {
    descriptor.status = status::op_receive;
    if (vi.state == EndpointState::error) {
        descriptor.status |= status::desc_flushed_error;
        return shared_.complete_receive(vi, std::move(descriptor));
    }
    if (overruns(vi, vi.receives.size(), descriptor)) return shared_.complete_receive(vi, std::move(descriptor));
    vi.receives.push_back(std::move(descriptor));
}

bool Messages::awaits_response(const Vi& vi, const SendWork& work) const {
    return vi.received() || work.descriptor.operation == Operation::rdma_read;
}

/// In order, and no more than FCVI_PIPELINE_DEPTH + 1 at once; a Message is open until its descriptor is done (7.3).
void Messages::begin_messages(Time now, Vi& vi) {
    while (true) {
        complete_sends(vi);
        const auto next = std::ranges::find(vi.sends, false, &SendWork::sent);
        const auto open = static_cast<std::size_t>(next - vi.sends.begin());
        if (next == vi.sends.end() || !vi.may_send || open > vi.attributes.pipeline_depth) return;
        const std::uint32_t wrong = why_not_post(vi, next->descriptor);
        if (open != 0 && (next->descriptor.fence || wrong != 0)) return;  // what is before it has to be done first
        if (wrong != 0) fail_send(vi, *next, wrong);
        else transmit(now, vi, *next);
    }
}

Octets Messages::gather(const Descriptor& descriptor) const {
    Octets octets;
    for (const DataSegment& segment : descriptor.data) {
        if (segment.length == 0) continue;
        const Octets part = shared_.memory.read(segment.address, segment.handle, segment.length);
        octets.insert(octets.end(), part.begin(), part.end());
    }
    return octets;
}

void Messages::scatter(const std::vector<DataSegment>& segments, ByteView octets) {
    for (const DataSegment& segment : segments) {
        const ByteView part = octets.first(std::min<std::size_t>(segment.length, octets.size()));
        if (!part.empty()) shared_.memory.write(segment.address, segment.handle, part);
        octets = octets.subspan(part.size());
    }
}

void Messages::transmit(Time now, Vi& vi, SendWork& work) {
    const Descriptor& descriptor = work.descriptor;
    const bool reads = descriptor.operation == Operation::rdma_read;
    work.sent = true;
    work.msg_id = vi.next_msg_id++;
    work.exchange = shared_.exchanges.open(
        fcvi::fc_type, vi.peer, shared_.config.service_class, vi.attributes.preference);
    fcvi::DeviceHeader header = fcvi::make_device_header(shared_.config.version, request_of(descriptor.operation));
    header.common().handle = vi.remote_handle;
    header.common().msg_id = work.msg_id;
    if (descriptor.immediate && !reads) {
        header.parameter = fcvi::ImmediateData{*descriptor.immediate};
        std::visit(
            [](auto& head) {
                if constexpr (requires { head.imm_data; }) head.imm_data = true;
            },
            header.head);
    }
    if (auto* target = std::get_if<fcvi::RdmaTarget>(&header.target))
        // Revision 1.0 has a length for Reads only (5.7.9).
        *target = {
            descriptor.remote->address, descriptor.remote->handle, reads || shared_.iso() ? descriptor.length : 0};
    else if (auto* send = std::get_if<fcvi::SendTarget>(&header.target)) send->tot_len = descriptor.length;

    const Octets data = reads ? Octets{} : gather(descriptor);
    const bool response = awaits_response(vi, work);
    send_data(now, work.exchange, header, data, response);
    ViCounters& counters = shared_.counters[vi.id];
    ++counters.messages_sent;
    if (!reads) counters.octets_sent += data.size();
    if (response) work.deadline = now + shared_.ulp_timeout();
    else work.finished = shared_.config.service_class != 2;  // class 2: with the last ACK
}

/// In as many IUs as the configuration asks for; one, if there are no data.
void Messages::send_data(
    Time now, ExchangeHandle exchange, const fcvi::DeviceHeader& header, ByteView data, bool answered) {
    const std::size_t most = shared_.config.iu_size == 0 ? data.size() : shared_.config.iu_size;
    std::size_t at = 0;
    do {
        const ByteView part = data.subspan(at, std::min(most, data.size() - at));
        OutgoingIu iu;
        iu.r_ctl = header.iu()->r_ctl;
        iu.device_header = fcvi::build(header);
        iu.payload.assign(part.begin(), part.end());
        iu.payload_of_frame = shared_.config.frame_data;
        iu.relative_offset = static_cast<std::uint32_t>(at);
        at += part.size();
        iu.last_sequence = at == data.size() && !answered;
        iu.passes_initiative = at == data.size() && answered;
        shared_.exchanges.send(now, exchange, std::move(iu));
    } while (at < data.size());
}

SendWork* Messages::find_work(ExchangeHandle exchange, Vi*& vi) {
    for (auto& [id, one] : shared_.vis)
        for (SendWork& work : one.sends)
            if (work.sent && work.exchange == exchange) {
                vi = &one;
                return &work;
            }
    return nullptr;
}

void Messages::on_acknowledged(Time now, ExchangeHandle exchange) {
    Vi* vi = nullptr;
    SendWork* work = find_work(exchange, vi);
    if (work == nullptr || awaits_response(*vi, *work)) return;
    work->finished = true;
    begin_messages(now, *vi);
}

/// In order; a client's are not complete before it has RESP3 (C.5.10).
void Messages::complete_sends(Vi& vi) {
    while (vi.may_complete && !vi.sends.empty() && vi.sends.front().finished) {
        Descriptor descriptor = std::move(vi.sends.front().descriptor);
        vi.sends.pop_front();
        shared_.complete_send(vi, std::move(descriptor));
    }
}

/// The descriptor is done with an error. On a reliable level that is the end of the connection: all before it are
/// in doubt unless they have finished, all behind it come back flushed.
void Messages::fail_send(Vi& vi, SendWork& work, std::uint32_t bits) {
    work.descriptor.status |= bits;
    work.descriptor.length = 0;
    work.sent = work.finished = true;
    if (!vi.reliable()) return;
    vi.may_complete = true;
    while (!vi.sends.empty() && &vi.sends.front() != &work) {
        SendWork former = std::move(vi.sends.front());
        vi.sends.pop_front();
        if (!former.finished) former.descriptor.status |= status::transport_error;
        shared_.complete_send(vi, std::move(former.descriptor));
    }
    complete_sends(vi);
    // There is no reason code for what is wrong with a descriptor of one's own.
    std::optional<fcvi::Reason> why;
    if ((bits & status::rdma_prot_error) != 0) why = fcvi::Reason::rdma_protection_error;
    else if ((bits & status::remote_desc_error) != 0) why = fcvi::Reason::remote_descriptor_error;
    else if ((bits & status::transport_error) != 0) why = fcvi::Reason::transport_error;
    shared_.fail(vi, why, AsyncError::conn_lost);
}

// ---- responses ---------------------------------------------------------------------------------------

void Messages::on_response(Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header) {
    Vi* vi = nullptr;
    SendWork* work = find_work(iu.exchange, vi);
    if (work == nullptr || work->finished || vi->discards_all || work->msg_id != header.msg_id()) return;
    const auto* response = std::get_if<fcvi::MessageResponseHead>(&header.head);
    if (response == nullptr) return;
    if (response->resp_err) {
        const std::uint32_t bits = (response->trans_err ? status::transport_error : 0) |
                                   (response->prot_err ? status::rdma_prot_error : 0) |
                                   (response->desc_err ? status::remote_desc_error : 0);
        return fail_send(*vi, *work, bits);
    }
    if (work->descriptor.operation == Operation::rdma_read) accept_read_data(*vi, *work, iu);
    else work->finished = true;
    if (vi->connected()) begin_messages(now, *vi);
}

void Messages::accept_read_data(Vi& vi, SendWork& work, const fibre_channel::IncomingIu& iu) {
    work.parts.try_emplace(iu.first.parameter, iu.payload);
    if (iu.last.f_ctl.last_sequence)
        work.parts_end = iu.first.parameter + static_cast<std::uint32_t>(iu.payload.size());
    if (!work.parts_end || size_of_parts(work.parts) != *work.parts_end) return;
    if (*work.parts_end != work.descriptor.length) return fail_send(vi, work, status::transport_error);
    if (!fits_memory(Access::local_write, vi, work.descriptor)) return fail_send(vi, work, status::protection_error);
    const Octets data = joined(work.parts);
    scatter(work.descriptor.data, data);
    shared_.counters[vi.id].octets_received += data.size();
    work.parts.clear();
    work.finished = true;
}

// ---- frames of requests, as they come (annex B) ---------------------------------------------------------

bool Messages::out_of_order(const Vi& vi, std::uint32_t msg_id, std::uint16_t seq_cnt) const {
    if (msg_id != vi.expected) return true;
    const auto message = vi.incoming.find(msg_id);
    return seq_cnt != (message == vi.incoming.end() ? 0 : message->second.next_seq_cnt);
}

/// Annex B, rules 3 to 6: a Message Error.
Disposition Messages::spoil(Time now, Vi& vi, std::uint32_t msg_id, bool asks_for_abort) {
    const Disposition thrown_away = asks_for_abort ? Disposition::discard_and_abort : Disposition::discard;
    if (vi.reliable()) {
        lose(vi, vi.expected);
        return thrown_away;
    }
    for (std::uint32_t one = vi.expected; distance(one, msg_id) >= 0; ++one) give_up(now, vi, one);
    return thrown_away;
}

/// VI-DG 3.8.1, 5.2, 6.2: in the descriptor that the Message takes, else by an error of its own. Of a Message of which
/// nothing came nobody knows what it was.
fcvi::Reason Messages::tell_loss(Vi& vi, std::uint32_t msg_id) {
    using enum fcvi::Reason;
    const auto found = vi.incoming.find(msg_id);
    if (found == vi.incoming.end()) return transport_error;
    const InMessage message = std::move(found->second);
    vi.incoming.erase(found);
    if (!message.known) return transport_error;
    const bool sends = message.type == IuType::send_rqst, writes = message.type == IuType::write_rqst;
    const std::uint32_t bits = message.corrupt ? status::transport_error
                                               : status::transport_error | status::partial_error;
    // Of a reliable connection without a receive its loss says enough.
    const bool has_receive = !vi.reliable() || !vi.receives.empty();
    if ((sends || message.immediate) && has_receive)
        consume_receive(vi, message, sends ? status::op_receive : status::op_remote_write, bits, {}, 0);
    if (sends || (message.immediate && has_receive)) return transport_error;
    const AsyncError of_write = message.corrupt ? AsyncError::rdmaw_data : AsyncError::rdmaw_abort;
    shared_.report(
        {.vi = vi.id,
         .operation = (writes ? status::op_remote_write : status::op_read) >> status::op_shift,
         .code = writes ? of_write : AsyncError::rdma_transport});
    if (!writes) return remote_rdma_transport_error;
    return message.corrupt ? remote_write_data_error : remote_write_packet_abort;
}

void Messages::lose(Vi& vi, std::uint32_t msg_id) {
    const fcvi::Reason why = tell_loss(vi, msg_id);
    shared_.fail(vi, why, AsyncError::conn_lost);
}

/// Unreliable Delivery: the Message is lost; what still comes of it is thrown away for R_A_TOV (rules 2 and 3).
void Messages::give_up(Time now, Vi& vi, std::uint32_t msg_id) {
    vi.discarded[msg_id] = now + shared_.ulp_timeout();
    if (distance(vi.expected, msg_id) >= 0) vi.expected = msg_id + 1;
    tell_loss(vi, msg_id);
}

namespace {

/// What a frame says of its Message.
void note(InMessage& message, const fcvi::DeviceHeader& header) {
    message.known = true;
    message.type = header.iu()->type;
    if (const auto immediate = header.immediate_data()) message.immediate = immediate;
    if (const auto* target = std::get_if<fcvi::RdmaTarget>(&header.target)) message.target = *target;
}

}  // namespace

/// A frame that says where it belongs, and is expected there, is of that Message, although some octet of it is wrong
/// (VI-DG 3.8.1: data corruption).
void Messages::on_bad_frame(Time now, const fc::Frame& frame, const fcvi::DeviceHeader& header) {
    Vi* vi = shared_.by_handle(header.handle());
    if (header.iu()->category != fcvi::Category::message_request || vi == nullptr || !vi->connected() ||
        vi->discards_all || vi->peer != frame.header.s_id)
        return;
    const std::uint32_t msg_id = header.msg_id();
    if (msg_id != vi->expected && !vi->incoming.contains(msg_id)) return;
    InMessage& message = vi->incoming[msg_id];
    note(message, header);
    message.corrupt = true;
    if (vi->reliable()) lose(*vi, msg_id);
    else give_up(now, *vi, msg_id);
}

Disposition Messages::on_frame(
    Time now, ExchangeHandle exchange, const fc::Frame& frame, const fcvi::DeviceHeader& header) {
    if (header.iu()->category != fcvi::Category::message_request) return Disposition::take;
    Vi* vi = shared_.by_handle(header.handle());
    if (vi == nullptr) return Disposition::discard;
    if (vi->discards_all) return Disposition::discard_and_abort;
    const std::uint32_t msg_id = header.msg_id();
    if (const auto found = vi->discarded.find(msg_id); found != vi->discarded.end()) {
        if (found->second > now) return Disposition::discard_and_abort;
        vi->discarded.erase(found);
    }
    if (vi->reliable() && distance(vi->expected, msg_id) < 0 && !shared_.config.in_order) return Disposition::discard;
    if (distance(vi->expected, msg_id) > furthest_ahead) {
        if (vi->reliable()) return spoil(now, *vi, msg_id, true);
        return Disposition::discard_and_abort;
    }
    const std::uint16_t seq_cnt = frame.header.seq_cnt;
    if (shared_.config.in_order && out_of_order(*vi, msg_id, seq_cnt)) {
        const bool begins_later = !vi->reliable() && distance(vi->expected, msg_id) > 0 && seq_cnt == 0;
        if (!begins_later) {
            // A Message that has been given up is not the one that is spoilt now.
            if (!vi->reliable() && distance(vi->expected, msg_id) < 0) return Disposition::discard;
            if (vi->reliable() && msg_id == vi->expected) note(vi->incoming[msg_id], header);
            return spoil(now, *vi, msg_id, true);
        }
        spoil(now, *vi, msg_id - 1, false);  // rule 4a: what was skipped is lost
    }
    InMessage& message = vi->incoming[msg_id];
    message.exchange = exchange;
    note(message, header);
    message.next_seq_cnt = std::max<std::uint16_t>(message.next_seq_cnt, static_cast<std::uint16_t>(seq_cnt + 1));
    message.deadline = now + shared_.ulp_timeout();
    if (!shared_.config.in_order) watch_for_gaps(now, *vi, msg_id);
    return Disposition::take;
}

/// Rule 4c: what comes before a frame that is there has to come within R_A_TOV.
void Messages::watch_for_gaps(Time now, Vi& vi, std::uint32_t msg_id) {
    if (!vi.reliable()) return;
    for (std::uint32_t one = vi.expected; distance(one, msg_id) > 0; ++one) {
        InMessage& message = vi.incoming[one];
        if (!message.complete && message.deadline == never) message.deadline = now + shared_.ulp_timeout();
    }
}

// ---- whole requests ----------------------------------------------------------------------------------

void Messages::on_iu(Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header) {
    if (header.iu()->category == fcvi::Category::message_response) on_response(now, iu, header);
    else on_request(now, iu, header);
}

void Messages::on_request(Time now, const fibre_channel::IncomingIu& iu, const fcvi::DeviceHeader& header) {
    Vi* vi = shared_.by_handle(header.handle());
    if (vi == nullptr || vi->discards_all) return;
    const auto found = vi->incoming.find(header.msg_id());
    if (found == vi->incoming.end()) return;
    InMessage& message = found->second;
    message.parts.try_emplace(iu.first.parameter, iu.payload);
    if (iu.last.f_ctl.last_sequence || iu.last.f_ctl.sequence_initiative)
        message.end = iu.first.parameter + static_cast<std::uint32_t>(iu.payload.size());
    if (!message.end || size_of_parts(message.parts) != *message.end) return;
    message.complete = true;
    message.deadline = never;
    deliver(now, *vi);
}

/// In order of MSG_ID; on Unreliable Delivery whatever is complete. A client answers nothing before it has RESP3.
void Messages::deliver(Time now, Vi& vi) {
    if (!vi.connected() || !vi.may_complete) return;
    if (!vi.reliable() && !shared_.config.in_order) {
        for (auto next = vi.incoming.begin(); next != vi.incoming.end();) {
            if (!next->second.complete) {
                ++next;
                continue;
            }
            const std::uint32_t msg_id = next->first;
            InMessage message = std::move(next->second);
            next = vi.incoming.erase(next);
            vi.discarded[msg_id] = now + shared_.ulp_timeout();  // at most once
            process(now, vi, msg_id, message);
        }
        return;
    }
    for (auto next = vi.incoming.find(vi.expected); next != vi.incoming.end() && next->second.complete;
         next = vi.incoming.find(vi.expected)) {
        InMessage message = std::move(next->second);
        vi.incoming.erase(next);
        process(now, vi, vi.expected++, message);
        if (!vi.connected()) return;
    }
}

void Messages::process(Time now, Vi& vi, std::uint32_t msg_id, const InMessage& message) {
    const Octets data = joined(message.parts);
    switch (message.type) {
        case IuType::send_rqst: return accept_send(now, vi, msg_id, message, data);
        case IuType::write_rqst: return accept_write(now, vi, msg_id, message, data);
        default: return accept_read(now, vi, msg_id, message);
    }
}

void Messages::succeed(Vi& vi, std::uint32_t msg_id, std::size_t octets) {
    vi.highest_completed = msg_id;
    ++shared_.counters[vi.id].messages_received;
    shared_.counters[vi.id].octets_received += octets;
}

/// Takes the next posted receive for a Message of `length` octets; false if there is none, or it does not fit.
bool Messages::consume_receive(
    Vi& vi, const InMessage& message, std::uint32_t op, std::uint32_t bits, ByteView data, std::size_t length) {
    if (vi.receives.empty()) {
        shared_.report({.vi = vi.id, .operation = op >> status::op_shift, .code = AsyncError::recvq_empty});
        return false;
    }
    Descriptor descriptor = std::move(vi.receives.front());
    vi.receives.pop_front();
    descriptor.status = op | bits;
    const auto good = [&] { return (descriptor.status & status::error_mask) == 0; };
    if (good()) descriptor.status |= descriptor.faults;
    if (good() && descriptor.operation != Operation::send_receive) descriptor.status |= status::format_error;
    if (good() && (capacity_of(descriptor.data) < data.size() || length > vi.attributes.max_transfer_size ||
                   segments_of(descriptor) > shared_.config.nic.max_segments))
        descriptor.status |= status::length_error;
    if (good() && !fits_memory(Access::local_write, vi, descriptor)) descriptor.status |= status::protection_error;
    const bool accepted = good();
    if (accepted) scatter(descriptor.data, data);
    descriptor.length = accepted ? static_cast<std::uint32_t>(length) : 0;
    if (accepted && message.immediate) {
        descriptor.immediate = message.immediate;
        descriptor.status |= status::immediate;
    }
    shared_.complete_receive(vi, std::move(descriptor));
    return accepted;
}

void Messages::accept_send(Time now, Vi& vi, std::uint32_t msg_id, const InMessage& message, ByteView data) {
    const bool accepted = consume_receive(vi, message, status::op_receive, 0, data, data.size());
    if (accepted) succeed(vi, msg_id, data.size());
    answer(now, vi, msg_id, message, accepted ? Verdict::good : Verdict::descriptor, {});
    if (!accepted && vi.reliable()) shared_.fail(vi, fcvi::Reason::remote_descriptor_error, AsyncError::conn_lost);
}

void Messages::accept_write(Time now, Vi& vi, std::uint32_t msg_id, const InMessage& message, ByteView data) {
    const fcvi::RdmaTarget& target = message.target;
    const bool allowed = vi.attributes.enable_rdma_write &&
                         (data.empty() || shared_.memory.allows(
                                              Access::remote_write, vi.attributes.ptag, target.rmt_va,
                                              target.rmt_va_handle, static_cast<std::uint32_t>(data.size())));
    Verdict verdict = allowed ? Verdict::good : Verdict::protection;
    if (allowed && !data.empty()) shared_.memory.write(target.rmt_va, target.rmt_va_handle, data);
    const bool told = message.immediate && !vi.receives.empty();  // in the descriptor, and there only (VI-DG 3.8.1)
    if (message.immediate &&
        !consume_receive(
            vi, message, status::op_remote_write, allowed ? 0 : status::protection_error, {}, data.size()) &&
        allowed)
        verdict = Verdict::descriptor;
    if (verdict == Verdict::good) succeed(vi, msg_id, data.size());
    if (!allowed && !told)
        shared_.report(
            {.vi = vi.id, .operation = status::op_remote_write >> status::op_shift, .code = AsyncError::rdmaw_prot});
    answer(now, vi, msg_id, message, verdict, {});
    if (verdict == Verdict::good || !vi.reliable()) return;
    const bool lacks_descriptor = verdict == Verdict::descriptor;
    shared_.fail(
        vi, lacks_descriptor ? fcvi::Reason::remote_descriptor_error : fcvi::Reason::remote_write_protection_error,
        AsyncError::conn_lost);
}

void Messages::accept_read(Time now, Vi& vi, std::uint32_t msg_id, const InMessage& message) {
    const fcvi::RdmaTarget& target = message.target;
    const bool allowed = vi.attributes.enable_rdma_read &&
                         (target.tot_len == 0 || shared_.memory.allows(
                                                     Access::remote_read, vi.attributes.ptag, target.rmt_va,
                                                     target.rmt_va_handle, target.tot_len));
    if (!allowed) {
        shared_.report({.vi = vi.id, .operation = status::op_read >> status::op_shift, .code = AsyncError::rdmar_prot});
        answer(now, vi, msg_id, message, Verdict::protection, {});
        return shared_.fail(vi, fcvi::Reason::remote_read_protection_error, AsyncError::conn_lost);
    }
    const Octets data = target.tot_len == 0 ? Octets{}
                                            : shared_.memory.read(target.rmt_va, target.rmt_va_handle, target.tot_len);
    succeed(vi, msg_id, 0);
    shared_.counters[vi.id].octets_sent += data.size();
    answer(now, vi, msg_id, message, Verdict::good, data);
}

/// Reads are always answered, other requests on Reliable Reception only.
void Messages::answer(
    Time now, Vi& vi, std::uint32_t msg_id, const InMessage& message, Verdict verdict, ByteView data) {
    const bool reads = message.type == IuType::read_rqst;
    if (!reads && !vi.received()) return;
    fcvi::DeviceHeader header = fcvi::make_device_header(shared_.config.version, response_to(message.type));
    header.common().handle = vi.remote_handle;
    header.common().msg_id = msg_id;
    auto& head = std::get<fcvi::MessageResponseHead>(header.head);
    head.resp_err = verdict != Verdict::good;
    head.prot_err = verdict == Verdict::protection;
    head.desc_err = verdict == Verdict::descriptor;
    if (auto* target = std::get_if<fcvi::RdmaTarget>(&header.target)) *target = message.target;
    if (reads) send_data(now, message.exchange, header, data, false);
    else shared_.send(now, message.exchange, header, {}, true, "");
}

// ---- failures and timers -----------------------------------------------------------------------------

void Messages::go_on(Time now) {
    for (auto& [id, vi] : shared_.vis) {
        if (!vi.connected()) continue;
        deliver(now, vi);
        if (vi.connected()) begin_messages(now, vi);
    }
}

/// Annex B, rule 8; and the other side's ABTS.
void Messages::on_failure(Time now, ExchangeHandle exchange, Failure failure) {
    Vi* vi = nullptr;
    if (SendWork* work = find_work(exchange, vi); work != nullptr) {
        const std::uint32_t partial = shared_.exchanges.is_partly_sent(exchange) ? status::partial_error : 0;
        if (failure != Failure::aborted) shared_.exchanges.abort(now, exchange, "the Message has failed");
        if (vi->reliable()) return fail_send(*vi, *work, status::transport_error | partial);
        work->finished = true;  // in flight, more is not promised
        return begin_messages(now, *vi);
    }
    if (failure != Failure::aborted) return shared_.exchanges.abort(now, exchange, "the answer has failed");
    for (auto& [id, one] : shared_.vis)
        for (const auto& [msg_id, message] : one.incoming)
            if (message.exchange == exchange && !message.complete) {
                if (one.reliable()) lose(one, msg_id);
                else give_up(now, one, msg_id);
                return;
            }
}

Time Messages::wakeup() const {
    Time earliest = never;
    for (const auto& [id, vi] : shared_.vis) {
        if (vi.discards_all) continue;
        for (const SendWork& work : vi.sends)
            if (!work.finished) earliest = std::min(earliest, work.deadline);
        for (const auto& [msg_id, message] : vi.incoming) earliest = std::min(earliest, message.deadline);
    }
    return earliest;
}

void Messages::on_timer(Time now) {
    for (auto& [id, vi] : shared_.vis) {
        if (vi.discards_all) continue;
        const auto late = std::ranges::find_if(
            vi.sends, [&](const SendWork& work) { return !work.finished && work.deadline <= now; });
        if (late != vi.sends.end()) {  // rule 9
            shared_.exchanges.abort(now, late->exchange, "no answer to the Message");
            if (!vi.reliable()) {
                shared_.fail(vi, fcvi::Reason::transport_error, AsyncError::conn_lost);
                continue;
            }
            fail_send(vi, *late, status::transport_error);
            continue;
        }
        std::vector<std::uint32_t> missing;  // rule 7
        for (const auto& [msg_id, message] : vi.incoming)
            if (message.deadline <= now) missing.push_back(msg_id);
        if (missing.empty()) continue;
        if (vi.reliable()) lose(vi, vi.expected);
        else
            for (const std::uint32_t msg_id : missing) give_up(now, vi, msg_id);
    }
}

}  // namespace fabricscope::stack::vi
