// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/unfinished.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "program/command_line.h"
#include "program/new_file.h"
#include "program/output.h"

namespace fabricscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* plan_name = "-plan";
constexpr const char* progress_name = "-progress.json";
constexpr const char* lock_name = "-lock";

const Replaceable our_plans{"a plan of fabricscope", [](std::string_view octets) {
                                return octets.find(report::plan_schema) != std::string_view::npos;
                            }};

std::string prefix_in(const std::string& folder) { return fs::path(folder) / "unfinished"; }

std::string part_of(const std::string& prefix, std::uint64_t number) {
    return prefix + '-' + report::name_of_part(number);
}

/// -1 if another run has it, or has just removed it.
int lock_of(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return -1;
    struct ::stat ours {
    }, there{};
    if (::flock(file, LOCK_EX | LOCK_NB) == 0 && ::fstat(file, &ours) == 0 && ::stat(path.c_str(), &there) == 0 &&
        ours.st_ino == there.st_ino)
        return file;
    ::close(file);
    return -1;
}

}  // namespace

std::string Unfinished::why_not(const std::string& folder, std::uint64_t parts) {
    const std::string prefix = prefix_in(folder);
    std::error_code error;
    for (std::uint64_t number = 1; number <= parts || fs::exists(part_of(prefix, number), error); ++number)
        if (std::string reason = why_not_replace(part_of(prefix, number), our_captures); !reason.empty()) return reason;
    return why_not_replace(prefix + plan_name, our_plans);
}

std::optional<report::PartitionPlan> Unfinished::plan_in(const std::string& folder, const std::string& run) {
    std::ifstream file(prefix_in(folder) + plan_name, std::ios::binary);
    return report::read_plan(file, run);
}

Unfinished::Unfinished(const std::string& folder, std::uint64_t parts)
    : prefix_(prefix_in(folder)), parts_(parts), lock_(lock_of(prefix_ + lock_name)) {
    if (lock_ >= 0) return;
    prefix_ += ".XXXXXX";
    const int file = ::mkstemp(prefix_.data());
    if (file < 0) throw std::runtime_error(prefix_ + ": " + std::strerror(errno));
    ::close(file);
}

Unfinished::~Unfinished() {
    if (lock_ >= 0) ::close(lock_);
    else remove();
}

std::string Unfinished::part(std::uint64_t number) const { return part_of(prefix_, number); }

capture::PartsProgress Unfinished::progress() const {
    std::ifstream file(prefix_ + progress_name, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::optional<capture::PartsProgress> progress = report::progress_of(text, parts_);
    std::error_code error;
    for (std::uint64_t number = 1; progress && number <= parts_; ++number)
        if (const std::uintmax_t size = fs::file_size(part(number), error);
            error || size < progress->parts[number - 1].size)
            progress.reset();
    if (!progress) progress = capture::PartsProgress{0, std::vector<capture::PcapngPart>(parts_)};
    for (std::uint64_t number = 1; number <= parts_; ++number) progress->parts[number - 1].path = part(number);
    return *progress;
}

bool Unfinished::keep_plan(const report::PartitionPlan& plan, const std::string& run) const {
    remove_parts();
    Output file(prefix_ + plan_name);
    report::write_plan(file.stream(), plan, run, application);
    return file.finish();
}

void Unfinished::keep_progress(const capture::PartsProgress& progress) const {
    Output file(prefix_ + progress_name);
    file.stream() << report::text_of(progress) << '\n';
    file.finish();
}

/// An earlier run may have had more of them.
void Unfinished::remove_parts() const {
    std::error_code error;
    fs::remove(prefix_ + progress_name, error);
    for (std::uint64_t number = 1; fs::remove(part(number), error) || number < parts_; ++number) {
    }
}

void Unfinished::remove() {
    remove_parts();
    std::error_code error;
    for (const char* name : {"", plan_name, lock_name}) fs::remove(prefix_ + name, error);
}

}  // namespace fabricscope::cli
