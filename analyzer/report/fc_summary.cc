// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/report/fc_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "analyzer/report/lists.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"
#include "protocols/fc/basic_links.h"
#include "protocols/fc/ct.h"

namespace fabricscope::report {
namespace {

using namespace engine::fibre_channel;
using Align = Table::Align;

/// What one kind of Exchange came to.
struct Total {
    std::uint64_t exchanges = 0, frames = 0, repeated = 0, open = 0, troubled = 0;
    PerParty<std::uint64_t> octets;
    Time longest = 0;
};

void add(Total& total, const Exchange& exchange) {
    ++total.exchanges;
    for (const Party party : {Party::originator, Party::responder}) {
        total.frames += exchange.sent[party].frames;
        total.repeated += exchange.sent[party].repeated;
        total.octets[party] += exchange.sent[party].octets;
    }
    if (exchange.state == ExchangeState::open) ++total.open;
    if (!trouble_of(exchange).empty()) ++total.troubled;
    total.longest = std::max(total.longest, exchange.last_time - exchange.first_time);
}

void write_kinds(std::ostream& out, const Model& model, const Style& style) {
    std::map<std::string, Total> kinds;
    for (const Exchange& exchange : model.exchanges.without_details()) add(kinds[kind_text(exchange)], exchange);
    Table table(
        {{"Exchanges of"},
         {"Count", Align::right},
         {"Frames", Align::right},
         {"Bytes out", Align::right},
         {"Bytes back", Align::right},
         {"Repeated", Align::right},
         {"Open", Align::right},
         {"Trouble", Align::right},
         {"Longest", Align::right}});
    for (const auto& [kind, total] : kinds)
        table.add(
            {{kind},
             {grouped(total.exchanges)},
             {grouped(total.frames)},
             {grouped(total.octets[Party::originator])},
             {grouped(total.octets[Party::responder])},
             {grouped(total.repeated)},
             {grouped(total.open)},
             {grouped(total.troubled), total.troubled != 0 ? Ink::red : Ink::plain},
             {duration_text(total.longest, style.unicode)}});
    out << '\n';
    table.print(out, style, 2);
}

Ink ink_of(LoginState state) {
    switch (state) {
        case LoginState::accepted: return Ink::green;
        case LoginState::rejected: return Ink::red;
        default: return Ink::yellow;
    }
}

std::string timeouts_of(const Login& login, const Style& style) {
    const auto text = [&](const std::optional<Time>& time) {
        return time ? duration_text(*time, style.unicode) : std::string("?");
    };
    std::optional<Time> r_a_tov = login.r_a_tov, e_d_tov = login.e_d_tov;
    if (const auto& answer = login.parameters[Party::responder]) {
        if (!r_a_tov) r_a_tov = answer->r_a_tov;
        if (!e_d_tov) e_d_tov = answer->e_d_tov;
    }
    return text(e_d_tov) + " / " + text(r_a_tov);
}

std::string processes_of(const Login& login) {
    std::string text;
    for (const ProcessLogin& process : login.processes) {
        const char* name = layout::name_of(wire::type_names, process.type);
        const char* outcome = process.image_pair ? "" : process.answer ? " refused" : " not answered";
        text += fmt::format(
            "{}{} by the {}{}{}", text.empty() ? "" : ", ",
            name != nullptr ? name : fmt::format("{:02X}h", process.type), name_of(process.asked_by), outcome,
            process.logout ? " until PRLO" : "");
    }
    return text.empty() ? "-" : text;
}

std::string name_or_unknown(const std::optional<ServiceParameters>& parameters) {
    return parameters ? wire::name_text(parameters->port_name) : "?";
}

void write_logins(std::ostream& out, const Model& model, const SummaryOptions& options) {
    if (model.logins.empty()) return;
    Table table(
        {{"Login"},
         {"By"},
         {"Originator"},
         {"Responder"},
         {"State"},
         {"Originator's Port_Name"},
         {"Responder's Port_Name"},
         {"E_D_TOV / R_A_TOV"},
         {"Process logins"}});
    const std::size_t shown = std::min(model.logins.size(), options.rows);
    for (std::size_t i = 0; i < shown; ++i) {
        const Login& login = model.logins[i];
        const char* command = layout::name_of(wire::els_command_names, login.command);
        table.add(
            {{login_name(login.id)},
             {command != nullptr ? command : "?"},
             {wire::port_id_text(login.originator)},
             {wire::port_id_text(login.responder)},
             {name_of(login.state), ink_of(login.state)},
             {name_or_unknown(login.parameters[Party::originator])},
             {name_or_unknown(login.parameters[Party::responder])},
             {timeouts_of(login, options.style)},
             {processes_of(login)}});
    }
    out << '\n';
    table.print(out, options.style, 2);
    write_rest(out, model.logins.size(), shown, "logins", options.style);
}

std::string answer_of(const Resolution& resolution) {
    if (resolution.rejected)
        return observations::refusal_text(
            "rejected", *resolution.rejected, wire::ct_reason_names, wire::ct_explanation_names);
    if (!resolution.answer) return "not answered";
    std::string text;
    for (const std::uint32_t port : resolution.ports) text += (text.empty() ? "" : ", ") + wire::port_id_text(port);
    return text;
}

void write_addresses(std::ostream& out, const Model& model, const SummaryOptions& options) {
    if (model.resolutions.empty()) return;
    Table table({{"IP address"}, {"N_Port"}, {"By"}, {"Asked by"}, {"Times", Align::right}, {"Answer", Align::right}});
    const std::size_t shown = std::min(model.resolutions.size(), options.rows);
    for (std::size_t i = 0; i < shown; ++i) {
        const Resolution& r = model.resolutions[i];
        const bool known = r.answer && !r.rejected;
        table.add(
            {{capture::to_string(r.ip)},
             {answer_of(r), known ? Ink::green : Ink::red},
             {r.kind == ResolutionKind::farp ? "FARP" : "GID_IPP"},
             {wire::port_id_text(r.asked_by)},
             {std::to_string(r.requests)},
             {r.answer ? duration_text(r.answer->time - r.request.time, options.style.unicode) : "-"}});
    }
    out << '\n';
    table.print(out, options.style, 2);
    write_rest(out, model.resolutions.size(), shown, "questions", options.style);
}

}  // namespace

void write_fc(std::ostream& out, const Model& model, const SummaryOptions& options) {
    out << '\n'
        << options.style.paint(Ink::bold, "Fibre Channel: ") << counted(model.frames, "frame") << ", "
        << counted(model.exchanges.size() + model.unlisted_exchanges, "Exchange") << ", "
        << counted(model.logins.size(), "login") << '\n';
    write_kinds(out, model, options.style);
    write_logins(out, model, options);
    write_addresses(out, model, options);
}

}  // namespace fabricscope::report
