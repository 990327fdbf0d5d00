// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/shell/capture_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "capture/wiretap_file.h"
#include "capture/wiretap_source.h"

namespace fabricscope::plugin {
namespace {

constexpr const char* open_files = "/proc/self/fd";

bool is_file_to_read(int descriptor) {
    struct stat status;
    const int flags = ::fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY && ::fstat(descriptor, &status) == 0 &&
           S_ISREG(status.st_mode) && status.st_size != 0;
}

std::vector<int> files_to_read() {
    std::vector<int> descriptors;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(open_files, error)) {
        const std::string name = entry.path().filename();
        int descriptor = -1;
        std::from_chars(name.data(), name.data() + name.size(), descriptor);
        if (is_file_to_read(descriptor)) descriptors.push_back(descriptor);
    }
    return descriptors;
}

}  // namespace

bool is_a_file_open_twice() {
    std::set<std::pair<dev_t, ino_t>> files;
    return std::ranges::any_of(files_to_read(), [&](int descriptor) {
        struct stat status;
        return ::fstat(descriptor, &status) == 0 && !files.emplace(status.st_dev, status.st_ino).second;
    });
}

std::optional<CaptureFile> CaptureFile::that_holds(const capture::Frame& frame) {
    for (const int descriptor : files_to_read()) {
        CaptureFile file(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
        if (file.file_.is_open() && file.holds(frame)) return file;
    }
    return std::nullopt;
}

std::unique_ptr<capture::Source> CaptureFile::open() const {
    capture::wiretap_is_prepared();
    return capture::open_with_wiretap(std::string(open_files) + '/' + std::to_string(file_.get())).source;
}

bool CaptureFile::holds(const capture::Frame& frame) {
    const std::unique_ptr<capture::Source> source = open();
    if (!source) return false;
    interfaces_ = source->interface_count();
    capture::Frame read;
    while (read.number < frame.number && source->next(read)) continue;
    return read.number == frame.number && read.time == frame.time && std::ranges::equal(read.data, frame.data);
}

bool CaptureFile::is_out_of_order() const {
    const std::unique_ptr<capture::Source> source = interfaces_ > 1 ? open() : nullptr;
    capture::Frame frame;
    std::optional<capture::Time> latest;
    while (source && source->next(frame)) {
        if (latest && frame.time < *latest) return true;
        latest = frame.time;
    }
    return false;
}

std::unique_ptr<capture::Source> CaptureFile::in_time_order() const {
    const auto once_more = [this] {
        std::vector<std::unique_ptr<capture::Source>> sources;
        if (auto source = open()) sources.push_back(std::move(source));
        return sources;
    };
    auto sources = once_more();
    return sources.empty() ? nullptr : capture::timeline(std::move(sources), once_more);
}

}  // namespace fabricscope::plugin
