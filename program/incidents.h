// SPDX-License-Identifier: GPL-2.0-or-later
// What was on the wire around each trouble of a live capture, in files of their own: the latest frames are kept in
// memory until they are too old, and go to a file when something happens.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/observations/observation.h"
#include "capture/frame.h"
#include "capture/pcapng_writer.h"

namespace fabricscope::cli {

struct IncidentOptions {
    std::string folder;
    double seconds = 30;             ///< before and after
    std::uint64_t memory_mib = 256;  ///< of frames that may still be wanted
    std::uint64_t files = 100;       ///< no more are begun
};

class Incidents {
public:
    /// The folder is there.
    Incidents(const IncidentOptions& options, capture::PcapngDescription description);

    /// The next frame of the timeline.
    void add(const capture::Frame& frame);
    /// What has been found by now. Warnings and errors begin a file, or make the one that is open go on for longer;
    /// they are comments on their frames. The paths of files that were begun.
    std::vector<std::string> look(std::span<const observations::Observation> news);
    /// False, after a complaint, if not everything could be written.
    bool finish();

    std::uint64_t files() const { return files_; }

private:
    struct Kept {
        std::uint64_t number = 0;
        capture::Time time = 0;
        std::uint32_t wire_length = 0;
        std::uint32_t interface = 0;
        std::vector<std::uint8_t> octets;
    };

    void take(const observations::Observation& trouble);
    std::optional<std::string> begin_file(const observations::Observation& trouble);
    std::string path_for(const observations::Observation& trouble) const;
    capture::Time time_of(const observations::Observation& trouble) const;
    void write_until_now();
    std::vector<std::string> take_comments(std::uint64_t frame);
    void end_file();
    void forget_the_oldest();

    IncidentOptions options_;
    capture::PcapngDescription description_;
    capture::Time span_;
    std::deque<Kept> kept_;                               ///< in order of their numbers
    std::uint64_t octets_ = 0;                            ///< of these
    capture::Time newest_ = 0;                            ///< the latest frame's
    std::multimap<std::uint64_t, std::string> comments_;  ///< by frame, not written yet
    std::optional<capture::PcapngWriter> writer_;         ///< the file that is open
    capture::Time from_ = 0, until_ = 0;                  ///< what of the frames goes there
    std::uint64_t written_ = 0;                           ///< the latest frame that went to a file
    std::uint64_t files_ = 0;
    bool full_ = false;    ///< there are as many files as there may be, which has been told
    bool failed_ = false;  ///< a file is not whole
};

}  // namespace fabricscope::cli
