// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/rdma_cm/recorded_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "protocols/ib/mtu.h"
#include "replay/engine/believable.h"
#include "replay/engine/rdma_cm/formats.h"

namespace fabricscope::replay::rdma_cm {

namespace {

using ib::AethSyndrome;
using ib::Operation;

constexpr unsigned receive_buffers = 1U << 20;
constexpr std::uint64_t largest_playable = std::uint64_t{1} << 28;
/// Of memory under names of this run: so far behind the recorded address.
constexpr std::uint64_t address_shift = std::uint64_t{1} << 40;

constexpr std::size_t bth_size = layout::size_of<ib::Bth>;

/// The headers and the payload of a queue pair's message.
struct Headers {
    ib::Bth bth{};
    ib::Deth deth{};
    ib::Aeth aeth{};
    ib::AtomicEth atomic{};
    ib::AtomicAckEth atomic_ack{};
    ib::XrcEth xrc{};
    std::optional<std::uint32_t> immediate, invalidate;
    ByteView payload;

    /// Of an atomic operation: else it compares.
    bool adds() const {
        constexpr std::uint8_t operation_bits = 0x1F;
        return (bth.opcode & operation_bits) == ib::rc::fetch_and_add;
    }

    explicit Headers(ByteView message) {
        layout::PartReader reader(message, message.size());
        reader.read(bth);
        const ib::OpcodeInfo& opcode = ib::opcode_info(bth.opcode);
        for_each_header(opcode, [&](auto header) {
            reader.read(header);
            keep(header);
        });
        payload = reader.take(reader.remaining(), "payload");
    }

private:
    void keep(const ib::Deth& header) { deth = header; }
    void keep(const ib::Aeth& header) { aeth = header; }
    void keep(const ib::AtomicEth& header) { atomic = header; }
    void keep(const ib::AtomicAckEth& header) { atomic_ack = header; }
    void keep(const ib::ImmDt& header) { immediate = header.immediate_data; }
    void keep(const ib::Ieth& header) { invalidate = header.r_key; }
    void keep(const ib::Reth&) {}  // see memory_used()
    void keep(const ib::XrcEth& header) { xrc = header; }
};

bool is_response(const Message& message) {
    return message.name == read_response_name || message.name == atomic_response_name;
}

/// The PSNs of the WRITEs and READs that `owner` refused.
std::set<std::uint32_t> refused_psns(const Conversation& conversation, Side owner) {
    std::set<std::uint32_t> psns;
    for (const Message& message : conversation.messages) {
        if (message.name != nak_name || message.from != owner) continue;
        const Headers nak(message.octets);
        if (AethSyndrome::of(nak.aeth.syndrome).value == AethSyndrome::remote_access_error) psns.insert(nak.bth.psn);
    }
    return psns;
}

}  // namespace

RecordedEndpoint::RecordedEndpoint(
    const Recording& recording, Side side, Pace pace, stack::Adapter& adapter, stack::IbAddress peer, Names names)
    : recording_(recording), side_(side), script_(recording.conversation, side, pace), adapter_(adapter), peer_(peer) {
    scan_recording();
    create_queue_pair(names);
    register_memory(names);
}

void RecordedEndpoint::scan_recording() {
    std::set<Value> addresses;
    for (std::size_t i = 0; i < recording_.conversation.messages.size(); ++i) {
        const Message& message = recording_.conversation.messages[i];
        if (message.from == side_) {
            if (is_response(message) && message.answers) responses_.emplace(*message.answers, i);
            continue;
        }
        for (const FieldAt& name : message.embedded)
            if (rule_of(message, name).kind == address_kind) addresses.insert(value_of(message.octets, name));
    }
    announced_addresses_.assign(addresses.begin(), addresses.end());
}

void RecordedEndpoint::create_queue_pair(Names names) {
    const End& end = recording_.assembler.ends()[side_];
    if (!end.qpn) return;
    const bool reliable = recording_.assembler.request() != nullptr;
    qpn_ = *end.qpn;
    if (names == Names::fresh) {
        qpn_ = reliable ? adapter_.create_rc() : adapter_.create_ud(end.q_key);
        script_.bindings().bind(qpn_kind, side_, value_of_number(*end.qpn), value_of_number(qpn_));
    } else if (reliable) {
        adapter_.create_rc(qpn_);
    } else {
        adapter_.create_ud(end.q_key, qpn_);
    }
}

// ---- memory --------------------------------------------------------------------------------------

/// What the peer used of this side's memory, by key.
std::map<std::uint32_t, RecordedEndpoint::Region> RecordedEndpoint::regions() const {
    std::map<std::uint32_t, Region> regions;
    const std::set<std::uint32_t> refused = refused_psns(recording_.conversation, side_);
    for (const Message& message : recording_.conversation.messages) {
        const std::optional<ib::Reth> used = memory_used(message);
        if (message.from == side_ || !used || refused.contains(Headers(message.octets).bth.psn)) continue;
        const std::uint64_t begin = used->virtual_address, end = begin + used->dma_length;
        if (end < begin) continue;
        const auto [entry, fresh] = regions.try_emplace(used->r_key, Region{begin, end});
        entry->second = {std::min(entry->second.begin, begin), std::max(entry->second.end, end)};
    }
    return regions;
}

/// Whether the peer could learn another key than the recorded one.
bool RecordedEndpoint::is_announced(std::uint32_t key) const {
    const Value value = value_of_number(key);
    return std::ranges::any_of(recording_.conversation.messages, [&](const Message& message) {
        return message.from == side_ && std::ranges::any_of(message.embedded, [&](const FieldAt& name) {
                   return value_of(message.octets, name) == value;
               });
    });
}

void RecordedEndpoint::register_memory(Names names) {
    std::uint64_t room = believable_octets(recording_.conversation);
    const auto take = [&room](std::uint64_t octets) {
        if (octets > room)
            throw NotPlayable("reads and writes name more memory than can be of a recording of its size");
        room -= octets;
    };
    for (const Message& message : recording_.conversation.messages)
        if (message.from == side_ && message.name == read_name) take(memory_used(message)->dma_length);
    for (const auto& [key, region] : regions()) {
        take(region.end - region.begin);
        Octets& octets = memory_.emplace_back(region.end - region.begin);
        stack::MemoryRegion memory{
            region.begin, octets, stack::remote_read | stack::remote_write | stack::remote_atomic};
        if (names == Names::recorded || !is_announced(key)) {
            adapter_.memory().add(key, memory);
            continue;
        }
        memory.address += address_shift;
        rename_memory(key, region, adapter_.memory().add(memory));
    }
}

/// Everything that lies in the region gets another address.
void RecordedEndpoint::rename_memory(std::uint32_t key, const Region& region, std::uint32_t actual_key) {
    Bindings& bindings = script_.bindings();
    bindings.bind(rkey_kind, side_, value_of_number(key), value_of_number(actual_key));
    const auto rename = [&](const Message& message, const FieldAt& field) {
        const FieldRule rule = rule_of(message, field);
        if (rule.kind != address_kind || owner_of(rule, message.from) != side_) return;
        const Value address = value_of(message.octets, field);
        const std::uint64_t number = number_of(address);
        // A region may begin before what the peer used of it.
        if (number + largest_playable >= region.begin && number <= region.end)
            bindings.bind(address_kind, side_, address, value_of_number(number + address_shift));
    };
    for (const Message& message : recording_.conversation.messages)
        for (const FieldAt& field : fields_of(message, message.octets)) rename(message, field);
}

/// A READ and an atomic operation find what they found when they were recorded. A READ that is repeated, wholly or from
/// some packet on, finds it again; an atomic operation is not executed twice.
void RecordedEndpoint::prepare_response(const capture::Packet& packet, bool first) {
    const auto atomic = packet.ib.rare_header<ib::AtomicEth>(ib::atomic_eth);
    const bool reads = packet.ib.opcode().operation == Operation::rdma_read_request && packet.ib.has_reth;
    if (!reads && !(atomic && first)) return;
    const std::uint32_t psn = packet.ib.bth.psn;
    if (first) {
        const auto asked = script_.expected(channel_of(packet.ib.bth.opcode), atomic ? atomic_name : read_name);
        const auto response = asked ? responses_.find(*asked) : responses_.end();
        if (response == responses_.end()) return;
        given_.insert_or_assign(psn, response->second);
    }
    const auto behind = given_.upper_bound(psn);
    const ib::Reth used = atomic ? ib::Reth{atomic->virtual_address, atomic->r_key, ib::atomic_size} : packet.ib.reth;
    const auto target = adapter_.memory().find(used.r_key, used.virtual_address, used.dma_length, stack::remote_read);
    if (behind == given_.begin() || !target) return;
    const auto& [begin, response] = *std::prev(behind);
    const Octets& found = recording_.conversation.messages[response].octets;
    if (atomic) return stack::put_number(*target, Headers(found).atomic_ack.original);
    const std::size_t offset = bth_size + std::size_t{psn - begin} * assembler_.mtu();
    if (offset >= found.size()) return;
    const ByteView octets = ByteView(found).subspan(offset);
    std::copy_n(octets.begin(), std::min(octets.size(), target->size()), target->begin());
}

// ---- messages of the run -------------------------------------------------------------------------------------

std::vector<ConversationMessage> RecordedEndpoint::receive(const capture::Packet& packet) {
    std::vector<ConversationMessage> messages;
    const bool from_peer = packet.transport == capture::Transport::ib && packet.state == capture::DecodeState::ok &&
                           packet.source == capture::Address::of(peer_.gid) &&
                           packet.destination == capture::Address::of(adapter_.config().address.gid);
    if (!from_peer || !capture::icrc_is_good(packet).value_or(false)) return messages;
    assembler_.feed(engine::other(side_), packet, messages);
    prepare_response(packet, !messages.empty());
    return messages;
}

void RecordedEndpoint::record_sent(const std::vector<stack::OutgoingFrame>& frames) {
    std::vector<ConversationMessage> own;
    for (; recorded_frames_ < frames.size(); ++recorded_frames_)
        assembler_.feed(side_, capture::decode(stack::ethernet_frame(frames[recorded_frames_].octets)), own);
}

// ---- the queue pair ------------------------------------------------------------------------------

void RecordedEndpoint::connect_if_known(Time now) {
    const End& own = assembler_.ends()[side_];
    const End& other = assembler_.ends()[engine::other(side_)];
    const fabricscope::rdma_cm::Req* const request = assembler_.request();
    if (connected_ || request == nullptr || !own.qpn || !other.qpn) return;
    stack::RcQueuePair* const queue_pair = adapter_.rc(*own.qpn);
    if (queue_pair == nullptr) return;
    connected_ = true;
    stack::RcConfig config;
    config.remote_qpn = *other.qpn;
    config.send_psn = other.starting_psn;
    config.receive_psn = own.starting_psn;
    config.mtu = assembler_.mtu();
    config.timeout = request->primary.local_ack_timeout;
    config.service = stack::service_of(request->body);
    // A target of XRC retries nothing: its initiator says nothing of that (annex A14).
    if (config.service != ib::Service::xrc) {
        config.retry_count = request->body.retry_count;
        config.rnr_retry_count = request->body.rnr_retry_count;
    }
    adapter_.connect_rc(*own.qpn, peer_, config);
    queue_pair->post_receive(receive_buffers);
    queue_pair->make_ready_to_send(now);
}

/// The peer's memory under its name in this run. What was told is its beginning; the address may lie within.
ib::Reth RecordedEndpoint::translated(const ib::Reth& recorded) const {
    ib::Reth reth = recorded;
    const Side owner = engine::other(side_);
    const Bindings& bindings = script_.bindings();
    if (const Value* key = bindings.find(rkey_kind, owner, value_of_number(recorded.r_key)))
        reth.r_key = static_cast<std::uint32_t>(number_of(*key));
    std::uint64_t closest = 0;
    for (const Value& told : announced_addresses_) {
        const std::uint64_t base = number_of(told);
        const Value* const actual = bindings.find(address_kind, owner, told);
        if (actual == nullptr || base > recorded.virtual_address || base < closest) continue;
        closest = base;
        reth.virtual_address = number_of(*actual) + (recorded.virtual_address - base);
    }
    return reth;
}

void RecordedEndpoint::send(Time now, const Message& message) {
    const Octets octets = script_.bindings().translated(message);
    const Headers headers(octets);
    if (message.channel == ud_channel)
        return adapter_.send_datagram(
            qpn_, peer_, headers.bth.destination_qpn, headers.deth.q_key,
            {headers.payload.begin(), headers.payload.end()}, {}, headers.immediate);
    if (is_response(message) || message.name == nak_name) return;
    stack::RcQueuePair* const queue_pair = adapter_.rc(qpn_);
    if (queue_pair == nullptr) return;
    stack::WorkRequest work;
    work.id = message.frame;
    work.immediate = headers.immediate;
    work.invalidate = headers.invalidate;
    work.solicited = headers.bth.solicited_event;
    work.peer_srq = headers.xrc.shared_receive_queue;
    const ib::Reth reth = translated(memory_used(message).value_or(ib::Reth{}));
    work.remote_address = reth.virtual_address;
    work.rkey = reth.r_key;
    if (message.name == read_name) {
        work.type = stack::WorkType::rdma_read;
        work.read_into = buffers_.emplace_back(reth.dma_length);
    } else if (message.name == atomic_name) {
        work.type = headers.adds() ? stack::WorkType::fetch_and_add : stack::WorkType::compare_and_swap;
        work.swap_or_add = headers.atomic.swap_or_add;
        work.compare = headers.atomic.compare;
    } else {
        if (message.name == write_name) work.type = stack::WorkType::rdma_write;
        work.octets.assign(headers.payload.begin(), headers.payload.end());
    }
    queue_pair->post_send(now, std::move(work));
}

bool RecordedEndpoint::all_acknowledged() {
    const stack::RcQueuePair* const queue_pair = adapter_.rc(qpn_);
    return queue_pair == nullptr || queue_pair->outstanding() == 0;
}

void RecordedEndpoint::on_completion(const stack::Completion& completion) {
    if (completion.kind == stack::Completion::Kind::receive) {
        if (stack::RcQueuePair* queue_pair = adapter_.rc(completion.qpn)) queue_pair->post_receive();
        return;
    }
    if (completion.status == stack::CompletionStatus::success || completion.status == stack::CompletionStatus::flushed)
        return;
    notes_.push_back(fmt::format(
        "the queue pair failed at what was recorded in frame {}: {}", completion.id, name_of(completion.status)));
}

}  // namespace fabricscope::replay::rdma_cm
