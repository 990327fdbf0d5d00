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

std::string beginning_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string octets(looked_at, '\0');
    file.read(octets.data(), static_cast<std::streamsize>(octets.size()));
    octets.resize(static_cast<std::size_t>(file.gcount()));
    return octets;
}

bool is_same_file(const fs::path& one, const std::string& other) {
    std::error_code error;
    return fs::equivalent(one, other, error);
}

/// mkstemp makes files that nobody else may read.
::mode_t ordinary_mode() {
    const ::mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

std::string why_no_file_in(const fs::path& folder, const std::string& path) {
    if (::access(folder.c_str(), W_OK) == 0) return {};
    return "cannot write " + path + ": " + std::strerror(errno);
}

}  // namespace

const Replaceable our_captures{"a capture made by fabricscope", [](std::string_view octets) {
                                   return capture::application_of_pcapng(octets).starts_with("fabricscope ");
                               }};

std::string why_not_replace(const std::string& path, const std::vector<std::string>& inputs, const Replaceable& what) {
    const fs::path target = target_of(path);
    std::error_code error;
    const fs::file_status status = fs::status(target, error);
    if (!fs::exists(status)) return why_no_file_in(target.parent_path(), path);
    if (!fs::is_regular_file(status)) return path + " is no regular file";
    if (std::ranges::any_of(inputs, [&](const std::string& input) { return is_same_file(target, input); }))
        return path + " is an input and will not be overwritten";
    const std::string octets = beginning_of(target);
    if (octets.empty() || what.ours(octets)) return {};
    return path + " exists and is not " + what.kind + "; remove it or choose another name";
}

std::string why_no_folder(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return "cannot make the folder " + path + ": " + error.message();
    return why_no_file_in(path, path);
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
    ::fchmod(file, ordinary_mode());
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
