// SPDX-License-Identifier: GPL-2.0-or-later
// Linux' Landlock, by its system calls: no library for it is in Debian.
#pragma once

#include "program/sandbox.h"

namespace fabricscope::cli {

/// Sandbox::close() says what that means. As far as the kernel can: older ones restrict less.
void confine(const Access& access);

}  // namespace fabricscope::cli
