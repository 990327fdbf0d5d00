// SPDX-License-Identifier: GPL-2.0-or-later
// Where rights are not Linux' capabilities, all are kept.
#include "program/privileges.h"

namespace fabricscope::cli {

void Privileges::add_option(const Command&) {}

std::string Privileges::relinquish() const { return {}; }

std::string Privileges::hint() const { return {}; }

}  // namespace fabricscope::cli
