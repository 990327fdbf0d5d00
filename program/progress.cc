// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "analyzer/report/units.h"

namespace fabricscope::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto first_after = 500ms;  // short jobs stay silent
constexpr auto redraw_interval = 200ms;
constexpr std::uint64_t frames_between_looks_at_the_clock = 1024;
constexpr std::uint64_t pcap_record_header = 16;

/// Octets of all files; 0 if one of them has no size.
std::uint64_t size_of(const std::vector<std::string>& files) {
    std::uint64_t total = 0;
    for (const std::string& file : files) {
        std::error_code error;
        const std::uintmax_t size = std::filesystem::file_size(file, error);
        if (error) return 0;
        total += size;
    }
    return total;
}

}  // namespace

Progress::Progress(const std::vector<std::string>& files)
    : active_(::isatty(STDERR_FILENO) != 0), next_(Clock::now() + first_after) {
    if (active_) size_ = size_of(files);
}

Progress::~Progress() { finish(); }

void Progress::finish() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
}

void Progress::on_frame(const capture::Frame& frame) {
    if (!active_) return;
    ++frames_;
    octets_ += frame.data.size() + pcap_record_header;
    if (frames_ % frames_between_looks_at_the_clock == 0 && Clock::now() >= next_) show();
}

void Progress::show() {
    // Frames of a compressed file outgrow it; then there is no telling how much is left.
    const bool comparable = size_ != 0 && octets_ <= size_;
    const std::string share = comparable ? fmt::format(", {} %", octets_ * 100 / size_) : "";
    fmt::print(stderr, "\r\x1b[Kreading: {}{}", report::counted(frames_, "frame"), share);
    shown_ = true;
    next_ = Clock::now() + redraw_interval;
}

}  // namespace fabricscope::cli
