// SPDX-License-Identifier: GPL-2.0-or-later
// What Wireshark's windows and tshark's -z are fed with.
#pragma once

#include "plugins/common/fc_hooks.h"
#include "plugins/common/generated.h"
#include "plugins/fcaerdma/record.h"

namespace fabricscope::plugin {

using TapData = FcTapData<Record, FrameEntry>;

constexpr const char* kFrameTap = "fcaerdma";
constexpr const char* kExportTap = "fcaerdma_eo";  ///< Wireshark makes the name: the protocol's, and _eo

/// The frame's sender and receiver, as fcaerdma.source and fcaerdma.destination have them; none for a frame of no
/// message.
Ends ends_of(const Record& record, const FrameEntry& entry);

/// Once each, when the protocol is registered.
void register_conversations();
void register_statistics();
void register_ladder();
void register_export();
void register_menu();

}  // namespace fabricscope::plugin
