// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/fc_ae_rdma_summary.h"
#include "analyzer/report/fc_summary.h"
#include "analyzer/report/fcvi_summary.h"
#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

namespace fc = engine::fibre_channel;
namespace fcvi = engine::fcvi;
namespace rdma = engine::fc_ae_rdma;
using engine::Side;
using Kind = Rung::Kind;

/// Of a ladder, the originator is the client.
Side side_of(fc::Party party) { return party == fc::Party::originator ? Side::client : Side::server; }

/// ": 8,192 bytes in 4 frames, 1 of them missing"; empty if there are no data
std::string amount_text(std::uint64_t octets, std::uint64_t frames, std::uint64_t missing = 0) {
    if (octets == 0 && missing == 0) return "";
    std::string text = ": " + counted(octets, "byte");
    if (frames > 1 || missing != 0) text += " in " + counted(frames, "frame");
    return missing != 0 ? text + ", " + grouped(missing) + " missing" : text;
}

// ---- Exchanges -----------------------------------------------------------------------------------

bool is_link_service(const fc::SequenceSeen& sequence) {
    return sequence.r_ctl == fc::wire::r_ctl_els_request || sequence.r_ctl == fc::wire::r_ctl_els_reply;
}

/// "PLOGI", "LS_ACC", "FCP_DATA", "solicited data"
std::string name_of(const fc::SequenceSeen& sequence, const fc::Exchange& exchange) {
    if (sequence.r_ctl == fc::wire::r_ctl_els_request) return kind_text(exchange);
    if (sequence.r_ctl == fc::wire::r_ctl_els_reply) return exchange.accepted == false ? "LS_RJT" : "LS_ACC";
    const bool fcp = exchange.type == fc::wire::type_fcp;
    const char* name = fcp ? layout::name_of(rdma::wire::iu_names, sequence.r_ctl) : nullptr;
    if (name == nullptr) name = layout::name_of(fc::wire::r_ctl_names, sequence.r_ctl);
    return name != nullptr ? name : fmt::format("R_CTL {:02X}h", sequence.r_ctl);
}

Rung rung_of(const fc::SequenceSeen& sequence, const fc::Exchange& exchange) {
    const bool refuses = exchange.accepted == false && sequence.from == fc::Party::responder;
    const auto category = fc::wire::category_of(sequence.r_ctl);
    const bool data = !is_link_service(sequence) && (category == fc::wire::Category::solicited_data ||
                                                     category == fc::wire::Category::unsolicited_data);
    return {
        {sequence.first_time, sequence.first_frame},
        side_of(sequence.from),
        refuses || sequence.missing != 0 ? Kind::refusal
        : data                           ? Kind::data
                                         : Kind::control,
        name_of(sequence, exchange) + amount_text(sequence.octets, sequence.frames, sequence.missing)};
}

void add_abort(std::vector<Rung>& rungs, const fc::AbortSeen& abort) {
    const Side answerer = side_of(fc::other(abort.by));
    rungs.push_back({abort.step, side_of(abort.by), Kind::refusal, "ABTS"});
    if (abort.accepted)
        rungs.push_back({*abort.accepted, answerer, Kind::refusal, "BA_ACC", abort.accepted->time - abort.step.time});
    if (abort.refused)
        rungs.push_back(
            {abort.refused->step, answerer, Kind::refusal, "BA_RJT", abort.refused->step.time - abort.step.time});
}

void add_link_reject(std::vector<Rung>& rungs, const fc::Exchange& exchange) {
    if (!exchange.link_reject) return;
    const fc::Party by = exchange.link_reject_by.value_or(fc::Party::responder);
    rungs.push_back(
        {exchange.link_reject->step, side_of(by), Kind::refusal, exchange.link_reject_by ? "P_RJT" : "F_RJT"});
}

void sort(std::vector<Rung>& rungs) {
    std::ranges::stable_sort(rungs, {}, [](const Rung& rung) { return std::pair(rung.step.time, rung.step.frame); });
}

// ---- FC-AE-RDMA ----------------------------------------------------------------------------------

/// "read of 4,096 bytes at 001000h in LUN 3"
std::string task_text(const rdma::Message& message) {
    return fmt::format(
        "{} of {} at {:06X}h in LUN {}", message.is_read ? "read" : "write", counted(message.data_length, "byte"),
        message.base_address, message.lun);
}

/// What the Exchange's ladder cannot know.
void put_in_words(Rung& rung, const rdma::Message& message) {
    if (rung.step.frame == message.command.frame) rung.text = "FCP_CMND: " + task_text(message);
    if (!message.response || rung.step.frame != message.response->frame) return;
    const char* status = message.status ? layout::name_of(rdma::wire::status_names, *message.status) : nullptr;
    rung.text = fmt::format("FCP_RSP: {}", status != nullptr ? status : "?");
    if (message.residual)
        rung.text += fmt::format(", {} {}", grouped(*message.residual), message.resid_over ? "too many" : "not moved");
    if (message.state == rdma::MessageState::failed) rung.kind = Kind::refusal;
    rung.latency = message.response->time - message.command.time;
}

