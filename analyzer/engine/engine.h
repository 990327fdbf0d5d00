// SPDX-License-Identifier: GPL-2.0-or-later
// All trackers behind one door: frames in, sessions and findings out.
#pragma once

#include <optional>

#include "analyzer/engine/fc/tracker.h"
#include "analyzer/engine/finding.h"
#include "analyzer/engine/rdma_cm/tracker.h"
#include "analyzer/engine/smcr/tracker.h"
#include "capture/duplicate_filter.h"
#include "capture/frame.h"

namespace fabricscope::engine {

/// What was read, whatever the protocol.
struct CaptureSummary {
    std::uint64_t frames = 0;
    std::optional<Time> start;           ///< of the first frame
    Time duration = 0;                   ///< from the first frame to the latest one
    std::uint64_t truncated_frames = 0;  ///< cut by the snap length
    std::uint64_t undecoded_frames = 0;  ///< malformed, or of an unsupported link type
    std::uint64_t copies = 0;            ///< the same frame from another interface; left out
};

struct Options {
    bool smcr = true;  ///< whether to follow this protocol
    bool rdma_cm = false;
    bool fc = false;
    smcr::Options smcr_options{};
    rdma_cm::Options rdma_cm_options{};
    fibre_channel::Options fc_options{};
    std::uint32_t interfaces = 1;  ///< of the capture; with more than one, copies are recognised
};

class Engine {
public:
    explicit Engine(
        Options options = {}, smcr::Observer* smcr_observer = nullptr, rdma_cm::Observer* rdma_cm_observer = nullptr,
        fibre_channel::Observer* fc_observer = nullptr);

    /// The next frame of the timeline.
    void on_frame(const capture::Frame& frame);
    /// The same for a frame that has been decoded already.
    void on_packet(const capture::Packet& packet);
    void finish();
    /// Hands out what is left of a connection's streams: the capture holds nothing more of it.
    void end_stream(std::uint32_t smcr_connection) { smcr_.end_stream(smcr_connection); }

    const CaptureSummary& capture() const { return capture_; }
    const smcr::Model& smcr() const { return smcr_.model(); }
    const rdma_cm::Model& rdma_cm() const { return rdma_cm_.model(); }
    const fibre_channel::Model& fc() const { return fc_.model(); }
    /// Of all protocols, one after the other.
    std::vector<const Finding*> findings() const;
    /// Of every rule, in the catalogue's order.
    std::vector<RuleResult> rule_results() const;

private:
    Options options_;
    CaptureSummary capture_;
    capture::DuplicateFilter copies_;
    smcr::Tracker smcr_;
    rdma_cm::Tracker rdma_cm_;
    fibre_channel::Tracker fc_;
    smcr::Observer* smcr_observer_;
    rdma_cm::Observer* rdma_cm_observer_;
};

}  // namespace fabricscope::engine
