// SPDX-License-Identifier: GPL-2.0-or-later
// New capture files: frames with comments, written as pcapng.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::capture {

/// Where frames are said to have been captured.
struct CaptureInterface {
    LinkType link = LinkType::ethernet;
    std::string name;
    std::string description;
    std::uint32_t snap_length = unlimited_snap_length;
};

struct PcapngDescription {
    std::string application;            ///< that wrote the file
    std::vector<std::string> comments;  ///< of the whole file
    std::vector<CaptureInterface> interfaces;
};

/// The file depends on nothing but what is given here: no host name, no time of writing.
class PcapngWriter {
public:
    /// `path` is overwritten; "-" is standard output.
    PcapngWriter(const std::string& path, const PcapngDescription& description);
    PcapngWriter(const PcapngWriter&) = delete;
    PcapngWriter& operator=(const PcapngWriter&) = delete;
    ~PcapngWriter();

    /// False once something could not be written; finish() says why.
    bool good() const;
    /// Interface, time, octets and wire length of the frame count; the interface is one of the description. Does
    /// nothing after an error.
    void write(const Frame& frame, const std::vector<std::string>& comments);
    /// What the interface saw and lost until then, told at the end of the file.
    void add_statistics(std::uint32_t interface, Time time, std::uint64_t received, std::uint64_t dropped);
    /// What was written can be read by others from now on.
    void flush();
    /// Why the file is not complete, or nothing.
    std::optional<std::string> finish();

private:
    class File;
    std::unique_ptr<File> file_;
};

}  // namespace fabricscope::capture
