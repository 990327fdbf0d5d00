// SPDX-License-Identifier: GPL-2.0-or-later
// Text inside of markup.
#pragma once

#include <string>
#include <string_view>

namespace fabricscope::report {

/// The text in UTF-8 as content or attribute of HTML.
std::string markup_escaped(std::string_view raw);

/// The text as content of HTML, what stands between backticks as code.
std::string marked_up(std::string_view raw);

/// The text as content or attribute of XML. What XML cannot hold, control characters above all, becomes a question
/// mark.
std::string xml_escaped(std::string_view raw);

}  // namespace fabricscope::report
