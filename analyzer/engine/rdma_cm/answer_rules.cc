// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/answer_rules.h"

#include <algorithm>

namespace fabricscope::engine::rdma_cm {

namespace {

constexpr std::size_t most_servers = 4096;
constexpr std::size_t most_services = 64;
constexpr std::uint8_t layers = 2;  // table 3

/// Table 5
enum Code : std::uint8_t { unspecified, major, minor, ip, source, destination, unknown_address, codes };

/// What the server may object to; nullptr: nothing that the message shows.
const char* defect_of(const AddressHeader& header) {
    if (header.versions.major_version != 0) return "the major version";
    if (header.versions.minor_version != 0) return "the minor version";
    if (!header.is_known()) return "the IP version";
    if (!header.source_fits) return "the source IP address";
    return header.destination_fits ? nullptr : "the destination IP address";
}

std::string number_text(unsigned number) { return std::to_string(number); }

}  // namespace

/// Whether a connection's answer is one of the service's.
bool AnswerRules::is_judged(const Connection& connection) {
    if (!connection.req) {
        verdicts_.undecided(rules::major_version, UndecidedReason::request_not_captured);
        return false;
    }
    return is_of_service(connection) && connection.header;
}

const AnswerRules::Server* AnswerRules::find(const Connection& connection) const {
    const auto found = servers_.find(connection.end[Side::server].address);
    return found == servers_.end() ? nullptr : &found->second;
}

void AnswerRules::remember(const Connection& connection) {
    const Address& address = connection.end[Side::server].address;
    if (servers_.size() >= most_servers && !servers_.contains(address)) return;
    Server& server = servers_[address];
    (connection.header->versions.ip_version == 4 ? server.ipv4 : server.ipv6) = true;
    const bool is_new = std::ranges::find(server.services, *connection.service_id) == server.services.end();
    if (is_new && server.services.size() < most_services) server.services.push_back(*connection.service_id);
}

void AnswerRules::broken(const Rejection& r, RuleRef::OfMessages rule, std::string text) {
    verdicts_.broken(rule, {r.connection.req->frame, r.a.packet.number}, {r.connection.id}, std::move(text));
}

// ---- accepted --------------------------------------------------------------------------------------

void AnswerRules::on_rep(const Arrival& a, const Connection& connection) {
    if (!is_judged(connection)) return;
    const wire::IpVersions& versions = connection.header->versions;
    const auto judge = [&](RuleRef::OfMessages rule, bool holds, const char* what, unsigned number) {
        if (holds) verdicts_.satisfied(rule);
        else
            verdicts_.broken(
                rule, {connection.req->frame, a.packet.number}, {connection.id},
                std::string("a REQ of ") + what + ' ' + number_text(number) + " is accepted");
        return holds;
    };
    if (!judge(rules::major_version, versions.major_version == 0, "major version", versions.major_version)) return;
    if (!judge(rules::minor_version, versions.minor_version == 0, "minor version", versions.minor_version)) return;
    verdicts_.satisfied(rules::known_minor_version);
    if (judge(rules::ip_version, connection.header->is_known(), "IP version", versions.ip_version))
        remember(connection);
}

// ---- rejected --------------------------------------------------------------------------------------

void AnswerRules::on_rej(const Arrival& a, const Connection& connection, const wire::Rej& rej) {
    if (a.facts.from != Side::server || rej.body.message != ib::rejects_req || connection.rep) return;
    if (!is_judged(connection)) return;
    Rejection r{a, connection, rej, find(connection), {}};
    const auto& information = rej.information;
    if (information && rej.body.ari_length >= 2 && information->code < codes) r.code = information->code;
    judge_information(r);
    judge_versions(r);
    if (connection.header->has_known_version()) {
        judge_ip_version(r);
        judge_address_code(r);
    }
    judge_reason(r);
}

/// Tables 3 to 5.
void AnswerRules::judge_information(const Rejection& r) {
    if (r.rej.layer) {
        if (r.rej.layer->layer < layers) return verdicts_.satisfied(rules::reject_format);
        return broken(r, rules::reject_format, "the rejection layer is " + number_text(r.rej.layer->layer));
    }
    if (!r.rej.information) return;
    const wire::RejectInformation& information = *r.rej.information;
    if (r.rej.body.ari_length < 2)
        return broken(r, rules::reject_format, "the ARI ends before the code of the rejection layer");
    verdicts_.satisfied(rules::reject_format);
    if (information.code < codes) verdicts_.satisfied(rules::reject_code);
    else broken(r, rules::reject_code, "the service's ARI has code " + number_text(information.code));
    if (information.filler == 0) verdicts_.satisfied(rules::reserved_is_zero);
    else broken(r, rules::reserved_is_zero, "the filler of the ARI is " + number_text(information.filler));
    judge_suggestion(r, information);
}

void AnswerRules::judge_suggestion(const Rejection& r, const wire::RejectInformation& information) {
    const std::size_t end = layout::size_of<wire::RejectInformation> + information.suggested_length;
    if (information.suggested_length == 0) return verdicts_.satisfied(rules::suggested_value);
    const std::string suggestion = "a suggested value of " + number_text(information.suggested_length) + " octets";
    if (information.code == unspecified)
        return broken(r, rules::suggested_value, suggestion + " with an unspecified rejection");
    const std::size_t room = std::min<std::size_t>(r.rej.body.ari_length, ib::ari_size);
    if (end <= room) return verdicts_.satisfied(rules::suggested_value);
    broken(r, rules::suggested_value, suggestion + " in an ARI of " + std::to_string(room));
}

void AnswerRules::judge_versions(const Rejection& r) {
    const wire::IpVersions& versions = r.header().versions;
    const bool wrong_major = versions.major_version != 0, wrong_minor = !wrong_major && versions.minor_version != 0;
    if (wrong_major) verdicts_.satisfied(rules::major_version);
    if (wrong_minor) verdicts_.satisfied(rules::minor_version);
    if (!r.code || *r.code == unspecified) return;
    if (wrong_minor && *r.code == major)
        return broken(r, rules::major_version, "major version 0 is rejected; it is the minor version that is wrong");
    if (wrong_major || wrong_minor) {
        if (*r.code <= minor) return verdicts_.satisfied(rules::versions_first);
        return broken(
            r, rules::versions_first,
            std::string("the REQ has a wrong ") + (wrong_major ? "major" : "minor") + " version, but is rejected for " +
                layout::name_of(wire::reject_code_names, *r.code));
    }
    if (*r.code == major) broken(r, rules::major_version, "major version 0 is rejected");
    if (*r.code == minor) broken(r, rules::known_minor_version, "minor version 0 is rejected");
}

void AnswerRules::judge_ip_version(const Rejection& r) {
    const std::uint8_t version = r.header().versions.ip_version;
    if (!r.header().is_known()) return verdicts_.satisfied(rules::ip_version);
    if (r.code != ip) return;
    if (r.server != nullptr && (version == 4 ? r.server->ipv4 : r.server->ipv6))
        return broken(
            r, rules::ip_version,
            "IP version " + number_text(version) + " is rejected, which the server has accepted before");
    verdicts_.undecided(rules::ip_version, UndecidedReason::ip_versions_unknown);
}

void AnswerRules::judge_address_code(const Rejection& r) {
    if (!r.header().is_known() || !r.code) return;
    if (*r.code == unknown_address) return judge_unknown_address(r);
    if (*r.code != source && *r.code != destination) return;
    const bool fits = *r.code == source ? r.header().source_fits : r.header().destination_fits;
    if (!fits) return verdicts_.satisfied(rules::code_fits_request);
    const auto& socket = *r.code == source ? r.connection.client : r.connection.server;
    if (r.header().versions.ip_version == 6 && !is_ordinary(socket->address))
        return verdicts_.undecided(rules::code_fits_request, UndecidedReason::another_reason);
    broken(
        r, rules::code_fits_request,
        std::string("rejected for the format of the ") + layout::name_of(wire::reject_code_names, *r.code) +
            ", which is as it should be");
}

void AnswerRules::judge_unknown_address(const Rejection& r) {
    if (r.a.packet.ib.carrier != capture::IbCarrier::roce_v2)
        return verdicts_.undecided(rules::code_fits_request, UndecidedReason::server_address_unknown);
    if (!(r.connection.server->address == r.a.packet.source)) return verdicts_.satisfied(rules::code_fits_request);
    broken(
        r, rules::code_fits_request,
        "rejected for an unknown destination, " + capture::to_string(r.connection.server->address) +
            ", the address that the rejection comes from");
}

/// Only who is seen to take connections in the service's range is known to have the service.
void AnswerRules::judge_reason(const Rejection& r) {
    const char* defect = defect_of(r.header());
    const std::uint16_t reason = r.rej.body.reason;
    if (reason == ib::invalid_service_id) return judge_invalid_service_id(r, defect);
    const bool unspecified_28 = reason == ib::consumer_reject && r.rej.information &&
                                r.rej.information->code == unspecified;
    if (r.server == nullptr && unspecified_28) verdicts_.satisfied(rules::no_such_service);
    else if (r.server == nullptr) verdicts_.undecided(rules::no_such_service, UndecidedReason::service_unknown);
    if (defect == nullptr) return;
    if (r.code) return verdicts_.satisfied(rules::reason_given);
    if (reason != ib::consumer_reject || r.rej.body.ari_length != 0)
        return verdicts_.undecided(rules::reason_given, UndecidedReason::another_reason);
    if (r.server == nullptr) return verdicts_.undecided(rules::reason_given, UndecidedReason::service_unknown);
    verdicts_.deviation(
        rules::reason_given, {r.connection.req->frame, r.a.packet.number}, {r.connection.id},
        std::string("the consumer reject does not say that it is for ") + defect);
}

void AnswerRules::judge_invalid_service_id(const Rejection& r, const char* defect) {
    if (r.server == nullptr) return verdicts_.satisfied(rules::no_such_service);
    const bool listens = std::ranges::find(r.server->services, *r.connection.service_id) != r.server->services.end();
    if (defect == nullptr || !listens) return;  // nobody listens there, or no more
    broken(
        r, rules::reason_given,
        std::string("invalid service id, though the server has accepted it before; it is ") + defect +
            " that is wrong");
}

}  // namespace fabricscope::engine::rdma_cm
