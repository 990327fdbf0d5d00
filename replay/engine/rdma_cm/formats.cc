// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/rdma_cm/formats.h"

#include <algorithm>
#include <array>
#include <set>

#include "protocols/ib/headers.h"
#include "protocols/rdma_cm/message.h"

namespace fabricscope::replay::rdma_cm {

namespace {

namespace wire = fabricscope::rdma_cm;
using ib::CmAttribute;

constexpr const char* memory_key_filter = "rdma.embedded.r_key";
constexpr const char* memory_address_filter = "rdma.embedded.va";
constexpr const char* rejecting_guid_filter = "rdma_ip_cm.rej.ca_guid";

// ---- rules ---------------------------------------------------------------------------------------

/// Of all CM messages; transaction ids are told apart below.
constexpr std::array cm_rules{
    // Chosen by the sender, and referred to by both (IBA 12.6).
    FieldRule{"rdma_ip_cm.local_comm_id", Treatment::refers, comm_id_kind, Owner::sender},
    FieldRule{"rdma_ip_cm.remote_comm_id", Treatment::refers, comm_id_kind, Owner::receiver},
    FieldRule{"rdma_ip_cm.request_id", Treatment::refers, "request_id", Owner::group},
    FieldRule{"rdma_ip_cm.local_qpn", Treatment::refers, qpn_kind, Owner::sender},
    FieldRule{"rdma_ip_cm.local_eecn", Treatment::refers, qpn_kind, Owner::sender},  // of XRC, a queue pair
    FieldRule{"rdma_ip_cm.remote_qpn", Treatment::refers, qpn_kind, Owner::receiver},
    FieldRule{"rdma_ip_cm.local_q_key", Treatment::refers, "q_key", Owner::sender},
    FieldRule{"rdma_ip_cm.starting_psn", Treatment::refers, psn_kind, Owner::sender},
    FieldRule{"rdma_ip_cm.local_ca_guid", Treatment::refers, ca_guid_kind, Owner::sender},
    FieldRule{rejecting_guid_filter, Treatment::refers, ca_guid_kind, Owner::sender},
    FieldRule{"rdma_ip_cm.path.local_gid", Treatment::refers, gid_kind, Owner::sender},
    FieldRule{"rdma_ip_cm.path.remote_gid", Treatment::refers, gid_kind, Owner::receiver},
    FieldRule{"rdma_ip_cm.path.local_lid", Treatment::refers, "lid", Owner::sender},
    FieldRule{"rdma_ip_cm.path.remote_lid", Treatment::refers, "lid", Owner::receiver},
    FieldRule{"rdma_ip_cm.ip.source", Treatment::refers, ip_kind, Owner::sender},
    FieldRule{"rdma_ip_cm.ip.destination", Treatment::refers, ip_kind, Owner::receiver},
    FieldRule{"rdma_ip_cm.ip.source6", Treatment::refers, ip_kind, Owner::sender},
    FieldRule{"rdma_ip_cm.ip.destination6", Treatment::refers, ip_kind, Owner::receiver},
    FieldRule{"rdma_ip_cm.ip.source_port", Treatment::refers, port_kind, Owner::sender},
    FieldRule{memory_key_filter, Treatment::refers, rkey_kind, Owner::sender},
    FieldRule{memory_address_filter, Treatment::refers, address_kind, Owner::sender},
    // How patient somebody is, and what the path between them is like.
    FieldRule{"rdma_ip_cm.remote_response_timeout", Treatment::policy},
    FieldRule{"rdma_ip_cm.req.local_response_timeout", Treatment::policy},
    FieldRule{"rdma_ip_cm.req.retry_count", Treatment::policy},
    FieldRule{"rdma_ip_cm.rnr_retry_count", Treatment::policy},
    FieldRule{"rdma_ip_cm.req.max_cm_retries", Treatment::policy},
    FieldRule{"rdma_ip_cm.rep.target_ack_delay", Treatment::policy},
    FieldRule{"rdma_ip_cm.mra.service_timeout", Treatment::policy},
    FieldRule{"rdma_ip_cm.req.path_mtu", Treatment::policy}, FieldRule{"rdma_ip_cm.srq", Treatment::policy},
    FieldRule{"rdma_ip_cm.end_to_end_flow_control", Treatment::policy},
    FieldRule{"rdma_ip_cm.path.packet_rate", Treatment::policy},
    FieldRule{"rdma_ip_cm.path.traffic_class", Treatment::policy},
    FieldRule{"rdma_ip_cm.path.hop_limit", Treatment::policy},
    FieldRule{"rdma_ip_cm.path.flow_label", Treatment::policy}, FieldRule{"rdma_ip_cm.path.sl", Treatment::policy},
    FieldRule{"rdma_ip_cm.path.subnet_local", Treatment::policy},
    FieldRule{"rdma_ip_cm.path.local_ack_timeout", Treatment::policy}};

constexpr auto with_transaction(Treatment treatment) {
    std::array<FieldRule, cm_rules.size() + 1> rules;
    *std::ranges::copy(cm_rules, rules.begin()).out = {
        "rdma_ip_cm.mad.transaction_id", treatment, "transaction", Owner::group};
    return rules;
}
constexpr auto request_rules = with_transaction(Treatment::introduces);
constexpr auto answer_rules = with_transaction(Treatment::refers);

/// How a message was cut into packets, and what the way did to them, is nobody's choice.
constexpr std::array transport_rules{
    FieldRule{"infiniband.bth.destqp", Treatment::refers, qpn_kind, Owner::receiver},
    FieldRule{"infiniband.bth.psn", Treatment::ignored},
    FieldRule{"infiniband.bth.m", Treatment::ignored},
    FieldRule{"infiniband.bth.padcnt", Treatment::ignored},
    FieldRule{"infiniband.bth.a", Treatment::ignored},
    FieldRule{"infiniband.bth.fecn", Treatment::ignored},
    FieldRule{"infiniband.bth.becn", Treatment::ignored},
    FieldRule{"infiniband.reth.va", Treatment::refers, address_kind, Owner::receiver},
    FieldRule{"infiniband.reth.r_key", Treatment::refers, rkey_kind, Owner::receiver},
    FieldRule{"infiniband.atomiceth.va", Treatment::refers, address_kind, Owner::receiver},
    FieldRule{"infiniband.atomiceth.r_key", Treatment::refers, rkey_kind, Owner::receiver},
    FieldRule{"infiniband.ieth", Treatment::refers, rkey_kind, Owner::receiver},
    FieldRule{"infiniband.aeth.msn", Treatment::ignored},
    FieldRule{"infiniband.xrceth.srq", Treatment::refers, "shared receive queue", Owner::receiver},
    FieldRule{"infiniband.deth.q_key", Treatment::refers, "q_key", Owner::receiver},
    FieldRule{"infiniband.deth.srcqp", Treatment::refers, qpn_kind, Owner::sender},
    FieldRule{memory_key_filter, Treatment::refers, rkey_kind, Owner::sender},
    FieldRule{memory_address_filter, Treatment::refers, address_kind, Owner::sender}};

// ---- fields --------------------------------------------------------------------------------------

std::vector<FieldAt> cm_fields(ByteView mad) {
    std::vector<FieldAt> fields;
    wire::walk(wire::parse(mad), FieldCollector(fields));
    return fields;
}

constexpr layout::OctetsInfo payload_octets{"infiniband.payload", "Payload", "IBA 9.4"};

/// The headers that a message may have, by its opcode.
std::vector<FieldAt> transport_fields(ByteView message) {
    std::vector<FieldAt> fields;
    FieldCollector collect(fields);
    layout::Walker walker(collect);
    ib::Bth bth{};
    if (message.size() < layout::size_of<ib::Bth>) return fields;
    layout::parse_into(bth, message);
    walker.part(bth);
    const ib::OpcodeInfo& opcode = ib::opcode_info(bth.opcode);
    for_each_header(opcode, [&](const auto& header) { walker.part(header); });
    const std::size_t headers = fields.back().offset + fields.back().width;
    if (message.size() > headers) walker.octets(message.subspan(headers), {.octets = &payload_octets});
    return fields;
}

// ---- names that applications tell each other -----------------------------------------------------

constexpr layout::FieldInfo number_field(
    const char* filter, const char* label, std::uint16_t width, layout::Order order) {
    return {.filter = filter, .label = label, .base = layout::Base::hex, .order = order, .width = width};
}
constexpr std::array key_infos{
    number_field(memory_key_filter, "Key of memory", 4, layout::Order::big),
    number_field(memory_key_filter, "Key of memory", 4, layout::Order::little)};
constexpr std::array address_infos{
    number_field(memory_address_filter, "Address of memory", 8, layout::Order::big),
    number_field(memory_address_filter, "Address of memory", 8, layout::Order::little)};

/// How much of a message is searched, and how far a key stands from its address at most.
constexpr std::size_t searched = 4096, neighbourhood = 32;
constexpr std::uint64_t largest_region = 1ULL << 31;

struct MemoryName {
    Side user;  ///< who writes or reads
    std::uint32_t key;
    std::uint64_t address;
    auto operator<=>(const MemoryName&) const = default;
};
using MemoryNames = std::set<MemoryName>;

std::uint64_t number_at(ByteView octets, std::size_t offset, const layout::FieldInfo& info) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < info.width; ++i)
        number = number << 8 | octets[offset + (info.order == layout::Order::big ? i : info.width - 1U - i)];
    return number;
}

