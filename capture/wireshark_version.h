// SPDX-License-Identifier: GPL-2.0-or-later
// The Wireshark that this is compiled with: 400 is 4.0.
#pragma once

#include <ws_version.h>

#define FABRICSCOPE_WIRESHARK_VERSION (WIRESHARK_VERSION_MAJOR * 100 + WIRESHARK_VERSION_MINOR)
