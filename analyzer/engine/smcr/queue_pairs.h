// SPDX-License-Identifier: GPL-2.0-or-later
// The two queue pairs of a link: what the packets that each sends prove of their order and of what is missing.
#pragma once

#include <memory>

#include "analyzer/engine/smcr/model.h"
#include "capture/rc_stream.h"

namespace fabricscope::engine::smcr {

class QueuePairs {
public:
    struct Received {
        capture::RcEvent event;
        bool request = false;        ///< a SEND or WRITE packet, and not a response or an acknowledgement
        bool first_request = false;  ///< the first one captured from its sender
        PerSide<bool> gap{};         ///< it shows that packets from this side are missing

        /// Whether a request was seen for the first time, so that its effect counts.
        bool fresh() const { return request && !event.repeated(); }
    };

    /// receive() takes in a packet that `from` sent over the link with these ends, as CLC or ADD LINK described them.
    /// `packet` belongs to a reliable connection. The view in the event is valid until the next call.
    Received receive(const capture::Packet& packet, Side from, const PerSide<LinkEndpoint>& end);

    /// sent_psn() returns the PSN of the latest request from `side`; nullopt if there was none.
    const std::optional<std::uint32_t>& sent_psn(Side side) const { return sent_psn_[side]; }

    /// has_more_to_show() returns whether requests of the side have been acknowledged that were not captured, up to
    /// now.
    bool has_more_to_show(Side side) const {
        const auto &sent = sent_psn_[side], &acknowledged = acknowledged_psn_[side];
        return sent && acknowledged && capture::psn_distance(*sent, *acknowledged) > 0;
    }

    /// misses_some() returns whether packets of the link are known to be missing, or messages on it to be cut.
    bool misses_some() const { return misses_some_; }
    void note_cut() { misses_some_ = true; }

    /// unanswered() returns whether one side has repeated a request as often as a queue pair can be told to at most
    /// (IBA 9.9.2.1.3), and the other was not heard since.
    bool unanswered() const;

    /// swap_sides() exchanges client and server.
    void swap_sides();

private:
    /// Each retry begins with the oldest request that was not acknowledged, and may repeat all behind it.
    struct Retries {
        std::uint32_t oldest_psn = 0;
        std::uint32_t count = 0;

        void note(std::uint32_t psn) {
            if (count == 0 || capture::psn_distance(oldest_psn, psn) < 0) *this = {psn, 1};
            else if (psn == oldest_psn) ++count;
        }
    };

    bool acknowledges_unseen(const capture::Packet& packet, Side from, const LinkEndpoint& sender) const;

    PerSide<std::unique_ptr<capture::RcReceiver>> receiver_;  ///< at this side, once it was sent something
    PerSide<std::optional<std::uint32_t>> sent_psn_;
    PerSide<std::optional<std::uint32_t>> acknowledged_psn_;  ///< the latest one of this side's requests
    bool misses_some_ = false;
    PerSide<Retries> retries_{};  ///< of this side since the other was heard
};

/// is_nak() returns whether an acknowledgement refuses what it answers.
bool is_nak(const capture::Packet& packet, const capture::RcEvent& event);

}  // namespace fabricscope::engine::smcr
