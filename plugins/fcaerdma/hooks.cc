// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/fcaerdma/hooks.h"

#include "plugins/fcaerdma/fields.h"
#include "plugins/fcaerdma/show.h"
#include "plugins/fcaerdma/taps.h"
#include "plugins/module.h"

namespace fabricscope::plugin {
namespace {

struct Protocol {
    using Record = plugin::Record;
    using Entry = FrameEntry;
    static constexpr const char* name = kProtocolName;
    static constexpr const char* tap = kFrameTap;
    static constexpr const char* export_tap = kExportTap;
    static int protocol() { return fields().protocol; }
    static void show_iu(const Display& display, const FcView& view, const FrameEntry& entry) {
        plugin::show_iu(display, view, entry);
    }
    static void show_other(const Display& display, tvbuff_t* packet, const FrameEntry& entry) {
        plugin::show_other(display, packet, entry);
    }
};
using Hooks = FcHooks<Protocol>;

}  // namespace

void install_hooks() { Hooks::install(); }
void begin_capture(const engine::fc_ae_rdma::Options& options) { Hooks::begin(std::make_unique<Record>(options)); }
void end_capture() { Hooks::end(); }
const Record* current_record() { return Hooks::record(); }

}  // namespace fabricscope::plugin
