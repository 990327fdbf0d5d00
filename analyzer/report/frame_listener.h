// SPDX-License-Identifier: GPL-2.0-or-later
// Whose frames are, told while the engine runs.
#pragma once

#include <cstdint>
#include <functional>

#include "analyzer/engine/protocols.h"

namespace fabricscope::report {

/// Is told that a frame belongs to the session with that id; of frames nobody knows the session of, it is told nothing.
using TellSession = std::function<void(std::uint64_t frame, std::uint32_t id)>;

class FrameListener {
public:
    virtual ~FrameListener() = default;

    /// Has itself told what it needs, until the engine has finished.
    virtual void listen(engine::Observers& observers) = 0;
};

}  // namespace fabricscope::report
