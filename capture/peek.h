// SPDX-License-Identifier: GPL-2.0-or-later
// A look at some words of a regular file, beside whoever reads it. Needs no memory.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "capture/file_descriptor.h"

namespace fabricscope::capture {

class Peek {
public:
    /// Standard input for "-", which is left where it stands.
    explicit Peek(const std::string& path) : file_(path == "-" ? ::dup(STDIN_FILENO) : open_regular(path)) {}

    /// In octets; 0 if there is no such file.
    std::uint64_t size() const {
        struct stat status;
        return ::fstat(file_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
    }

    /// The words at that octet, as they stand in the file; false if not all are there.
    bool read(std::uint64_t offset, std::span<std::uint32_t> words) const {
        auto* const octets = reinterpret_cast<char*>(words.data());
        std::size_t read = 0;
        for (ssize_t piece = 1; read < words.size_bytes() && piece > 0;
             read += static_cast<std::size_t>(std::max(piece, ssize_t{0})))
            piece = ::pread(file_.get(), octets + read, words.size_bytes() - read, static_cast<off_t>(offset + read));
        return read == words.size_bytes();
    }

private:
    /// To open a pipe again waits for somebody who writes to it.
    static int open_regular(const std::string& path) {
        struct stat status;
        const bool is_regular = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
        return is_regular ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
    }

    FileDescriptor file_;
};

}  // namespace fabricscope::capture
