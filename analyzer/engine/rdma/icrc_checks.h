// SPDX-License-Identifier: GPL-2.0-or-later
// Which packets of a queue pair have their ICRC checked. That reads all of a packet, and costs as much as all else that
// is done with it: so it is the first ones, and those that follow when something seems to have been lost.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/engine/rdma/model.h"
#include "capture/packet.h"

namespace fabricscope::engine::rdma {

class IcrcChecks {
public:
    static constexpr std::uint32_t first_packets = 1000;       // of a sender to a queue pair
    static constexpr std::uint32_t first_of_capture = 20'000;  // of all of them together
    static constexpr std::uint32_t behind_a_loss = 1000;

    /// A packet came again, or was refused: what comes next is checked.
    void suspect() { suspected_ = behind_a_loss; }

    /// To be called for each packet of its sender to a queue pair; `room` is what is left of first_of_capture. Adapters
    /// fill the ICRC in behind a capture on their own host, so that one interface says nothing of another: only the
    /// first one counts.
    void on_packet(const capture::Packet& packet, Icrcs& icrcs, std::uint32_t& room) {
        const bool is_first = first_ != 0 && room != 0;
        if (suspected_ == 0 && !is_first) return;
        if (interface_.value_or(packet.interface) != packet.interface) return;
        const std::optional<bool> good = capture::icrc_is_good(packet);
        if (!good) return;  // it was cut
        interface_ = packet.interface;
        if (suspected_ != 0) --suspected_;
        else --first_, --room;
        ++icrcs.checked;
        if (*good) return;
        ++icrcs.wrong;
        if (icrcs.frames.size() < Icrcs::most_frames) icrcs.frames.push_back(packet.number);
    }

private:
    std::uint32_t first_ = first_packets;
    std::uint32_t suspected_ = 0;
    std::optional<std::uint32_t> interface_;
};

}  // namespace fabricscope::engine::rdma
