// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "capture/pcap_source.h"
#include "capture/pcapng.h"
#include "capture/peek.h"
#include "capture/unpack.h"
#include "capture/wiretap_source.h"

namespace fabricscope::capture {
namespace {

/// A file's status; of standard input for "-".
std::optional<struct stat> status_of(const std::string& path) {
    struct stat status;
    const int result = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
    return result == 0 ? std::optional(status) : std::nullopt;
}

/// What a pcapng file has before its first packet; nothing if it is no such file.
struct Beginning {
    std::uint32_t interfaces = 0;
    bool other_records = false;  ///< that have frame numbers in Wireshark, and are skipped by libpcap
};

Beginning before_first_packet(const Peek& file) {
    std::array<std::uint32_t, 3> start;
    if (!file.read(0, start) || start[0] != pcapng::section_header) return {};
    const bool swapped = start[2] != pcapng::byte_order_magic;
    const auto host = [swapped](std::uint32_t word) { return swapped ? __builtin_bswap32(word) : word; };

    Beginning found;
    std::array<std::uint32_t, 2> block{};  // type, length
    for (std::uint64_t offset = 0; file.read(offset, block); offset += host(block[1])) {
        if (std::ranges::find(pcapng::packet_blocks, host(block[0])) != pcapng::packet_blocks.end()) break;
        if (host(block[1]) < pcapng::smallest_block) break;
        if (host(block[0]) == pcapng::interface_description) ++found.interfaces;
        else if (!pcapng::is_description(host(block[0]))) found.other_records = true;
    }
    return found;
}

/// In this host's byte order.
constexpr bool is_native_pcap_magic(std::uint32_t word) {
    constexpr std::uint32_t microseconds = 0xA1B2'C3D4, nanoseconds = 0xA1B2'3C4D;
    return word == microseconds || word == nanoseconds;
}

constexpr bool is_pcap_magic(std::uint32_t word) {
    return is_native_pcap_magic(word) || is_native_pcap_magic(__builtin_bswap32(word));
}

/// Whether the first records follow each other as in a pcap file. Variants have longer headers: some by a magic number
/// of their own, of which libpcap knows one meaning and wiretap three; Nokia's behind the usual one.
bool is_usual_pcap(const Peek& file) {
    constexpr int records = 3;
    constexpr std::uint32_t modified_magic = 0xA1B2'CD34;
    constexpr std::uint64_t file_header = 24;
    constexpr std::uint32_t nanoseconds_of_a_second = 1'000'000'000;
    std::array<std::uint32_t, 1> magic{};
    if (!file.read(0, magic)) return true;
    if (magic[0] == modified_magic || magic[0] == __builtin_bswap32(modified_magic)) return false;
    if (!is_pcap_magic(magic[0])) return true;
    const bool swapped = !is_native_pcap_magic(magic[0]);
    std::array<std::uint32_t, 4> header{};  // seconds, fraction, captured length, length
    std::uint64_t offset = file_header;
    for (int i = 0; i < records && file.read(offset, header); ++i) {
        if (swapped) std::ranges::transform(header, header.begin(), [](auto word) { return __builtin_bswap32(word); });
        const auto [seconds, fraction, captured, length] = header;
        if (fraction >= nanoseconds_of_a_second || captured > length || captured > unlimited_snap_length) return false;
        offset += sizeof header + captured;
    }
    return true;
}

/// The first octets that wait in a pipe, and stay there.
std::string start_of_pipe(int fd) {
    int copy[2];
    if (::pipe2(copy, O_CLOEXEC) != 0) return {};
    std::string start(packed_magic, '\0');
    const ::ssize_t there = ::tee(fd, copy[1], start.size(), 0);
    start.resize(there > 0 ? static_cast<std::size_t>(::read(copy[0], start.data(), start.size())) : 0);
    ::close(copy[0]);
    ::close(copy[1]);
    return start;
}

bool begins_as_pcap(std::string_view start) {
    std::uint32_t magic = 0;
    if (start.size() < sizeof magic) return false;
    std::memcpy(&magic, start.data(), sizeof magic);
    return is_pcap_magic(magic);
}

/// A pcapng file that began with one interface. Should it later describe another one of a different
/// link type, libpcap gives up and wiretap goes on from there.
class PcapngSource final : public Source {
public:
    PcapngSource(std::string path, std::unique_ptr<Source> source)
        : path_(std::move(path)), source_(std::move(source)) {}

