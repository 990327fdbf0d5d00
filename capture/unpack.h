// SPDX-License-Identifier: GPL-2.0-or-later
// Compressed files that libpcap does not read, nor wiretap, or not well: xz, bzip2, Zstandard and LZ4.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "capture/file_descriptor.h"

namespace fabricscope::capture {

/// Enough of a file to tell what it is.
inline constexpr std::size_t packed_magic = 5;
/// Whether what begins so is one of these.
bool begins_packed(std::string_view start);
/// Whether it is a file that does.
bool is_packed(const std::string& path);

/// The contents of a compressed file, in a file without a name below TMPDIR, which goes when this does.
class Unpacked {
public:
    explicit Unpacked(const std::string& path);

    /// By which it can be opened.
    std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }
    /// Why the contents end early, if they do; what could be unpacked is there.
    const std::optional<std::string>& problem() const { return problem_; }

private:
    FileDescriptor file_;
    std::optional<std::string> problem_;
};

}  // namespace fabricscope::capture
