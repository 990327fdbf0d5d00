// SPDX-License-Identifier: GPL-2.0-or-later
// Compressed files that neither libpcap nor wiretap read: xz, bzip2 and what else libarchive knows.
#pragma once

#include <optional>
#include <string>

#include "capture/file_descriptor.h"

namespace fabricscope::capture {

/// Whether it is a file that begins like one of these.
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
