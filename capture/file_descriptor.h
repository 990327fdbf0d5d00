// SPDX-License-Identifier: GPL-2.0-or-later
// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

namespace fabricscope::capture {

class FileDescriptor {
public:
    /// Negative: there is none.
    explicit FileDescriptor(int number) : number_(number) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int get() const { return number_; }

private:
    int number_;
};

}  // namespace fabricscope::capture
