// SPDX-License-Identifier: GPL-2.0-or-later
// Frames as they come, from interfaces of this host.
#pragma once

#include <functional>

#include "capture/interface.h"
#include "capture/source.h"

namespace fabricscope::capture {

/// One timeline of all interfaces, in order of time, each frame with the number of its interface. A frame is held back
/// until one is there that is younger by 100 ms (of several interfaces: by the window of ReorderLimits), or nothing has
/// come for 100 ms. Ends behind the frames that came until `goes_on` said no, which is asked before every frame and ten
/// times a second while there are none. An interface that fails is told of by errors(), and ends the capture.
std::unique_ptr<Source> live(std::vector<std::unique_ptr<Interface>> interfaces, std::function<bool()> goes_on);

}  // namespace fabricscope::capture
