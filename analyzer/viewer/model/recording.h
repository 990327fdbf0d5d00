// SPDX-License-Identifier: GPL-2.0-or-later
// All that is shown of captures. Made by one thread, then read only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/report/frame_fields.h"
#include "analyzer/report/protocol.h"
#include "analyzer/report/reading.h"
#include "analyzer/viewer/model/frame_table.h"
#include "analyzer/viewer/model/navigator.h"
#include "analyzer/viewer/model/tracks.h"

namespace fabricscope::viewer {

using observations::Observation;

struct Recording {
    std::vector<std::string> files;
    report::Reading reading;                                  ///< without engine: nothing could be opened
    std::optional<report::Results> results;                   ///< nothing: the same
    std::unique_ptr<const report::FrameListeners> listeners;  ///< as long as there is an engine
    report::Overview overview;
    report::Fabric fabric;
    std::vector<Track> tracks;  ///< of `overview`
    FrameTable frames;
    std::unordered_map<std::string, std::size_t> nodes;  ///< of `overview`, by name
    bool cancelled = false;

    /// The worst first.
    std::span<const Observation> observations() const {
        return results ? std::span<const Observation>(results->observations) : std::span<const Observation>{};
    }
    Time start() const { return results ? results->capture.start.value_or(0) : 0; }
    Time end() const { return results ? start() + results->capture.duration : 0; }
    std::optional<Time> time_of(std::uint64_t frame) const;
    /// The branch of a session; where it has none (an Exchange among others), nothing.
    std::optional<std::size_t> node_of(const std::string& session) const;
    /// The branch that a session is or, as an Exchange, lies in.
    std::optional<std::size_t> branch_of(const std::string& session) const;
    /// A frame in its session, as far as both are known.
    Place place_of(std::uint64_t frame) const;
    /// A session at a frame; without the one that of the other.
    Place place_of(const std::string& session, std::optional<std::uint64_t> frame) const;
    std::uint64_t operations() const;
    /// What brought an operation of the session on its way, and what came of it, by any of its frames.
    std::vector<report::Arrow> arrows(const std::string& session, std::uint64_t frame) const;
    /// What keeps it from being shown whole, a sentence; empty if nothing does.
    std::string complaint() const;
};

/// With which captures are read: what `analyze` does by default, and what plots and ladders need.
engine::Options engine_options();

/// Reads files. `proceed` is told the number of frames now and then, and ends the reading by saying false.
/// `still_written`: that one ends in the middle of something is nothing to complain of.
std::shared_ptr<const Recording> load(
    const std::vector<std::string>& files,
    const std::function<bool(std::uint64_t frames, std::uint64_t octets)>& proceed, bool still_written = false);

}  // namespace fabricscope::viewer
