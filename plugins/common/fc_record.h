// SPDX-License-Identifier: GPL-2.0-or-later
// The engine's Fibre Channel part, run once over a capture, for plugins of protocols that are built on it.
#pragma once

#include <memory>
#include <vector>

#include "analyzer/engine/fc_protocols.h"
#include "capture/duplicate_filter.h"
#include "plugins/common/frame_notes.h"

namespace fabricscope::plugin {

using engine::fibre_channel::Party;

class FcRecord : public engine::fibre_channel::Observer {
public:
    /// The capture's next frame. What has no interface id comes from the capture's only one.
    void on_packet(const capture::Packet& packet, bool has_interface_id);

    const FrameNotes& notes() const { return notes_; }
    /// The octets of a frame that FCIP carried, and that may therefore stand in several packets; `place` as
    /// keep_octets() returned it.
    ByteView kept_octets(std::uint32_t place) const { return kept_[place - 1]; }

protected:
    using FcFacts = engine::fibre_channel::FrameFacts;

    /// What is derived from this one passes itself as the protocol's observer.
    FcRecord(
        const engine::FcProtocols::Options& options, engine::fcvi::Observer* fcvi,
        engine::fc_ae_rdma::Observer* fc_ae_rdma);

    /// Place of the frame's octets if no single packet holds them, otherwise 0.
    std::uint32_t keep_octets(const FcFacts& facts);
    /// `frame` has something to show, though it may not belong to the protocol.
    virtual void on_broken_rule(std::uint64_t frame) = 0;
    void note_finding(const engine::Finding& finding);

    const engine::FcProtocols& protocols() const { return protocols_; }
    /// The number of the packet that is being worked on.
    std::uint32_t current_frame() const { return current_frame_; }
    FrameNotes notes_;

private:
    engine::FcProtocols protocols_;
    engine::fibre_channel::Tracker tracker_;
    std::uint32_t current_frame_ = 0;
    std::optional<capture::DuplicateFilter> copies_;  ///< from the first packet on
    std::vector<std::vector<std::uint8_t>> kept_;
    std::vector<std::uint64_t> newly_broken_;  ///< frames of findings of the packet that is being worked on
};

}  // namespace fabricscope::plugin
