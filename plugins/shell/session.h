// SPDX-License-Identifier: GPL-2.0-or-later
// One engine for the capture that is open, whatever protocols are switched on: each frame is decoded and followed once.
//
// The engine must have seen a frame before Wireshark dissects it, and it must see every frame once, in the capture's
// order. So the dissectors that Wireshark calls for the link types we know ("wtap_encap") are replaced by one that
// calls the old one. No dissector above is called for all frames, and a postdissector comes too late for the frame's
// own tree.
//
// Frames of several interfaces may be out of order in their file. Then, with the first one, the engine goes through the
// whole file in order of time, as the program does. Where that cannot be (a pipe, a live capture), it takes the frames
// as they come.
//
// Which packets were damaged on their way is known when all have been seen. Then a new engine goes through the file
// without them, and what the first one has told is forgotten.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/engine/engine.h"
#include "capture/packet.h"
#include "plugins/shell/wireshark_compat.h"

namespace fabricscope::plugin {

class CaptureFile;
class Plugin;

/// A frame on its way through the dissectors. Trivially destructible, as Wireshark's exceptions demand.
struct Visit {
    tvbuff_t* tvb;  ///< like the next two, nullptr if the engine gets the frame ahead of Wireshark
    packet_info* pinfo;
    proto_tree* tree;
    capture::Frame frame;
    capture::Packet packet;
    bool first;  ///< in the capture's order, once for each frame; otherwise a frame seen before
};

/// Once, when all dissectors have been registered: the plugins' frames come by way of here from now on.
void install_hooks(std::span<Plugin* const> plugins);
/// For each capture, and again when a changed preference makes Wireshark dissect it anew.
void begin_capture();
void end_capture();
/// All of its frames have been seen once: what is open is settled, and observations are made. tshark without -2 never
/// says so.
void settle_capture();

// ---- of the capture that is open, once its first frame has been seen -------------------------------

const engine::Engine& engine();
/// How many interfaces the capture has: 1, or several.
std::uint32_t interface_count();
/// False: whoever dissects the capture (tshark without -2) reads it once, and asks for no frame again.
bool frames_come_again();
/// Time of the latest frame that the engine has seen.
capture::Time latest_time();
/// Whether the engine has seen all that the capture holds.
bool is_all_seen(const Visit& visit);
/// The file that the engine has gone through in order of time; nullptr: it took the frames as Wireshark came to them.
const CaptureFile* file_in_time_order();
/// Those that were damaged on their way, which the engine has left out; sorted.
const std::vector<std::uint64_t>& damaged_frames();
bool is_damaged(std::uint64_t frame);

/// Where it is told that the capture is out of order, and by whom.
struct OrderNote {
    std::uint64_t frame = 0;
    const Plugin* plugin = nullptr;  ///< nullptr: it is in order, as far as is known
};
OrderNote order_note();
/// The frame that this one is a copy of, otherwise the frame itself.
std::uint64_t original_of(std::uint64_t frame);
/// For the engine's observers.
void note_copy(std::uint64_t frame, std::uint64_t original);

}  // namespace fabricscope::plugin
