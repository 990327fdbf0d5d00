// SPDX-License-Identifier: GPL-2.0-or-later
#include "program/new_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "capture/pcapng_copy.h"
#include "program/output.h"

namespace fabricscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t looked_at = 65'536;

/// A link stays, and what it points to is replaced.
fs::path target_of(const std::string& path) {
    std::error_code error;
    const fs::path target = fs::weakly_canonical(fs::absolute(path), error);
    return error ? fs::path(path) : target;
}

/// Nothing if it cannot be read.
std::optional<std::string> beginning_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::string octets(looked_at, '\0');
    file.read(octets.data(), static_cast<std::streamsize>(octets.size()));
    octets.resize(static_cast<std::size_t>(file.gcount()));
    return octets;
}

/// Whether both name one place, a device excepted; standard output is one.
bool is_same_place(const std::string& one, const std::string& other) {
    if (is_standard_output(one) || is_standard_output(other))
        return is_standard_output(one) == is_standard_output(other);
    return NewFile::can_stand_for(one) && target_of(one) == target_of(other);
}

/// mkstemp makes files that nobody else may read.
::mode_t ordinary_mode() {
    const ::mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

/// As what it is to replace, so that what was private stays so.
void set_permissions(int file, const std::string& path) {
    struct stat replaced {};
    if (::stat(path.c_str(), &replaced) != 0) {
        ::fchmod(file, ordinary_mode());
        return;
    }
    // Only root can give a file away; for others it becomes their own.
    [[maybe_unused]] const int given = ::fchown(file, replaced.st_uid, replaced.st_gid);
    ::fchmod(file, replaced.st_mode & 0777);
}

std::string why_no_file_in(const fs::path& folder, const std::string& path) {
    if (::access(folder.c_str(), W_OK) == 0) return {};
    return "cannot write " + path + ": " + std::strerror(errno);
}

}  // namespace

const Replaceable our_captures{"a capture made by fabricscope", [](std::string_view octets) {
                                   return capture::application_of_pcapng(octets).starts_with("fabricscope ");
                               }};

bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

std::string why_no_output(const std::string& path, const std::vector<std::string>& inputs) {
    const auto is_it = [&](const std::string& input) {
        std::error_code error;
        return fs::equivalent(path, input, error) && fs::is_regular_file(input, error);
    };
    return std::ranges::any_of(inputs, is_it) ? path + " is an input and will not be overwritten" : std::string();
}

std::string why_not_written(const std::vector<OutputFile>& outputs, const std::vector<std::string>& inputs) {
    for (auto output = outputs.begin(); output != outputs.end(); ++output) {
        if (std::string reason = why_no_output(output->path, inputs); !reason.empty()) return reason;
        const auto other = std::find_if(outputs.begin(), output, [&](const OutputFile& before) {
            return is_same_place(before.path, output->path);
        });
        if (other != output)
            return other->option + " and " + output->option + " cannot both go to " +
                   (is_standard_output(output->path) ? "standard output" : output->path);
        if (is_standard_output(output->path) || !NewFile::can_stand_for(output->path)) continue;
        if (std::string reason = why_no_file_in(target_of(output->path).parent_path(), output->path); !reason.empty())
            return reason;
    }
    return {};
}

std::string why_not_replace(const std::string& path, const Replaceable& what) {
    const fs::path target = target_of(path);
    std::error_code error;
    const fs::file_status status = fs::status(target, error);
    if (!fs::exists(status)) return why_no_file_in(target.parent_path(), path);
    if (!fs::is_regular_file(status)) return path + " is no regular file";
    const std::optional<std::string> octets = beginning_of(target);
    if (octets && (octets->empty() || what.ours(*octets))) return {};
    return path + " exists and " + (octets ? "is not " : "cannot be read, so it may not be ") + what.kind +
           "; remove it or choose another name";
}

std::string why_no_folder(const std::string& path) {
    fs::path there = target_of(path);
    std::error_code error;
    while (there.has_relative_path() && !fs::exists(there, error)) there = there.parent_path();
    return fs::is_directory(there, error) ? why_no_file_in(there, path) : there.string() + " is no folder";
}

bool NewFile::can_stand_for(const std::string& path) {
    std::error_code error;
    const std::string absolute = fs::absolute(path, error).lexically_normal();
    if (absolute.starts_with("/dev/") || absolute.starts_with("/proc/")) return false;
    const fs::file_status status = fs::status(path, error);
    return !fs::exists(status) || fs::is_regular_file(status);
}

NewFile::NewFile(const std::string& path) : path_(target_of(path)), temporary_(path_ + ".XXXXXX") {
    const int file = ::mkstemp(temporary_.data());
    if (file < 0) {
        complain("cannot write " + path_ + ": " + std::strerror(errno));
        temporary_.clear();
        return;
    }
    set_permissions(file, path_);
    ::close(file);
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})) {}

NewFile::~NewFile() {
    std::error_code error;
    if (!temporary_.empty()) fs::remove(temporary_, error);
}

bool NewFile::put_in_place() {
    std::error_code error;
    fs::rename(temporary_, path_, error);
    if (error) {
        complain("cannot write " + path_ + ": " + error.message());
        return false;
    }
    temporary_.clear();
    return true;
}

}  // namespace fabricscope::cli
