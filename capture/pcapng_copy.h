// SPDX-License-Identifier: GPL-2.0-or-later
// Captures written again as pcapng, with comments added to frames.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricscope::capture {

/// By the number of the frame, as open() and merge() count it.
using Comments = std::map<std::uint64_t, std::vector<std::string>>;

struct PcapngCopy {
    std::uint64_t frames = 0;          ///< written
    std::uint64_t comments = 0;        ///< added
    std::optional<std::string> error;  ///< why it is not complete
};

/// Writes the captures, in the order in which merge() delivers them, to one section of a pcapng file. Octets, times and
/// their resolution, interfaces, packet options and comments stay as they are; a comment that a frame
/// has already is not added again. `application` is named as the writer. Of the section headers, names and
/// secrets of several captures only the first one's are kept, interface statistics are not.
///
/// The captures are regular files that Wireshark's library can read; `out` is overwritten.
PcapngCopy copy_with_comments(
    const std::vector<std::string>& captures, const Comments& comments, const std::string& application,
    const std::string& out);

/// The writer that the section header of a pcapng file names, from the file's first octets; empty if there is none.
std::string application_of_pcapng(std::string_view octets);

}  // namespace fabricscope::capture
