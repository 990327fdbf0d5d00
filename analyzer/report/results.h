// SPDX-License-Identifier: GPL-2.0-or-later
// What there is to report, in whatever form.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/observations/observation.h"
#include "analyzer/report/rdma_counters.h"

namespace fabricscope::report {

/// A frame as the file counts it that it lies in.
struct Place {
    std::string file;
    std::uint64_t frame = 0;
};

/// Frames with which sessions of one kind turned up, in the order of their numbers.
struct Numbering {
    const char* prefix;  ///< of their names
    std::vector<std::uint64_t> frames;
    std::vector<std::uint64_t> times;  ///< of these, ns since the start, if frames were analysed in order of time
};

/// An option that shapes results, as it was given.
struct Setting {
    std::string option;
    std::string value;  ///< several in an order of their own, with commas
    bool operator==(const Setting&) const = default;
};

/// Of what captures are these results a part?
struct PartOfWhole {
    std::string run;  ///< the same for all parts
    std::uint64_t number = 0, of = 0;
    std::vector<Numbering> numberings;
    std::vector<Setting> settings{};
};

struct Results {
    std::vector<std::string> files;
    std::vector<std::string> problems;  ///< why files could not be read to their end
    const engine::CaptureSummary& capture;
    engine::Models models{};                                ///< null: not asked for
    std::vector<const engine::Finding*> findings;           ///< those asked for
    std::vector<engine::RuleResult> rules{};                ///< those asked for
    std::map<std::uint64_t, Place> places{};                ///< of frames that are named, if there are several files
    std::vector<std::string> warnings{};                    ///< what makes the capture itself doubtful
    std::vector<observations::Observation> observations{};  ///< the worst first
    bool has_counters = false;                              ///< whether they were asked for
    std::vector<AdapterCounter> counters{};
    engine::Profile profile = engine::Profile::linux_;
    std::vector<PartOfWhole> parts{};  ///< one, if they are to be merged with others
};

}  // namespace fabricscope::report
