// SPDX-License-Identifier: GPL-2.0-or-later
// Packets in; Fibre Channel Exchanges, logins and address resolutions out. Sans-I/O: no files, no clock, no threads.
#pragma once

#include <memory>

#include "analyzer/engine/fc/observer.h"

namespace fabricscope::engine::fibre_channel {

/// Bounds on what is remembered; a hostile capture must not grow the program without end.
struct Limits {
    std::size_t followed = 65'536;    ///< Exchanges at a time; the one that was idle longest makes room
    std::size_t exchanges = 200'000;  ///< in the model
    std::size_t sequences = 64;       ///< kept of each Exchange
    std::size_t logins = 100'000;
    std::size_t processes = 16;  ///< kept of each login
    std::size_t resolutions = 10'000;
    std::size_t ports = 64;  ///< kept of one answer
};

struct Options {
    Limits limits{};
    bool check_crc = true;  ///< reads every octet; frames whose CRC is wrong are not followed
};

class Tracker {
public:
    explicit Tracker(Options options = {}, Observer* observer = nullptr);
    ~Tracker();
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;

    /// Packets in order of capture, TCP's of FCIP among them. Views in the packet need to live only during the call.
    void on_packet(const capture::Packet& packet);

    /// No more packets: what was followed is listed.
    void finish();

    const Model& model() const;

    // For those who build on logins, while frames are coming.

    /// The latest port login between two N_Ports, whoever asked; nullptr if none was seen.
    const Login* login_between(const Fabric& fabric, std::uint32_t a, std::uint32_t b) const;
    /// R_A_TOV between two ports: as RTV told, or the fabric's login; nothing if neither was seen.
    std::optional<Time> r_a_tov(const Fabric& fabric, std::uint32_t a, std::uint32_t b) const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace fabricscope::engine::fibre_channel
