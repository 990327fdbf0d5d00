// SPDX-License-Identifier: GPL-2.0-or-later
// Hosts, their ports, and what links these, with what became of each link over time. That of a protocol comes from
// its NAME_fabric.cc.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/engine/sides.h"

namespace fabricscope::report {

struct LinkEvent {
    enum class Kind : std::uint8_t { up, down, retransmission, failure };

    engine::Time time = 0;
    Kind kind{};
    std::uint64_t frame = 0;  ///< 0: no single one shows it
    std::uint64_t count = 1;  ///< packets retransmitted
};

/// Where a link ends: a queue pair of a port, or a port.
struct LinkEnd {
    std::size_t port = 0;  ///< in Fabric::ports
    std::optional<std::uint32_t> qpn{};
    auto operator<=>(const LinkEnd&) const = default;
};

struct FabricLink {
    std::string name;     ///< "link 1", "rdma-3"
    std::string session;  ///< that it is, or that it belongs to: "lg-1", "rdma-3"
    std::string group{};  ///< links that stand in for each other: "lg-1"; empty: it is alone
    std::array<LinkEnd, 2> ends{};
    std::uint64_t first_frame = 0;  ///< 0: not known
    std::uint64_t packets = 0;
    std::uint64_t cnps = 0;           ///< Congestion Notification Packets for it
    std::vector<LinkEvent> events{};  ///< in order of time
};

/// What is known of a link at a moment.
struct LinkCondition {
    bool is_up = true;
    std::uint64_t retransmitted = 0;  ///< packets, up to then
    std::uint64_t failures = 0;
};
/// Links whose beginning was not captured are up from the first on, if they carried anything. No time: at the end.
LinkCondition condition_of(const FabricLink& link, std::optional<engine::Time> time);

struct FabricPort {
    std::size_t host = 0;
    engine::Address address;
};

class Fabric {
public:
    Fabric() = default;
    Fabric(Fabric&&) = default;
    Fabric& operator=(Fabric&&) = default;

    std::vector<std::string> hosts;
    std::vector<FabricPort> ports;
    std::deque<FabricLink> links;

    /// The port of that address, which is added, to that host, if it is not there. Without a name the host is called as
    /// its port.
    std::size_t port(const engine::Address& address, const std::string& host = {});
    FabricLink& add(FabricLink link);
    /// The last link between the same queue pairs, either way round; nullptr if there is none.
    FabricLink* between(const LinkEnd& one, const LinkEnd& other);

private:
    std::unordered_map<std::string, std::size_t> hosts_by_name_;
    std::unordered_map<engine::Address, std::size_t> ports_by_address_;
    std::map<std::pair<LinkEnd, LinkEnd>, FabricLink*> links_by_ends_;  ///< the lower end first
};

}  // namespace fabricscope::report
