// SPDX-License-Identifier: GPL-2.0-or-later
// Results into files for other programs: a folder of CSV files, an SQLite database, a capture with comments.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/drawing.h"
#include "analyzer/report/protocol.h"
#include "analyzer/report/results.h"

namespace fabricscope::cli {

/// Why the tables cannot go to that folder; empty if they can. To be asked before the work, as is what follows.
std::string why_not_csv(const std::string& folder);
std::string why_not_sqlite(const std::string& file);

/// The inputs are read again: they have to be regular files.
std::string why_not_annotate(const std::string& file, const std::vector<std::string>& inputs);

/// Of SVG and PNG files.
std::string why_not_picture(const std::string& file);

/// False after a complaint. Existing files are replaced at the end, when all has been written.
bool export_csv(const std::string& folder, const report::Results& results, bool cursors);
bool export_sqlite(const std::string& file, const report::Results& results, bool cursors);

/// Writes the captures `opened` again, with the findings as comments.
bool export_annotated(const std::string& file, const report::Results& results, const std::vector<std::string>& opened);

std::string why_not_html(const std::string& file);
std::string why_not_perfetto(const std::string& file);
bool export_perfetto(
    const std::string& file, const engine::Engine& engine, const report::Results& results,
    const report::FrameListeners& listeners);

/// "-" is standard output.
bool export_html(const std::string& file, const engine::Engine& engine, const report::Results& results);
bool export_svg(const std::string& file, const report::Drawing& drawing);
bool export_png(const std::string& file, const report::Drawing& drawing);

}  // namespace fabricscope::cli
