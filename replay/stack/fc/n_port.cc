// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/fc/n_port.h"

#include <algorithm>
#include <utility>

#include "protocols/builders/fc_login_payloads.h"

namespace fabricscope::stack::fibre_channel {
namespace {

constexpr unsigned most_attempts = 3;
constexpr std::uint32_t first_of_two = 0x000001, second_of_two = 0x000002;  ///< addresses, point to point

std::uint8_t command_of(const IncomingIu& iu) { return iu.payload.empty() ? std::uint8_t{0} : iu.payload[0]; }

}  // namespace

NPort::NPort(NPortConfig config, Exchanges& exchanges)
    : config_(std::move(config)), exchanges_(exchanges), itself_{0,
                                                                 config_.port_name,
                                                                 config_.node_name,
                                                                 config_.increasing_seq_cnt,
                                                                 config_.increasing_relative_offset,
                                                                 true} {
    exchanges_.set_user(fc::type_els, *this);
    exchanges_.set_user(fc::type_ct, *this);
    exchanges_.set_login_check([this](std::uint32_t id) { return remote(id) != nullptr; });
    // Of this port's PLOGI, or of the answer to the other's, only one of the two knows.
    exchanges_.set_login_lost([this](Time now, std::uint32_t id) { forget(now, id); });
}

const RemotePort* NPort::remote(std::uint32_t id) const {
    if (id != 0 && id == itself_.id) return &itself_;
    const auto found = remotes_.find(id);
    return found == remotes_.end() ? nullptr : &found->second;
}

std::optional<NPortEvent> NPort::next_event() {
    if (events_.empty()) return std::nullopt;
    const NPortEvent event = events_.front();
    events_.pop_front();
    return event;
}

// ---- requests ----------------------------------------------------------------------------------------

void NPort::request(Time now, Request request) {
    const bool is_ct = request.command == 0;
    const ExchangeHandle exchange = exchanges_.open(is_ct ? fc::type_ct : fc::type_els, request.to);
    OutgoingIu iu;
    iu.r_ctl = is_ct ? std::uint8_t{0x02} : std::uint8_t{fc::r_ctl_els_request};
    iu.payload = request.payload;
    iu.note = request.note;
    iu.passes_initiative = true;
    exchanges_.send(now, exchange, std::move(iu));
    ++request.attempts;
    request.deadline = now + 2 * exchanges_.r_a_tov();
    requests_[exchange] = std::move(request);
}

void NPort::els(Time now, std::uint8_t command, std::uint32_t to, Octets payload, std::string note) {
    request(now, {command, to, std::move(payload), std::move(note)});
}

void NPort::answer(Time now, ExchangeHandle exchange, Octets payload, std::string note) {
    OutgoingIu iu;
    iu.r_ctl = fc::r_ctl_els_reply;
    iu.payload = std::move(payload);
    iu.last_sequence = true;
    iu.note = std::move(note);
    exchanges_.send(now, exchange, std::move(iu));
}

void NPort::reject(Time now, ExchangeHandle exchange, std::uint8_t reason, std::uint8_t explanation) {
    fc::LsRjt reject;
    reject.reason = reason;
    reject.explanation = explanation;
    answer(now, exchange, layout::octets_of(reject), "rejects the request");
}

Octets NPort::login(std::uint8_t command) const {
    if (!config_.login.empty()) {
        Octets payload = config_.login;
        payload[0] = command;
        return payload;
    }
    return builders::payload_of(builders::login_of(
        command, {.port_name = config_.port_name,
                  .node_name = config_.node_name,
                  .data_field_size = static_cast<std::uint16_t>(config_.exchanges.data_field_size),
                  .in_order = config_.in_order,
                  .increasing_seq_cnt = config_.increasing_seq_cnt,
                  .increasing_relative_offset = config_.increasing_relative_offset,
                  .ack_0 = config_.exchanges.ack_0,
                  .end_to_end_credit = static_cast<std::uint16_t>(config_.exchanges.end_to_end_credit),
                  .clock_sync = config_.clock_sync && command != fc::els_flogi && command != fc::els_fdisc,
                  .e_d_tov_ms = in_milliseconds(config_.exchanges.e_d_tov),
                  .r_a_tov_ms = in_milliseconds(config_.exchanges.r_a_tov)}));
}

Octets NPort::process_login() const {
    fc::PrliPage page;
    page.type = fc::type_fcp;
    page.establish_image_pair = true;
    page.service_parameters = config_.process_parameters.value_or(0);
    return builders::process_payload(fc::els_prli, layout::octets_of(page));
}

Time NPort::wakeup() const {
    if (!events_.empty()) return 0;  // at once: an application that asked to reach a port may not be called otherwise
    Time earliest = never;
    for (const auto& [exchange, request] : requests_) earliest = std::min(earliest, request.deadline);
    for (const Search& search : searches_) earliest = std::min(earliest, search.deadline);
    return earliest;
}

/// A request without an answer is given up and made again.
void NPort::on_timer(Time now) {
    std::vector<std::pair<ExchangeHandle, Request>> due;
    for (const auto& [exchange, request] : requests_)
        if (request.deadline <= now) due.emplace_back(exchange, request);
    for (auto& [exchange, request] : due) {
        requests_.erase(exchange);
        exchanges_.abort(now, exchange, "no answer in time");
        if (request.attempts < most_attempts) this->request(now, std::move(request));
        else fail_searches(request.to);
    }
    for (Search& search : searches_)
        if (search.deadline <= now) {
            search.deadline = never;
            search.asked = false;
        }
    search_on(now);
}

void NPort::on_failure(Time now, ExchangeHandle exchange, Failure failure) {
    const auto request = requests_.find(exchange);
    if (request == requests_.end()) return;
    if (failure != Failure::aborted) exchanges_.abort(now, exchange);
    const std::uint32_t to = request->second.to;
    requests_.erase(request);
    fail_searches(to);
}

// ---- getting an address ------------------------------------------------------------------------------

void NPort::start(Time now) {
    if (online_ && !fabric_) return;  // the other port, point to point, was first
    els(now, fc::els_flogi, fc::f_port_server, login(fc::els_flogi), "logs in with the Fabric");
}

/// Under a former address nothing reaches it any more, not from itself either.
void NPort::take_address(std::uint32_t id) {
    if (itself_.id != 0 && itself_.id != id)
        events_.push_back({.what = NPortEvent::What::logged_out, .peer = itself_.id});
    itself_.id = id;
    exchanges_.set_port_id(id);
}

void NPort::go_online(Time /*now*/, std::uint32_t id) {
    take_address(id);
    if (online_) return;
    online_ = true;
    // Nobody has answered FLOGI so far: a port that came later has asked for itself.
    std::erase_if(requests_, [](const auto& entry) { return entry.second.command == fc::els_flogi; });
    events_.push_back({.what = NPortEvent::What::online});
}

/// Nothing holds any more of what was agreed with the other port.
void NPort::begin_anew(Time now) {
    while (!remotes_.empty()) forget(now, remotes_.begin()->first);
    asked_neighbour_ = false;
}

void NPort::assume(std::uint32_t id, const Gid& remote_ip, std::uint32_t remote_id) {
    take_address(id);
    online_ = true;
    addresses_[remote_ip] = remote_id;
}

void NPort::on_fabric_login(Time now, const IncomingIu& iu, const fc::Login& login) {
    const auto* accept = std::get_if<fc::FabricServiceAccept>(&login.common);
    if (accept == nullptr) return;
    if (!accept->f_port) {
        neighbour_ = login.names.port_name;
        return log_in_point_to_point(now);
    }
    exchanges_.set_timeouts(
        accept->e_d_tov_nanoseconds ? accept->e_d_tov : accept->e_d_tov * millisecond, accept->r_a_tov * millisecond);
    fabric_ = login.names;
    go_online(now, iu.first.d_id);
    search_on(now);
}

void NPort::log_in_point_to_point(Time now) {
    if (!neighbour_ || asked_neighbour_ || config_.port_name < *neighbour_) return;
    asked_neighbour_ = true;
    go_online(now, first_of_two);
    els(now, fc::els_plogi, second_of_two, login(fc::els_plogi), "logs in, and gives both ports their addresses");
}

// ---- requests of others ------------------------------------------------------------------------------

void NPort::on_iu(Time now, const IncomingIu& iu) {
    const auto request = requests_.find(iu.exchange);
    const bool asked_here = request != requests_.end();
    if (!asked_here) {
        if (iu.first.r_ctl == fc::r_ctl_els_request && !iu.payload.empty())
            on_els_request(now, iu, fc::parse_els(iu.payload, iu.payload.size()));
        return;
    }
    const Request done = std::move(request->second);
    requests_.erase(request);
    for (Search& search : searches_)
        if (search.peer == done.to || (search.peer == 0 && done.to == fc::directory_server)) search.asked = false;
    if (done.command == 0) on_name_server(now, iu);
    else on_els_answer(now, done, iu);
    search_on(now);
}

void NPort::on_els_request(Time now, const IncomingIu& iu, const fc::ElsMessage& message) {
    if (message.error) return reject(now, iu.exchange, 0x03, 0x2D);
    if (const auto* login = std::get_if<fc::Login>(&message.body)) return on_login_request(now, iu, *login);
    if (const auto* farp = std::get_if<fc::Farp>(&message.body)) return on_farp(now, *farp);
    if (const auto* fan = std::get_if<fc::Fan>(&message.body)) return on_fabric_address(now, *fan);
    const std::uint32_t peer = iu.first.s_id;
    if (message.command != fc::els_logo && remote(peer) == nullptr) return reject(now, iu.exchange, 0x09, 0x1E);
    if (const auto* prli = std::get_if<fc::Prli>(&message.body)) return on_process_login(now, iu, *prli);
    switch (message.command) {
        case fc::els_logo:
            answer(now, iu.exchange, builders::ls_acc_payload(), "accepts the logout");
            return forget(now, peer);
        case fc::els_prlo: {
            fc::PrloPage page;
            page.type = fc::type_fcp;
            page.response = 1;
            answer(
                now, iu.exchange, builders::process_payload(fc::els_ls_acc, layout::octets_of(page)),
                "accepts the Process Logout");
            return note_process_logout(peer);
        }
        case fc::els_adisc: return answer(now, iu.exchange, identity(fc::els_ls_acc), "tells who it is");
        case fc::els_rtv: {
            fc::RtvAccept timeouts;
            timeouts.e_d_tov = in_milliseconds(config_.exchanges.e_d_tov);
            timeouts.r_a_tov = in_milliseconds(exchanges_.r_a_tov());
            return answer(now, iu.exchange, layout::octets_of(timeouts), "tells its timeouts");
        }
        default: return reject(now, iu.exchange, 0x0B, 0x2C);
    }
}

void NPort::on_login_request(Time now, const IncomingIu& iu, const fc::Login& login) {
    switch (command_of(iu)) {
        case fc::els_flogi: {  // from the other port, point to point
            neighbour_ = login.names.port_name;
            if (config_.begins_anew_with_flogi) begin_anew(now);
            builders::FcLoginFields fields;
            fields.port_name = config_.port_name;
            fields.node_name = config_.node_name;
            fields.data_field_size = static_cast<std::uint16_t>(config_.exchanges.data_field_size);
            fields.in_order = config_.in_order;
            fields.e_d_tov_ms = in_milliseconds(config_.exchanges.e_d_tov);
            fields.r_a_tov_ms = in_milliseconds(config_.exchanges.r_a_tov);
            answer(now, iu.exchange, builders::payload_of(fabric_accept_of(fields, false)), "is no Fabric");
            return log_in_point_to_point(now);
        }
        case fc::els_plogi:
            if (!online_) go_online(now, iu.first.d_id);
            learn(iu.first.s_id, login);
            answer(now, iu.exchange, this->login(fc::els_ls_acc), "accepts the login");
            return search_on(now);
        default: return reject(now, iu.exchange, 0x0B, 0x2C);
    }
}

bool NPort::process_login_will_do(const IncomingIu& iu, bool is_accept) const {
    constexpr std::size_t begin = layout::size_of<fc::ProcessHeader>, size = layout::size_of<fc::PrliPage>;
    if (!config_.process_login_will_do) return true;
    return iu.payload.size() >= begin + size &&
           config_.process_login_will_do(ByteView(iu.payload).subspan(begin, size), is_accept);
}

void NPort::on_process_login(Time now, const IncomingIu& iu, const fc::Prli& request) {
    if (!config_.process_parameters || request.pages.size() != 1 || request.pages[0].type != fc::type_fcp)
        return reject(now, iu.exchange, 0x09, 0x2C);
    if (!process_login_will_do(iu, false)) return reject(now, iu.exchange, 0x03, 0x2C);
    fc::PrliAcceptPage page;
    page.type = fc::type_fcp;
    page.image_pair_established = true;
    page.response = 1;
    page.service_parameters = *config_.process_parameters;
    answer(
        now, iu.exchange, builders::process_payload(fc::els_ls_acc, layout::octets_of(page)),
        "accepts the Process Login");
    note_process_login(now, iu.first.s_id);
}

void NPort::note_process_login(Time now, std::uint32_t peer) {
    if (const auto found = remotes_.find(peer); found != remotes_.end()) found->second.process_login = true;
    search_on(now);
}

void NPort::learn(std::uint32_t id, const fc::Login& login) {
    const auto* common = std::get_if<fc::PortServiceParameters>(&login.common);
    if (common == nullptr) return;
    remotes_[id] = {
        id,
        login.names.port_name,
        login.names.node_name,
        common->continuously_increasing_seq_cnt,
        common->continuously_increasing_relative_offset,
        false};
    if (login.classes[1].ack_0_initiator && login.classes[1].ack_0_recipient) exchanges_.use_ack_0(id);
}

// ---- answers -----------------------------------------------------------------------------------------

void NPort::on_els_answer(Time now, const Request& request, const IncomingIu& iu) {
    const fc::ElsMessage message = fc::parse_els(iu.payload, iu.payload.size(), request.command);
    if (message.error || message.command != fc::els_ls_acc) {
        if (request.command == fc::els_adisc) log_out(now, request.to);
        return fail_searches(request.to);
    }
    const auto* login = std::get_if<fc::Login>(&message.body);
    switch (request.command) {
        case fc::els_flogi:
            if (login != nullptr) on_fabric_login(now, iu, *login);
            return;
        case fc::els_plogi:
            if (login != nullptr) learn(iu.first.s_id, *login);
            return;
        case fc::els_prli: {
            const auto* accept = std::get_if<fc::PrliAccept>(&message.body);
            const bool executed = accept != nullptr && accept->pages.size() != 0 && accept->pages[0].response == 1;
            if (executed && process_login_will_do(iu, true)) return note_process_login(now, request.to);
            if (executed) log_processes_out(now, request.to);
            return fail_searches(request.to);
        }
        case fc::els_logo: return forget(now, request.to);
        case fc::els_prlo: return note_process_logout(request.to);
        case fc::els_adisc:
            if (const auto* told = std::get_if<fc::Adisc>(&message.body)) compare_identity(now, request.to, *told);
            return;
        case fc::els_rtv:
            if (const auto* told = std::get_if<fc::RtvAccept>(&message.body)) tell_timeouts(request.to, *told);
            return;
        default: return;
    }
}

void NPort::log_out(Time now, std::uint32_t peer) {
    fc::Logo logo;
    logo.port_id = exchanges_.port_id();
    logo.port_name = config_.port_name;
    els(now, fc::els_logo, peer, layout::octets_of(logo), "logs out");
}

void NPort::log_out_all(Time now) {
    for (const auto& [id, remote] : remotes_) log_out(now, id);
}

void NPort::forget(Time now, std::uint32_t peer) {
    if (remotes_.erase(peer) == 0) return;
    std::erase_if(addresses_, [&](const auto& entry) { return entry.second == peer; });
    exchanges_.drop_all(now, peer);
    events_.push_back({.what = NPortEvent::What::logged_out, .peer = peer});
}

void NPort::log_processes_out(Time now, std::uint32_t peer) {
    fc::PrloPage page;
    page.type = fc::type_fcp;
    els(now, fc::els_prlo, peer, builders::process_payload(fc::els_prlo, layout::octets_of(page)),
        "logs its processes out");
}

void NPort::note_process_logout(std::uint32_t peer) {
    const auto found = remotes_.find(peer);
    if (found == remotes_.end() || !std::exchange(found->second.process_login, false)) return;
    events_.push_back({.what = NPortEvent::What::processes_logged_out, .peer = peer});
}

// ---- what others are, and what they wait for -----------------------------------------------------------

Octets NPort::identity(std::uint8_t command) const {
    fc::Adisc own;
    own.command = command;
    own.port_name = config_.port_name;
    own.node_name = config_.node_name;
    own.port_id = exchanges_.port_id();
    return layout::octets_of(own);
}

void NPort::validate(Time now) {
    for (const auto& [id, remote] : remotes_)
        if (id < fc::multicast_server) els(now, fc::els_adisc, id, identity(fc::els_adisc), "asks who is there");
}

/// All three have to be what they were, or the port is logged out (ISO/IEC 14165-331, 7.7.3).
void NPort::compare_identity(Time now, std::uint32_t peer, const fc::Adisc& told) {
    const RemotePort* known = remote(peer);
    if (known == nullptr) return;
    const bool same = told.port_id == peer && told.port_name == known->port_name && told.node_name == known->node_name;
    if (same) events_.push_back({.what = NPortEvent::What::validated, .peer = peer});
    else log_out(now, peer);
}

/// Of another Fabric nothing holds any more (ISO/IEC 14165-331, 7.7.4).
void NPort::on_fabric_address(Time now, const fc::Fan& fan) {
    if (!fabric_) return;
    if (fan.fabric_port_name == fabric_->port_name && fan.fabric_name == fabric_->node_name)
        return events_.push_back({.what = NPortEvent::What::validated, .peer = fc::f_port_server});
    std::erase_if(remotes_, [](const auto& entry) { return entry.first >= fc::multicast_server; });
    log_out_all(now);
    addresses_.clear();
    start(now);
}

void NPort::read_timeouts(Time now, std::uint32_t peer) {
    els(now, fc::els_rtv, peer, layout::octets_of(fc::ElsHeader{fc::els_rtv, {}}), "asks for the timeouts");
}

void NPort::tell_timeouts(std::uint32_t peer, const fc::RtvAccept& told) {
    events_.push_back(
        {.what = NPortEvent::What::timeouts,
         .peer = peer,
         .e_d_tov = told.e_d_tov_nanoseconds ? told.e_d_tov : told.e_d_tov * millisecond,
         .r_a_tov = told.r_a_tov * millisecond});
}

// ---- finding a port ----------------------------------------------------------------------------------

void NPort::reach(Time now, const Gid& ip) {
    if (std::ranges::find(searches_, ip, &Search::ip) == searches_.end()) searches_.push_back({.ip = ip});
    search_on(now);
}

void NPort::search_on(Time now) {
    const bool waits_for_neighbour = neighbour_ && remotes_.empty();
    if (!online_) return;
    for (Search& search : searches_)
        if (!waits_for_neighbour || is_itself(search.ip)) go_on(now, search);
    std::erase_if(searches_, [](const Search& search) { return search.attempts > most_attempts; });
}

/// One step: resolve, log in, log the processes in.
void NPort::go_on(Time now, Search& search) {
    constexpr unsigned finished = most_attempts + 1;
    if (search.asked) return;
    if (search.peer == 0) return resolve(now, search);
    const RemotePort* peer = remote(search.peer);
    search.asked = true;
    if (peer == nullptr) return els(now, fc::els_plogi, search.peer, login(fc::els_plogi), "logs in");
    if (config_.process_parameters && config_.asks_for_process_login && !peer->process_login)
        return els(now, fc::els_prli, search.peer, process_login(), "logs its processes in");
    search.attempts = finished;
    events_.push_back({.what = NPortEvent::What::reached, .ip = search.ip, .peer = search.peer});
}

void NPort::resolve(Time now, Search& search) {
    const auto known = addresses_.find(search.ip);
    if (is_itself(search.ip) || known != addresses_.end()) {
        search.peer = is_itself(search.ip) ? itself_.id : known->second;
        return go_on(now, search);
    }
    if (search.attempts == most_attempts) {
        ++search.attempts;
        events_.push_back({.what = NPortEvent::What::unreachable, .ip = search.ip});
        return;
    }
    const bool ask_server = config_.resolver == Resolver::name_server;
    search.asked = true;
    if (ask_server && remote(fc::directory_server) == nullptr)
        return els(now, fc::els_plogi, fc::directory_server, login(fc::els_plogi), "logs in with the Name Server");
    ++search.attempts;
    if (ask_server)
        return request(
            now, {0, fc::directory_server, builders::gid_ipp_payload(search.ip), "asks which port has the address"});
    search.deadline = now + exchanges_.r_a_tov();
    OutgoingIu iu;
    iu.r_ctl = fc::r_ctl_els_request;
    fc::Farp farp;
    farp.match = fc::farp_match_ip;
    farp.action = fc::farp_reply;
    farp.requesting_port_id = exchanges_.port_id();
    farp.requesting_port_name = config_.port_name;
    farp.requesting_node_name = config_.node_name;
    farp.requesting_ip = config_.ip;
    farp.responding_ip = search.ip;
    iu.payload = layout::octets_of(farp);
    iu.last_sequence = true;
    iu.note = "asks which port has the address";
    exchanges_.send(now, exchanges_.open(fc::type_els, fc::broadcast), std::move(iu));
}

/// A request is answered if it is for this port's IP address; all else is none of FC-VI's business (7.5).
void NPort::on_farp(Time now, const fc::Farp& farp) {
    if (farp.command == fc::els_farp_reply) {
        found(now, farp.responding_ip, farp.responding_port_id);
        return search_on(now);
    }
    if (!online_ || farp.responding_ip != config_.ip || farp.match != fc::farp_match_ip ||
        farp.action != fc::farp_reply)
        return;
    addresses_[farp.requesting_ip] = farp.requesting_port_id;
    fc::Farp reply = farp;
    reply.command = fc::els_farp_reply;
    reply.responding_port_id = exchanges_.port_id();
    reply.responding_port_name = config_.port_name;
    reply.responding_node_name = config_.node_name;
    OutgoingIu iu;
    iu.r_ctl = fc::r_ctl_els_request;
    iu.payload = layout::octets_of(reply);
    iu.last_sequence = true;
    iu.note = "has the address";
    exchanges_.send(now, exchanges_.open(fc::type_els, farp.requesting_port_id), std::move(iu));
}

/// Of several ports the first one will do (7.6).
void NPort::on_name_server(Time now, const IncomingIu& iu) {
    const fc::CtMessage message = fc::parse_ct(iu.payload, iu.payload.size(), fc::ct_gid_ipp);
    const auto* accept = std::get_if<fc::GidIppAccept>(&message.body);
    const auto search = std::ranges::find(searches_, std::uint32_t{0}, &Search::peer);
    if (search == searches_.end()) return;
    if (message.header.command == fc::ct_accept && accept != nullptr && accept->ports.size() != 0)
        return found(now, search->ip, accept->ports[0].port_id);
    search->attempts = most_attempts;
}

void NPort::found(Time /*now*/, const Gid& ip, std::uint32_t id) {
    addresses_[ip] = id;
    for (Search& search : searches_)
        if (search.ip == ip && search.peer == 0) {
            search.peer = id;
            search.asked = false;
            search.deadline = never;
        }
}

void NPort::fail_searches(std::uint32_t peer) {
    std::erase_if(searches_, [&](const Search& search) {
        const bool fails = search.peer == peer || (search.peer == 0 && peer >= fc::multicast_server);
        if (fails) events_.push_back({.what = NPortEvent::What::unreachable, .ip = search.ip});
        return fails;
    });
}

}  // namespace fabricscope::stack::fibre_channel
