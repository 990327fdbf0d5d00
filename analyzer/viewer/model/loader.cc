// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyzer/viewer/model/loader.h"

#include <chrono>
#include <exception>
#include <filesystem>

namespace fabricscope::viewer {
namespace {

using Clock = std::chrono::steady_clock;

/// Octets of all files; 0: not known.
std::uint64_t size_of(const std::vector<std::string>& files) {
    std::uint64_t size = 0;
    for (const std::string& file : files) {
        std::error_code error;
        const std::uintmax_t one = std::filesystem::file_size(file, error);
        if (error) return 0;
        size += one;
    }
    return size;
}

/// Frames of compressed files outgrow them.
int share_of(std::uint64_t octets, std::uint64_t size) {
    return size != 0 && octets <= size ? static_cast<int>(octets * 100 / size) : -1;
}

/// A recording of nothing but a complaint, if not even an exception keeps the window from standing.
std::shared_ptr<const Recording> load_or_complain(
    const std::vector<std::string>& files, const std::function<bool(std::uint64_t, std::uint64_t)>& proceed,
    bool still_written) {
    try {
        return viewer::load(files, proceed, still_written);
    } catch (const std::exception& error) {
        auto failed = std::make_shared<Recording>();
        failed->files = files;
        failed->reading.problems.emplace_back(error.what());
        return failed;
    }
}

}  // namespace

void Loader::load(std::vector<std::string> files, bool still_written) {
    cancel_and_wait();
    cancelled_ = abandoned_ = false;
    busy_ = true;
    thread_ = std::jthread([this, generation = ++generation_, files = std::move(files), still_written] {
        constexpr auto interval = std::chrono::milliseconds(100);
        const std::uint64_t size = size_of(files);
        auto next = Clock::now();
        const auto proceed = [&](std::uint64_t frames, std::uint64_t octets) {
            if (Clock::now() >= next) {
                Q_EMIT progressed(frames, share_of(octets, size));
                next = Clock::now() + interval;
            }
            return !cancelled_;
        };
        auto recording = load_or_complain(files, proceed, still_written);
        if (abandoned_) return;
        QMetaObject::invokeMethod(
            this,
            [this, generation, recording = std::move(recording)] {
                if (generation != generation_) return;
                busy_ = false;
                Q_EMIT loaded(recording);
            },
            Qt::QueuedConnection);
    });
}

void Loader::cancel_and_wait() {
    cancelled_ = abandoned_ = true;
    if (thread_.joinable()) thread_.join();
}

}  // namespace fabricscope::viewer
