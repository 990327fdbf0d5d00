// SPDX-License-Identifier: GPL-2.0-or-later
// The engine's Fibre Channel part, run once over a capture, for plugins of protocols that are built on it.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/engine/engine.h"
#include "plugins/common/assemblies.h"
#include "plugins/common/entry_points.h"
#include "plugins/common/frame_list.h"
#include "plugins/common/frame_notes.h"

namespace fabricscope::plugin {

using engine::fibre_channel::Party;

/// What a frame was found to be, in any protocol. A packet of FCIP may have several.
struct FcEntry {
    std::uint32_t frame;
    std::uint32_t exchange;  ///< id; 0: a frame that only breaks a rule
    std::uint32_t message;   ///< id; 0 = not a message's
    std::uint32_t answer;    ///< place in the record's answers; 0 = answers nothing
    std::uint32_t kept;      ///< place of its octets, if no single packet holds them
    std::uint64_t offset;    ///< of its data in the message
    bool iu : 1;             ///< the protocol's own; otherwise link control or a link service that concerns it
    bool repeated : 1;
    bool ends_message : 1;  ///< with it, nothing of the message's data is missing any more
};

class FcRecord : public engine::fibre_channel::Observer {
public:
    /// The capture's next frame. What has no interface id comes from the capture's only one.
    void on_packet(const capture::Packet& packet, const Visit& visit);

    const FrameNotes& notes() const { return notes_; }
    /// The octets of a frame that FCIP carried, and that may therefore stand in several packets; `place` as
    /// keep_octets() returned it.
    ByteView kept_octets(std::uint32_t place) const { return kept_[place - 1]; }
    /// nullptr for a message without data
    const Assembly* assembly(std::uint32_t message) const { return assemblies_.find(message); }

    struct Answer {
        capture::Time elapsed;
        std::uint32_t request_frame;
    };
    /// Nothing asked: frame 0.
    Answer answer(const FcEntry& entry) const { return entry.answer != 0 ? answers_[entry.answer - 1] : Answer{}; }

protected:
    using FcFacts = engine::fibre_channel::FrameFacts;

    /// What is derived from this one passes itself as the protocol's observer.
    FcRecord(
        engine::FcProtocols::Options options, engine::fcvi::Observer* fcvi, engine::fc_ae_rdma::Observer* fc_ae_rdma)
        : options_(std::move(options)), observers_{.fc = this, .fcvi = fcvi, .fc_ae_rdma = fc_ae_rdma} {}

    /// Place of the frame's octets if no single packet holds them, otherwise 0.
    std::uint32_t keep_octets(const FcFacts& facts);
    /// `frame` has something to show, though it may not belong to the protocol.
    virtual void on_broken_rule(std::uint64_t frame) = 0;
    void note_finding(const engine::Finding& finding);
    /// The entry answers a frame; nothing for request frame 0.
    void note_answer(FcEntry& entry, std::uint64_t request_frame, capture::Time elapsed);

    /// Once a frame has been seen.
    const engine::Engine& engine() const { return *engine_; }
    /// The number of the packet that is being worked on.
    std::uint32_t current_frame() const { return current_frame_; }
    FrameNotes notes_;
    Assemblies assemblies_;

private:
    void on_copy(std::uint64_t frame, std::uint64_t original) override { notes_.note_copy(frame, original); }

    engine::FcProtocols::Options options_;
    engine::Observers observers_;
    std::optional<engine::Engine> engine_;  ///< from the first packet on
    std::uint32_t current_frame_ = 0;
    std::vector<std::vector<std::uint8_t>> kept_;
    std::vector<Answer> answers_;
    std::vector<std::uint64_t> newly_broken_;  ///< frames of findings of the packet that is being worked on
};

}  // namespace fabricscope::plugin