    bool next(Frame& frame) override {
        if (source_->next(frame)) {
            ++delivered_;
            return true;
        }
        return !resumed_ && !source_->errors().empty() && resume(frame);
    }

    std::vector<Error> errors() const override { return source_->errors(); }
    std::uint32_t interface_count() const override { return source_->interface_count(); }

private:
    /// Delivers the frame after those delivered already. If wiretap does not come further either, the
    /// file is damaged, and libpcap has said where.
    bool resume(Frame& frame) {
        resumed_ = true;
        OpenResult result = open_with_wiretap(path_);
        if (!result) return false;
        for (std::uint64_t i = 0; i <= delivered_; ++i)
            if (!result.source->next(frame)) return false;
        source_ = std::move(result.source);
        return true;
    }

    std::string path_;
    std::unique_ptr<Source> source_;
    std::uint64_t delivered_ = 0;
    bool resumed_ = false;
};

/// A capture that was unpacked first.
class UnpackedSource final : public Source {
public:
    UnpackedSource(std::string path, std::unique_ptr<Unpacked> unpacked, std::unique_ptr<Source> source)
        : path_(std::move(path)), unpacked_(std::move(unpacked)), source_(std::move(source)) {}

    bool next(Frame& frame) override { return source_->next(frame); }
    std::uint32_t interface_count() const override { return source_->interface_count(); }

    /// In the user's words: a packed file that is damaged ends where it could not be unpacked.
    std::vector<Error> errors() const override {
        std::vector<Error> errors = source_->errors();
        if (unpacked_->problem()) errors = {{path_, 0, std::nullopt, *unpacked_->problem()}};
        for (Error& error : errors) error.file = path_;
        return errors;
    }

private:
    std::string path_;
    std::unique_ptr<Unpacked> unpacked_;
    std::unique_ptr<Source> source_;
};

OpenResult open_unpacked(const std::string& file) {
    const Peek peek(file);
    const auto [interfaces, other_records] = before_first_packet(peek);
    if (interfaces > 1 || other_records || (!is_usual_pcap(peek) && is_variant_of_pcap(file)))
        return open_with_wiretap(file);
    OpenResult result = open_with_libpcap(file);
    if (!result) return open_with_wiretap(file);
    if (interfaces == 1) result.source = std::make_unique<PcapngSource>(file, std::move(result.source));
    return result;
}

OpenResult open_packed(const std::string& path) {
    auto unpacked = std::make_unique<Unpacked>(path);
    // What still begins as a packed file does was none.
    OpenResult result = open_unpacked(unpacked->path());
    if (result) {
        result.source = std::make_unique<UnpackedSource>(path, std::move(unpacked), std::move(result.source));
    } else {
        result.error.file = path;
        if (unpacked->problem()) result.error.message = *unpacked->problem();
    }
    return result;
}

}  // namespace

std::string to_string(const Error& error) {
    std::string text = error.file;
    if (error.frame != 0) text += ": frame " + std::to_string(error.frame);
    if (error.offset) text += (error.frame != 0 ? ", offset " : ": offset ") + std::to_string(*error.offset);
    return text + ": " + error.message;
}

OpenResult open(const std::string& path) {
    const std::optional<struct stat> status = status_of(path);
    if (!status) return {nullptr, {path, 0, std::nullopt, std::strerror(errno)}};

    if (path == "-" && S_ISFIFO(status->st_mode)) {
        const std::string start = start_of_pipe(STDIN_FILENO);
        if (start.empty()) return {nullptr, {path, 0, std::nullopt, "the file is empty"}};
        if (begins_packed(start)) return open_packed("/dev/stdin");
        // What libpcap has tried in vain to read from a pipe is lost to wiretap.
        return begins_as_pcap(start) ? open_with_libpcap(path) : open_with_wiretap(path);
    }
    if (!S_ISREG(status->st_mode)) {
        const bool for_libpcap = path == "-" && S_ISSOCK(status->st_mode);  // which wiretap does not want
        return for_libpcap ? open_with_libpcap(path) : open_with_wiretap(path);
    }

    const std::string file = path == "-" ? "/dev/stdin" : path;
    return is_packed(file) ? open_packed(file) : open_unpacked(file);
}

}  // namespace fabricscope::capture
