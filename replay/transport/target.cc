// SPDX-License-Identifier: GPL-2.0-or-later
#include <charconv>

#include "replay/transport/raw.h"
#include "replay/transport/sockets.h"
#include "replay/transport/transport.h"
#include "replay/transport/udp.h"

namespace fabricscope::replay {

namespace {

/// HOST, or HOST:PORT. False if the port is none.
bool read_host(std::string_view text, Target& target) {
    const std::size_t colon = text.rfind(':');
    target.host = text.substr(0, colon);
    if (colon == std::string_view::npos) return !target.host.empty();
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, port);
    target.port = port;
    return error == std::errc() && rest == end && port != 0 && !target.host.empty();
}

/// What is behind `prefix`, if the text begins so.
std::optional<std::string_view> behind(std::string_view prefix, std::string_view text) {
    return text.starts_with(prefix) ? std::optional(text.substr(prefix.size())) : std::nullopt;
}

}  // namespace

std::optional<Target> parse_target(const std::string& text, std::string& problem) {
    Target target;
    bool good = true;
    if (const auto profile = behind("emulated:", text)) {
        target.profile = *profile;
    } else if (const auto host = behind("rocev2://", text)) {
        target.kind = Target::Kind::rocev2;
        good = read_host(*host, target);
    } else if (const auto peer = behind("smc://", text)) {
        target.kind = Target::Kind::smc;
        good = read_host(*peer, target);
    } else if (const auto interface = behind("if://", text)) {
        target.kind = Target::Kind::interface;
        target.interface = *interface;
        good = !interface->empty();
    } else {
        good = text == "emulated";
    }
    if (good) return target;
    problem = text + " is no target: emulated[:PROFILE], rocev2://HOST[:PORT], smc://HOST[:PORT] or if://INTERFACE";
    return std::nullopt;
}

std::unique_ptr<Transport> open_transport(const Target& target, const TransportOptions& options) {
    if (target.kind == Target::Kind::interface) return open_interface(target.interface);
    const Gid host = parse_ip(target.host);
    if (target.kind == Target::Kind::rocev2) return open_udp(host, target.port);
    if (options.address.empty())
        throw TransportError("smc:// needs --address: an IP address for the played side that no other host has");
    const std::string interface = options.interface.empty() ? interface_towards(host) : options.interface;
    return open_ip_host(interface, parse_ip(options.address), host, target.port, options.timeout);
}

}  // namespace fabricscope::replay
