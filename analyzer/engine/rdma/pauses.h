// SPDX-License-Identifier: GPL-2.0-or-later
// Who paused a link, or a priority of it, and for how long.
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/engine/rdma/model.h"
#include "capture/packet.h"

namespace fabricscope::engine::rdma {

class Pauses {
public:
    static constexpr std::size_t most = 64;

    explicit Pauses(Model& model) : model_(model) {}

    /// A MAC control frame.
    void on_packet(const capture::Packet& packet);
    /// The capture has ended.
    void finish(Time now);

private:
    /// A pause that has not ended.
    struct Running {
        std::optional<Time> since;  ///< nullopt: none
        Time asked = 0;             ///< when the latest frame asked for it
        Time span = 0;              ///< how long it then asked for
    };

    static void pass(Pause& pause, Running& running, Time now);
    void take(const capture::Packet& packet, std::optional<std::uint8_t> priority, std::uint16_t quanta);

    Model& model_;
    std::vector<Running> running_;  ///< as Model::pauses
};

}  // namespace fabricscope::engine::rdma
