// SPDX-License-Identifier: GPL-2.0-or-later
// Which of several files a frame goes to, so that what has to be looked at together stays together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzer/engine/components.h"
#include "analyzer/engine/flat_map.h"
#include "capture/packet.h"

namespace fabricscope::engine {

class PartTable {
public:
    using Part = std::uint16_t;

    void put(const capture::Address& address, Part part) { part_of_[address] = part; }

    /// Packets without an address that is known go to the first part.
    Part of(const capture::Packet& packet) const {
        const Part* const part = find_either(part_of_, packet);
        return part != nullptr ? *part : 0;
    }

    /// visit(address, part), in no order.
    template <class Visit> void for_each(Visit&& visit) const { part_of_.for_each(visit); }
    std::size_t size() const { return part_of_.size(); }

private:
    FlatMap<capture::Address, Part> part_of_;
};

}  // namespace fabricscope::engine
