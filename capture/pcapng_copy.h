// SPDX-License-Identifier: GPL-2.0-or-later
// Captures written again as pcapng, with comments added to frames, or distributed over several files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/frame.h"

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

/// One of several files that frames are distributed over.
struct PcapngPart {
    std::string path;
    std::uint64_t frames = 0;  ///< written
    std::uint64_t octets = 0;  ///< captured, of these frames
    std::uint64_t size = 0;    ///< of the file, when they had been written
};

/// How far captures have been distributed.
struct PartsProgress {
    std::uint64_t frames = 0;  ///< of all captures: so many, from the first one on, are in the parts
    std::vector<PcapngPart> parts;
};

/// The index of the part that a frame goes to.
using PartOf = std::function<std::size_t(const Frame& frame)>;

/// Writes each frame of the captures to one of the parts, as copy_with_comments() would. Each part describes the
/// interfaces of all captures, under the same numbers; each frame gets a comment that says where it comes from
/// (label_text()). Why the parts are not complete, if they are not.
///
/// `progress` is where to begin: files are cut to the size that it tells, and written on. `note` is called again and
/// again with what is in the files by then, so that another run can go on from there.
std::optional<std::string> copy_into_parts(
    const std::vector<std::string>& captures, PartsProgress& progress, const PartOf& part_of,
    const std::string& application, const std::function<void(const PartsProgress& progress)>& note);

/// The writer that the section header of a pcapng file names, from the file's first octets; empty if there is none.
std::string application_of_pcapng(std::string_view octets);

}  // namespace fabricscope::capture
