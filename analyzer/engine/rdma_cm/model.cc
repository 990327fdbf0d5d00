// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/engine/rdma_cm/model.h"

#include <algorithm>
#include <cctype>

namespace fabricscope::engine::rdma_cm {

const char* name_of(Service service) {
    switch (service) {
        case Service::rc: return "rc";
        case Service::uc: return "uc";
        case Service::rd: return "rd";
        case Service::xrc: return "xrc";
        case Service::ud: return "ud";
        case Service::unknown: return "unknown";
    }
    return "";
}

const char* name_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::connected: return "connected";
        case Outcome::rejected: return "rejected";
        case Outcome::timeout: return "timeout";
        case Outcome::unknown: return "unknown";
    }
    return "";
}

const char* RejectInformation::layer_name() const { return layout::name_of(wire::reject_layer_names, layer); }

const char* RejectInformation::code_name() const {
    return code ? layout::name_of(wire::reject_code_names, *code) : nullptr;
}

const char* RejectSeen::name() const {
    return sidr ? layout::name_of(ib::sidr_status_names, reason) : layout::name_of(ib::reject_reason_names, reason);
}

bool is_heard(const Connection& connection, Side side) {
    const auto spoke = [&](const MessageSeen& message) { return message.from == side; };
    return connection.from[side].packets != 0 || std::ranges::any_of(connection.messages, spoke);
}

bool has_timed_out(const Connection& connection) {
    const auto& reject = connection.reject;
    return reject && !reject->sidr && reject->reason == ib::reject_timeout && reject->by == Side::client &&
           reject->message != ib::rejects_rep && connection.req &&
           (!connection.rep || connection.rep->time > reject->time);
}

const MessageOfMany* mra_for_req(const Connection& connection) {
    const auto is_one = [](const MessageOfMany& m) {
        return m.attribute == ib::CmAttribute::mra && m.from == Side::server &&
               m.about.value_or(ib::mra_req) == ib::mra_req;
    };
    const auto found = std::ranges::find_if(connection.of_many, is_one);
    return found == connection.of_many.end() ? nullptr : &*found;
}

std::optional<Side> side_of(const Connection& connection, const Address& port, std::optional<std::uint32_t> qpn) {
    for (const Side side : {Side::client, Side::server}) {
        const Endpoint& end = connection.end[side];
        const bool there = end.address == port || end.lid == port;
        if (there && (!qpn || !end.qpn || *end.qpn == *qpn)) return side;
    }
    return std::nullopt;
}

bool is_of_service(const Connection& connection) {
    return connection.service_id && wire::is_socket_service(*connection.service_id);
}

bool has_ip_header(const Connection& connection) {
    return connection.service_id && wire::has_ip_header(*connection.service_id);
}

bool is_padded(const Bytes<12>& padding) { return padding == Bytes<12>{}; }

bool is_ordinary(const Address& address) {
    const auto not_zero = [](std::uint8_t octet) { return octet != 0; };
    const bool holds_ipv4 = std::none_of(address.bytes.begin(), address.bytes.begin() + 10, not_zero);
    return address.bytes[0] != 0xFF && !holds_ipv4;
}

std::string protocol_text(const Connection& connection) {
    if (!connection.protocol)
        return connection.service_id && *connection.service_id >> 16 == wire::ipoib_port_space ? "ipoib" : "";
    const char* name = layout::name_of(wire::protocol_names, *connection.protocol);
    if (name == nullptr) return std::to_string(*connection.protocol);
    std::string text(name);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace fabricscope::engine::rdma_cm
