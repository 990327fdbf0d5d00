// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/fc/logins.h"

#include <algorithm>
#include <utility>

#include "analyzer/engine/flat_map.h"

namespace fabricscope::engine::fibre_channel {
namespace {

bool is_fabric_login(std::uint8_t command) { return command == wire::els_flogi || command == wire::els_fdisc; }
bool is_login(std::uint8_t command) {
    return is_fabric_login(command) || command == wire::els_plogi || command == wire::els_pdisc;
}

bool is_in_force(const Login& login) {
    return login.state == LoginState::accepted || login.state == LoginState::midstream;
}

Time tov(std::uint32_t value, bool nanoseconds) { return Time{value} * (nanoseconds ? 1 : capture::millisecond); }

/// Zero is what those send who have nothing to tell.
std::optional<Time> tov_or_nothing(std::uint32_t value, bool nanoseconds) {
    return value == 0 ? std::nullopt : std::optional(tov(value, nanoseconds));
}

void take_common(ServiceParameters& parameters, const wire::PortServiceParameters& common) {
    parameters.continuously_increasing_relative_offset = common.continuously_increasing_relative_offset;
    parameters.random_relative_offset = common.random_relative_offset;
    parameters.continuously_increasing_seq_cnt = common.continuously_increasing_seq_cnt;
    parameters.concurrent_sequences = common.total_concurrent_sequences;
    parameters.relative_offset_categories = common.relative_offset_categories;
    parameters.e_d_tov = tov_or_nothing(common.e_d_tov, common.e_d_tov_nanoseconds);
    parameters.short_r_t_tov = common.short_r_t_tov;
}
void take_common(ServiceParameters&, const wire::FabricServiceRequest&) {}
void take_common(ServiceParameters& parameters, const wire::FabricServiceAccept& common) {
    parameters.e_d_tov = tov_or_nothing(common.e_d_tov, common.e_d_tov_nanoseconds);
    parameters.r_a_tov = tov_or_nothing(common.r_a_tov, false);
    parameters.short_r_t_tov = common.short_r_t_tov;
}

ServiceParameters parameters_of(const wire::Login& login) {
    ServiceParameters parameters;
    std::visit(
        [&](const auto& common) {
            parameters.bb_credit = common.credit.bb_credit;
            parameters.receive_data_field_size = common.sizes.receive_data_field_size;
            parameters.f_port = common.f_port;
            parameters.alternate_bb_credit = common.alternate_bb_credit;
            parameters.extended = common.payload_256 || !login.extension.empty();
            take_common(parameters, common);
        },
        login.common);
    parameters.port_name = login.names.port_name;
    parameters.node_name = login.names.node_name;
    parameters.classes = login.classes;
    return parameters;
}

Port port_of(const Login& login, Party party) {
    return {login.fabric.value_or(0), party == Party::originator ? login.originator : login.responder};
}
std::uint64_t key_of(const Port& port) { return std::uint64_t{port.fabric} << 32 | port.id; }

bool is_of(const Login& login, std::uint64_t port_name) {
    const auto& parameters = login.parameters[Party::originator];
    return parameters && parameters->port_name == port_name;
}

/// The PRLI of this TYPE that still waits for its answer.
ProcessLogin* waiting(Login& login, Party asked_by, std::uint8_t type) {
    const auto is_it = [&](const ProcessLogin& process) {
        return process.asked_by == asked_by && process.type == type && !process.answer;
    };
    const auto found = std::find_if(login.processes.rbegin(), login.processes.rend(), is_it);
    return found == login.processes.rend() ? nullptr : &*found;
}

}  // namespace

std::size_t Logins::PairHash::operator()(const Pair& pair) const noexcept {
    const std::uint64_t kind = std::uint64_t{pair.fabric} << 1 | static_cast<std::uint64_t>(pair.kind);
    return mixed((std::uint64_t{pair.low} << 32 | pair.high) ^ kind << 20);
}

// ---- which one -------------------------------------------------------------------------------------

Login* Logins::current(const Pair& pair) const {
    const auto found = latest_.find(pair);
    const bool is_known = found != latest_.end() && found->second.asked_for != 0;
    return is_known ? &model_.logins[found->second.asked_for - 1] : nullptr;
}

Login* Logins::asked_in(const Exchange& exchange, LoginKind kind) const {
    return exchange.login != 0 ? &model_.logins[exchange.login - 1] : current(pair_of(kind, exchange));
}

Login* Logins::create(const Arrival& arrival, LoginKind kind, std::uint8_t command) {
    if (model_.logins.size() >= limits_.logins) {
        ++model_.dropped_logins;
        return nullptr;
    }
    const Exchange& exchange = arrival.exchange;
    Login& login = model_.logins.emplace_back();
    login.id = static_cast<std::uint32_t>(model_.logins.size());
    login.kind = kind;
    login.command = command;
    login.fabric = exchange.fabric;
    login.originator = exchange.originator;
    login.responder = exchange.responder;
    latest_[pair_of(kind, exchange)].asked_for = login.id;
    return &login;
}

Login* Logins::underlying(const Arrival& arrival) {
    const Exchange& exchange = arrival.exchange;
    if (Login* login = current(pair_of(LoginKind::port, exchange))) return login;
    Login* login = create(arrival, LoginKind::port, wire::els_plogi);
    if (login != nullptr) login->state = LoginState::midstream;
    return login;
}

const Login* Logins::between(const Port& a, const Port& b) const { return current(pair_of(LoginKind::port, a, b)); }

const ServiceParameters* Logins::parameters(const Port& port, const Port& peer) const {
    const auto found = latest_.find(pair_of(LoginKind::port, port, peer));
    if (found == latest_.end() || found->second.accepted == 0) return nullptr;
    const Login& login = model_.logins[found->second.accepted - 1];
    const auto& parameters = login.parameters[party_of(login, port.id)];
    return parameters ? &*parameters : nullptr;
}

std::optional<Logins::Names> Logins::names(const Port& port) const {
    const auto found = names_.find(key_of(port));
    return found == names_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint64_t> Logins::port_name(const Port& port) const {
    const auto known = names(port);
    return known ? std::optional(known->port) : std::nullopt;
}

std::optional<Time> Logins::r_a_tov(const Port& a, const Port& b) const {
    if (const Login* login = between(a, b); login != nullptr && login->r_a_tov) return login->r_a_tov;
    // A fabric has one R_A_TOV, whichever port asked; ports without one ask each other.
    const Port f_port{a.fabric, wire::f_port_server};
    for (const auto& [port, other] : {std::pair{a, f_port}, std::pair{b, f_port}, std::pair{a, b}}) {
        const Login* login = current(pair_of(LoginKind::fabric, port, other));
        if (login == nullptr || !login->parameters[Party::responder]) continue;
        if (const auto told = login->parameters[Party::responder]->r_a_tov) return told;
    }
    return std::nullopt;
}

// ---- requests --------------------------------------------------------------------------------------

void Logins::on_request(const Arrival& arrival, const wire::ElsMessage& message) {
    if (message.error) return;
    if (const auto* request = std::get_if<wire::Login>(&message.body))
        return ask_login(arrival, *request, message.command);
    if (const auto* request = std::get_if<wire::Prli>(&message.body)) return ask_process_login(arrival, *request);
    if (std::holds_alternative<wire::Logo>(message.body)) return log_out(arrival);
}

void Logins::ask_login(const Arrival& arrival, const wire::Login& request, std::uint8_t command) {
    const LoginKind kind = is_fabric_login(command) ? LoginKind::fabric : LoginKind::port;
    const Exchange& exchange = arrival.exchange;
    if (kind == LoginKind::port) name(exchange.port(Party::originator), request.names.port_name);
    Login* login = current(pair_of(kind, exchange));
    // Before they have an address all N_Ports ask from the same one.
    if (login != nullptr && exchange.originator == 0 && !is_of(*login, request.names.port_name)) login = nullptr;
    const bool again = login != nullptr && login->state == LoginState::requested && login->command == command &&
                       login->originator == exchange.originator;
    if (!again) {
        const std::uint32_t replaced = login != nullptr && is_in_force(*login) ? login->id : 0;
        login = create(arrival, kind, command);
        if (login == nullptr) return;
        login->request = arrival.step();
        login->replaces = replaced;
    }
    arrival.exchange.login = login->id;
    login->exchange = exchange.id;
    login->ox_id = exchange.ox_id;
    ++login->requests;
    login->parameters[Party::originator] = parameters_of(request);
    tell([&](Observer& o) { o.on_login(*login, Party::originator); });
}

void Logins::ask_process_login(const Arrival& arrival, const wire::Prli& request) {
    Login* login = underlying(arrival);
    if (login == nullptr) return;
    const Party by = party_of(*login, arrival.exchange.originator);
    for (std::size_t i = 0; i < request.pages.size(); ++i) {
        const wire::PrliPage page = request.pages[i];
        if (waiting(*login, by, page.type) != nullptr || login->processes.size() >= limits_.processes) continue;
        ProcessLogin& process = login->processes.emplace_back();
        process.asked_by = by;
        process.type = page.type;
        process.asked = page.service_parameters;
        process.request = arrival.step();
        tell([&](Observer& o) { o.on_process_login(*login, process); });
    }
}

void Logins::log_out(const Arrival& arrival) {
    const Exchange& exchange = arrival.exchange;
    for (const LoginKind kind : {LoginKind::port, LoginKind::fabric}) {
        Login* login = current(pair_of(kind, exchange));
        if (login == nullptr || login->logout) continue;
        // With the fabric's own port there is a fabric login, between N_Ports there may be both.
        if (kind == LoginKind::fabric && exchange.responder != wire::f_port_server) continue;
        end(*login, arrival.step(), party_of(*login, exchange.originator));
    }
}

void Logins::on_fip_control(const capture::Packet& fip, Fabric fabric) {
    if (fip.fip_control == capture::FipControl::clear_virtual_links) return clear_links(fip, fabric);
    if (keep_alives_.size() < most_stations || keep_alives_.contains(fip.source_mac))
        keep_alives_[fip.source_mac] = fip.time;
}

void Logins::clear_links(const capture::Packet& fip, Fabric fabric) {
    std::size_t named = 0;
    for (; const auto port = capture::cleared_port(fip.segment, named); ++named) clear_link(fip, fabric, port);
    if (named == 0 && fip.state != capture::DecodeState::truncated) clear_link(fip, fabric, std::nullopt);
}

/// It is told again as long as the station does not log in anew.
void Logins::clear_link(const capture::Packet& fip, Fabric fabric, std::optional<std::uint32_t> id) {
    const std::uint16_t number = fabric.value_or(0);
    const std::optional<Port> port = id ? std::optional(Port{number, *id}) : std::nullopt;
    Login* login = !port ? nullptr : current(pair_of(LoginKind::fabric, *port, {number, wire::f_port_server}));
    const bool ends_it = login != nullptr && is_in_force(*login);
    const auto known = std::ranges::find_if(model_.cleared_links, [&](const ClearedLink& link) {
        return !ends_it && link.by == fip.source_mac && link.station == fip.destination_mac && link.port == port;
    });
    if (known != model_.cleared_links.end()) {
        ++known->frames;
    } else if (model_.cleared_links.size() < most_cleared) {
        const auto kept = keep_alives_.find(fip.destination_mac);
        model_.cleared_links.push_back(
            {step_of(fip), fip.source_mac, fip.destination_mac, port, 1, ends_it ? login->id : 0,
             kept != keep_alives_.end() ? std::optional(kept->second) : std::nullopt});
    }
    if (ends_it) end(*login, step_of(fip), Party::responder);
}

void Logins::end(Login& login, const FrameStamp& step, std::optional<Party> by) {
    login.logout = step;
    login.logout_by = by;
    if (login.state != LoginState::rejected) login.state = LoginState::logged_out;
    tell([&](Observer& o) { o.on_logout(login); });
}

// ---- answers ---------------------------------------------------------------------------------------

void Logins::on_answer(const Arrival& arrival, const wire::ElsMessage& message) {
    if (message.error) return;
    if (const auto* answer = std::get_if<wire::Login>(&message.body)) return accept_login(arrival, *answer);
    if (const auto* answer = std::get_if<wire::PrliAccept>(&message.body))
        return accept_process_login(arrival, *answer);
    if (const auto* answer = std::get_if<wire::Prlo>(&message.body)) return accept_process_logout(arrival, *answer);
    if (const auto* answer = std::get_if<wire::RtvAccept>(&message.body)) return note_timeouts(arrival, *answer);
    if (const auto* answer = std::get_if<wire::LsRjt>(&message.body)) return reject(arrival, *answer);
}

void Logins::accept_login(const Arrival& arrival, const wire::Login& answer) {
    const Exchange& exchange = arrival.exchange;
    const LoginKind kind = is_fabric_login(*exchange.els) ? LoginKind::fabric : LoginKind::port;
    if (kind == LoginKind::port) name(exchange.port(Party::responder), answer.names.port_name);
    Login* login = asked_in(exchange, kind);
    if (login == nullptr || login->answer) return;
    login->answer = arrival.step();
    if (login->state == LoginState::requested) login->state = LoginState::accepted;
    const bool discovers = *exchange.els == wire::els_pdisc || *exchange.els == wire::els_fdisc;
    if (login->replaces != 0 && !discovers) end(model_.logins[login->replaces - 1], arrival.step(), std::nullopt);
    // Requests of both sides may cross: what was accepted last counts.
    const std::uint32_t former = std::exchange(latest_[pair_of(kind, exchange)].asked_for, login->id);
    if (!discovers && former != login->id && former != login->replaces && kind == LoginKind::port &&
        is_in_force(model_.logins[former - 1]))
        end(model_.logins[former - 1], arrival.step(), std::nullopt);
    login->parameters[Party::responder] = parameters_of(answer);
    if (exchange.assigned_id) {
        login->originator = *exchange.assigned_id;
        login->gave_address = true;
        latest_[pair_of(kind, port_of(*login, Party::originator), port_of(*login, Party::responder))]
            .asked_for = login->id;
    }
    if (kind == LoginKind::port) note_accepted(*login);
    tell([&](Observer& o) { o.on_login(*login, Party::responder); });
}

/// A port tells its name. All N_Ports ask for an address from the same one, and may do so under the same OX_ID: if the
/// address that one of them seemed to get is another's, the answer was the other's, and the frames in between are
/// missing.
void Logins::name(const Port& port, std::uint64_t port_name) {
    const Pair with_fabric = pair_of(LoginKind::fabric, port, {port.fabric, wire::f_port_server});
    Login* login = current(with_fabric);
    if (login == nullptr || login->state != LoginState::accepted || !login->gave_address || is_of(*login, port_name))
        return;
    tell([&](Observer& o) { o.on_wrong_answer(*login); });
    exchanges_.part_answer(login->exchange);
    latest_.erase(with_fabric);
    login->state = LoginState::requested;
    login->originator = wire::unidentified;
    login->gave_address = false;
    login->answer.reset();
    login->parameters[Party::responder].reset();
}

void Logins::note_accepted(const Login& login) {
    const Port originator = port_of(login, Party::originator), responder = port_of(login, Party::responder);
    latest_[pair_of(LoginKind::port, originator, responder)].accepted = login.id;
    for (const auto& [port, party] : {std::pair{originator, Party::originator}, std::pair{responder, Party::responder}})
        if (const auto& parameters = login.parameters[party])
            names_[key_of(port)] = {parameters->port_name, parameters->node_name};
}

void Logins::accept_process_login(const Arrival& arrival, const wire::PrliAccept& answer) {
    Login* login = underlying(arrival);
    if (login == nullptr) return;
    const Party by = party_of(*login, arrival.exchange.originator);
    for (std::size_t i = 0; i < answer.pages.size(); ++i) {
        const wire::PrliAcceptPage page = answer.pages[i];
        ProcessLogin* process = waiting(*login, by, page.type);
        if (process == nullptr) continue;
        process->answer = arrival.step();
        process->answered = page.service_parameters;
        process->response = page.response;
        process->image_pair = page.image_pair_established;
        tell([&](Observer& o) { o.on_process_login(*login, *process); });
    }
}

void Logins::accept_process_logout(const Arrival& arrival, const wire::Prlo& answer) {
    Login* login = underlying(arrival);
    if (login == nullptr) return;
    for (std::size_t i = 0; i < answer.pages.size(); ++i)
        for (ProcessLogin& process : login->processes) {
            if (process.type != answer.pages[i].type || !process.image_pair || process.logout) continue;
            process.logout = arrival.step();
            tell([&](Observer& o) { o.on_process_login(*login, process); });
        }
}

void Logins::note_timeouts(const Arrival& arrival, const wire::RtvAccept& answer) {
    const Exchange& exchange = arrival.exchange;
    Login* login = current(pair_of(LoginKind::port, exchange));
    if (login == nullptr) return;
    login->r_a_tov = tov_or_nothing(answer.r_a_tov, false);
    login->e_d_tov = tov_or_nothing(answer.e_d_tov, answer.e_d_tov_nanoseconds);
    tell([&](Observer& o) { o.on_timeouts(*login); });
}

void Logins::reject(const Arrival& arrival, const wire::LsRjt& answer) {
    const Refusal refusal{answer.reason, answer.explanation, answer.vendor, arrival.step()};
    if (is_login(*arrival.exchange.els)) reject_login(arrival, refusal);
    else if (*arrival.exchange.els == wire::els_prli) reject_process_login(arrival, refusal);
}

void Logins::reject_login(const Arrival& arrival, const Refusal& refusal) {
    const Exchange& exchange = arrival.exchange;
    const LoginKind kind = is_fabric_login(*exchange.els) ? LoginKind::fabric : LoginKind::port;
    Login* login = asked_in(exchange, kind);
    if (login == nullptr || login->answer) return;
    login->answer = arrival.step();
    login->rejected = refusal;
    login->state = LoginState::rejected;
    const auto latest = latest_.find(pair_of(kind, exchange));
    if (login->replaces != 0 && latest != latest_.end() && latest->second.asked_for == login->id)
        latest->second.asked_for = login->replaces;  // the old one stays in force
}

void Logins::reject_process_login(const Arrival& arrival, const Refusal& refusal) {
    Login* login = underlying(arrival);
    if (login == nullptr) return;
    const Party by = party_of(*login, arrival.exchange.originator);
    for (ProcessLogin& process : login->processes) {
        if (process.asked_by != by || process.answer) continue;
        process.answer = arrival.step();
        process.rejected = refusal;
        tell([&](Observer& o) { o.on_process_login(*login, process); });
    }
}

}  // namespace fabricscope::engine::fibre_channel
