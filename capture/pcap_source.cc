// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/pcap_source.h"

#include <pcap/pcap.h>
#include <stdio_ext.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace fabricscope::capture {
namespace {

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

constexpr std::size_t buffer_size = 64 * 1024;

struct Close {
    void operator()(pcap_t* handle) const { pcap_close(handle); }
};
using Handle = std::unique_ptr<pcap_t, Close>;

class PcapSource final : public Source {
public:
    PcapSource(std::string path, std::unique_ptr<char[]> buffer, Handle handle)
        : path_(std::move(path)),
          buffer_(std::move(buffer)),
          handle_(std::move(handle)),
          link_(link_type_of(pcap_datalink(handle_.get()))) {}

    bool next(Frame& frame) override {
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

    std::vector<Error> errors() const override { return error_ ? std::vector{*error_} : std::vector<Error>{}; }
    std::uint32_t interface_count() const override { return 1; }

private:
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
    std::uint64_t count_ = 0;
    bool ended_ = false;
    std::optional<Error> error_;
};

}  // namespace

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
