// SPDX-License-Identifier: GPL-2.0-or-later
// How far reading has come, on stderr if that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/frame.h"

namespace fabricscope::cli {

class Progress {
public:
    explicit Progress(const std::vector<std::string>& files);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void on_frame(const capture::Frame& frame);
    /// Takes what it has shown off the terminal.
    void finish();

private:
    using Clock = std::chrono::steady_clock;

    void show();

    bool active_;
    bool shown_ = false;
    std::uint64_t size_ = 0;  ///< octets of all files; 0 = unknown
    std::uint64_t frames_ = 0;
    std::uint64_t octets_ = 0;  ///< that the frames take in a pcap file
    Clock::time_point next_;
};

}  // namespace fabricscope::cli
