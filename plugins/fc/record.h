// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine said about Fibre Channel frames, for protocols that are built on it.
#pragma once

#include <optional>
#include <vector>

#include "plugins/fc/assemblies.h"
#include "plugins/shell/frame_list.h"
#include "plugins/shell/frame_notes.h"
#include "plugins/shell/session.h"

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

class FcRecord {
public:
    using FcFacts = engine::fibre_channel::FrameFacts;

    FcRecord() = default;
    FcRecord(const FcRecord&) = delete;
    FcRecord& operator=(const FcRecord&) = delete;
    virtual ~FcRecord() = default;

    /// The capture's next packet, which the engine gets now; whether anybody may ask for the data of messages.
    void on_packet(const Visit& visit, bool data_wanted);

    const FrameNotes& notes() const { return notes_; }
    /// The octets of a frame that FCIP carried, and that may therefore stand in several packets; `place` as
    /// keep_octets() returned it.
    ByteView kept_octets(std::uint32_t place) const { return kept_[place]; }
    /// nullptr for a message without data
    const Assembly* assembly(std::uint32_t message) const { return assemblies_.find(message); }

    struct Answer {
        capture::Time elapsed;
        std::uint32_t request_frame;
    };
    /// Nothing asked: frame 0.
    Answer answer(const FcEntry& entry) const { return entry.answer != 0 ? answers_[entry.answer] : Answer{}; }

    // As engine::fibre_channel::Observer has them.
    virtual bool wants_data(const capture::Packet&) { return false; }
    virtual void on_frame(const FcFacts& fc) = 0;
    virtual void on_exchange_over(const engine::fibre_channel::Exchange& exchange) = 0;

protected:
    /// Place of the frame's octets if no single packet holds them, otherwise 0.
    std::uint32_t keep_octets(const FcFacts& facts);
    /// The entry answers a frame; nothing for request frame 0.
    void note_answer(FcEntry& entry, std::uint64_t request_frame, capture::Time elapsed);
    /// The number of the packet that is being worked on.
    std::uint32_t current_frame() const { return current_frame_; }

    /// What the frame carries of the protocol. A copy has its original's. A frame that only breaks a rule has an entry
    /// of no Exchange, which lives until the next call.
    template <class Entry> std::span<const Entry> entries_in(const FrameList<Entry>& list, std::uint64_t frame) const {
        const std::uint64_t original = original_of(frame);
        const std::span<const Entry> entries = list.all(original);
        if (!entries.empty() || notes_.broken_rules(original).empty()) return entries;
        static Entry breaks_rule;
        breaks_rule = {};
        breaks_rule.frame = static_cast<std::uint32_t>(original);
        return {&breaks_rule, 1};
    }

    FrameNotes notes_;
    Assemblies assemblies_;

private:
    std::uint32_t current_frame_ = 0;
    FrameDetails<std::vector<std::uint8_t>> kept_;
    FrameDetails<Answer> answers_;
};

/// The engine has one who listens to Fibre Channel: here it tells all records. To be called for each record when a
/// capture begins.
void listen_to_fibre_channel(FcRecord& record, engine::Options& options, engine::Observers& observers);

}  // namespace fabricscope::plugin
