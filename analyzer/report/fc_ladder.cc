// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/report/units.h"

namespace fabricscope::report {
namespace {

namespace fc = engine::fibre_channel;
using engine::Side;
using Kind = Rung::Kind;

/// Of a ladder, the originator is the client.
Side side_of(fc::Party party) { return party == fc::Party::originator ? Side::client : Side::server; }

bool is_link_service(const fc::SequenceSeen& sequence) {
    return sequence.r_ctl == fc::wire::r_ctl_els_request || sequence.r_ctl == fc::wire::r_ctl_els_reply;
}

/// "PLOGI", "LS_ACC", "FCP_DATA", "solicited data"
std::string name_of(const fc::SequenceSeen& sequence, const fc::Exchange& exchange) {
    if (sequence.r_ctl == fc::wire::r_ctl_els_request) return kind_text(exchange);
    if (sequence.r_ctl == fc::wire::r_ctl_els_reply) return exchange.accepted == false ? "LS_RJT" : "LS_ACC";
    const bool fcp = exchange.type == fc::wire::type_fcp;
    const char* name = fcp ? layout::name_of(fabricscope::fc_ae_rdma::iu_names, sequence.r_ctl) : nullptr;
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
    sort_by_time(ladder.rungs);
    return ladder;
}

}  // namespace fabricscope::report
