// SPDX-License-Identifier: GPL-2.0-or-later
// Traffic that asks for more state than any honest peers would: each kind does one thing over and over.
#pragma once

#include <span>

#include "tests/traffic/smcr_traffic.h"

namespace fabricscope::traffic {

struct HostileKind {
    const char* name;
    const char* what;
    void (*generate)(std::uint64_t count, const FrameSink& sink);
};

std::span<const HostileKind> hostile_kinds();

}  // namespace fabricscope::traffic
