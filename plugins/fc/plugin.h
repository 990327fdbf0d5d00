// SPDX-License-Identifier: GPL-2.0-or-later
// A protocol built on Fibre Channel: what the engine says of its frames comes to trees and taps.
//
// Wireshark's dissectors come first and show what they know; the protocol is added when they are done. So it is the
// same over whatever carried the frame, and for all frames of a Sequence.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "plugins/fc/frame.h"
#include "plugins/fc/record.h"
#include "plugins/shell/plugin.h"
#include "plugins/shell/taps.h"

namespace fabricscope::plugin {

/// What listeners are given of a frame.
template <class Entry> struct FcTapFrame : TapFrame {
    Entry entry;
    fc::Frame frame;  ///< empty, if it is not an IU
    bool all_seen;    ///< the engine has seen the whole capture
};

/// A message's data, if listeners are to be given them with this frame; otherwise nullptr. Those that the capture holds
/// whole come with the frame that completes them. Others come with their last frame, once the capture has been read.
template <class Entry> const Assembly* finished_message(const FcRecord& record, const FcTapFrame<Entry>& tap) {
    const Assembly* assembly = tap.entry.iu ? record.assembly(tap.entry.message) : nullptr;
    if (assembly == nullptr || tap.entry.ends_message) return assembly;
    if (assembly->complete_in != 0 || !tap.all_seen) return nullptr;
    const Assembly::Piece& last = assembly->pieces.back();
    const bool is_last = last.frame == tap.entry.frame && last.offset == tap.entry.offset && !tap.entry.repeated;
    return is_last ? assembly : nullptr;
}

/// The time of the request that the frame is the first to answer; nothing if it is not.
std::optional<capture::Time> first_answered(const FcRecord& record, const packet_info* pinfo, const FcEntry& entry);

/// A flow graph's arrow between the frame's ports.
void add_port_arrow(
    void* graph, packet_info* pinfo, const fc::FrameHeader& header, std::uint32_t conversation, const char* label,
    const Line& comment, bool has_data);

/// Derived classes say what a capture's record is to be made with, and show frames.
template <class Record> class FcPlugin : public Plugin {
public:
    using Entry = typename Record::Entry;
    using TapFrame = FcTapFrame<Entry>;

    FcPlugin(const Description& description, Fields& fields) : Plugin(description, fields), fields_(fields) {}

    /// Of the capture that is open; otherwise nullptr.
    const Record* record() const { return record_.get(); }
    /// The first entry of the frame; one of no Exchange if there is none.
    Entry entry_of(std::uint32_t frame) const {
        const Entries entries = record_ ? record_->entries(frame) : Entries();
        return entries.empty() ? Entry{} : entries.front();
    }

    void follow(engine::Options& options, engine::Observers& observers) final {
        record_ = std::make_unique<Record>();
        listen_to_fibre_channel(*record_, options, observers);
        follow_with(*record_, options, observers);
    }
    void end() final { record_.reset(); }

    bool is_concerned_by(capture::Transport transport) const final {
        return transport == capture::Transport::fc || transport == capture::Transport::tcp;  // FCIP
    }

    void on_packet(const Visit& visit) final { record_->on_packet(visit, is_wanted(visit)); }
    /// A login shows if messages of the protocol follow.
    bool knows(std::uint64_t frame) const final {
        return std::ranges::any_of(
            record_->entries(frame), [](const Entry& one) { return one.iu || one.message != 0; });
    }

    void before(const Visit& visit) final {
        entries_ = record_->entries(visit.pinfo->num);
        if (holds_iu(entries_)) pause_.begin();
    }

    void after(const Visit& visit) final {
        pause_.end();
        const Entries entries = std::exchange(entries_, {});
        if (entries.empty()) return;
        if (holds_iu(entries)) hide_data(visit.tree);
        Display display = display_in(fields_, record_->notes(), visit.pinfo, visit.tree);
        for (const Entry& entry : entries) {
            const FcView view = view_of(visit, entry);
            if (entry.iu) show_iu(display, view, entry);
            else show_other(display, visit.tvb, entry);
            display.first = false;
            tap(visit, view, entry);
        }
    }

private:
    using Entries = std::span<const Entry>;

    virtual void follow_with(Record& record, engine::Options& options, engine::Observers& observers) = 0;
    // These may leave by longjmp.
    virtual void show_iu(const Display& display, const FcView& view, const Entry& entry) = 0;
    virtual void show_other(const Display& display, tvbuff_t* packet, const Entry& entry) = 0;
    /// What is the same for all listeners.
    virtual plugin::TapFrame tap_of(const Entry& entry) const = 0;

    /// One of the protocol's frames, and in the packet itself.
    static bool holds_iu(Entries entries) {
        return entries.size() == 1 && entries.front().iu && entries.front().kept == 0;
    }

    /// Whether anybody may ask for the data of messages.
    bool is_wanted(const Visit& visit) const {
        return frames_come_again() || proto_field_is_referenced(visit.tree, fields_.protocol) != 0 ||
               have_tap_listener(fields_.tap) != 0 || have_tap_listener(fields_.export_tap) != 0;
    }

    FcView view_of(const Visit& visit, const Entry& entry) const {
        if (!entry.iu) return {};
        return entry.kept != 0 ? view_of_octets(visit, record_->kept_octets(entry.kept)) : view_in_packet(visit);
    }

    void tap(const Visit& visit, const FcView& view, const Entry& entry) const {
        const bool is_copy = entry.frame != visit.pinfo->num;
        const bool for_frames = have_tap_listener(fields_.tap) != 0;
        const bool for_export = have_tap_listener(fields_.export_tap) != 0;
        if (is_copy || (!for_frames && !for_export)) return;
        // Listeners are called when the frame is done.
        auto* data = wmem_new(visit.pinfo->pool, TapFrame);
        *data = {{tap_of(entry)}, entry, view.frame, is_all_seen(visit)};
        if (for_frames) tap_queue_packet(fields_.tap, visit.pinfo, data);
        if (for_export) tap_queue_packet(fields_.export_tap, visit.pinfo, data);
    }

    Fields& fields_;
    std::unique_ptr<Record> record_;
    FcReassemblyPause pause_;
    Entries entries_;  ///< of the frame that is being dissected
};

}  // namespace fabricscope::plugin
