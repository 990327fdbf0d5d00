// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/engine/fc/information_unit.h"

#include <array>

#include "protocols/fc/els.h"
#include "protocols/fc_ae_rdma/command.h"
#include "protocols/fc_ae_rdma/response.h"
#include "protocols/fcvi/connect.h"
#include "protocols/fcvi/device_header.h"

namespace fabricscope::replay::fibre_channel {

namespace {

using fc_ae_rdma::Iu;

constexpr std::size_t header_size = fc::frame_header_size;

// ---- rules ---------------------------------------------------------------------------------------

/// The exchange identifies the Exchange; SEQ_ID and SEQ_CNT are FC-2's.
constexpr std::array header_rules{
    FieldRule{"fabricscope.fc.s_id", Treatment::refers, port_kind, Owner::sender},
    FieldRule{"fabricscope.fc.d_id", Treatment::refers, port_kind, Owner::receiver},
    FieldRule{"fabricscope.fc.ox_id", Treatment::ignored},
    FieldRule{"fabricscope.fc.seq_id", Treatment::ignored},
    FieldRule{"fabricscope.fc.seq_cnt", Treatment::ignored},
    FieldRule{"fabricscope.fc.f_ctl.ack_form", Treatment::policy},
    FieldRule{"fabricscope.fc.f_ctl.continue_sequence", Treatment::policy},
    FieldRule{"fabricscope.fc.f_ctl.abort_sequence", Treatment::policy}};
/// The Responder may choose RX_ID, or choose none.
constexpr std::array responder_rules{
    FieldRule{"fabricscope.fc.rx_id", Treatment::introduces, rx_id_kind, Owner::group, true}};
constexpr std::array originator_rules{
    FieldRule{"fabricscope.fc.rx_id", Treatment::refers, rx_id_kind, Owner::group, true}};
/// FC-AE-RDMA's write data have RX_ID 0 or, in class 2, that of the Target (4.2.4.6); ABTS has what was known.
constexpr std::array any_rx_id_rules{FieldRule{"fabricscope.fc.rx_id", Treatment::policy}};
constexpr std::array fcvi_rules{
    FieldRule{"fcvi.handle", Treatment::refers, handle_kind, Owner::receiver},
    FieldRule{"fcvi.connect.handle", Treatment::introduces, handle_kind, Owner::sender},
    FieldRule{"fcvi.connection_id", Treatment::refers, connection_kind, Owner::group, true},
    FieldRule{"fcvi.rmt_va", Treatment::refers, address_kind, Owner::receiver},
    FieldRule{"fcvi.rmt_va_handle", Treatment::refers, memory_kind, Owner::receiver},
    FieldRule{"fcvi.vendor_unique", Treatment::policy},
    FieldRule{"fcvi.connect.info", Treatment::policy}};  // between the Providers (6.8.3)
/// Of revision 1.0's clauses one says that Reads tell their length (5.7.9), another one that nothing does (6.5).
constexpr std::array fcvi_rev_1_0_rules = joined(fcvi_rules, std::array{FieldRule{"fcvi.tot_len", Treatment::policy}});
/// Who refuses may have no VI whose attributes it could tell.
constexpr std::array refusal_rules = joined(
    fcvi_rules, std::array{
                    FieldRule{"fcvi.attributes.reliability", Treatment::policy},
                    FieldRule{"fcvi.attributes.en_rdma_wr", Treatment::policy},
                    FieldRule{"fcvi.attributes.en_rdma_rd", Treatment::policy},
                    FieldRule{"fcvi.attributes.max_trans_size", Treatment::policy},
                    FieldRule{"fcvi.attributes.qos.pref", Treatment::policy},
                    FieldRule{"fcvi.attributes.qos.precedence", Treatment::policy},
                    FieldRule{"fcvi.attributes.qos.pipeline_depth", Treatment::policy}});
/// Editions of FC-2 differ in whether ABTS passes Sequence Initiative.
constexpr std::array abort_rules{
    FieldRule{"fabricscope.fc.f_ctl.sequence_initiative", Treatment::policy},
    FieldRule{"fabricscope.fc.f_ctl.first_sequence", Treatment::policy},
    FieldRule{"fabricscope.fc.parameter", Treatment::policy}};
constexpr std::array els_rules{
    FieldRule{"fabricscope.fc.logo.port_id", Treatment::refers, port_kind, Owner::sender},
    FieldRule{"fabricscope.fc.adisc.port_id", Treatment::refers, port_kind, Owner::sender}};

// ---- fields --------------------------------------------------------------------------------------

/// The Frame_Header's; of an FC-AE-RDMA command, Parameter is taken apart.
std::vector<FieldAt> header_fields(const fc::Frame& frame) {
    std::vector<FieldAt> fields;
    FieldCollector collector(fields);
    collector.part(frame.header, 0, {});
    // A message has no fill octets, whatever its frames had.
    std::erase_if(fields, [](const FieldAt& field) { return field.filter() == "fabricscope.fc.f_ctl.fill_bytes"; });
    const bool is_command = frame.header.type == fc_ae_rdma::fc_type &&
                            frame.header.r_ctl == static_cast<std::uint8_t>(Iu::command);
    if (!is_command) return fields;
    std::erase_if(fields, [](const FieldAt& field) { return field.filter() == "fabricscope.fc.parameter"; });
    collector.part(
        fc_ae_rdma::parse_parameter(frame.header.parameter),
        layout::layout_of<fc_ae_rdma::CommandParameter>.extent.begin, {});
    return fields;
}

void add_octets(std::vector<FieldAt>& fields, const char* label, std::size_t offset, std::size_t size) {
    if (size != 0) fields.push_back({nullptr, nullptr, label, -1, offset, size});
}

std::size_t payload_at(const fc::Frame& frame) { return header_size + frame.device_header().size(); }

template <layout::WireFormat T> void add_part(std::vector<FieldAt>& fields, const fc::Frame& frame) {
    const std::size_t size = layout::size_of<T>;
    if (frame.payload.size() < size) return add_octets(fields, "payload", payload_at(frame), frame.payload.size());
    FieldCollector(fields, payload_at(frame)).part(T{}, 0, {});
    add_octets(fields, "behind the payload", payload_at(frame) + size, frame.payload.size() - size);
}

std::vector<FieldAt> fcp_fields(ByteView message) {
    const fc::Frame frame = frame_of(message);
    std::vector<FieldAt> fields = header_fields(frame);
    switch (static_cast<Iu>(frame.header.r_ctl)) {
        case Iu::command: add_part<fc_ae_rdma::Command>(fields, frame); break;
        case Iu::response: add_part<fc_ae_rdma::Response>(fields, frame); break;
        default: add_octets(fields, "payload", payload_at(frame), frame.payload.size());
    }
    return fields;
}

template <fcvi::Version version> std::vector<FieldAt> fcvi_fields(ByteView message) {
    const fc::Frame frame = frame_of(message);
    std::vector<FieldAt> fields = header_fields(frame);
    const ByteView octets = frame.device_header();
    const fcvi::DeviceHeader header = fcvi::parse_device_header(octets, octets.size(), version);
    FieldCollector device_header(fields, header_size);
    fcvi::walk(header, device_header);
    const fcvi::IuInfo* iu = header.iu();
    FieldCollector payload(fields, payload_at(frame));
    if (iu != nullptr && iu->payload == fcvi::Content::connect_info)
        fcvi::walk(fcvi::parse_connect(frame.payload, frame.payload.size(), version), payload);
    else add_octets(fields, "payload", payload_at(frame), frame.payload.size());
    return fields;
}

template <std::uint8_t request> std::vector<FieldAt> els_fields(ByteView message) {
    const fc::Frame frame = frame_of(message);
    std::vector<FieldAt> fields = header_fields(frame);
    FieldCollector payload(fields, payload_at(frame));
    const auto command = request != 0 ? std::optional(request) : std::nullopt;
    fc::walk(fc::parse_els(frame.payload, frame.payload.size(), command), payload);
    return fields;
}

std::vector<FieldAt> bare_fields(ByteView message) { return header_fields(frame_of(message)); }

// ---- formats ------------------------------------------------------------------------------------

constexpr const char* frame_clause = "FC-PH 18; FC-FS, Frame_Header";

/// Of the Originator's IUs, and of the Responder's.
struct Pair {
    MessageFormat originator, responder;
};

template <auto fields, const auto& rules, const auto& rx_id_rules = originator_rules>
const Pair& pair_of(const char* name, const char* clause) {
    static constexpr auto as_originator = joined(header_rules, rx_id_rules, rules);
    static constexpr auto as_responder = joined(header_rules, responder_rules, rules);
    static const Pair pair{{name, clause, fields, as_originator}, {name, clause, fields, as_responder}};
    return pair;
}

constexpr std::array<FieldRule, 0> no_rules{};

const Pair& els_formats(const fc::FrameHeader& header, std::uint8_t request) {
    constexpr const char* clause = "FC-PH 21.3 and 23; FC-LS";
    if (header.r_ctl == fc::r_ctl_els_request) return pair_of<els_fields<0>, els_rules>("ELS", clause);
    switch (request) {
        case fc::els_plogi: return pair_of<els_fields<fc::els_plogi>, els_rules>("ELS", clause);
        case fc::els_pdisc: return pair_of<els_fields<fc::els_pdisc>, els_rules>("ELS", clause);
        case fc::els_prli: return pair_of<els_fields<fc::els_prli>, els_rules>("ELS", clause);
        case fc::els_prlo: return pair_of<els_fields<fc::els_prlo>, els_rules>("ELS", clause);
        case fc::els_adisc: return pair_of<els_fields<fc::els_adisc>, els_rules>("ELS", clause);
        default: return pair_of<els_fields<0>, els_rules>("ELS", clause);
    }
}

/// A first response that refuses: it tells a status.
template <fcvi::Version version> bool refuses(const SequenceSeen& sequence) {
    const fcvi::DeviceHeader header = fcvi::parse_device_header(
        sequence.device_header, sequence.device_header.size(), version);
    return header.iu() != nullptr && header.iu()->type == fcvi::IuType::connect_resp1 && header.tells_status();
}

const Pair& fcvi_formats(const SequenceSeen& sequence, fcvi::Version version) {
    constexpr auto iso = fcvi::Version::iso, rev_1_0 = fcvi::Version::rev_1_0;
    constexpr const char *name = "FC-VI", *clause = "ISO/IEC 14165-331, 6";
    constexpr const char *draft_name = "FC-VI rev 1.0", *draft_clause = "FC-VI rev 1.0, 6";
    if (version == iso)
        return refuses<iso>(sequence) ? pair_of<fcvi_fields<iso>, refusal_rules>(name, clause)
                                      : pair_of<fcvi_fields<iso>, fcvi_rules>(name, clause);
    return refuses<rev_1_0>(sequence) ? pair_of<fcvi_fields<rev_1_0>, refusal_rules>(draft_name, draft_clause)
                                      : pair_of<fcvi_fields<rev_1_0>, fcvi_rev_1_0_rules>(draft_name, draft_clause);
}

const Pair& formats_of(const SequenceSeen& sequence, const IuContext& context) {
    if (sequence.first.r_ctl == fc::r_ctl_abts)
        return pair_of<bare_fields, abort_rules, any_rx_id_rules>("ABTS", frame_clause);
    switch (sequence.first.type) {
        case fc_ae_rdma::fc_type:
            return pair_of<fcp_fields, no_rules, any_rx_id_rules>("FC-AE-RDMA", "ISO/IEC TR 14165-314, 4.2.4");
        case fcvi::fc_type: return fcvi_formats(sequence, context.version);
        case fc::type_els: return els_formats(sequence.first, context.request);
        default: return pair_of<bare_fields, no_rules>("Fibre Channel", frame_clause);
    }
}

std::string text_of(const char* name) { return name != nullptr ? name : ""; }

}  // namespace

const MessageFormat& format_of(const SequenceSeen& sequence, const IuContext& context) {
    const Pair& pair = formats_of(sequence, context);
    return sequence.first.f_ctl.exchange_responder ? pair.responder : pair.originator;
}

std::string name_of(const SequenceSeen& sequence, const IuContext& context) {
    const fc::FrameHeader& header = sequence.first;
    if (header.r_ctl == fc::r_ctl_abts) return "ABTS";
    switch (header.type) {
        case fc_ae_rdma::fc_type: return text_of(layout::name_of(fc_ae_rdma::iu_names, header.r_ctl));
        case fc::type_els:
            return sequence.payload.empty() ? "" : text_of(layout::name_of(fc::els_command_names, sequence.payload[0]));
        case fcvi::fc_type: {
            const fcvi::IuInfo* iu =
                fcvi::parse_device_header(sequence.device_header, sequence.device_header.size(), context.version).iu();
            return iu != nullptr ? iu->name : "";
        }
        default: return "";
    }
}

Octets message_octets(const SequenceSeen& sequence) {
    fc::FrameHeader header = sequence.first;
    header.f_ctl.end_sequence = sequence.last.f_ctl.end_sequence;
    header.f_ctl.last_sequence = sequence.last.f_ctl.last_sequence;
    header.f_ctl.sequence_initiative = sequence.last.f_ctl.sequence_initiative;
    header.f_ctl.fill_bytes = 0;
    Octets octets = layout::octets_of(header);
    octets.insert(octets.end(), sequence.device_header.begin(), sequence.device_header.end());
    octets.insert(octets.end(), sequence.payload.begin(), sequence.payload.end());
    return octets;
}

bool is_data(const fc::FrameHeader& header) {
    return (header.type == fc_ae_rdma::fc_type || header.type == fcvi::fc_type) && header.is_data() &&
           fc::category_of(header.r_ctl) == fc::Category::solicited_data;
}

bool goes_on(const fc::FrameHeader& last) { return !last.f_ctl.last_sequence && !last.f_ctl.sequence_initiative; }

void append(SequenceSeen& data, SequenceSeen next) {
    data.last = next.last;
    data.payload.insert(data.payload.end(), next.payload.begin(), next.payload.end());
}

fc::Frame frame_of(ByteView message) { return fc::parse_frame(message, message.size()); }

}  // namespace fabricscope::replay::fibre_channel
