// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/wiretap_source.h"

#include <wiretap/wtap.h>

#include <algorithm>
#include <map>
#include <utility>

#include "capture/wiretap_file.h"
#include "capture/wiretap_link_type.h"

namespace fabricscope::capture {
namespace {

/// Wireshark also shows files that are no captures.
bool is_capture(int encapsulation) {
    switch (encapsulation) {
        case WTAP_ENCAP_MIME:
        case WTAP_ENCAP_JSON:
        case WTAP_ENCAP_MP4:
        case WTAP_ENCAP_RFC7468:
        case WTAP_ENCAP_RUBY_MARSHAL: return false;
        default: return true;
    }
}

class WiretapSource final : public Source {
public:
    WiretapSource(std::string path, WiretapFile file) : path_(std::move(path)), file_(std::move(file)) {
        add_described_interfaces();
    }

    bool next(Frame& frame) override {
        do {
            if (!read()) return false;
            ++count_;  // Wireshark numbers records of every kind
        } while (record_->rec_type != REC_TYPE_PACKET);
        const wtap_packet_header& header = record_->rec_header.packet_header;
        const Time time = time_of(record_->ts.secs, record_->ts.nsecs);
        frame = {
            count_, time, header.len, {record_.octets(), header.caplen}, link_type_of(header), interface_of(header)};
        return true;
    }

    std::vector<Error> errors() const override { return error_ ? std::vector{*error_} : std::vector<Error>{}; }

    std::uint32_t interface_count() const override {
        return std::max(1U, static_cast<std::uint32_t>(interfaces_.size()));
    }

private:
    bool read() {
        if (ended_) return false;
        WiretapProblem problem;
        if (record_.read(file_.get(), problem)) return true;
        ended_ = true;
        const auto offset_reached = static_cast<std::uint64_t>(wtap_read_so_far(file_.get()));
        if (problem.code != 0) error_ = {path_, count_ + 1, offset_reached, problem.take_text()};
        else if (offset_reached == 0) error_ = {path_, 0, 0, "the file is empty"};  // which passes for an ERF file
        return false;
    }

    void add_described_interfaces() {
        wtapng_iface_descriptions_t* descriptions = wtap_file_get_idb_info(file_.get());
        for (guint i = 0; i < descriptions->interface_data->len; ++i) interface_of(0, i);
        g_free(descriptions);
    }

    std::uint32_t interface_of(const wtap_packet_header& header) {
        if ((record_->presence_flags & WTAP_HAS_INTERFACE_ID) == 0) return 0;
        const bool sectioned = (record_->presence_flags & WTAP_HAS_SECTION_NUMBER) != 0;
        return interface_of(sectioned ? record_->section_number : 0, header.interface_id);
    }

    std::uint32_t interface_of(unsigned section, std::uint32_t id) {
        const auto next_free = static_cast<std::uint32_t>(interfaces_.size());
        return interfaces_.try_emplace({section, id}, next_free).first->second;
    }

    std::string path_;
    WiretapFile file_;
    WiretapRecord record_;
    std::uint64_t count_ = 0;
    /// Each section of a pcapng file counts its interfaces from 0.
    std::map<std::pair<unsigned, std::uint32_t>, std::uint32_t> interfaces_;
    bool ended_ = false;
    std::optional<Error> error_;
};

}  // namespace

bool is_variant_of_pcap(const std::string& path) {
    WiretapProblem problem;
    const WiretapFile file = open_wiretap_file(path, problem);
    const int type = file ? wtap_file_type_subtype(file.get()) : wtap_pcap_file_type_subtype();
    return type != wtap_pcap_file_type_subtype() && type != wtap_pcap_nsec_file_type_subtype();
}

OpenResult open_with_wiretap(const std::string& path) {
    WiretapProblem problem;
    WiretapFile file = open_wiretap_file(path, problem);
    if (!file) return {nullptr, {path, 0, std::nullopt, problem.take_text()}};
    if (!is_capture(wtap_file_encap(file.get()))) return {nullptr, {path, 0, std::nullopt, "not a capture file"}};
    return {std::make_unique<WiretapSource>(path, std::move(file)), {}};
}

}  // namespace fabricscope::capture
