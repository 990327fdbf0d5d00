// SPDX-License-Identifier: GPL-2.0-or-later
// What single frames tell and models do not keep, told while the engine runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine/protocols.h"
#include "analyzer/report/overview.h"

namespace fabricscope::report {

/// Is told that a frame belongs to the session with that id; of frames nobody knows the session of, it is told nothing.
using TellSession = std::function<void(std::uint64_t frame, std::uint32_t id)>;

/// From what brings an operation on its way to what comes of it. Both stand in lanes of one branch.
struct Arrow {
    struct End {
        std::string lane;
        engine::Time time = 0;
        std::uint64_t frame = 0;
    };
    End from, to;
};

class FrameListener {
public:
    virtual ~FrameListener() = default;

    /// Has itself told what it needs, until the engine has finished.
    virtual void listen(engine::Observers& observers) = 0;
    /// Lanes of its sessions, beside those that the model tells of.
    virtual void add_lanes(const engine::Engine&, Overview&) const {}
    /// Of the operations of a session that a frame is part of; without a frame, of all.
    virtual std::vector<Arrow> arrows(
        const engine::Engine&, std::uint32_t /*id*/, std::optional<std::uint64_t> /*frame*/) const {
        return {};
    }
};

}  // namespace fabricscope::report
