// SPDX-License-Identifier: GPL-2.0-or-later
// pcap files with nanoseconds.
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include "capture/frame.h"

namespace fabricscope::traffic {

/// As files name link types.
enum PcapLink : std::uint32_t { pcap_ethernet = 1, pcap_fc2 = 224, pcap_fc2_with_delimiters = 225 };

class PcapWriter {
public:
    explicit PcapWriter(const std::string& path, std::uint32_t link = pcap_ethernet)
        : file_(std::fopen(path.c_str(), "wb")) {
        constexpr std::uint32_t nanoseconds = 0xA1B2'3C4D, version_2_4 = 4U << 16 | 2;
        put({nanoseconds, version_2_4, 0, 0, 262'144, link});
    }

    void write(capture::Time time, ByteView frame) {
        const auto size = static_cast<std::uint32_t>(frame.size());
        put(
            {static_cast<std::uint32_t>(time / capture::second), static_cast<std::uint32_t>(time % capture::second),
             size, size});
        if (file_) good_ = std::fwrite(frame.data(), 1, frame.size(), file_.get()) == frame.size() && good_;
    }

    /// Whether all has been written.
    bool finish() { return file_ && good_ && std::fclose(file_.release()) == 0; }

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    void put(std::initializer_list<std::uint32_t> words) {
        if (file_) good_ = std::fwrite(words.begin(), 4, words.size(), file_.get()) == words.size() && good_;
    }

    std::unique_ptr<std::FILE, Close> file_;
    bool good_ = true;
};

}  // namespace fabricscope::traffic
