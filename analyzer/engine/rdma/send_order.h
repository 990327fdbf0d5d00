// SPDX-License-Identifier: GPL-2.0-or-later
// In which order packets were sent, where their sender counts them in IP's identification: one that was overtaken has
// an earlier one than those that came before it, one that was retransmitted a later one.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace fabricscope::engine::rdma {

/// Against the latest one of those that came before it.
enum class Sent : std::uint8_t { unknown, before, after };

class SendOrder {
public:
    /// To be called for each packet of its sender to a queue pair, in the order of the capture.
    Sent take(std::uint32_t identification, std::uint32_t psn) {
        const auto step = static_cast<std::int16_t>(identification - latest_);
        const bool counts = step != 0 && std::abs(step) <= farthest;
        if (!counts) steps_ = 0;
        else if (steps_ < enough_steps) ++steps_;
        if (steps_ == 0) less_psn_ = static_cast<std::uint16_t>(identification - psn);
        if (!counts || step > 0) latest_ = identification;
        if (steps_ < enough_steps || goes_by_psn_) return Sent::unknown;
        return step > 0 ? Sent::after : Sent::before;
    }

    /// A packet that came again with what it had the first time: its identification tells no more than its PSN.
    void on_repeated(std::uint32_t identification, std::uint32_t psn) {
        goes_by_psn_ |= static_cast<std::uint16_t>(identification - psn) == less_psn_;
    }

private:
    static constexpr int farthest = 256;             // between packets that follow each other, to whomever
    static constexpr std::uint8_t enough_steps = 2;  // two are no accident

    std::uint32_t latest_ = 0;
    std::uint16_t less_psn_ = 0;  ///< of the first one
    std::uint8_t steps_ = 0;
    bool goes_by_psn_ = false;
};

}  // namespace fabricscope::engine::rdma
