// SPDX-License-Identifier: GPL-2.0-or-later
// Frames held back for a while, so that they can be handed on in order of time.
#pragma once

#include <optional>
#include <vector>

#include "capture/source.h"

namespace fabricscope::capture {

class TimeOrder {
public:
    explicit TimeOrder(ReorderLimits limits) : limits_(limits) {}

    /// Copies the frame.
    void push(const Frame& frame);
    /// Whether nothing that may still come is expected to be earlier than what pop() gives, or a limit is reached.
    bool is_due() const;
    /// The earliest frame, of those with equal times the one that came first; valid until the next call. False if
    /// there is none.
    bool pop(Frame& frame);

private:
    struct Held {
        Frame frame;
        std::uint64_t arrival = 0;
        std::vector<std::uint8_t> octets;
    };

    static bool later(const Held& a, const Held& b);
    void follow_clock(Time time);

    ReorderLimits limits_;
    std::vector<Held> held_;  ///< heap, earliest first
    Held delivered_;
    std::size_t octets_ = 0;
    std::uint64_t arrivals_ = 0;
    Time youngest_ = 0;         ///< of the frames so far, but for those from elsewhere
    std::optional<Time> leap_;  ///< of the frame before, if that was far from youngest_
};

/// Whether a file of one interface holds the frames of several, in the order in which their buffers were emptied: the
/// time steps back again and again, which a clock that is set does not, by more than the processors of one interface
/// may be apart. The first frames tell.
bool steps_back_often(Source& source, Time window = ReorderLimits().window);

/// in_time_order(), however many interfaces the source has.
std::unique_ptr<Source> sorted(std::unique_ptr<Source> source, ReorderLimits limits);

}  // namespace fabricscope::capture
