// SPDX-License-Identifier: GPL-2.0-or-later
// What scenarios on Fibre Channel have in common: two hosts with an N_Port each, a cable or a Fabric between them.
//
// Statements: carrier, topology, hosts, client, server, fabric, port.
#pragma once

#include "replay/stack/fc/fabric_services.h"
#include "replay/stack/fc/host.h"
#include "replay/synth/world.h"

namespace fabricscope::synth {

/// The two hosts of a scenario, whatever they do.
enum class FcSide : std::uint8_t { client = 0, server = 1 };
constexpr const char* name_of(FcSide side) { return side == FcSide::client ? "client" : "server"; }

class FcNetwork {
public:
    FcNetwork();

    /// Whether the statement is one of these; then it has been read.
    bool read(const Statement& statement);

    stack::fibre_channel::HostConfig host(FcSide side, std::uint64_t seed) const;
    Gid ip(FcSide side) const;
    /// Whose Port_Name is the higher one.
    FcSide higher() const;
    int service_class() const { return service_class_; }
    bool in_order() const { return in_order_; }
    capture::LinkType link() const { return stack::fibre_channel::link_type(exchanges_.link); }

    /// FCP's parameters in PRLI, and which of the other port's will do.
    void set_process_login(FcSide side, std::uint32_t parameters, stack::fibre_channel::ProcessLoginCheck will_do);
    /// Attaches both hosts, and the Fabric if there is one; before the world runs.
    void connect(World& world, stack::fibre_channel::Host& client, stack::fibre_channel::Host& server);

private:
    void read_hosts(const Statement& statement);
    void read_side(const Statement& statement, FcSide side);
    void read_fabric(const Statement& statement);
    void read_action(const Statement& statement);
    void schedule(World& world);
    void act(Time now, std::size_t action);

    struct Side {
        std::uint64_t port_name = 0;
        bool increasing_seq_cnt = true, increasing_relative_offset = true;
        unsigned busy_every = 0, busy_times = UINT32_MAX, reject_every = 0;
        std::optional<std::uint32_t> process_parameters;
        stack::fibre_channel::ProcessLoginCheck process_login_will_do;
        stack::fibre_channel::Host* host = nullptr;  ///< once it is there
    };
    /// What a port does of its own accord.
    enum class Does : std::uint8_t {
        validate,
        read_timeouts,
        read_fabric_timeouts,
        log_processes_out,
        forget,
        log_out
    };
    struct Action {
        Time at = 0;
        FcSide side{};
        Does does{};
    };

    stack::fibre_channel::ExchangeConfig exchanges_;
    bool fabric_ = true;
    stack::fibre_channel::Resolver resolver_ = stack::fibre_channel::Resolver::farp;
    bool in_order_ = true;
    int service_class_ = 3;
    std::array<Side, 2> sides_;
    std::vector<Action> actions_;
    unsigned fabric_busy_every_ = 0;  ///< class 2: each so-manyth data frame cannot be delivered; 0: all can
    bool short_r_t_tov_ = false;      ///< of the Fabric
    bool priority_ = false;           ///< of the Fabric
    bool clock_sync_ = false;         ///< of both ports
    std::optional<Time> fan_;         ///< when the Fabric tells who it is
    std::optional<stack::fibre_channel::FabricServices> services_;
};

}  // namespace fabricscope::synth
