// SPDX-License-Identifier: GPL-2.0-or-later
// A way between two that loses, damages, repeats and delays frames: a Fabric's faults without the Fabric, for a peer
// that is reached by other means.
#pragma once

#include <vector>

#include "replay/stack/core/fabric.h"

namespace fabricscope::stack {

class FaultyWay {
public:
    struct Frame {
        Time time = 0;  ///< when it arrives
        PortId from = 0;
        Octets octets;
    };

    FaultyWay(FaultPolicy policy, std::uint64_t seed) : policy_(std::move(policy)), random_(seed) {}

    /// A frame sets out. What becomes of it.
    Delivery put(Time now, PortId from, Octets octets);
    /// When the next frame arrives; `never` if none is under way.
    Time wakeup() const { return under_way_.empty() ? never : under_way_.front().time; }
    /// Takes the frames that have arrived, in order.
    std::vector<Frame> take_arrived(Time now);

private:
    FaultPolicy policy_;
    Random random_;
    std::vector<Frame> under_way_;  ///< in order of arrival
};

}  // namespace fabricscope::stack
