// SPDX-License-Identifier: GPL-2.0-or-later
// Which packets of a queue pair have their ICRC checked. That reads all of a packet, and costs as much as all else that
// is done with it: so it is the first ones, and those that follow when something seems to have been lost; fewer each
// time, as long as all are right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "analyzer/engine/rdma/model.h"
#include "capture/packet.h"

namespace fabricscope::engine::rdma {

class IcrcChecks {
public:
    static constexpr std::uint16_t first_packets = 200;        // of a sender to a queue pair
    static constexpr std::uint32_t first_of_capture = 10'000;  // of all of them together
    static constexpr std::uint16_t behind_a_loss = 256, least_behind_a_loss = 8;
    static constexpr std::uint16_t behind_a_wrong_one = 1000;

    /// A packet came again, or was refused: what comes next is checked.
    void suspect() {
        if (suspected_ == 0) suspected_ = behind_;
    }

    /// To be called for each packet of its sender to a queue pair; `room` is what is left of first_of_capture.
    void on_packet(const capture::Packet& packet, Icrcs& icrcs, std::uint32_t& room) {
        const bool is_first = first_ != 0 && room != 0;
        if (suspected_ == 0 && !is_first) return;
        const std::optional<bool> good = capture::icrc_is_good(packet);
        if (!good) return;  // it was cut
        if (interface_ != packet.interface) any_right_here_ = false, doubtful_.reset();
        interface_ = packet.interface;
        if (suspected_ == 0) --first_, --room;
        else if (--suspected_ == 0) behind_ = std::max<std::uint16_t>(behind_ / 2, least_behind_a_loss);
        ++icrcs.checked;
        if (*good) on_right(icrcs);
        else on_wrong(packet, icrcs);
    }

private:
    void on_right(Icrcs& icrcs) {
        icrcs.any_right = any_right_here_ = true;
        if (!doubtful_) return;
        icrcs.add(*doubtful_);
        doubtful_.reset();
    }

    void on_wrong(const capture::Packet& packet, Icrcs& icrcs) {
        if (!any_right_here_) {
            if (!doubtful_) doubtful_ = std::make_unique<Icrcs>();
            return doubtful_->add_wrong(packet.number);
        }
        suspected_ = behind_a_wrong_one;
        behind_ = behind_a_loss;
        icrcs.add_wrong(packet.number);
    }

    std::uint16_t first_ = first_packets;
    std::uint16_t suspected_ = 0;           ///< how many are left to check
    std::uint16_t behind_ = behind_a_loss;  ///< how many are to be checked behind the next loss
    // Adapters fill the ICRC in behind a capture on their own host, so that one interface says nothing of another:
    // wrong ones wait until one of the same interface is right.
    bool any_right_here_ = false;
    std::optional<std::uint32_t> interface_;
    std::unique_ptr<Icrcs> doubtful_;  ///< the wrong ones that wait
};

}  // namespace fabricscope::engine::rdma
