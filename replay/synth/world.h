// SPDX-License-Identifier: GPL-2.0-or-later
// What scenarios of all protocols have in common: a fabric with links, faults and a place where frames are captured.
//
// Statements: link, fault, drop, delay, corrupt, miss, capture, limit.
#pragma once

#include <functional>

#include "replay/stack/core/fabric.h"
#include "replay/synth/recording.h"
#include "replay/synth/scenario.h"

namespace fabricscope::synth {

/// The last octet of the addresses of a client and of its server.
inline constexpr std::uint8_t client_host = 10, server_host = 20;

/// How `drop` and the like call messages.
struct MessageNames {
    std::function<std::string(ByteView frame)> of;  ///< of the one in a frame: "REP"; empty if it has none
    std::vector<std::string> all;                   ///< that there are
    std::vector<std::string_view> kinds;            ///< of frames, for `fault`: "all", "tcp"
};

/// Of TCP and RoCE.
MessageNames ethernet_messages();
/// Of Fibre Channel; `of`: the name of the message in a frame of the link.
MessageNames fc_messages(std::function<std::string(ByteView frame)> of);

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
    struct RandomFault {
        stack::RandomFaults faults;
        std::string from, what;
        const Statement* statement = nullptr;
        bool concerned = false;  ///< a frame
    };
    /// Of certain messages: they are lost or damaged, or come later, or only the capture misses them.
    struct MessageFault {
        std::string message, from;
        std::uint64_t skip = 0, count = 0;
        Time delay = 0;  ///< 0: lost, unless it is
        bool corrupts = false;
        const Statement* statement = nullptr;
        std::uint64_t seen = 0;  ///< messages of that name
        bool fired = false;
    };

    void read_link(const Statement& statement);
    void read_fault(const Statement& statement);
    MessageFault read_message_fault(const Statement& statement) const;
    void read_capture(const Statement& statement);
    bool applies_to(MessageFault& fault, const std::string& host, ByteView frame) const;
    stack::Delivery delivery_of(const stack::FrameInFlight& frame, stack::Random& random);
    void record(const stack::TappedFrame& frame);
    void expect_all_fired() const;

    Time start_;
    stack::Random random_;
    stack::Fabric fabric_;
    MessageNames names_;
    stack::LinkProperties link_;
    stack::EthernetSwitch switch_;
    capture::LinkType kind_ = capture::LinkType::ethernet;  ///< of all links
    std::vector<Port> ports_;
    std::vector<RandomFault> random_faults_;
    std::vector<MessageFault> message_faults_;
    std::vector<MessageFault> capture_faults_;  ///< frames that arrive, but are not captured
    std::string capture_at_ = "client";
    Time capture_from_ = 0;
    Time limit_;
    Recording recording_;
};

}  // namespace fabricscope::synth
