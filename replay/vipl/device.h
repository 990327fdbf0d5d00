// SPDX-License-Identifier: GPL-2.0-or-later
// What VipOpenNic's DeviceName says (vipl.h has the grammar), and what a network interface tells of itself.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "replay/stack/fc/vi/state.h"

namespace fabricscope::vipl {

/// The text is for people.
struct DeviceError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Another port that counts as logged in.
struct KnownPort {
    Gid ip;
    std::uint32_t id = 0;
};

struct Device {
    std::string interface;  ///< or
    std::string scenario;   ///< of `fabricscope synth`, or a file: its server is at the other end
    std::optional<Gid> address{};
    std::optional<std::uint64_t> port_name{};
    std::optional<std::uint16_t> vlan{};
    std::optional<std::uint32_t> id{};  ///< N_Port_ID
    std::optional<KnownPort> peer{};
    fcvi::Version version = fcvi::Version::iso;
    int service_class = 3;
    std::uint32_t pipeline_depth = 3;
    stack::Time r_a_tov = 10 * capture::second;
    std::string record{};  ///< a capture file for all that passes
};

/// Throws DeviceError. VINIC and VINICn are looked up in the environment.
Device parse_device(const std::string& name);

/// An IPv4 address stands behind 12 octets of zero. Nothing, if the text is no address.
std::optional<Gid> parse_address(const std::string& text);
/// As people write it.
std::string address_text(const Gid& address);

/// What a network interface has.
struct InterfaceFacts {
    Gid address;  ///< the first IPv4 one, else the first IPv6 one, else one made of its MAC
    Mac mac;
    std::size_t mtu = 0;  ///< octets behind the Ethernet header
};
/// Throws DeviceError.
InterfaceFacts facts_of(const std::string& interface);

/// What a host file (hosts(5)) says: each name with its address. Throws DeviceError if it cannot be read.
std::vector<stack::vi::HostName> read_hosts(const std::string& file);
/// Of /etc/hosts; none where there is no such file, as in bare containers.
std::vector<stack::vi::HostName> hosts_of_system();

}  // namespace fabricscope::vipl
