// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/load/smc_load.h"

#include <fmt/format.h>

namespace fabricscope::replay {

namespace {

using stack::smcr::AppEnd;
using stack::smcr::AppPlan;
using stack::smcr::PeerAccount;
using stack::smcr::PeerConfig;

constexpr std::uint8_t smallest_buffer = 0;  // 16 KiB

PeerConfig peer_config(const LoadPlan& plan, unsigned host, const Gid& own, const Mac& mac) {
    PeerConfig config;
    config.mac = mac;
    config.ip = own;
    config.hostname = fmt::format("load{}", host);
    config.buffer_size = smallest_buffer;
    config.forgets_ended = true;
    config.seed = plan.seed + host;
    return config;
}

}  // namespace

SmcLoadHost::SmcLoadHost(const LoadPlan& plan, LoadAccount& account, unsigned host, const Gid& own, const Mac& mac)
    : LoadHost(account), plan_(plan), peer_(peer_config(plan, host, own, mac)) {}

void SmcLoadHost::on_frame(Time now, std::size_t port, ByteView frame) {
    peer_.on_frame(now, port, frame);
    take_ended();
}

void SmcLoadHost::on_timer(Time now) {
    peer_.on_timer(now);
    take_ended();
}

void SmcLoadHost::take_ended() {
    for (const PeerAccount& connection : peer_.take_ended()) on_ended(connection);
}

std::string SmcLoadHost::failure_of(const PeerAccount& connection) {
    if (connection.outcome == "smc-r") return connection.aborted || connection.close != "Closed" ? "aborted" : "";
    if (connection.decline != 0)
        return fmt::format(
            "declined by the {}: {:#010x}", connection.declined_by_me == connection.client ? "client" : "server",
            connection.decline);
    if (connection.outcome == "plain-tcp") return "the other side does not offer SMC-R";
    return "no connection: TCP or CLC came to no end";
}

void SmcLoadClient::start_session(Time now, Time due) {
    std::uint16_t port = 0;
    do port = static_cast<std::uint16_t>(first_client_port + next_port_++ % first_client_port);
    while (due_.contains(port));
    due_[port] = due;
    ++account().started;
    AppPlan application;
    application.messages = static_cast<unsigned>(plan().messages.value_or(1));
    application.octets = plan().size;
    application.end = AppEnd::close;
    peer().connect(now, port, plan().peer_mac, plan().peer, plan().port, application);
}

void SmcLoadClient::on_ended(const PeerAccount& connection) {
    const auto found = due_.find(connection.client_port);
    if (found == due_.end()) return;
    if (connection.set_up != stack::never) account().set_ups.add(connection.set_up - found->second);
    due_.erase(found);
    if (const std::string failure = failure_of(connection); !failure.empty()) return fail(failure);
    ++account().completed;
    account().messages += plan().messages.value_or(1);
    account().octets += connection.received.octets;
    if (!(connection.sent == connection.received)) ++account().wrong;
}

SmcLoadServer::SmcLoadServer(const LoadPlan& plan, LoadAccount& account, const Gid& own, const Mac& mac)
    : SmcLoadHost(plan, account, 0, own, mac) {
    AppPlan application;
    application.echo = true;
    application.end = AppEnd::wait;
    peer().listen(plan.port, application);
}

void SmcLoadServer::on_ended(const PeerAccount& connection) {
    ++account().started;
    if (const std::string failure = failure_of(connection); !failure.empty()) return fail(failure);
    ++account().completed;
    account().octets += connection.received.octets;
    if (!(connection.sent == connection.received)) ++account().wrong;
}

}  // namespace fabricscope::replay
