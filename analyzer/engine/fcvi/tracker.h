// SPDX-License-Identifier: GPL-2.0-or-later
// Fibre Channel frames in, FC-VI connections and Messages out. Sans-I/O: no files, no clock, no threads.
#pragma once

#include <memory>

#include "analyzer/engine/fcvi/model.h"
#include "analyzer/engine/fcvi/observer.h"
#include "protocols/fc/frame.h"

namespace fabricscope::engine::fcvi {

/// Bounds on what is remembered; a hostile capture must not grow the program without end.
struct Limits {
    std::size_t connections = 200'000;
    std::size_t messages = 4'000'000;
    std::size_t exchanges = 1'000'000;  ///< open ones, and those that may still be repeated
    std::size_t ius = 64;               ///< kept for each connection
    std::size_t setups = 16;            ///< and Disconnects, aborts and state changes, for each connection
    std::size_t waiting = 65'536;       ///< responses that are due
    std::size_t findings = 10'000;
    std::size_t findings_of_a_kind = 20;  ///< for each rule and connection
};

struct Options {
    Limits limits{};
    Profile profile = Profile::standard;
    std::optional<wire::Version> version;  ///< of all connections; nullopt: told from each setup
    std::optional<Time> r_a_tov;           ///< when no login tells it
};

/// A frame of any TYPE. `frame` needs to live only during the call.
struct FrameSeen {
    std::uint64_t number = 0;
    Time time = 0;
    std::uint32_t interface = 0;
    std::uint16_t fabric = 0;  ///< VSAN or VF_ID; 0: not told
    const fc::Frame& frame;
};

/// What a port said of itself in a PLOGI or its accept.
struct PortLogin {
    Port port;
    Port peer;
    std::uint64_t port_name = 0;
    bool increasing_seq_cnt = false;          ///< S: word 1, bit 17 of the Common Service Parameters
    bool increasing_relative_offset = false;  ///< C: word 1, bit 30
    bool sequential_delivery = true;          ///< asked for in each class that it has; else frames may overtake others
};

class Tracker {
public:
    explicit Tracker(Options options = {}, Observer* observer = nullptr);
    ~Tracker();
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;

    /// Frames in order of capture. Those of other TYPEs are looked at only as far as they concern FC-VI: ABTS.
    void on_frame(const FrameSeen& seen);
    /// A login was made; before the frames that follow it.
    void on_login(const PortLogin& login);
    /// `from` has logged out of `to`, or accepted that the other did. Its own frames must not follow.
    void on_logout(const Port& from, const Port& to, const Step& step);
    /// The port has another N_Port_ID, or another Fabric, than its connections were made with.
    void on_address_lost(const Port& port, const Step& step);
    /// R_A_TOV of the fabric, as a login tells it.
    void on_r_a_tov(Time r_a_tov);
    /// No more frames: outcomes are settled.
    void finish();

    const Model& model() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace fabricscope::engine::fcvi
