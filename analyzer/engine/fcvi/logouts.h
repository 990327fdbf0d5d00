// SPDX-License-Identifier: GPL-2.0-or-later
// Ports that log out, or turn out to be others than those who logged in (ISO/IEC 14165-331, 7.7): their connections are
// over.
#pragma once

#include <map>

#include "analyzer/engine/fcvi/connections.h"

namespace fabricscope::engine::fcvi {

class Logouts {
public:
    explicit Logouts(Connections& connections) : connections_(connections) {}

    /// A frame of an Extended Link Service.
    void on_els(const fibre_channel::FrameFacts& facts);
    void on_login(const fibre_channel::Login& login);
    /// What on_login() took from the login's answer was another port's.
    void on_wrong_answer(const fibre_channel::Login& login);

private:
    /// What the Fabric has told a port that logged in.
    struct FabricAddress {
        std::uint32_t id = 0;
        std::uint64_t port_name = 0, fabric_name = 0;  ///< of the Fabric
        bool operator==(const FabricAddress&) const = default;
    };
    static constexpr std::size_t most_addresses = 65'536;

    void on_adisc(const fibre_channel::FrameFacts& facts);
    void on_fan(const fibre_channel::FrameFacts& facts);
    void note_asked(const Port& a, const Port& b);
    void on_port_login(const fibre_channel::FrameFacts& facts);
    void log_out(const Port& from, const Port& to, const FrameStamp& step, std::uint64_t before);
    void lose_address(const Port& port, const FrameStamp& step);

    Connections& connections_;
    std::map<std::pair<std::uint16_t, std::uint64_t>, FabricAddress> addresses_;  ///< by fabric and Port_Name
};

}  // namespace fabricscope::engine::fcvi
