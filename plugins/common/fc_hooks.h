// SPDX-License-Identifier: GPL-2.0-or-later
// How Fibre Channel frames come to the engine, and what it says of them to the tree.
//
// Wireshark's dissectors come first and show what they know; a protocol built on Fibre Channel is added when they are
// done. So it is the same over whatever carried the frame, and for all frames of a Sequence.
#pragma once

#include <memory>

#include "plugins/common/fc_frame.h"
#include "plugins/common/fc_record.h"
#include "plugins/common/tree.h"

namespace fabricscope::plugin {

/// Where to show something. Trivially destructible, as Wireshark's exceptions demand.
template <class Record> struct FcDisplay {
    packet_info* pinfo;
    proto_tree* tree;
    const Record* record;
    bool details;  ///< whether anybody looks at the tree or at expert infos
    bool first;    ///< of the packet's frames that are the protocol's
};

/// What listeners are given of a frame. Copies of frames are left out.
template <class Record, class Entry> struct FcTapData {
    const Record* record;
    Entry entry;
    fc::Frame frame;  ///< empty, if it is not an IU
    bool all_seen;    ///< the whole capture has been dissected before
};

/// A message's data, if listeners are to be given them with this frame; otherwise nullptr. Those that the capture holds
/// whole come with the frame that completes them. Others come with their last frame, once the capture has been read.
template <class Record, class Entry> const Assembly* finished_message(const FcTapData<Record, Entry>& tap) {
    const Assembly* assembly = tap.entry.iu ? tap.record->assembly(tap.entry.message) : nullptr;
    if (assembly == nullptr || tap.entry.ends_message) return assembly;
    const Assembly::Piece& last = assembly->pieces.back();
    const bool is_last = last.frame == tap.entry.frame && last.offset == tap.entry.offset && !tap.entry.repeated;
    return is_last && assembly->complete_in == 0 && tap.all_seen ? assembly : nullptr;
}

/// The time of the request that the frame is the first to answer; nothing if it is not.
template <class Record, class Entry>
std::optional<capture::Time> first_answered(const packet_info* pinfo, const FcTapData<Record, Entry>& tap) {
    const FcRecord::Answer answer = tap.record->answer(tap.entry);
    if (answer.request_frame == 0 || tap.record->notes().response(answer.request_frame) != tap.entry.frame) return {};
    return pinfo->abs_ts.secs * capture::second + pinfo->abs_ts.nsecs - answer.elapsed;
}

/// Protocol: Record and Entry; name, its Protocol column; tap and export_tap, names of taps; protocol(), its id;
/// show_iu() and show_other(), which Wireshark may leave by longjmp.
template <class Protocol> class FcHooks {
public:
    using Record = typename Protocol::Record;
    using Entry = typename Protocol::Entry;
    using Display = FcDisplay<Record>;
    using TapData = FcTapData<Record, Entry>;

    /// Once, when all dissectors have been registered.
    static void install() {
        frame_tap_ = find_tap_id(Protocol::tap);
        export_tap_ = find_tap_id(Protocol::export_tap);
        wrap_entry_points({before_frame, after_frame}, fibre_channel_links());
    }
    /// For each capture, and again when a changed preference makes Wireshark dissect it anew.
    static void begin(std::unique_ptr<Record> record) {
        expert_tap_ = find_tap_id("expert");  // registered after us
        record_ = std::move(record);
        restart_first_visits();
    }
    static void end() { record_.reset(); }
    /// Of the capture that is open; otherwise nullptr.
    static const Record* record() { return record_.get(); }

private:
    using Entries = std::span<const Entry>;

    static bool is_enabled() {
        static protocol_t* const protocol = find_protocol_by_id(Protocol::protocol());
        return proto_is_protocol_enabled(protocol) != 0;
    }

    /// One of the protocol's frames, and in the packet itself.
    static bool holds_iu(Entries entries) {
        return entries.size() == 1 && entries.front().iu && entries.front().kept == 0;
    }

    static void before_frame(const Visit& visit) try {
        if (visit.first) record_->on_packet(capture::decode(visit.frame), visit);
        if (is_enabled() && holds_iu(record_->entries(visit.pinfo->num))) pause_.begin();
    } catch (const std::exception& error) {
        // Out of memory, say: Wireshark still shows what it can by itself.
        ws_warning("fabricscope: frame %u: %s", visit.pinfo->num, error.what());
    }

    static void after_frame(const Visit& visit) {
        pause_.end();
        if (!is_enabled()) return;
        const Entries entries = record_->entries(visit.pinfo->num);
        if (entries.empty()) return;
        const char* around = visit.pinfo->current_proto;
        visit.pinfo->current_proto = Protocol::name;  // whose expert infos are
        show(visit, entries);
        visit.pinfo->current_proto = around;
    }

    static void show(const Visit& visit, Entries entries) {
        const bool details = proto_field_is_referenced(visit.tree, Protocol::protocol()) != 0 ||
                             have_tap_listener(expert_tap_) != 0;
        Display display{visit.pinfo, visit.tree, record_.get(), details, true};
        if (holds_iu(entries)) hide_data(visit.tree);
        for (const Entry& entry : entries) {
            FcView view;
            if (!entry.iu) {
                Protocol::show_other(display, visit.tvb, entry);
            } else {
                view = entry.kept != 0 ? view_of_octets(visit, record_->kept_octets(entry.kept))
                                       : view_in_packet(visit);
                Protocol::show_iu(display, view, entry);
            }
            display.first = false;
            tap(visit, view, entry);
        }
    }

    static void tap(const Visit& visit, const FcView& view, const Entry& entry) {
        const bool is_copy = entry.frame != visit.pinfo->num;
        const bool for_frames = have_tap_listener(frame_tap_) != 0, for_export = have_tap_listener(export_tap_) != 0;
        if (is_copy || (!for_frames && !for_export)) return;
        // Listeners are called when the frame is done.
        auto* data = wmem_new(visit.pinfo->pool, TapData);
        *data = {record_.get(), entry, view.frame, !visit.first};
        if (for_frames) tap_queue_packet(frame_tap_, visit.pinfo, data);
        if (for_export) tap_queue_packet(export_tap_, visit.pinfo, data);
    }

    static inline std::unique_ptr<Record> record_;
    static inline FcReassemblyPause pause_;
    static inline int expert_tap_ = 0, frame_tap_ = 0, export_tap_ = 0;
};

}  // namespace fabricscope::plugin
