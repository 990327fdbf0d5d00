// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "protocols/fc/els.h"
#include "replay/engine/fc/emulated_parts.h"
#include "replay/engine/player.h"

namespace fabricscope::replay::fibre_channel {

namespace {

namespace stack_fc = stack::fibre_channel;

/// An Extended Link Service of the recording. Views point into it.
struct RecordedEls {
    Side originator{};
    std::size_t first = 0;  ///< message
    std::string request, reply;
    ByteView request_payload, reply_payload;
};

std::vector<RecordedEls> services_in(const Recording& recording) {
    std::vector<RecordedEls> services;
    const auto messages = recording.messages_by_exchange();
    for (std::size_t exchange = 0; exchange < recording.exchanges.size(); ++exchange) {
        if (recording.exchanges[exchange].type != fc::type_els) continue;
        RecordedEls service;
        service.originator = recording.exchanges[exchange].originator;
        for (const std::size_t index : messages[exchange]) {
            const Message& message = recording.conversation.messages[index];
            if (message.name == "ABTS") continue;
            const bool is_request = service.request.empty();
            if (is_request) service.first = index;
            (is_request ? service.request : service.reply) = message.name;
            (is_request ? service.request_payload : service.reply_payload) = frame_of(message.octets).payload;
        }
        if (!service.request.empty()) services.push_back(std::move(service));
    }
    return services;
}

/// A PLOGI, or what accepts one.
void record_login(
    ByteView payload, std::uint8_t request, bool own, stack_fc::NPortConfig& port, stack_fc::RemotePort& remote) {
    const fc::ElsMessage message = fc::parse_els(payload, payload.size(), request);
    const auto* login = std::get_if<fc::Login>(&message.body);
    if (login == nullptr || message.error) return;
    if (!own) {
        remote.port_name = login->names.port_name;
        return;
    }
    port.port_name = login->names.port_name;
    port.node_name = login->names.node_name;
    port.login.assign(payload.begin(), payload.end());
}

void record_process_login(ByteView payload, bool is_request, stack_fc::NPortConfig& port) {
    const fc::ElsMessage message = fc::parse_els(payload, payload.size(), fc::els_prli);
    if (message.error) return;
    if (const auto* prli = std::get_if<fc::Prli>(&message.body); is_request && prli != nullptr && !prli->pages.empty())
        port.process_parameters = prli->pages[0].service_parameters;
    const auto* accept = std::get_if<fc::PrliAccept>(&message.body);
    if (!is_request && accept != nullptr && !accept->pages.empty())
        port.process_parameters = accept->pages[0].service_parameters;
}

/// Services that the emulated port answers by itself.
void check_answer(const RecordedEls& service) {
    constexpr std::array answered{"PLOGI", "PRLI", "PRLO", "LOGO"};
    const bool known = std::ranges::any_of(answered, [&](const char* name) { return service.request == name; });
    if (known && service.request == "PLOGI" && service.reply == "LS_RJT")
        throw NotPlayable("an emulated port refuses no PLOGI");
    if (!known && service.reply != "LS_RJT" && !service.reply.empty())
        throw NotPlayable(fmt::format("an emulated port does not accept {}", service.request));
}

}  // namespace

void configure_logins(
    const Recording& recording, Side side, stack_fc::NPortConfig& port, stack_fc::RemotePort& remote) {
    port.asks_for_process_login = false;
    for (const RecordedEls& service : services_in(recording)) {
        const bool asks = service.originator == side;
        if (service.request == "PLOGI") {
            record_login(service.request_payload, fc::els_plogi, asks, port, remote);
            if (service.reply == "LS_ACC") record_login(service.reply_payload, fc::els_plogi, !asks, port, remote);
        } else if (service.request == "PRLI") {
            port.asks_for_process_login = port.asks_for_process_login || asks;
            if (asks) record_process_login(service.request_payload, true, port);
            else if (service.reply == "LS_ACC") record_process_login(service.reply_payload, false, port);
        }
    }
}

bool begins_with_login(const Recording& recording) {
    for (std::size_t i = 0; i < recording.cuts.size(); ++i) {
        if (recording.conversation.messages[i].name == "PLOGI") return true;
        if (recording.exchange_of(i).type != fc::type_els) return false;
    }
    return false;
}

void add_logins(Plan& plan, const Gid& remote_ip) {
    const std::size_t track = plan.track++;
    const std::uint32_t own_id = plan.recording.ports[plan.side], remote_id = plan.recording.ports[other(plan.side)];
    bool logs_in = false;
    for (const RecordedEls& service : services_in(plan.recording)) {
        if (service.request == "LOGO") logs_in = false;
        if (service.originator != plan.side) {
            check_answer(service);
            continue;
        }
        const std::size_t after = plan.heard.before(service.first);
        if (service.request == "LOGO") {
            plan.steps.push_back({service.first, after, track, [port = &plan.port, remote_id](Time now) {
                                      port->port().log_out(now, remote_id);
                                      return true;
                                  }});
        } else if (service.request == "PLOGI" || service.request == "PRLI") {
            // Whoever looks for a port logs in with it, and then logs the processes in.
            if (std::exchange(logs_in, true) && service.request == "PRLI") continue;
            plan.steps.push_back(
                {service.first, after, track, [port = &plan.port, own_id, remote_id, remote_ip](Time now) {
                     port->port().assume(own_id, remote_ip, remote_id);
                     port->port().reach(now, remote_ip);
                     return true;
                 }});
        } else {
            throw NotPlayable(fmt::format("an emulated port does not send {} by itself", service.request));
        }
    }
}

}  // namespace fabricscope::replay::fibre_channel
