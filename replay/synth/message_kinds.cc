// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/synth/message_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "capture/rc_message_assembler.h"
#include "protocols/ib/mad.h"
#include "protocols/rdma_cm/message.h"
#include "protocols/smcr/cdc.h"
#include "protocols/smcr/clc.h"
#include "protocols/smcr/llc.h"
#include "replay/engine/rdma_cm/formats.h"
#include "replay/engine/smcr/formats.h"

namespace fabricscope::synth {
namespace {

using Carrier = MessageKind::Carrier;
using replay::Assignment;

constexpr std::string_view clc_prefix = "CLC ", llc_prefix = "LLC ";

struct TcpKind {
    const char* name;
    std::uint8_t flags;
};
constexpr std::array tcp_kinds{
    TcpKind{"SYN", capture::syn},
    TcpKind{"SYN-ACK", capture::syn | capture::ack},
    TcpKind{"ACK", capture::ack},
    TcpKind{"DATA", capture::psh | capture::ack},
    TcpKind{"FIN", capture::fin | capture::ack},
    TcpKind{"RST", capture::rst | capture::ack}};

std::optional<std::uint32_t> value_named(layout::ValueNames names, std::string_view name) {
    const auto found = std::ranges::find_if(names, [&](const layout::ValueName& one) { return one.name == name; });
    return found == names.end() ? std::nullopt : std::optional(found->value);
}

Assignment type_is(const char* field, std::uint32_t value) { return {field, fmt::format("{}", value)}; }

std::optional<MessageKind> clc_kind(std::string_view type) {
    const auto value = value_named(smcr::clc_type_names, type);
    if (!value) return std::nullopt;
    return MessageKind{
        .carrier = Carrier::tcp,
        .code = capture::psh | capture::ack,
        .fields = [](ByteView octets) { return replay::smcr::clc_format().fields_of(octets); },
        .defaults = {
            {"smcr.clc.eye_catcher", fmt::format("{}", smcr::eye_catcher_smc_r)}, type_is("smcr.clc.type", *value)}};
}

std::optional<MessageKind> llc_kind(std::string_view type) {
    const auto value = value_named(smcr::llc_type_names, type);
    if (!value) return std::nullopt;
    return MessageKind{
        .carrier = Carrier::ib,
        .code = ib::rc::send_only,
        .fields = [](ByteView octets) { return replay::smcr::llc_format(octets).fields_of(octets); },
        .defaults = {type_is("smcr.llc.type", *value)},
        .length = smcr::llc_size};
}

MessageKind cdc_kind() {
    return {
        .carrier = Carrier::ib,
        .code = ib::rc::send_only,
        .fields = [](ByteView octets) { return replay::smcr::cdc_format().fields_of(octets); },
        .defaults =
            {type_is("smcr.cdc.type", smcr::Cdc{}.type), {"smcr.cdc.length", fmt::format("{}", smcr::cdc_size)}},
        .length = smcr::cdc_size};
}

MessageKind cm_kind(std::uint32_t attribute) {
    return {
        .carrier = Carrier::ib,
        .code = ib::ud_send_only,
        .fields = [](ByteView octets) { return replay::rdma_cm::cm_format(octets).fields_of(octets); },
        .defaults = {type_is("rdma_ip_cm.mad.attribute_id", attribute)},
        .length = ib::mad_size};
}

std::string tcp_kind_of(const capture::TcpSegment& segment) {
    if (segment.payload_length != 0) {
        const std::size_t length = smcr::clc_length(segment.payload);
        const char* const type = segment.payload.size() > 4 ? layout::name_of(smcr::clc_type_names, segment.payload[4])
                                                            : nullptr;
        const bool whole = length > smcr::clc_header_size && length == segment.payload.size();
        if (whole && type != nullptr) return std::string(clc_prefix) + type;
        return "DATA";
    }
    if (segment.has(capture::syn)) return segment.has(capture::ack) ? "SYN-ACK" : "SYN";
    if (segment.has(capture::rst)) return "RST";
    return segment.has(capture::fin) ? "FIN" : "ACK";
}

std::string ib_kind_of(const capture::IbPacket& packet) {
    const std::size_t size = packet.payload.size();
    const char* const opcode = ib::opcode_name(packet.bth.opcode);
    const std::string name = opcode != nullptr ? opcode : "";
    if (size != packet.payload_length) return name;
    if (packet.bth.opcode == ib::ud_send_only && rdma_cm::is_cm(packet.payload, size) && size == ib::mad_size) {
        const std::uint16_t attribute = rdma_cm::parse(packet.payload).mad.attribute_id;
        const char* const message = layout::name_of(ib::cm_attribute_names, attribute);
        return message != nullptr ? message : name;
    }
    if (packet.bth.opcode != ib::rc::send_only) return name;
    if (smcr::looks_like_cdc(packet.payload, size)) return "CDC";
    if (!smcr::looks_like_llc(packet.payload, size)) return name;
    const char* const type = layout::name_of(smcr::llc_type_names, packet.payload[0]);
    return type != nullptr ? std::string(llc_prefix) + type : name;
}

}  // namespace

std::optional<MessageKind> message_kind(const std::string& name) {
    if (name == "FC") return MessageKind{.carrier = Carrier::fc};
    if (name == "CDC") return cdc_kind();
    if (name.starts_with(clc_prefix)) return clc_kind(std::string_view(name).substr(clc_prefix.size()));
    if (name.starts_with(llc_prefix)) return llc_kind(std::string_view(name).substr(llc_prefix.size()));
    if (const auto tcp = std::ranges::find(tcp_kinds, name, &TcpKind::name); tcp != tcp_kinds.end())
        return MessageKind{.carrier = Carrier::tcp, .code = tcp->flags};
    if (const auto attribute = value_named(ib::cm_attribute_names, name)) return cm_kind(*attribute);
    if (const auto opcode = value_named(ib::opcode_names, name))
        return MessageKind{.carrier = Carrier::ib, .code = static_cast<std::uint8_t>(*opcode)};
    return std::nullopt;
}

std::vector<std::string> message_kinds() {
    std::vector<std::string> names;
    for (const TcpKind& kind : tcp_kinds) names.emplace_back(kind.name);
    for (const auto& type : smcr::clc_type_names) names.push_back(std::string(clc_prefix) + type.name);
    for (const auto& type : smcr::llc_type_names) names.push_back(std::string(llc_prefix) + type.name);
    names.emplace_back("CDC");
    for (const auto& attribute : ib::cm_attribute_names) names.emplace_back(attribute.name);
    for (const auto& opcode : ib::opcode_names) names.emplace_back(opcode.name);
    names.emplace_back("FC");
    return names;
}

std::string kind_of(const capture::Packet& packet) {
    switch (packet.transport) {
        case capture::Transport::tcp: return tcp_kind_of(packet.tcp);
        case capture::Transport::ib: return ib_kind_of(packet.ib);
        case capture::Transport::fc: return "FC";
        default: return {};
    }
}

std::vector<replay::FieldAt> transport_fields(ByteView headers) {
    std::vector<replay::FieldAt> fields;
    if (headers.size() < layout::size_of<ib::Bth>) return fields;
    replay::FieldCollector collect(fields);
    layout::Walker walker(collect);
    ib::Bth bth{};
    layout::parse_into(bth, headers);
    walker.part(bth);
    ib::for_each_extended(ib::opcode_info(bth.opcode), [&](const auto& header) { walker.part(header); });
    return fields;
}

std::size_t transport_length(std::uint8_t opcode) {
    return layout::size_of<ib::Bth> + ib::size_of_headers(ib::opcode_info(opcode).headers & ib::headers_with_layout);
}

std::vector<Assignment> transport_defaults(
    const PairChannel& channel, const PerSide<std::uint32_t>& qpn, Side from, std::uint8_t opcode) {
    const ib::OpcodeInfo& info = ib::opcode_info(opcode);
    const bool asks = ib::service_of(opcode) == ib::Service::rc && !ib::is_response(info.operation) &&
                      capture::ends_message(info.position);
    std::vector<Assignment> all{
        type_is("infiniband.bth.opcode", opcode),
        {"infiniband.bth.p_key", "0xffff"},
        type_is("infiniband.bth.destqp", qpn[engine::other(from)]),
        type_is("infiniband.bth.psn", channel.next_psn(from, opcode)),
        {"infiniband.bth.a", asks ? "yes" : "no"}};
    if (info.has(ib::aeth)) all.push_back(type_is("infiniband.aeth.msn", channel.next_msn(from)));
    if (info.has(ib::deth)) all.push_back(type_is("infiniband.deth.srcqp", qpn[from]));
    return all;
}

std::size_t other_headers_length(std::uint8_t opcode) {
    return ib::size_of_headers(ib::opcode_info(opcode).headers & ~ib::headers_with_layout);
}

// ---- Fibre Channel -------------------------------------------------------------------------------

replay::FieldsOf fc_fields(const replay::fibre_channel::IuContext& context) {
    return [context](ByteView octets) {
        const fc::Frame frame = fc::parse_frame(octets, octets.size());
        const ByteView device_header = frame.device_header();
        const replay::fibre_channel::SequenceSeen sequence{
            frame.header,
            frame.header,
            {device_header.begin(), device_header.end()},
            {frame.payload.begin(), frame.payload.end()}};
        std::vector<replay::FieldAt> fields = replay::fibre_channel::format_of(sequence, context).fields_of(octets);
        std::size_t end = 0;
        for (const replay::FieldAt& field : fields) end = std::max(end, field.offset + field.width);
        if (end < octets.size()) fields.push_back({.label = "payload", .offset = end, .width = octets.size() - end});
        return fields;
    };
}

fc::Sof usual_sof_of(const fc::FrameHeader& header) { return header.seq_cnt == 0 ? fc::Sof::i3 : fc::Sof::n3; }
fc::Eof usual_eof_of(const fc::FrameHeader& header) { return header.f_ctl.end_sequence ? fc::Eof::t : fc::Eof::n; }

std::vector<std::string_view> sof_words() {
    std::vector<std::string_view> words;
    for (int code = 0; code <= static_cast<int>(fc::Sof::n4); ++code)
        words.emplace_back(name_of(static_cast<fc::Sof>(code)));
    return words;
}

std::vector<std::string_view> eof_words() {
    std::vector<std::string_view> words;
    for (int code = 0; code <= static_cast<int>(fc::Eof::rti); ++code)
        words.emplace_back(name_of(static_cast<fc::Eof>(code)));
    return words;
}

}  // namespace fabricscope::synth
