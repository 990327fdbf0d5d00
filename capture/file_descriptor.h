// SPDX-License-Identifier: GPL-2.0-or-later
// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace fabricscope::capture {

class FileDescriptor {
public:
    /// Negative: there is none.
    explicit FileDescriptor(int number = -1) : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~FileDescriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int get() const { return number_; }
    bool is_open() const { return number_ >= 0; }

private:
    int number_;
};

}  // namespace fabricscope::capture
