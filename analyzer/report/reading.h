// SPDX-License-Identifier: GPL-2.0-or-later
// From file names to what the engine makes of the files, and to what is reported of that.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/report/results.h"
#include "capture/origins.h"

namespace fabricscope::report {

struct Reading {
    std::unique_ptr<engine::Engine> engine;  ///< null: none of the files could be opened
    std::vector<std::string> opened;         ///< those of the files that could be
    std::vector<std::string> problems;       ///< why files could not be read to their end
    std::vector<std::string> losses;         ///< sentences: what interfaces lost before it was captured
    capture::Origins origins;                ///< of all frames, if several files were opened; sources as in `opened`
};

/// What an interface lost, as a sentence of Reading::losses.
std::string loss_text(const std::string& place, std::uint64_t frames);

/// Reads all files as one timeline. `on_frame` is called behind the engine, and ends the reading by saying false.
Reading read(
    const std::vector<std::string>& files, engine::Options options, const engine::Observers& observers,
    const std::function<bool(const capture::Frame&)>& on_frame);

/// Points into `reading`, which has an engine. `files`: where the frames come from, as the user named it. Rules are
/// left out.
Results results_of(
    const Reading& reading, const std::vector<std::string>& files, std::vector<const engine::Finding*> findings);

}  // namespace fabricscope::report
