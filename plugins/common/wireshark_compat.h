// SPDX-License-Identifier: GPL-2.0-or-later
// Wireshark's headers, and everything in which Wireshark 4.0 and 4.4 differ for us.
//
// Wireshark's exceptions are longjmp: they run no destructors. Across calls of tvb_*, proto_*, col_*
// and call_* only trivially destructible locals may live, and no C++ exception may leave a dissector.
#pragma once

#include <ws_version.h>

#define FABRICSCOPE_WIRESHARK_VERSION (WIRESHARK_VERSION_MAJOR * 100 + WIRESHARK_VERSION_MINOR)

#if FABRICSCOPE_WIRESHARK_VERSION >= 402
#include <wireshark.h>
#endif

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/exceptions.h>
#include <epan/expert.h>
#include <epan/packet.h>
#include <epan/prefs-int.h>
#include <epan/prefs.h>
#include <epan/tap.h>
#include <wiretap/wtap.h>

#include <cstdint>

#if FABRICSCOPE_WIRESHARK_VERSION >= 402
#include <epan/tfs.h>
#endif

namespace fabricscope::plugin {

/// What preferences and heuristic dissectors call a truth value.
#if FABRICSCOPE_WIRESHARK_VERSION >= 402
using wireshark_bool = bool;
#else
using wireshark_bool = gboolean;
#endif

/// Whoever exports this packet alone needs that frame with it.
inline void mark_depended_upon(packet_info* pinfo, std::uint32_t frame) {
#if FABRICSCOPE_WIRESHARK_VERSION >= 402
    mark_frame_as_depended_upon(pinfo->fd, frame);
#else
    mark_frame_as_depended_upon(pinfo, frame);
#endif
}

}  // namespace fabricscope::plugin
