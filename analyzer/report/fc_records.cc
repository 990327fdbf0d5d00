// SPDX-License-Identifier: GPL-2.0-or-later
// Fibre Channel Exchanges, logins and address resolutions as records.
#include "analyzer/report/units.h"
#include "analyzer/report/values.h"
#include "protocols/fc/basic_links.h"
#include "protocols/fc/ct.h"

namespace fabricscope::report {
namespace {

using namespace engine::fibre_channel;

Json name_or_null(layout::ValueNames names, std::uint64_t value) { return or_null(layout::name_of(names, value)); }
Json port_or_null(const std::optional<std::uint32_t>& port) { return converted(port, wire::port_id_text); }
Json duration_or_null(const std::optional<Time>& time) { return converted(time, seconds_of); }

Json json_of(const std::optional<Refusal>& refusal, layout::ValueNames reasons, layout::ValueNames explanations) {
    if (!refusal) return nullptr;
    return {
        {"reason", refusal->reason},           {"name", name_or_null(reasons, refusal->reason)},
        {"explanation", refusal->explanation}, {"explanation_name", name_or_null(explanations, refusal->explanation)},
        {"vendor", refusal->vendor},           {"frame", refusal->step.frame}};
}

Json ls_reject(const std::optional<Refusal>& refusal) {
    return json_of(refusal, wire::ls_rjt_reason_names, wire::ls_rjt_explanation_names);
}
Json ct_reject(const std::optional<Refusal>& refusal) {
    return json_of(refusal, wire::ct_reason_names, wire::ct_explanation_names);
}

Json link_reject_of(const Exchange& exchange) {
    if (!exchange.link_reject) return nullptr;
    const Refusal& refusal = *exchange.link_reject;
    return {
        {"by", exchange.link_reject_by ? name_of(*exchange.link_reject_by) : "fabric"},
        {"reason", refusal.reason},
        {"name", name_or_null(wire::reject_reason_names, refusal.reason)},
        {"vendor", refusal.vendor},
        {"frame", refusal.step.frame}};
}

Json json_of(const Sent& sent) {
    return {
        {"sequences", sent.sequences},
        {"frames", sent.frames},
        {"bytes", sent.octets},
        {"repeated", sent.repeated},
        {"acks", sent.acks}};
}

Json json_of(const std::optional<AbortSeen>& abort, const Clock& clock) {
    if (!abort) return nullptr;
    return {
        {"by", name_of(abort->by)},
        {"time", clock(abort->step.time)},
        {"frame", abort->step.frame},
        {"of", abort->sequence_only ? "sequence" : "exchange"},
        {"accepted", clock(abort->accepted)},
        {"rejected", json_of(abort->refused, wire::ba_rjt_reason_names, wire::ba_rjt_explanation_names)}};
}

Json json_of(const SequenceSeen& sequence, const Clock& clock) {
    return {
        {"from", name_of(sequence.from)},
        {"seq_id", sequence.seq_id},
        {"r_ctl", sequence.r_ctl},
        {"information", name_or_null(wire::r_ctl_names, sequence.r_ctl)},
        {"first_frame", sequence.first_frame},
        {"last_frame", sequence.last_frame},
        {"first", clock(sequence.first_time)},
        {"last", clock(sequence.last_time)},
        {"frames", sequence.frames},
        {"missing", sequence.missing},
        {"repeated", sequence.repeated},
        {"bytes", sequence.octets},
        {"complete", sequence.complete},
        {"passes_initiative", sequence.passes_initiative},
        {"last_sequence", sequence.last}};
}

Json json_of(const std::optional<ServiceParameters>& parameters) {
    if (!parameters) return nullptr;
    const ServiceParameters& p = *parameters;
    Json json{
        {"port_name", wire::name_text(p.port_name)},
        {"node_name", wire::name_text(p.node_name)},
        {"f_port", p.f_port},
        {"bb_credit", p.bb_credit},
        {"receive_data_field_size", p.receive_data_field_size},
        {"continuously_increasing_relative_offset", p.continuously_increasing_relative_offset},
        {"random_relative_offset", p.random_relative_offset},
        {"continuously_increasing_seq_cnt", p.continuously_increasing_seq_cnt},
        {"concurrent_sequences", p.concurrent_sequences},
        {"e_d_tov", duration_or_null(p.e_d_tov)},
        {"r_a_tov", duration_or_null(p.r_a_tov)}};
    for (const auto& [name, service_class] : {std::pair("class_2", 2U), std::pair("class_3", 3U)}) {
        const wire::ClassServiceParameters& c = p.classes.at(service_class - 1);
        json.add(
            name, {{"supported", c.valid},
                   {"sequential_delivery", c.sequential_delivery},
                   {"priority", c.priority},
                   {"preference", c.preference},
                   {"receive_data_field_size", c.receive_data_field_size},
                   {"concurrent_sequences", c.concurrent_sequences},
                   {"end_to_end_credit", c.end_to_end_credit},
                   {"open_sequences_per_exchange", c.open_sequences_per_exchange}});
    }
    return json;
}

Json json_of(const Login& login, const ProcessLogin& process, const Clock& clock) {
    const bool by_originator = process.asked_by == Party::originator;
    return {
        {"asked_by", wire::port_id_text(by_originator ? login.originator : login.responder)},
        {"type", process.type},
        {"type_name", name_or_null(wire::type_names, process.type)},
        {"asked", process.asked},
        {"answered", or_null(process.answered)},
        {"response", or_null(process.response)},
        {"response_name", process.response ? name_or_null(wire::prli_response_names, *process.response) : Json()},
        {"image_pair", process.image_pair},
        {"rejected", ls_reject(process.rejected)},
        {"request", clock(process.request)},
        {"answer", clock(process.answer)},
        {"logout", clock(process.logout)},
        {"frames",
         {{"request", frame_of(process.request)},
          {"answer", frame_of(process.answer)},
          {"logout", frame_of(process.logout)}}}};
}

/// How the Exchange's service was answered.
Json answer_of(const Exchange& exchange) {
    return exchange.accepted ? Json(*exchange.accepted ? "accepted" : "rejected") : Json();
}

}  // namespace

Json record_of(const Exchange& exchange, const Clock& clock) {
    const auto sequence = [&](const SequenceSeen& seen) { return json_of(seen, clock); };
    return {
        {"id", exchange_name(exchange.id)},
        {"originator", wire::port_id_text(exchange.originator)},
        {"responder", wire::port_id_text(exchange.responder)},
        {"assigned_id", port_or_null(exchange.assigned_id)},
        {"fabric", or_null(exchange.fabric)},
        {"ox_id", exchange.ox_id},
        {"rx_id", or_null(exchange.rx_id)},
        {"type", or_null(exchange.type)},
        {"kind", exchange.type ? Json(kind_text(exchange)) : Json()},
        {"class", or_null(exchange.service_class)},
        {"state", name_of(exchange.state)},
        {"from_start", exchange.beginning_seen},
        {"initiative", exchange.initiative ? Json(name_of(*exchange.initiative)) : Json()},
        {"answer", answer_of(exchange)},
        {"rejected", exchange.ct ? ct_reject(exchange.rejected) : ls_reject(exchange.rejected)},
        {"link_reject", link_reject_of(exchange)},
        {"busies", exchange.busies},
        {"abort", json_of(exchange.abort, clock)},
        {"from_originator", json_of(exchange.sent[Party::originator])},
        {"from_responder", json_of(exchange.sent[Party::responder])},
        {"sequence_count", exchange.sequence_count},
        {"incomplete_sequences", exchange.incomplete_sequences},
        {"first_frame", exchange.first_frame},
        {"last_frame", exchange.last_frame},
        {"first", clock(exchange.first_time)},
        {"last", clock(exchange.last_time)},
        {"sequences", array_of(exchange.sequences, sequence)}};
}

Json record_of(const Login& login, const Clock& clock) {
    const auto process = [&](const ProcessLogin& seen) { return json_of(login, seen, clock); };
    return {
        {"id", login_name(login.id)},
        {"kind", login.kind == LoginKind::port ? "port" : "fabric"},
        {"command", name_or_null(wire::els_command_names, login.command)},
        {"originator", wire::port_id_text(login.originator)},
        {"responder", wire::port_id_text(login.responder)},
        {"fabric", or_null(login.fabric)},
        {"state", name_of(login.state)},
        {"requests", login.requests},
        {"replaces", login.replaces != 0 ? Json(login_name(login.replaces)) : Json()},
        {"request", clock(login.request)},
        {"answer", clock(login.answer)},
        {"logout", clock(login.logout)},
        {"logout_by", login.logout_by ? Json(name_of(*login.logout_by)) : Json()},
        {"rejected", ls_reject(login.rejected)},
        {"r_a_tov", duration_or_null(login.r_a_tov)},
        {"e_d_tov", duration_or_null(login.e_d_tov)},
        {"originator_parameters", json_of(login.parameters[Party::originator])},
        {"responder_parameters", json_of(login.parameters[Party::responder])},
        {"frames",
         {{"request", frame_of(login.request)},
          {"answer", frame_of(login.answer)},
          {"logout", frame_of(login.logout)}}},
        {"processes", array_of(login.processes, process)}};
}

Json record_of(const Resolution& resolution, const Clock& clock) {
    return {
        {"by", resolution.kind == ResolutionKind::farp ? "FARP" : "GID_IPP"},
        {"asked_by", wire::port_id_text(resolution.asked_by)},
        {"fabric", or_null(resolution.fabric)},
        {"ip", capture::to_string(resolution.ip)},
        {"requests", resolution.requests},
        {"request", clock(resolution.request.time)},
        {"request_frame", resolution.request.frame},
        {"answer", clock(resolution.answer)},
        {"answer_frame", frame_of(resolution.answer)},
        {"rejected", ct_reject(resolution.rejected)},
        {"ports", array_of(resolution.ports, wire::port_id_text)}};
}

Json limits_record(const Model& model) {
    return {
        {"frames", model.frames},
        {"damaged_frames", model.damaged_frames},
        {"unlisted_exchanges", model.unlisted_exchanges},
        {"dropped_logins", model.dropped_logins},
        {"dropped_addresses", model.dropped_resolutions}};
}

}  // namespace fabricscope::report
