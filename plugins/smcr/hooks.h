// SPDX-License-Identifier: GPL-2.0-or-later
// Between the description of the plugin and what it does with frames.
#pragma once

#include "plugins/smcr/plugin.h"

namespace fabricscope::plugin::smcr {

const Description& description();

// As the preferences say.
engine::smcr::Options engine_options();
bool wants_to_replace_builtin();

/// Of the capture that is open; otherwise nullptr.
const Record* current_record();

}  // namespace fabricscope::plugin::smcr
