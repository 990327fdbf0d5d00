// SPDX-License-Identifier: GPL-2.0-or-later
// Results as one HTML file that needs nothing else: the verdict, tables, and pictures.
#pragma once

#include <iosfwd>
#include <string_view>

#include "analyzer/report/protocol.h"

namespace fabricscope::report {

struct HtmlOptions {
    std::size_t rows = 500;     ///< of each table
    std::size_t lanes = 120;    ///< of the picture of everything
    std::size_t pictures = 20;  ///< of single sessions
};

/// `generator` names the program, and stands near the beginning.
void write_html(
    std::ostream& out, const engine::Engine& engine, const Results& results, std::string_view generator,
    const HtmlOptions& options = {});

}  // namespace fabricscope::report
