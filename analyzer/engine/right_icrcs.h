// SPDX-License-Identifier: GPL-2.0-or-later
// From whom, and to whom, packets come with a right ICRC: one that is wrong then was damaged on its way, and its
// receiver drops it. Adapters fill the ICRC in behind a capture on their own host, where nothing that it sends has a
// right one; of what is sent to such a host, or seen by another interface, that says nothing.
#pragma once

#include <optional>
#include <unordered_map>

#include "capture/packet.h"

namespace fabricscope::engine {

class RightIcrcs {
public:
    /// The packet's ICRC was found to be right.
    void note(const capture::Packet& packet) {
        if (Heard* sender = heard(packet.source)) sender->from = packet.interface;
        if (Heard* receiver = heard(packet.destination)) receiver->to = packet.interface;
    }

    /// Whether others from its sender, or to its receiver, had a right one, which came by the same interface.
    bool any_like(const capture::Packet& packet) const {
        const auto sender = heard_.find(packet.source), receiver = heard_.find(packet.destination);
        return (sender != heard_.end() && sender->second.from == packet.interface) ||
               (receiver != heard_.end() && receiver->second.to == packet.interface);
    }

    /// Whether the packet is one to drop. Reads all of it if there were others like it.
    bool is_damaged(const capture::Packet& packet) const {
        return any_like(packet) && capture::icrc_is_good(packet) == false;
    }

private:
    struct Heard {
        std::optional<std::uint32_t> from, to;  ///< the latest interface
    };

    /// nullptr: there is no room for another host.
    Heard* heard(const capture::Address& host) {
        constexpr std::size_t most = 4096;
        if (heard_.size() < most) return &heard_[host];
        const auto found = heard_.find(host);
        return found != heard_.end() ? &found->second : nullptr;
    }

    std::unordered_map<capture::Address, Heard> heard_;
};

}  // namespace fabricscope::engine
