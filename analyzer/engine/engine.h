// SPDX-License-Identifier: GPL-2.0-or-later
// All trackers behind one door: frames in, sessions and findings out.
#pragma once

#include <optional>

#include "analyzer/engine/fc_protocols.h"
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
    FcProtocols::Options fc_protocols{};  ///< FC-VI and FC-AE-RDMA
    std::uint32_t interfaces = 1;         ///< of the capture; with more than one, copies are recognised
};

/// Who listens to the trackers; nullptr: nobody.
struct Observers {
    smcr::Observer* smcr = nullptr;
    rdma_cm::Observer* rdma_cm = nullptr;
    fibre_channel::Observer* fc = nullptr;
    fcvi::Observer* fcvi = nullptr;
    fc_ae_rdma::Observer* fc_ae_rdma = nullptr;
};

class Engine {
public:
    explicit Engine(Options options = {}, const Observers& observers = {});
    // Its trackers know where the others are.
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() = default;

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
    const fcvi::Model& fcvi() const { return fc_protocols_.fcvi(); }
    const fc_ae_rdma::Model& fc_ae_rdma() const { return fc_protocols_.fc_ae_rdma(); }
    /// Of all protocols, one after the other.
    std::vector<const Finding*> findings() const;
    /// Of every rule, in the catalogue's order.
    std::vector<RuleResult> rule_results() const;

private:
    Options options_;
    Observers observers_;
    CaptureSummary capture_;
    capture::DuplicateFilter copies_;
    smcr::Tracker smcr_;
    rdma_cm::Tracker rdma_cm_;
    FcProtocols fc_protocols_;
    fibre_channel::Tracker fc_;
};

}  // namespace fabricscope::engine
