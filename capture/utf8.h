// SPDX-License-Identifier: GPL-2.0-or-later
// Text as JSON and pcapng have it. File names may be anything.
#pragma once

#include <string>
#include <string_view>

namespace fabricscope::capture {

/// What is not UTF-8 is replaced by U+FFFD.
std::string utf8_of(std::string_view bytes);

}  // namespace fabricscope::capture
