// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "protocols/layout/types.h"

namespace fabricscope::fuzz {

/// A file that has a name, but is in memory only.
class MemoryFile {
public:
    explicit MemoryFile(ByteView octets) : fd_(::memfd_create("capture", MFD_CLOEXEC)) {
        const ssize_t written = ::write(fd_, octets.data(), octets.size());
        if (fd_ < 0 || written != static_cast<ssize_t>(octets.size())) std::abort();
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { ::close(fd_); }

    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

private:
    int fd_;
};

}  // namespace fabricscope::fuzz
