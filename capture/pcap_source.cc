// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/pcap_source.h"

#include <pcap/pcap.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace fabricscope::capture {
namespace {

constexpr std::size_t buffer_size = 64 * 1024;

struct Close {
    void operator()(pcap_t* handle) const { pcap_close(handle); }
};
using Handle = std::unique_ptr<pcap_t, Close>;

/// The records of a pcap file that are as they should be, read by the block instead of by libpcap, which takes two
/// calls of the C library and a copy for each. Whatever else there is (the end, a record that is cut short or
/// larger than it may be, another version of the format) is left to libpcap.
/// https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-03.html
class PlainRecords {
public:
    /// `file` has been opened by `handle`.
    PlainRecords(std::FILE* file, pcap_t* handle)
        : fd_(::fileno(file)), most_captured_(static_cast<std::uint32_t>(pcap_snapshot(handle))) {
        struct stat status;
        std::array<std::uint8_t, header_size> header;
        const bool regular = ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
        if (!regular || ::pread(fd_, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) return;
        swapped_ = pcap_is_swapped(handle) != 0;
        const std::uint32_t magic = word(header.data());
        nanoseconds_ = magic == magic_nanoseconds;
        const bool current = pcap_major_version(handle) == 2 && pcap_minor_version(handle) == 4;
        any_ = current && (nanoseconds_ || magic == magic_microseconds) && ::ftello(file) == off_t{header_size};
    }

    /// Fills `batch`; false if what follows is not plain, from offset() on.
    bool read(Batch& batch, std::uint64_t& count, LinkType link) {
        batch.frames.clear();
        if (!any_) return false;
        batch.octets.resize(Batch::most_octets);
        const ssize_t got = ::pread(fd_, batch.octets.data(), batch.octets.size(), static_cast<off_t>(offset_));
        ByteView rest = ByteView(batch.octets).first(got < 0 ? 0 : static_cast<std::size_t>(got));
        while (batch.frames.size() < Batch::most_frames && rest.size() >= record_header_size) {
            const std::uint32_t captured = word(rest.data() + 8);
            const std::uint32_t fraction = word(rest.data() + 4);
            const bool plain = captured <= most_captured_ && fraction < (nanoseconds_ ? 1'000'000'000 : 1'000'000);
            if (!plain || rest.size() - record_header_size < captured) break;
            const auto seconds = static_cast<std::int32_t>(word(rest.data()));  // as libpcap has it
            batch.frames.push_back(
                {++count, time_of(seconds, nanoseconds_ ? fraction : std::int64_t{fraction} * 1'000),
                 word(rest.data() + 12), rest.subspan(record_header_size, captured), link, 0});
            rest = rest.subspan(record_header_size + captured);
            offset_ += record_header_size + captured;
        }
        any_ = !batch.frames.empty();
        return any_;
    }

    /// Where the next record begins in the file.
    std::uint64_t offset() const { return offset_; }

private:
    static constexpr std::size_t header_size = 24, record_header_size = 16;
    static constexpr std::uint32_t magic_microseconds = 0xA1B2'C3D4, magic_nanoseconds = 0xA1B2'3C4D;

    std::uint32_t word(const std::uint8_t* octets) const {
        std::uint32_t value;
        std::memcpy(&value, octets, sizeof value);
        return swapped_ ? __builtin_bswap32(value) : value;
    }

    int fd_;
    std::uint32_t most_captured_;
    bool swapped_ = false;
    bool nanoseconds_ = false;
    bool any_ = false;  ///< there may be more
    std::uint64_t offset_ = header_size;
};

class PcapSource final : public Source {
public:
    PcapSource(std::string path, std::unique_ptr<char[]> buffer, Handle handle)
        : path_(std::move(path)),
          buffer_(std::move(buffer)),
          handle_(std::move(handle)),
          link_(link_type_of(pcap_datalink(handle_.get()))),
          records_(pcap_file(handle_.get()), handle_.get()) {}

    bool next(Frame& frame) override {
        if (next_ == batch_.frames.size()) {
            next_ = 0;
            if (!next_plain(batch_)) return next_of_libpcap(frame);
        }
        frame = batch_.frames[next_++];
        return true;
    }

    bool next_batch(Batch& batch) override { return next_plain(batch) || Source::next_batch(batch); }

    std::vector<Error> errors() const override { return error_ ? std::vector{*error_} : std::vector<Error>{}; }
    std::uint32_t interface_count() const override { return 1; }

private:
    bool next_plain(Batch& batch) {
        if (!plain_) return false;
        plain_ = records_.read(batch, count_, link_);
        if (!plain_ && count_ != 0) ::fseeko(pcap_file(handle_.get()), static_cast<off_t>(records_.offset()), SEEK_SET);
        return plain_;
    }

    bool next_of_libpcap(Frame& frame) {
        pcap_pkthdr* header;
        const u_char* octets;
        const int result = ended_ ? PCAP_ERROR_BREAK : pcap_next_ex(handle_.get(), &header, &octets);
        if (result != 1) {
            end(result);
            return false;
        }
        // Opened with nanosecond precision: tv_usec holds nanoseconds.
        frame = {++count_, time_of(header->ts.tv_sec, header->ts.tv_usec), header->len, {octets, header->caplen}, link_,
                 0};
        return true;
    }

    void end(int result) {
        if (!ended_ && result == PCAP_ERROR) error_ = {path_, count_ + 1, position(), pcap_geterr(handle_.get())};
        ended_ = true;
    }

    std::optional<std::uint64_t> position() const {
        const off_t offset = ftello(pcap_file(handle_.get()));
        return offset < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(offset));
    }

    std::string path_;
    std::unique_ptr<char[]> buffer_;  ///< of the file that handle_ closes
    Handle handle_;
    LinkType link_;
    PlainRecords records_;
    bool plain_ = true;  ///< there may be more records for records_
    Batch batch_;        ///< of them, for next()
    std::size_t next_ = 0;
    std::uint64_t count_ = 0;
    bool ended_ = false;
    std::optional<Error> error_;
};

}  // namespace

LinkType link_type_of(int dlt) {
    switch (dlt) {
        case DLT_EN10MB: return LinkType::ethernet;
        case DLT_LINUX_SLL: return LinkType::linux_cooked_v1;
        case DLT_LINUX_SLL2: return LinkType::linux_cooked_v2;
        case DLT_RAW:
        case DLT_IPV4:
        case DLT_IPV6: return LinkType::raw_ip;
        case DLT_INFINIBAND: return LinkType::infiniband;
        case DLT_FC_2: return LinkType::fc2;
        case DLT_FC_2_WITH_FRAME_DELIMS: return LinkType::fc2_with_delimiters;
        default: return LinkType::unknown;
    }
}

OpenResult open_with_libpcap(const std::string& path) {
    const auto failure = [&](const char* message) { return OpenResult{nullptr, {path, 0, std::nullopt, message}}; };
    std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
    if (file == nullptr) return failure(std::strerror(errno));
    // libpcap reads a record at a time through stdio, whose own buffer is a mere page. Standard input
    // outlives any buffer of ours.
    auto buffer = std::make_unique<char[]>(buffer_size);
    if (file != stdin) {
        std::setvbuf(file, buffer.get(), _IOFBF, buffer_size);
        __fsetlocking(file, FSETLOCKING_BYCALLER);  // nobody else reads it
    }

    char message[PCAP_ERRBUF_SIZE] = "";
    Handle handle(pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, message));
    if (!handle) {
        if (file != stdin) std::fclose(file);
        return failure(message);
    }
    if (pcap_datalink(handle.get()) == DLT_ERF) return failure("libpcap does not take ERF records apart");
    return {std::make_unique<PcapSource>(path, std::move(buffer), std::move(handle)), {}};
}

}  // namespace fabricscope::capture