// ---- FC-VI ---------------------------------------------------------------------------------------

Rung rung_of(const fcvi::IuSeen& iu, const fcvi::Connection& connection) {
    const fcvi::wire::IuInfo* info = fcvi::wire::find_iu(connection.version, iu.type);
    const bool message = info != nullptr && info->category <= fcvi::wire::Category::message_response;
    std::string text = info != nullptr ? info->name : "?";
    if (message) text += fmt::format(" {}{}", iu.msg_id, amount_text(iu.octets, iu.frames));
    if (iu.reason) text += fmt::format(": {}", fcvi::wire::reason_name(connection.version, *iu.reason));
    if (iu.failed) text += ": failed";
    const bool refused = iu.failed || iu.reason.has_value();
    Rung rung{iu.step, iu.from, refused ? Kind::refusal : message ? Kind::data : Kind::control, std::move(text)};
    if (iu.answers) rung.latency = iu.step.time - *iu.answers;
    return rung;
}

std::string about_text(const fcvi::Connection& connection) {
    const std::string reason = why_not(connection);
    std::string text = fmt::format(
        "{}, {}, {}", version_text(connection.version), level_text(connection),
        reason.empty() ? name_of(connection.outcome) : reason);
    for (const Side side : {Side::client, Side::server})
        if (const auto& address = connection.end[side].address)
            text += fmt::format(", {} {}", name_of(side), fcvi::wire::to_string(*address));
    if (connection.iu_count > connection.ius.size())
        text += fmt::format("; the first {} of {} IUs", grouped(connection.ius.size()), grouped(connection.iu_count));
    return text;
}

}  // namespace

Ladder ladder_of(const fc::Exchange& exchange, engine::Time start) {
    const std::string trouble = trouble_of(exchange);
    Ladder ladder{
        .title = fmt::format("Exchange {} of {}", exchange_name(exchange.id), kind_text(exchange)),
        .about = fmt::format(
            "OX_ID {:04X}h, {}{}", exchange.ox_id, name_of(exchange.state), trouble.empty() ? "" : "; " + trouble),
        .client = fc::wire::port_id_text(exchange.originator),
        .server = fc::wire::port_id_text(exchange.responder),
        .start = start,
        .rungs = {},
        .client_role = "originator",
        .server_role = "responder"};
    if (exchange.sequence_count > exchange.sequences.size())
        ladder.about += fmt::format(
            "; the first {} of {} Sequences", grouped(exchange.sequences.size()), grouped(exchange.sequence_count));
    for (const fc::SequenceSeen& sequence : exchange.sequences) ladder.rungs.push_back(rung_of(sequence, exchange));
    if (exchange.abort) add_abort(ladder.rungs, *exchange.abort);
    add_link_reject(ladder.rungs, exchange);
    sort(ladder.rungs);
    return ladder;
}

Ladder ladder_of(const rdma::Message& message, const fc::Model& fc_model, engine::Time start) {
    const auto exchange = std::ranges::find(fc_model.exchanges, message.command.frame, &fc::Exchange::first_frame);
    Ladder ladder = exchange != fc_model.exchanges.end() ? ladder_of(*exchange, start) : Ladder{};
    const std::string trouble = trouble_of(message);
    ladder.title = "FC-AE-RDMA message " + fc_ae_rdma_message_name(message.id);
    ladder.about = fmt::format("A {}, {}", task_text(message), trouble.empty() ? name_of(message.state) : trouble);
    ladder.client = to_string(message.initiator);
    ladder.server = to_string(message.target);
    ladder.client_role = "Initiator";
    ladder.server_role = "Target";
    for (Rung& rung : ladder.rungs) put_in_words(rung, message);
    return ladder;
}

Ladder ladder_of(const fcvi::Connection& connection, engine::Time start) {
    Ladder ladder{
        .title = "FC-VI connection " + fcvi_connection_name(connection.id),
        .about = about_text(connection),
        .client = to_string(connection.end[Side::client].port),
        .server = to_string(connection.end[Side::server].port),
        .start = start,
        .rungs = {}};
    for (const fcvi::IuSeen& iu : connection.ius) ladder.rungs.push_back(rung_of(iu, connection));
    for (const fcvi::AbortSeen& abort : connection.aborts)
        ladder.rungs.push_back(
            {abort.step, abort.by, Kind::refusal, fmt::format("ABTS of Exchange {:04X}h", abort.ox_id)});
    sort(ladder.rungs);
    return ladder;
}

}  // namespace fabricscope::report
