// SPDX-License-Identifier: GPL-2.0-or-later
// From file names to what the engine makes of the files, and to what is reported of that.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/report/partition.h"
#include "analyzer/report/results.h"
#include "capture/origins.h"
#include "capture/packet_source.h"

namespace fabricscope::report {

/// A part of captures, which is read as what it is of them: frames have their numbers, times count from their start.
struct PartFile {
    std::string path;
    Partition whole;
    std::uint64_t number = 0;  ///< among the parts, from 1
};

struct Reading {
    std::unique_ptr<engine::Engine> engine;  ///< null: none of the files could be opened
    std::vector<std::string> opened;         ///< those of the files that could be
    std::vector<std::string> problems;       ///< why files could not be read to their end
    std::size_t ended_early = 0;             ///< problems, the last ones, that a file still being written may have
    bool interrupted = false;                ///< that is why
    std::vector<std::string> gaps;           ///< sentences: files that may be of another capture
    std::vector<std::string> losses;         ///< sentences: what interfaces lost before it was captured
    std::vector<std::string> silences;       ///< sentences: live interfaces on which nothing was seen
    std::vector<std::string> bypasses;       ///< sentences: adapters whose RoCE a live interface does not show
    std::optional<PartFile> part;            ///< what was read is a part of other files
    std::vector<Numbering> numberings;       ///< of that part's sessions
    capture::Origins origins;                ///< of all frames, if several files were opened; sources as in `opened`
};

/// What the files' own statistics say of losses.
std::vector<std::string> losses_told_in(const std::vector<std::string>& files);

/// What an interface lost, as a sentence of Reading::losses.
std::string loss_text(const std::string& place, std::uint64_t frames);

/// Called behind the engine with each frame; ends the reading by saying false.
using OnFrame = std::function<bool(const capture::DecodedFrame&)>;

/// Reads all files as one timeline; regular files up to three times, to leave out packets that were damaged on their
/// way (capture/damaged_packets.h). `on_frame` is called for each frame again if the engine is fed again, which it is
/// only where nobody observes it.
Reading read(
    const std::vector<std::string>& files, engine::Options options, const engine::Observers& observers,
    const OnFrame& on_frame);

/// The same of a part.
Reading read(
    const PartFile& part, engine::Options options, const engine::Observers& observers, const OnFrame& on_frame);

/// Points into `reading`, which has an engine. `files`: where the frames come from, as the user named it. Rules are
/// left out.
Results results_of(
    const Reading& reading, const std::vector<std::string>& files, std::vector<const engine::Finding*> findings);

}  // namespace fabricscope::report
