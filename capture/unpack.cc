// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/unpack.h"

#include <archive.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

namespace fabricscope::capture {
namespace {

using Archive = std::unique_ptr<archive, decltype(&archive_read_free)>;

std::optional<std::string> unpack(const std::string& path, int to) {
    constexpr std::size_t block = 64 * 1024;
    const Archive packed(archive_read_new(), archive_read_free);
    // No others: for some, libarchive starts programs.
    for (const auto support :
         {archive_read_support_filter_xz, archive_read_support_filter_bzip2, archive_read_support_filter_zstd,
          archive_read_support_filter_lz4})
        support(packed.get());
    archive_read_support_format_raw(packed.get());
    archive_entry* entry = nullptr;
    const bool unpacked = archive_read_open_filename(packed.get(), path.c_str(), block) == ARCHIVE_OK &&
                          archive_read_next_header(packed.get(), &entry) == ARCHIVE_OK &&
                          archive_read_data_into_fd(packed.get(), to) == ARCHIVE_OK;
    if (unpacked) return std::nullopt;
    const char* const why = archive_error_string(packed.get());
    return std::string("cannot be unpacked whole: ") + (why != nullptr ? why : "damaged");
}

}  // namespace

bool begins_packed(std::string_view start) {
    using namespace std::literals;
    // Of the last two wiretap does not say that they end early.
    constexpr std::array magics{"\xFD\x37zXZ"sv, "BZh"sv, "\x28\xB5\x2F\xFD"sv, "\x04\x22\x4D\x18"sv};
    return std::ranges::any_of(magics, [&](std::string_view magic) { return start.starts_with(magic); });
}

bool is_packed(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;  // what is read of a pipe is gone
    std::array<char, packed_magic> start{};
    std::ifstream(path, std::ios::binary).read(start.data(), start.size());
    return begins_packed({start.data(), start.size()});
}

Unpacked::Unpacked(const std::string& path) {
    std::error_code error;
    const std::string folder = std::filesystem::temp_directory_path(error);
    if (error) {
        problem_ = "cannot be unpacked: the folder for temporary files, TMPDIR: " + error.message();
        return;
    }
    file_ = FileDescriptor(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
    problem_ = file_.is_open() ? unpack(path, file_.get()) : folder + ": " + std::strerror(errno);
}

}  // namespace fabricscope::capture