bool is_marked(const Message& message, std::size_t offset, std::size_t width) {
    return std::ranges::any_of(message.embedded, [&](const FieldAt& name) {
        return name.offset < offset + width && offset < name.offset + name.width;
    });
}

/// Octets of a message that are searched.
struct Range {
    std::size_t begin, end;
};

/// Marks the address that stands near the key at `key_offset`, if it can be the one that `name` is in.
bool mark_address(Message& message, Range range, std::size_t key_offset, const MemoryName& name) {
    const std::size_t from = key_offset - std::min(neighbourhood, key_offset - range.begin);
    const std::size_t to = std::min(range.end, key_offset + neighbourhood);
    for (const bool exact : {true, false})
        for (const layout::FieldInfo& info : address_infos)
            for (std::size_t at = from; at + info.width <= to; ++at) {
                if (at < key_offset + 4 && key_offset < at + info.width) continue;
                const std::uint64_t base = number_at(message.octets, at, info);
                // Where all addresses are small, any number could be one.
                const bool holds = name.address >= largest_region && base <= name.address &&
                                   name.address - base < largest_region;
                if ((exact ? base != name.address : !holds) || is_marked(message, at, info.width)) continue;
                message.embedded.push_back({.info = &info, .offset = at, .width = info.width});
                return true;
            }
    return false;
}

