// SPDX-License-Identifier: GPL-2.0-or-later
// What is reported of Fibre Channel: Exchanges, logins and address resolutions.
#include "analyzer/report/fc_report.h"
#include "analyzer/report/units.h"
#include "analyzer/report/values.h"
#include "protocols/fc/basic_links.h"
#include "protocols/fc/ct.h"

namespace fabricscope::report {
namespace {

using namespace engine::fibre_channel;

std::optional<std::string> port_text(const std::optional<std::uint32_t>& port) {
    return converted(port, wire::port_id_text);
}

// ---- refusals --------------------------------------------------------------------------------------

/// A refusal in the words of who refused.
struct RefusalInWords {
    const Refusal& refusal;
    const char* reason;
    const char* explanation;
};

RefusalInWords in_words(const Refusal& refusal, layout::ValueNames reasons, layout::ValueNames explanations) {
    return {refusal, layout::name_of(reasons, refusal.reason), layout::name_of(explanations, refusal.explanation)};
}
RefusalInWords ls_reject(const Refusal& refusal) {
    return in_words(refusal, wire::ls_rjt_reason_names, wire::ls_rjt_explanation_names);
}
RefusalInWords ct_reject(const Refusal& refusal) {
    return in_words(refusal, wire::ct_reason_names, wire::ct_explanation_names);
}
RefusalInWords ba_reject(const Refusal& refusal) {
    return in_words(refusal, wire::ba_rjt_reason_names, wire::ba_rjt_explanation_names);
}

constexpr auto refusal_columns = columns<RefusalInWords>(
    column<[](const RefusalInWords& r) { return r.refusal.reason; }>("reason", "reason code"),
    column<&RefusalInWords::reason>("name", "what the reason code says"),
    column<[](const RefusalInWords& r) { return r.refusal.explanation; }>("explanation", "reason explanation"),
    column<&RefusalInWords::explanation>("explanation_name", "what the explanation says"),
    column<[](const RefusalInWords& r) { return r.refusal.vendor; }>("vendor", "vendor specific code"),
    column<[](const RefusalInWords& r) { return r.refusal.step.frame; }>("frame", "frame of the refusal"));

/// P_RJT or F_RJT of an Exchange's frames.
struct LinkReject {
    const Refusal& refusal;
    const std::optional<Party>& by;
};

constexpr auto link_reject_columns = columns<LinkReject>(
    column<[](const LinkReject& r) { return r.by ? name_of(*r.by) : "fabric"; }>(
        "by", "originator, responder or fabric: who sent it"),
    column<[](const LinkReject& r) { return r.refusal.reason; }>("reason", "reason code"),
    column<[](const LinkReject& r) { return layout::name_of(wire::reject_reason_names, r.refusal.reason); }>(
        "name", "what the reason code says"),
    column<[](const LinkReject& r) { return r.refusal.vendor; }>("vendor", "vendor specific code"),
    column<[](const LinkReject& r) { return r.refusal.step.frame; }>("frame", "frame of the reject"));

// ---- Exchanges -------------------------------------------------------------------------------------

constexpr auto abort_columns = columns<AbortSeen>(
    column<&AbortSeen::by>("by", "originator or responder: who sent it"), time<&AbortSeen::step>("time", "time"),
    frame<&AbortSeen::step>("frame", "frame"),
    column<[](const AbortSeen& a) { return a.sequence_only ? "sequence" : "exchange"; }>(
        "of", "sequence or exchange: what was aborted"),
    time<&AbortSeen::accepted>("accepted", "time of BA_ACC"),
    object<
        [](const AbortSeen& a, const Each<RefusalInWords>& each) {
            if (a.refused) each(ba_reject(*a.refused));
        },
        refusal_columns>("rejected", "BA_RJT"));

constexpr auto sent_columns = columns<Sent>(
    column<&Sent::sequences>("sequences", "Sequences"),
    column<&Sent::frames>("frames", "data frames, repeated ones left out"),
    column<&Sent::octets>("bytes", "their payload, without optional headers and fill"),
    column<&Sent::repeated>("repeated", "data frames seen again"), column<&Sent::acks>("acks", "ACK_0 and ACK_1"));

constexpr auto sequence_columns = columns<SequenceSeen>(
    column<&SequenceSeen::from>("from", "originator or responder of the Exchange"),
    column<&SequenceSeen::seq_id>("seq_id", "SEQ_ID"), column<&SequenceSeen::r_ctl>("r_ctl", "R_CTL"),
    column<[](const SequenceSeen& s) { return layout::name_of(wire::r_ctl_names, s.r_ctl); }>(
        "information", "R_CTL in words"),
    column<&SequenceSeen::first_frame>("first_frame", "first frame, in order of capture"),
    column<&SequenceSeen::last_frame>("last_frame", "last frame, in order of capture"),
    time<&SequenceSeen::first_time>("first", "time of the first frame"),
    time<&SequenceSeen::last_time>("last", "time of the last frame"),
    column<&SequenceSeen::frames>("frames", "distinct frames"),
    column<&SequenceSeen::missing>("missing", "frames missing between those that were captured"),
    column<&SequenceSeen::repeated>("repeated", "frames captured again"),
    column<&SequenceSeen::octets>("bytes", "payload, without optional headers and fill"),
    column<&SequenceSeen::complete>("complete", "captured from its first frame to its last"),
    column<&SequenceSeen::passes_initiative>("passes_initiative", "its last frame transfers the Sequence Initiative"),
    column<&SequenceSeen::last>("last_sequence", "it is the last one of the Exchange"));

constexpr auto sequences = table<sequence_columns>(
                               "fc_sequences", "The Sequences of each Exchange, the first ones of them.")
                               .key("exchange", Type::text, "that it belongs to")
                               .position("in order of first frames, from 0");

void rejected_exchange(const Exchange& exchange, const Each<RefusalInWords>& each) {
    if (exchange.rejected) each(exchange.ct ? ct_reject(*exchange.rejected) : ls_reject(*exchange.rejected));
}

/// Of a service, only its request tells which one it is.
bool is_kind_known(const Exchange& x) {
    return x.els || x.ct || (x.type && *x.type != wire::type_els && *x.type != wire::type_ct);
}

/// What is not known of two commands that look like one.
template <class T> std::optional<T> told_by_one(const Exchange& exchange, const std::optional<T>& value) {
    return exchange.may_be_several ? std::nullopt : value;
}
template <Party party> void sent_by(const Exchange& exchange, const Each<Sent>& each) {
    if (!exchange.may_be_several) each(exchange.sent[party]);
}
void sequences_of(const Exchange& exchange, const Each<SequenceSeen>& each) {
    if (exchange.may_be_several) return;
    for (const SequenceSeen& sequence : exchange.sequences) each(sequence);
}

constexpr auto exchange_columns = columns<Exchange>(
    column<[](const Exchange& x) { return exchange_name(x.id); }>("id", "xchg-1, xchg-2, ...").with_names(),
    column<[](const Exchange& x) { return wire::port_id_text(x.originator); }>("originator", "N_Port_ID"),
    column<[](const Exchange& x) { return wire::port_id_text(x.responder); }>("responder", "N_Port_ID"),
    column<[](const Exchange& x) { return port_text(told_by_one(x, x.assigned_id)); }>(
        "assigned_id", "the N_Port_ID that a fabric login gave the originator"),
    column<&Exchange::fabric>("fabric", "VSAN, Virtual Fabric or second VLAN of FCoE, if the link tells"),
    column<&Exchange::ox_id>("ox_id", "OX_ID"),
    column<[](const Exchange& x) { return told_by_one(x, x.rx_id); }>(
        "rx_id", "RX_ID, once the responder has assigned one"),
    column<&Exchange::type>("type", "TYPE of its data frames"),
    column<[](const Exchange& x) { return is_kind_known(x) ? std::optional(kind_text(x)) : std::nullopt; }>(
        "kind", "the service or TYPE in words: PLOGI, GID_IPP, FCP, FC-VI, ...; null: the request was not captured"),
    column<&Exchange::service_class>("class", "class of service, where the start of frame was captured"),
    column<&Exchange::state>("state", "open, closed or aborted"),
    column<&Exchange::beginning_seen>("from_start", "its first Sequence was captured"),
    column<&Exchange::initiative>("initiative", "originator or responder: who holds the Sequence Initiative"),
    column<[](const Exchange& x) -> const char* {
        if (!x.accepted) return nullptr;
        return *x.accepted ? "accepted" : "rejected";
    }>("answer", "of a link service or Common Transport request: accepted or rejected"),
    object<rejected_exchange, refusal_columns>("rejected", "LS_RJT or Common Transport reject"),
    object<
        [](const Exchange& x, const Each<LinkReject>& each) {
            if (x.link_reject) each({*x.link_reject, x.link_reject_by});
        },
        link_reject_columns>("link_reject", "the first P_RJT or F_RJT"),
    column<&Exchange::busies>("busies", "P_BSY and F_BSY"),
    object<&Exchange::abort, abort_columns>("abort", "the first ABTS"),
    object<sent_by<Party::originator>, sent_columns>(
        "from_originator",
        "sent by the originator; null if a command seems to come again, but too little of it was captured to tell it "
        "from another one"),
    object<sent_by<Party::responder>, sent_columns>("from_responder", "sent by the responder"),
    column<&Exchange::sequence_count>("sequence_count", "Sequences in all; fc_sequences may hold fewer"),
    column<&Exchange::incomplete_sequences>(
        "incomplete_sequences", "of those in fc_sequences: Sequences that lacked frames at the end"),
    column<&Exchange::first_frame>("first_frame", "its first frame"),
    column<&Exchange::last_frame>("last_frame", "its last frame"),
    time<&Exchange::first_time>("first", "time of the first frame"),
    time<&Exchange::last_time>("last", "time of the last frame"), rows<sequences_of, sequences>("sequences"));

constexpr auto exchanges = table<exchange_columns>("fc_exchanges", "Fibre Channel Exchanges.")
                               .indexes("kind", "state", "originator", "responder");

// ---- logins ----------------------------------------------------------------------------------------

using Class = wire::ClassServiceParameters;

constexpr auto class_columns = columns<Class>(
    column<&Class::valid>("supported", "the class is supported"),
    column<&Class::sequential_delivery>("sequential_delivery", "Sequential Delivery"),
    column<&Class::priority>("priority", "Priority"), column<&Class::preference>("preference", "Preference"),
    column<&Class::receive_data_field_size>("receive_data_field_size", "bytes of a frame's Data_Field, at most"),
    column<&Class::concurrent_sequences>("concurrent_sequences", "Sequences that it can receive at a time"),
    column<&Class::end_to_end_credit>("end_to_end_credit", "end-to-end Credit"),
    column<&Class::open_sequences_per_exchange>("open_sequences_per_exchange", "open Sequences of one Exchange"));

template <int number> void class_of(const ServiceParameters& parameters, const Each<Class>& each) {
    each(parameters.classes[number - 1]);
}

constexpr auto parameter_columns = columns<ServiceParameters>(
    column<[](const ServiceParameters& p) { return wire::name_text(p.port_name); }>("port_name", "Port_Name"),
    column<[](const ServiceParameters& p) { return wire::name_text(p.node_name); }>("node_name", "Node_Name"),
    column<&ServiceParameters::f_port>("f_port", "an F_Port, not an N_Port"),
    column<&ServiceParameters::bb_credit>("bb_credit", "buffer-to-buffer Credit"),
    column<&ServiceParameters::receive_data_field_size>(
        "receive_data_field_size", "bytes of a frame's Data_Field, at most, buffer-to-buffer"),
    column<&ServiceParameters::continuously_increasing_relative_offset>(
        "continuously_increasing_relative_offset", "Continuously Increasing Relative Offset"),
    column<&ServiceParameters::random_relative_offset>("random_relative_offset", "Random Relative Offset"),
    column<&ServiceParameters::continuously_increasing_seq_cnt>(
        "continuously_increasing_seq_cnt", "Continuously Increasing SEQ_CNT"),
    column<&ServiceParameters::concurrent_sequences>(
        "concurrent_sequences", "Sequences that it can receive at a time, of all classes"),
    seconds<&ServiceParameters::e_d_tov>("e_d_tov", "E_D_TOV in seconds"),
    seconds<&ServiceParameters::r_a_tov>("r_a_tov", "R_A_TOV in seconds"),
    object<class_of<2>, class_columns>("class_2", "class 2"), object<class_of<3>, class_columns>("class_3", "class 3"));

/// The steps of a login, of a port or of a process.
template <class L>
constexpr auto login_frame_columns = columns<L>(
    frame<&L::request>("request", "of the request"), frame<&L::answer>("answer", "of the answer"),
    frame<&L::logout>("logout", "of the logout"));

void rejected_process(const ProcessLogin& process, const Each<RefusalInWords>& each) {
    if (process.rejected) each(ls_reject(*process.rejected));
}

void rejected_login(const Login& login, const Each<RefusalInWords>& each) {
    if (login.rejected) each(ls_reject(*login.rejected));
}

constexpr auto prli_columns = columns<ProcessLogin>(
    column<&ProcessLogin::type>("type", "TYPE of the protocol"),
    column<[](const ProcessLogin& p) { return layout::name_of(wire::type_names, p.type); }>(
        "type_name", "TYPE in words"),
    column<&ProcessLogin::asked>("asked", "service parameters of the request"),
    column<&ProcessLogin::answered>("answered", "service parameters of the answer"),
    column<&ProcessLogin::response>("response", "response code of the answer"),
    column<[](const ProcessLogin& p) { return name_or_null(wire::prli_response_names, p.response); }>(
        "response_name", "what the response code says"),
    column<&ProcessLogin::image_pair>("image_pair", "an image pair was established"),
    object<rejected_process, refusal_columns>("rejected", "LS_RJT"),
    time<&ProcessLogin::request>("request", "time of the request"),
    time<&ProcessLogin::answer>("answer", "time of the answer"),
    time<&ProcessLogin::logout>("logout", "time of PRLO's LS_ACC"),
    object<itself<ProcessLogin>, login_frame_columns<ProcessLogin>>("frames", "frame"));

struct ProcessOf {
    const Login& login;
    const ProcessLogin& process;
};

constexpr auto process_columns = columns<ProcessOf>(
    column<[](const ProcessOf& p) {
        return wire::port_id_text(p.process.asked_by == Party::originator ? p.login.originator : p.login.responder);
    }>("asked_by", "N_Port_ID"),
    inlined<[](const ProcessOf& p, const Each<ProcessLogin>& each) { each(p.process); }, prli_columns>());

constexpr auto process_logins = table<process_columns>("fc_process_logins", "PRLI between ports that are logged in.")
                                    .key("login", Type::text, "the port login that it builds on")
                                    .position("in order of requests, from 0");

void each_process(const Login& login, const Each<ProcessOf>& each) {
    for (const ProcessLogin& process : login.processes) each({login, process});
}

template <Party party> void parameters_of(const Login& login, const Each<ServiceParameters>& each) {
    if (const auto& parameters = login.parameters[party]) each(*parameters);
}

constexpr auto login_columns = columns<Login>(
    column<[](const Login& l) { return login_name(l.id); }>("id", "login-1, login-2, ...").with_names(),
    column<[](const Login& l) { return l.kind == LoginKind::port ? "port" : "fabric"; }>("kind", "port or fabric"),
    column<[](const Login& l) { return layout::name_of(wire::els_command_names, l.command); }>(
        "command", "FLOGI, FDISC, PLOGI or PDISC"),
    column<[](const Login& l) {
        return l.originator != wire::unidentified ? std::optional(wire::port_id_text(l.originator)) : std::nullopt;
    }>("originator", "N_Port_ID; of a fabric login the one that it got"),
    column<[](const Login& l) { return wire::port_id_text(l.responder); }>("responder", "N_Port_ID"),
    column<&Login::fabric>("fabric", "VSAN, Virtual Fabric or second VLAN of FCoE, if the link tells"),
    column<&Login::state>("state", "requested, accepted, rejected, logged-out or midstream"),
    column<&Login::requests>("requests", "how often it was asked for"),
    column<[](const Login& l) { return converted(number_or_null(l.replaces), login_name); }>(
        "replaces", "the login that it ends by being accepted")
        .with_names(),
    time<&Login::request>("request", "time of the request"), time<&Login::answer>("answer", "time of the answer"),
    time<&Login::logout>("logout", "time of LOGO, or of the login that replaced it"),
    column<&Login::logout_by>("logout_by", "originator or responder; null: replaced"),
    object<rejected_login, refusal_columns>("rejected", "LS_RJT"),
    seconds<&Login::r_a_tov>("r_a_tov", "R_A_TOV in seconds, as RTV told"),
    seconds<&Login::e_d_tov>("e_d_tov", "E_D_TOV in seconds, as RTV told"),
    object<parameters_of<Party::originator>, parameter_columns>(
        "originator_parameters", "what the originator said of itself"),
    object<parameters_of<Party::responder>, parameter_columns>(
        "responder_parameters", "what the responder said of itself"),
    object<itself<Login>, login_frame_columns<Login>>("frames", "frame"),
    rows<each_process, process_logins>("processes"));

constexpr auto logins = table<login_columns>("fc_logins", "Fabric and port logins.").indexes("originator", "responder");

// ---- addresses -------------------------------------------------------------------------------------

constexpr auto port_columns = columns<std::uint32_t>(
    column<[](const std::uint32_t& port) { return wire::port_id_text(port); }>(
        "port", "N_Port_ID that has the address"));

constexpr auto address_ports = table<port_columns>("fc_address_ports", "The answers.")
                                   .key("address", Type::integer, "position of the question")
                                   .position("from 0");

void rejected_resolution(const Resolution& resolution, const Each<RefusalInWords>& each) {
    if (resolution.rejected) each(ct_reject(*resolution.rejected));
}

constexpr auto resolution_columns = columns<Resolution>(
    column<[](const Resolution& r) { return r.kind == ResolutionKind::farp ? "FARP" : "GID_IPP"; }>(
        "by", "FARP or GID_IPP"),
    column<[](const Resolution& r) { return wire::port_id_text(r.asked_by); }>("asked_by", "N_Port_ID"),
    column<&Resolution::fabric>("fabric", "VSAN, Virtual Fabric or second VLAN of FCoE, if the link tells"),
    column<&Resolution::ip>("ip", "the address that was asked for"),
    column<&Resolution::requests>("requests", "how often it was asked before an answer came"),
    time<&Resolution::request>("request", "time of the request"),
    frame<&Resolution::request>("request_frame", "frame of the request"),
    time<&Resolution::answer>("answer", "time of the answer"),
    frame<&Resolution::answer>("answer_frame", "frame of the answer"),
    object<rejected_resolution, refusal_columns>("rejected", "by the Name Server"),
    rows<&Resolution::ports, address_ports>("ports", Form::values));

constexpr auto addresses = table<resolution_columns>("fc_addresses", "Questions which N_Port has an IP address.")
                               .position("in order of questions, from 0");

// ---- all -------------------------------------------------------------------------------------------

constexpr auto model_columns = columns<Model>(
    rows<&Model::exchanges, exchanges>("exchanges"), rows<&Model::logins, logins>("logins"),
    rows<&Model::resolutions, addresses>("addresses"), column<&Model::frames>("frames", "frames in all"),
    column<&Model::damaged_frames>(
        "damaged_frames", "frames with a wrong CRC or an EOF that says invalid, which were not followed"),
    column<&Model::unlisted_exchanges>("unlisted_exchanges", "Exchanges left out because a limit was reached"),
    column<&Model::dropped_logins>("dropped_logins", "logins left out because a limit was reached"),
    column<&Model::dropped_resolutions>(
        "dropped_addresses", "address resolutions left out because a limit was reached"));

}  // namespace

constinit const ColumnsElsewhere<Model> fc_columns{model_columns};

}  // namespace fabricscope::report
