// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/vipl/device.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fabricscope::vipl {
namespace {

constexpr std::string_view conventional_name = "VINIC", emulated_prefix = "emulated:";
constexpr std::size_t ipv4_place = 12;  ///< in 16 octets
constexpr std::uint64_t deepest_pipeline = 0x8000'0000, most_milliseconds = 86'400'000, most_id = 0xFF'FFFF;

std::uint64_t number(std::string_view text, std::uint64_t most, int base = 10) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size() || value > most)
        throw DeviceError(std::string(text) + " is no number that is allowed here");
    return value;
}

Gid address_or_throw(std::string_view text) {
    const auto address = parse_address(std::string(text));
    if (!address) throw DeviceError(std::string(text) + " is no IP address");
    return *address;
}

KnownPort known_port(std::string_view text) {
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos) throw DeviceError("peer=IP@HEX is wanted");
    return {address_or_throw(text.substr(0, at)), static_cast<std::uint32_t>(number(text.substr(at + 1), most_id, 16))};
}

void read_option(Device& device, std::string_view option) {
    const std::size_t equals = std::min(option.find('='), option.size());
    const std::string_view key = option.substr(0, equals), value = option.substr(std::min(equals + 1, option.size()));
    if (key == "address") device.address = address_or_throw(value);
    else if (key == "port-name") device.port_name = number(value, UINT64_MAX, 16);
    else if (key == "version" && value == "iso") device.version = fcvi::Version::iso;
    else if (key == "version" && value == "1.0") device.version = fcvi::Version::rev_1_0;
    else if (key == "class" && (value == "2" || value == "3")) device.service_class = value[0] - '0';
    else if (key == "vlan") device.vlan = static_cast<std::uint16_t>(number(value, 4094));
    else if (key == "pipeline") device.pipeline_depth = static_cast<std::uint32_t>(number(value, deepest_pipeline));
    else if (key == "r-a-tov")
        device.r_a_tov = static_cast<stack::Time>(number(value, most_milliseconds)) * capture::millisecond;
    else if (key == "id") device.id = static_cast<std::uint32_t>(number(value, most_id, 16));
    else if (key == "peer") device.peer = known_port(value);
    else if (key == "record" && !value.empty()) device.record = value;
    else throw DeviceError(std::string(option) + " is no option of a device");
}

/// VI-DG 6.5: the name that programs have, whatever the NIC. Else the name itself.
std::string looked_up(const std::string& name) {
    if (!name.starts_with(conventional_name)) return name;
    const std::string digits = name.substr(conventional_name.size());
    if (!std::ranges::all_of(digits, [](char one) { return one >= '0' && one <= '9'; })) return name;
    const std::string variable = "FABRICSCOPE_VINIC" + (digits.empty() ? "0" : digits);
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr) throw DeviceError(variable + " in the environment is to say which interface " + name + " is");
    return value;
}

Gid link_local(const Mac& mac) {
    const auto& of = mac.octets;
    return {
        {0xFE, 0x80, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(of[0] ^ 0x02), of[1], of[2], 0xFF, 0xFE, of[3], of[4],
         of[5]}};
}

std::size_t mtu_of(const std::string& interface) {
    const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    std::strncpy(request.ifr_name, interface.c_str(), IFNAMSIZ - 1);
    const bool told = socket >= 0 && ::ioctl(socket, SIOCGIFMTU, &request) == 0;
    if (socket >= 0) ::close(socket);
    if (!told) throw DeviceError(interface + ": " + std::strerror(errno));
    return static_cast<std::size_t>(request.ifr_mtu);
}

}  // namespace

Device parse_device(const std::string& name) {
    const std::string text = looked_up(name);
    Device device;
    std::istringstream parts(text);
    std::string part;
    std::getline(parts, part, ',');
    if (part.starts_with(emulated_prefix)) device.scenario = part.substr(emulated_prefix.size());
    else device.interface = part;
    if (device.scenario.empty() && device.interface.empty()) throw DeviceError("a device has a name");
    while (std::getline(parts, part, ',')) read_option(device, part);
    if (device.id.has_value() != device.peer.has_value()) throw DeviceError("id and peer are wanted together");
    if (device.r_a_tov == 0) throw DeviceError("r-a-tov is not 0");
    return device;
}

std::optional<Gid> parse_address(const std::string& text) {
    Gid address{};
    if (::inet_pton(AF_INET, text.c_str(), address.octets.data() + ipv4_place) == 1) return address;
    if (::inet_pton(AF_INET6, text.c_str(), address.octets.data()) == 1) return address;
    return std::nullopt;
}

std::string address_text(const Gid& address) {
    const auto front = std::span(address.octets).first(ipv4_place);
    const bool is_ipv4 = std::ranges::all_of(front, [](std::uint8_t octet) { return octet == 0; });
    char text[INET6_ADDRSTRLEN];
    ::inet_ntop(is_ipv4 ? AF_INET : AF_INET6, address.octets.data() + (is_ipv4 ? ipv4_place : 0), text, sizeof text);
    return text;
}

InterfaceFacts facts_of(const std::string& interface) {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0)
        throw DeviceError(std::string("the interfaces of this host: ") + std::strerror(errno));
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(list, ::freeifaddrs);
    InterfaceFacts facts;
    std::optional<Gid> ipv4, ipv6;
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_name != interface) continue;
        Gid address{};
        if (one->ifa_addr->sa_family == AF_INET && !ipv4) {
            std::memcpy(
                address.octets.data() + ipv4_place, &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr, 4);
            ipv4 = address;
        } else if (one->ifa_addr->sa_family == AF_INET6 && !ipv6) {
            std::memcpy(
                address.octets.data(), &reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr,
                address.octets.size());
            ipv6 = address;
        } else if (one->ifa_addr->sa_family == AF_PACKET) {
            const auto* link = reinterpret_cast<const sockaddr_ll*>(one->ifa_addr);
            std::memcpy(facts.mac.octets.data(), link->sll_addr, facts.mac.octets.size());
        }
    }
    facts.address = ipv4 ? *ipv4 : ipv6.value_or(link_local(facts.mac));
    facts.mtu = mtu_of(interface);
    return facts;
}

std::vector<stack::vi::HostName> read_hosts(const std::string& file) {
    std::ifstream lines(file);
    if (!lines) throw DeviceError(file + " cannot be read");
    std::vector<stack::vi::HostName> names;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string word;
        if (!(words >> word)) continue;
        const auto address = parse_address(word);
        while (address && words >> word) names.push_back({word, *address});
    }
    return names;
}

std::vector<stack::vi::HostName> hosts_of_system() {
    const std::string file = "/etc/hosts";
    if (!std::filesystem::exists(file)) return {};
    return read_hosts(file);
}

}  // namespace fabricscope::vipl
