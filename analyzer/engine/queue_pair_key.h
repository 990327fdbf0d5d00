// SPDX-License-Identifier: GPL-2.0-or-later
// What finds a queue pair: its number means something only at its own port.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "capture/packet.h"

namespace fabricscope::engine {

struct QueuePairKey {
    capture::Address address;
    std::uint32_t qpn = 0;
    bool operator==(const QueuePairKey&) const = default;
};

struct QueuePairHash {
    std::size_t operator()(const QueuePairKey& key) const noexcept {
        return std::hash<capture::Address>{}(key.address) ^ std::size_t{key.qpn} * 0x9E37'79B9'7F4A'7C15;
    }
};

}  // namespace fabricscope::engine