/// The names of one key, which are neighbours.
struct SameKey {
    MemoryNames::const_iterator first, last;
};

void mark_names(Message& message, Range range, const SameKey& names) {
    for (const layout::FieldInfo& info : key_infos)
        for (std::size_t at = range.begin; at + info.width <= range.end; ++at) {
            if (number_at(message.octets, at, info) != names.first->key || is_marked(message, at, info.width)) continue;
            const auto mark = [&](const MemoryName& name) { return mark_address(message, range, at, name); };
            if (!std::any_of(names.first, names.last, mark)) continue;
            message.embedded.push_back({.info = &info, .offset = at, .width = info.width});
            at += info.width - 1U;
        }
}

void mark_names(Message& message, const SameKey& names) {
    for (const FieldAt& field : message.format->fields_of(message.octets))
        if (field.info == nullptr)
            mark_names(message, {field.offset, field.offset + std::min(field.width, searched)}, names);
}

constexpr layout::FieldInfo rejecting_guid = number_field(
    rejecting_guid_filter, "Rejecting CA GUID", 8, layout::Order::big);

/// Who gives up waiting tells its channel adapter's GUID, since it has no name for the connection that the other side
/// would know (IBA 12.6.7).
void mark_rejecting_guid(Message& message) {
    if (message.name != "REJ") return;
    const wire::Message parsed = wire::parse(message.octets);
    const auto* const rej = std::get_if<wire::Rej>(&parsed.body);
    if (rej == nullptr || rej->body.reason != ib::reject_timeout || rej->body.ari_length != rejecting_guid.width)
        return;
    const auto offset = static_cast<std::size_t>(rej->additional.data() - message.octets.data());
    message.embedded.push_back({.info = &rejecting_guid, .offset = offset, .width = rejecting_guid.width});
}

