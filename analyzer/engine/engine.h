// SPDX-License-Identifier: GPL-2.0-or-later
// All trackers behind one door: frames in, sessions and findings out.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/engine/protocols.h"
#include "capture/duplicate_filter.h"
#include "capture/frame.h"

namespace fabricscope::engine {

/// What was read, whatever the protocol.
struct CaptureSummary {
    std::uint64_t frames = 0;
    std::optional<Time> start;           ///< of the first frame
    Time duration = 0;                   ///< from the first frame to the latest one
    std::uint64_t truncated_frames = 0;  ///< cut by the snap length
    std::uint64_t first_truncated = 0;   ///< the first such frame; 0 = none
    std::uint64_t undecoded_frames = 0;  ///< malformed, IP fragments, or of an unsupported link type
    std::uint64_t first_undecoded = 0;   ///< the first such frame; 0 = none
    std::uint64_t damaged_frames = 0;    ///< those of Options::damaged
    std::uint64_t first_damaged = 0;     ///< the first such frame; 0 = none
    std::uint64_t copies = 0;            ///< frames seen before; left out
    std::uint64_t tcp_frames = 0;
    std::uint64_t rdma_frames = 0;                                        ///< RoCE and InfiniBand packets
    std::array<std::uint64_t, capture::unread_count> unread_frames{};     ///< by what carries them
    std::optional<capture::DuplicateFilter::ClockOffset> clock_offset{};  ///< once all has been read
};

class Engine : public Trackers {
public:
    explicit Engine(const Options& options = {}, const Observers& observers = {});
    // Its trackers know where the others are.
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() = default;

    /// The next frame of the timeline.
    void on_frame(const capture::Frame& frame);
    /// The same for a frame that has been decoded already.
    void on_packet(const capture::Packet& packet);
    void finish();

    /// Of a part of a capture: when all of it began, before the first frame of the part,
    void begin_at(Time start) { capture_.start = start; }
    /// and when it ended, behind the last one: what had to follow by then is judged by it.
    void end_at(Time end);

    const CaptureSummary& capture() const { return capture_; }
    /// Of each protocol, in the order of `protocols`.
    std::array<RuleOutcomes, protocols.size()> outcomes() const;
    /// Of all protocols, one after the other; each one's by the frames that broke the rules.
    std::vector<const Finding*> findings() const;
    /// Of every rule, in the catalogue's order.
    std::vector<RuleResult> rule_results() const;

private:
    bool is_damaged(std::uint64_t frame);

    CaptureSummary capture_;
    capture::DuplicateFilter copies_;
    std::vector<std::uint64_t> damaged_;
};

}  // namespace fabricscope::engine
