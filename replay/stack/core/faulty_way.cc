// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/stack/core/faulty_way.h"

#include <algorithm>

namespace fabricscope::stack {

Delivery FaultyWay::put(Time now, PortId from, Octets octets) {
    const Delivery delivery = policy_({now, from, 1 - from, octets}, random_);
    if (delivery.lost) return delivery;
    damage(octets, delivery, random_);
    const Time arrival = later(now, delivery.extra_delay);
    for (unsigned copy = 0; copy <= delivery.duplicates; ++copy) {
        const auto place = std::ranges::upper_bound(under_way_, arrival, {}, &Frame::time);
        under_way_.insert(place, {arrival, from, octets});
    }
    return delivery;
}

std::vector<FaultyWay::Frame> FaultyWay::take_arrived(Time now) {
    const auto end = std::ranges::upper_bound(under_way_, now, {}, &Frame::time);
    std::vector<Frame> arrived(std::make_move_iterator(under_way_.begin()), std::make_move_iterator(end));
    under_way_.erase(under_way_.begin(), end);
    return arrived;
}

}  // namespace fabricscope::stack
