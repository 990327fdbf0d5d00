// SPDX-License-Identifier: GPL-2.0-or-later
// Packets in; Fibre Channel Exchanges, logins and address resolutions out. Sans-I/O: no files, no clock, no threads.
#pragma once

#include <memory>

#include "analyzer/engine/fc/listeners.h"
#include "analyzer/engine/tracker.h"

namespace fabricscope::engine::fibre_channel {

/// Bounds on what is remembered; a hostile capture must not grow the program without end.
struct Limits {
    std::size_t followed = 65'536;    ///< Exchanges at a time; the one that was idle longest makes room
    std::size_t over = 2'048;         ///< of these, that have ended: frames may come again
    std::size_t exchanges = 200'000;  ///< in the model
    std::size_t sequences = 64;       ///< kept of each Exchange
    std::size_t logins = 50'000;
    std::size_t processes = 16;  ///< kept of each login
    std::size_t resolutions = 10'000;
    std::size_t ports = 64;  ///< kept of one answer
};

struct Options {
    Limits limits{};
    /// The model has those Exchanges only that somebody may observe: refused, aborted, not complete, or link services
    /// that were accepted. They enter it when they are over.
    bool only_notable = false;
    bool check_crc = true;  ///< reads every octet; frames whose CRC is wrong are not followed
};

class Tracker final : public engine::Tracker {
public:
    /// `listeners` are told of each frame in this order; nullptr is nobody.
    explicit Tracker(Options options = {}, std::vector<Observer*> listeners = {});
    Tracker(const Tracker&) = delete;
    Tracker& operator=(const Tracker&) = delete;
    ~Tracker() override;

    /// Packets in order of capture, TCP's of FCIP among them. Views in the packet need to live only during the call.
    void on_packet(const capture::Packet& packet) override;
    void on_copy(const capture::Packet& packet, std::uint64_t original) override;
    void finish() override;

    const Model& model() const;

    const Logins& logins() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace fabricscope::engine::fibre_channel
