// SPDX-License-Identifier: GPL-2.0-or-later
// What one side of a connection has sent up to now, as far as rules must remember it.
#pragma once

#include <algorithm>
#include <array>

#include "analyzer/engine/smcr/model.h"

namespace fabricscope::engine::smcr {

struct Sent {
    /// Where a CDC message said the producer is. Without padding: eight are kept of each side of a connection.
    struct Announced {
        std::uint64_t frame = 0;  ///< 0: none
        std::uint32_t offset = 0;
        std::uint16_t wrap = 0;
        std::uint16_t sequence = 0;
        wire::Cursor producer() const { return {wrap, offset}; }
    };
    /// Failover validation, until what it asks for has been sent.
    struct Validation {
        std::uint64_t frame = 0;  ///< 0: none
        std::uint32_t link = 0;
        std::uint16_t sequence = 0;  ///< of the last message that needs no repetition
        bool names_unseen = false;   ///< that message was not captured, if it was sent
    };

    /// On that link; nullptr if nothing is left of it to be done.
    Validation* validation_on(std::uint32_t on) {
        const auto is_it = [on](const Validation& each) { return each.frame != 0 && each.link == on; };
        const auto found = std::ranges::find_if(validations, is_it);
        return found == validations.end() ? nullptr : &*found;
    }

    /// What the message of that number said; nullptr if that is not known any more.
    const Announced* announced_as(std::uint16_t number) const {
        const auto is_it = [number](const Announced& each) { return each.frame != 0 && each.sequence == number; };
        const auto found = std::ranges::find_if(announced, is_it);
        return found == announced.end() ? nullptr : &*found;
    }

    /// The number of its last message, repetitions aside; 0: it has sent none.
    std::uint16_t last_sent() const { return frame != 0 ? highest_sequence : std::uint16_t{0}; }

    /// Whether it is moving to another link.
    bool moves() const {
        return std::ranges::any_of(validations, [](const Validation& each) { return each.frame != 0; });
    }

    // the latest CDC message, failover validation aside
    std::uint64_t frame = 0;  ///< 0: none yet
    Time time = 0;
    std::uint32_t interface = 0;
    std::uint32_t gaps = 0;  ///< Arrival::gaps of this side up to it
    std::uint16_t sequence = 0;
    std::uint16_t highest_sequence = 0;  ///< of all messages; `sequence` is below while they are repeated
    std::uint32_t cdc_link = 0;          ///< index in LinkGroup::links
    std::uint64_t consumer_moved = 0;    ///< frame of the latest one that moved the consumer cursor
    Time consumer_moved_time = 0;

    std::optional<std::uint32_t> link;  ///< that the latest WRITE or CDC message used; index in LinkGroup::links
    std::array<Announced, 8> announced{};
    std::array<Validation, 3> validations{};  ///< the latest on each link: one after the other may fail
    std::uint64_t replayed_before = 0;        ///< Direction::bytes_replayed up to its latest message of them

    std::uint64_t unsure_below = 0;     ///< WRITEs to positions below may be missing from the capture
    std::uint64_t overrun = 0;          ///< end of the latest WRITE that went beyond the window
    std::uint64_t written_frame = 0;    ///< of the latest WRITE since the latest CDC message; 0: none
    std::uint64_t urgent_frame = 0;     ///< which announced urgent data that may not have been consumed; 0: none
    std::uint64_t demand_position = 0;  ///< of the producer when an update was last asked for (B, R, P or U)
    std::uint64_t done_frame = 0;       ///< which said D
    std::uint64_t closed_frame = 0;     ///< which said C or A
    std::uint16_t done_sequence = 0, closed_sequence = 0;
    wire::CdcProducerFlags flags;  ///< as last sent
    bool begun = false;            ///< it has sent a WRITE or CDC message
    bool element_reused = false;   ///< the RMB element that it writes to was another connection's before
    FrameStamp before_confirm{};   ///< the server's first one, if CONFIRM had not been seen
};

}  // namespace fabricscope::engine::smcr
