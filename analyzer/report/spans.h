// SPDX-License-Identifier: GPL-2.0-or-later
// When the frames of each file were captured: files that are far apart in time are no one capture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::report {

class Spans {
public:
    static constexpr capture::Time hour = 3'600 * capture::second;
    /// No connection says nothing for so long; and rules that count time must not count this one.
    static constexpr capture::Time another_capture = 7 * 24 * hour;

    explicit Spans(std::size_t files) : spans_(files) {}

    /// The next frame of the timeline. False, and it is left out, if it begins a file that is no part of the capture.
    bool take(const capture::Frame& frame);

    /// Why take() said no, as a sentence. `files` by their places.
    std::string why_not(const capture::Frame& frame, const std::vector<std::string>& files) const;
    /// Of files that may be of one capture, but begin an hour or more behind the others.
    std::vector<std::string> gaps(const std::vector<std::string>& files) const;

private:
    struct Span {
        capture::Time first, last;
    };
    std::vector<std::optional<Span>> spans_;  ///< by file
    std::size_t latest_ = 0;                  ///< the file with the latest frame
};

}  // namespace fabricscope::report
