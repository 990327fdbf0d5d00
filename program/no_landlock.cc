// SPDX-License-Identifier: GPL-2.0-or-later
// Where there is no Landlock.
#include "program/landlock.h"

namespace fabricscope::cli {

void confine(const Access&) {}

}  // namespace fabricscope::cli