std::optional<MemoryName> memory_name(const Message& message) {
    const ib::Reth reth = memory_used(message).value_or(ib::Reth{});
    if (reth.r_key == 0 || reth.virtual_address == 0) return std::nullopt;
    return MemoryName{message.from, reth.r_key, reth.virtual_address};
}

}  // namespace

const MessageFormat& cm_format(ByteView mad) {
    static constexpr MessageFormat request{"CM", "IBA 12.6", cm_fields, request_rules};
    static constexpr MessageFormat answer{"CM", "IBA 12.6", cm_fields, answer_rules};
    switch (wire::parse(mad).attribute()) {
        case CmAttribute::req:
        case CmAttribute::dreq:
        case CmAttribute::lap:
        case CmAttribute::sidr_req: return request;
        default: return answer;
    }
}

std::string cm_name(ByteView mad) {
    if (!wire::is_cm(mad, ib::mad_size)) return {};
    const wire::Message message = wire::parse(mad);
    const char* const name = layout::name_of(ib::cm_attribute_names, message.mad.attribute_id);
    return message.error || name == nullptr ? "" : name;
}

const char* channel_of(std::uint8_t opcode) {
    switch (ib::service_of(opcode)) {
        case ib::Service::uc: return "UC";
        case ib::Service::xrc: return "XRC";
        default: return "RC";
    }
}

const MessageFormat& rc_format() {
    static constexpr MessageFormat format{"RC", "IBA 9.4", transport_fields, transport_rules};
    return format;
}

std::optional<ib::Reth> memory_used(const Message& message) {
    ib::Bth bth{};
    layout::parse_into(bth, message.octets);
    const std::size_t xrc = ib::opcode_info(bth.opcode).has(ib::xrceth) ? layout::size_of<ib::XrcEth> : 0;
    const ByteView behind = ByteView(message.octets).subspan(layout::size_of<ib::Bth> + xrc);
    if (message.name == write_name || message.name == read_name) {
        ib::Reth reth{};
        layout::parse_into(reth, behind);
        return reth;
    }
    if (message.name != atomic_name) return std::nullopt;
    ib::AtomicEth atomic{};
    layout::parse_into(atomic, behind);
    return ib::Reth{atomic.virtual_address, atomic.r_key, ib::atomic_size};
}

const MessageFormat& ud_format() {
    static constexpr MessageFormat format{"UD", "IBA 9.4", transport_fields, transport_rules};
    return format;
}

void find_embedded_names(std::vector<Message>& messages) {
    MemoryNames names;
    for (const Message& message : messages)
        if (const auto name = memory_name(message)) names.insert(*name);
    for (auto begin = names.begin(); begin != names.end();) {
        const auto end = std::find_if(begin, names.end(), [&](const MemoryName& name) {
            return name.user != begin->user || name.key != begin->key;
        });
        for (Message& message : messages)
            if (begin->user != message.from) mark_names(message, SameKey{begin, end});
        begin = end;
    }
    for (Message& message : messages) {
        std::ranges::sort(message.embedded, {}, &FieldAt::offset);
        for (std::size_t i = 0; i < message.embedded.size(); ++i) message.embedded[i].index = static_cast<int>(i);
        mark_rejecting_guid(message);
    }
}

}  // namespace fabricscope::replay::rdma_cm
