// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/sandbox.h"

#include "program/landlock.h"

namespace fabricscope::cli {

void Sandbox::add_option(const Command& command) {
    command.flag("--no-sandbox", off_, "Do not restrict which files the program may open while it reads captures");
}

void Sandbox::close(const Access& access) const {
    if (!off_) confine(access);
}

}  // namespace fabricscope::cli
