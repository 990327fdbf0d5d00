// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <charconv>

#include "replay/engine/field_values.h"
#include "replay/transport/ethernet.h"
#include "replay/transport/transport.h"

namespace fabricscope::replay {

namespace {

/// HOST or HOST:PORT; a HOST with colons of its own, an IPv6 address, is in brackets. False if it is neither.
bool read_host(std::string_view text, Target& target) {
    const bool bracketed = text.starts_with('[');
    if (bracketed) text.remove_prefix(1);
    const std::size_t end_of_host = std::min(text.find(bracketed ? ']' : ':'), text.size());
    target.host = text.substr(0, end_of_host);
    text.remove_prefix(end_of_host);
    if (bracketed) {
        if (text.empty()) return false;
        text.remove_prefix(1);
    }
    if (target.host.empty() || text.empty()) return !target.host.empty();
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + 1, end, port);
    target.port = port;
    return text.front() == ':' && error == std::errc() && rest == end && port != 0;
}

/// What is behind `prefix`, if the text begins so.
std::optional<std::string_view> behind(std::string_view prefix, std::string_view text) {
    return text.starts_with(prefix) ? std::optional(text.substr(prefix.size())) : std::nullopt;
}

/// IFACE, or IFACE/MAC of one host, or IFACE/WWPN of one port.
bool read_interface(std::string_view text, Target& target) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    target.interface = text.substr(0, slash);
    if (slash < text.size()) {
        const std::string_view peer = text.substr(slash + 1);
        target.mac = mac_from_text(peer);
        if (!target.mac) target.port_name = port_name_from_text(peer);
        if (target.mac ? !is_of_a_host(*target.mac) : target.port_name.value_or(0) == 0) return false;
    }
    return !target.interface.empty();
}

}  // namespace

bool is_profile(std::string_view name) { return name == "linux" || name == "rfc7609" || name == "strict"; }

std::string proof_of(const Target& target) {
    if (target.kind != Target::Kind::emulated) return {};
    if (!target.profile.empty())
        return "The emulated side has the parameters of profile " + target.profile + ", whatever the recorded one had.";
    return "The emulated side takes its parameters from the recording. So \"same\" says that both protocol machines do "
           "the same with them, not that the recorded values are right; --profile linux or strict plays against other "
           "ones.";
}

std::optional<Target> parse_target(const std::string& text, std::string& problem) {
    Target target;
    bool good = true;
    if (const auto profile = behind("emulated:", text)) {
        target.profile = *profile;
        good = is_profile(*profile);
    } else if (const auto host = behind("rocev2://", text)) {
        target.kind = Target::Kind::rocev2;
        good = read_host(*host, target);
    } else if (const auto peer = behind("smc://", text)) {
        target.kind = Target::Kind::smc;
        good = read_host(*peer, target);
    } else if (const auto interface = behind("if://", text)) {
        target.kind = Target::Kind::interface;
        good = read_interface(*interface, target);
    } else {
        good = text == "emulated";
    }
    if (good) return target;
    problem =
        text +
        " is no target: emulated[:linux|:strict], rocev2://HOST[:PORT], smc://HOST[:PORT], if://INTERFACE[/MAC] or "
        "if://INTERFACE/WWPN";
    return std::nullopt;
}

}  // namespace fabricscope::replay
