// SPDX-License-Identifier: GPL-2.0-or-later
// The file that Wireshark reads, read a second time: Wireshark hands out frames as they stand there, and those of
// several interfaces may be out of order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "capture/file_descriptor.h"
#include "capture/source.h"

namespace fabricscope::plugin {

/// Whether this process has a file open twice, as Wireshark has one whose frames it will come to again: in turn, and
/// wherever it likes.
bool is_a_file_open_twice();

class CaptureFile {
public:
    /// The one that holds `frame`. Nobody tells plugins its name, but this process has it open. Nothing if it cannot be
    /// read a second time: a pipe, or frames whose times the user has shifted.
    static std::optional<CaptureFile> that_holds(const capture::Frame& frame);

    /// As far as the file describes them before its first frame.
    std::uint32_t interfaces() const { return interfaces_; }
    /// Of several interfaces, and not in order of time. This reads the file, as far as it is in order.
    bool is_out_of_order() const;
    /// Its frames in order of time, as the program reads it, with Wireshark's numbers. nullptr if it cannot be read any
    /// more.
    std::unique_ptr<capture::Source> in_time_order() const;

private:
    explicit CaptureFile(int descriptor) : file_(descriptor) {}

    std::unique_ptr<capture::Source> open() const;
    bool holds(const capture::Frame& frame);

    capture::FileDescriptor file_;  ///< of our own: Wireshark may close its one
    std::uint32_t interfaces_ = 1;
};

}  // namespace fabricscope::plugin
