// SPDX-License-Identifier: GPL-2.0-or-later
// What scenarios of all protocols have in common: a fabric with links, faults and a place where frames are captured.
//
// Statements: link, miss, capture, limit, and those of Faults.
#pragma once

#include <functional>

#include "replay/synth/faults.h"
#include "replay/synth/recording.h"
#include "replay/synth/scenario.h"

namespace fabricscope::synth {

/// The last octet of the addresses of a client and of its server.
inline constexpr std::uint8_t client_host = 10, server_host = 20;

class World {
public:
    /// Takes the statements in common from the scenario and hands the rest to `rest`.
    World(const Scenario& scenario, MessageNames names, const std::function<void(const Statement&)>& rest);

    /// Of a host's port; hosts are named in `drop`, `fault` and `capture`.
    struct PortName {
        std::string host;       ///< "client"
        std::string interface;  ///< "eth0"
        std::string description;
    };
    /// Behind an Ethernet switch.
    void attach(stack::Endpoint& endpoint, std::size_t port_of_endpoint, const Mac& mac, PortName name);
    /// The caller sets the routing of ports that are attached so. Frames are captured as `link` has them; all ports of
    /// a world are of one kind.
    stack::PortId attach(
        stack::Endpoint& endpoint, std::size_t port_of_endpoint, capture::LinkType link, PortName name);

    stack::Fabric& fabric() { return fabric_; }
    stack::Random random() { return random_.split(); }
    /// When the scenario begins.
    Time start() const { return start_; }
    /// Lets everything happen. To be called once.
    Recording run();

private:
    struct Port {
        PortName name;
        std::optional<std::uint32_t> interface;  ///< in the capture, if frames are captured here
    };
    void read_link(const Statement& statement);
    void read_capture(const Statement& statement);
    void record(const stack::TappedFrame& frame);

    Time start_;
    stack::Random random_;
    stack::Fabric fabric_;
    MessageNames names_;
    stack::LinkProperties link_;
    std::optional<std::uint16_t> vlan_;  ///< that frames are captured in
    stack::EthernetSwitch switch_;
    capture::LinkType kind_ = capture::LinkType::ethernet;  ///< of all links
    std::vector<Port> ports_;
    Faults faults_;
    std::vector<ChosenMessages> missed_;  ///< frames that arrive, but are not captured
    std::string capture_at_ = "client";
    Time capture_from_ = 0;
    Time limit_;
    Recording recording_;
};

}  // namespace fabricscope::synth
